package auditlog

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Finding describes something in the log that is not as it was sealed.
type Finding struct {
	// First and Last are the sequences of the entries concerned: one, or the smallest range that
	// can be determined. Both are 0 for a row that was never sealed, and for a finding about no
	// entry.
	First, Last int
	Row         int // number of the audit row; 0 if unknown
	Text        string
}

// String returns the finding in one line, or in several if it shows checkpoints.
func (f Finding) String() string {
	where := ""
	switch {
	case f.First == 0 && f.Row != 0:
		where = fmt.Sprintf("audit row %d, not sealed: ", f.Row)
	case f.First == 0:
	case f.First != f.Last:
		where = fmt.Sprintf("among entries %d to %d: ", f.First, f.Last)
	case f.Row != 0:
		where = fmt.Sprintf("entry %d (audit row %d): ", f.First, f.Row)
	default:
		where = fmt.Sprintf("entry %d: ", f.First)
	}
	return where + f.Text
}

// Report is the result of a verification.
type Report struct {
	Entries  int  // sealed entries
	Part     bool // the verified export is a part of the log with Entries entries
	Archived int  // those of Entries that are known only by their hashes

	// Undigested counts the entries without a digest, which a program of an earlier version wrote;
	// LastUndigested is the last of them.
	Undigested, LastUndigested int

	Waiting    int       // rows that are not sealed yet
	Oldest     time.Time // time of the oldest of these acts
	Checkpoint string
	Findings   []Finding // sorted by entry, the first bad one first
}

// maxFindings is the maximum number of findings: the first one counts, and a few more show the
// extent.
const maxFindings = 20

// add inserts a finding in the order of entries. Findings about unsealed rows come last.
func (r *Report) add(f Finding) {
	at := len(r.Findings)
	for at > 0 && f.First > 0 && (r.Findings[at-1].First > f.First || r.Findings[at-1].First == 0) {
		at--
	}
	if at >= maxFindings {
		return
	}
	r.Findings = append(r.Findings[:at], append([]Finding{f}, r.Findings[at:]...)...)
	r.Findings = r.Findings[:min(len(r.Findings), maxFindings)]
}

// ErrTampered is returned for a log that is not as it was sealed.
var ErrTampered = errors.New("the audit log differs from what was sealed")

// Err returns ErrTampered with the findings, or nil.
func (r *Report) Err() error {
	if len(r.Findings) == 0 {
		return nil
	}
	var texts []string
	for _, finding := range r.Findings {
		texts = append(texts, finding.String())
	}
	return fmt.Errorf("%w\n%s", ErrTampered, strings.Join(texts, "\n"))
}

// undigestedTime is how long programs of an earlier version may run beside this one and write
// entries without a digest.
const undigestedTime = 7 * 24 * time.Hour

// undigested decides whether an entry may lack a digest. In a log whose first entry has one, none
// may. In an older database, entries may lack one until a week after the first entry that has one;
// a later entry without a digest is forged.
type undigested struct {
	begun bool      // an entry was seen
	from  time.Time // time of the first entry with a digest
	over  bool
}

// allows reports whether an entry may have, or lack, a digest. Entries must come in sequence order.
func (u *undigested) allows(at time.Time, hasDigest bool) bool {
	first := !u.begun
	u.begun = true
	if !hasDigest {
		return !u.over
	}
	switch {
	case first:
		u.over = true
	case u.from.IsZero():
		u.from = at
	case at.Sub(u.from) > undigestedTime:
		u.over = true
	}
	return true
}
