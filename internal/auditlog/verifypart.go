package auditlog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
)

// part is a part of the log that is being verified, entry by entry through proofs.
type part struct {
	audit.Checkpoint
	text string
	last int // last sequence

	ended bool
}

// verifyPart verifies a line of the export of a part. It cannot detect that entries were left out,
// because a part does not describe the rest of the log.
func (v *exportVerifier) verifyPart(l audit.Line) error {
	switch {
	case l.Part && l.Sequence == 0 && l.Batches == 0:
		v.beginPart(l.Checkpoint)
	case v.part == nil || l.Part || l.Batches != 0 || l.Sequence != 0 && l.Checkpoint != "":
		v.stop("the line is outside the part of the log that began before it")
	case l.Sequence == 0:
		v.ended, v.part.ended = true, true
		if l.Checkpoint != v.part.text {
			v.stop("the last checkpoint differs from the first")
		}
	case l.Sequence <= v.part.last:
		v.stop(fmt.Sprintf("entry %d follows entry %d: it was added or moved",
			l.Sequence, v.part.last))
	default:
		v.proven(l)
	}
	return nil
}

// beginPart begins with the checkpoint that the proofs lead to, and compares it with the external
// checkpoints of the same size.
func (v *exportVerifier) beginPart(text string) {
	opened, err := audit.OpenExact(text, v.key)
	switch {
	case err != nil:
		v.stop("the first checkpoint is not signed by the key of this log")
		return
	case v.part == nil && v.report.Entries > 0:
		v.stop("a part of the log follows the whole")
		return
	case v.part != nil && !v.part.ended:
		v.stop("the line before is not a checkpoint: the end of the part is missing")
		return
	}
	v.report.Part, v.report.Checkpoint = true, text
	v.part = &part{Checkpoint: opened, text: text}
	for _, kept := range v.checker.elsewhere {
		if kept.Size == opened.Size && kept.Root != opened.Root {
			v.stop(fmt.Sprintf("the log of this export differs from that of a checkpoint kept "+
				"elsewhere; both are signed:\n%s\n%s", kept.text, text))
			return
		}
	}
}

// maxProof is the maximum size of a saved proof, whose entry may be long.
const maxProof = 1 << 20

// savedProof parses the text as a saved result of Prove, and reports whether it is one.
func savedProof(text *bufio.Reader) (p Proof, ok bool) {
	start, err := text.Peek(maxProof)
	if !errors.Is(err, io.EOF) || json.Unmarshal(start, &p) != nil {
		return Proof{}, false
	}
	return p, p.Entry.Sequence != 0 && p.Checkpoint != ""
}

// proof verifies a saved proof, which is a part of the log with one entry.
func (v *exportVerifier) proof(p Proof) {
	v.beginPart(p.Checkpoint)
	if !v.stopped && (p.Size != v.part.Size || p.Index != int64(p.Entry.Sequence-1)) {
		v.stop("index and size are not those of the entry and of the checkpoint")
	}
	if v.stopped {
		return
	}
	p.Entry.Proof = p.Hashes
	v.proven(p.Entry)
	v.ended, v.part.ended = true, true
}

// proven verifies an entry by its proof.
func (v *exportVerifier) proven(l audit.Line) {
	v.part.last = l.Sequence
	v.report.Entries++
	bad := func(text string) {
		v.report.add(Finding{First: l.Sequence, Last: l.Sequence, Text: text})
	}
	sealed, err := l.Sealed()
	if err != nil || l.Hash == nil {
		bad("is not whole")
		return
	}
	if sealed.LeafHash() != *l.Hash {
		bad("was changed: its hash does not fit")
		return
	}
	err = tlog.CheckRecord(l.Proof, v.part.Size, v.part.Root, int64(l.Sequence-1), *l.Hash)
	if err != nil {
		bad("is not in the log of the checkpoint: it was changed, added or moved")
	}
}
