package auditlog

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Finding is something in the log that is not as it was sealed.
type Finding struct {
	// First and Last are the sequences of the entries that are meant: one, or as few as can be
	// told. Both are 0 for a row that was never sealed, and for what concerns no entry.
	First, Last int
	Row         int // the audit row; 0 when it is not known
	Text        string
}

// String is the finding in a line, or in several when checkpoints are shown.
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

// Report is what a verification has seen.
type Report struct {
	Entries  int  // sealed entries
	Part     bool // an export of a part of the log was verified, with Entries entries
	Archived int  // of these, entries known by their hashes alone

	// Undigested is how many entries have no digest, because a program of an earlier version wrote
	// them; LastUndigested is the last of these.
	Undigested, LastUndigested int

	Waiting    int       // rows that are not sealed yet
	Oldest     time.Time // the act of the oldest of these
	Checkpoint string
	Findings   []Finding // the first bad entry first
}

// maxFindings bounds a report: the first finding counts, and a few more show the extent.
const maxFindings = 20

// add keeps findings in the order of their entries. Rows that are not sealed come last.
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

// ErrTampered is the error of a log that is not as it was sealed.
var ErrTampered = errors.New("the audit log is not as it was sealed")

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
// may. In an older database, entries may until a week after the first that has a digest: from then
// on one without is made up.
type undigested struct {
	begun bool      // an entry was seen
	from  time.Time // the act of the first entry with a digest
	over  bool
}

// allows reports whether an entry may be as it is. Entries come in the order of their sequence.
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
