package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/audit"
	"mintmark/internal/face/admin"
)

// entryPage is an entry with the proof that it is in the sealed log.
type entryPage struct {
	entryLine
	Facts   []fact
	Proof   wire.Proof
	Verdict mark
	Told    string
}

// showEntry shows an entry as contained in its proof, and verifies the proof.
func showEntry(ctx context.Context, v *visit) (entryPage, error) {
	number := v.params["sequence"]
	proof, err := readNamed[wire.Proof](ctx, v, "audit/{sequence}/proof")
	if err != nil {
		return entryPage{}, err
	}
	var line audit.Line
	if err := json.Unmarshal(proof.Entry, &line); err != nil {
		return entryPage{}, err
	}
	sealed, err := line.Sealed()
	if err != nil {
		return entryPage{}, err
	}
	key, err := v.do(ctx, admin.Request{Method: http.MethodGet, Path: "audit/key"})
	if err != nil {
		return entryPage{}, err
	}
	answer, err := key.Response()
	if err != nil {
		return entryPage{}, err
	}
	v.crumbs("Entry "+number, "Audit", "audit")
	v.command("audit proof", number)
	shown := entryPage{entryLine: v.entryLine(entryOf(sealed)), Proof: proof}
	shown.Facts = v.entryFacts(shown.entryLine)
	shown.judge(sealed, strings.TrimSpace(string(answer.Body)))
	return shown, nil
}

// entryOf converts a sealed entry to one of the interface.
func entryOf(s audit.Sealed) wire.Entry {
	e := wire.Entry{
		Sequence: s.Sequence, At: s.At, Actor: wire.Actor{
			Kind: string(s.Kind), ID: s.Actor.ID, Name: s.Name,
		},
		Address: s.Address, RequestID: s.RequestID, Act: s.Act, ProgramID: s.ProgramID,
		Outcome: s.Outcome, Reason: s.Reason,
	}
	if s.Subject != (audit.Subject{}) {
		e.Subject = string(s.Subject.Kind) + ":" + s.Subject.ID
	}
	if s.Before != "" {
		e.Before = json.RawMessage(s.Before)
	}
	if s.After != "" {
		e.After = json.RawMessage(s.After)
	}
	return e
}

// judge verifies the proof: that the hashes lead from the entry to the root of the checkpoint, and
// that the checkpoint is signed with the key of the log.
func (p *entryPage) judge(sealed audit.Sealed, key string) {
	checkpoint, err := verifyProof(p.Proof, sealed, key)
	if err != nil {
		p.Verdict = mark{"bad", "cross", "Not proved"}
		p.Told = "The proof does not hold: " + err.Error() + ". Save it, and have the log verified."
		return
	}
	p.Verdict = mark{"ok", "", "Proved"}
	p.Told = fmt.Sprintf("Verified just now: the hashes lead from this entry, the %s of the log, "+
		"to the root of the signed checkpoint over %s. With a kept checkpoint an auditor "+
		"verifies later that nothing was changed, removed or added since.",
		ordinal(p.Proof.Index+1), plural(int(checkpoint.Size), "entry", "entries"))
}

var errOtherSize = errors.New("the checkpoint has a different size")

func verifyProof(proof wire.Proof, sealed audit.Sealed, key string) (audit.Checkpoint, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return audit.Checkpoint{}, err
	}
	checkpoint, err := audit.OpenCheckpoint(proof.Checkpoint, verifier)
	if err != nil {
		return audit.Checkpoint{}, err
	}
	if checkpoint.Size != int64(proof.Size) {
		return audit.Checkpoint{}, errOtherSize
	}
	var hashes tlog.RecordProof
	for _, text := range proof.Hashes {
		hash, err := tlog.ParseHash(text)
		if err != nil {
			return audit.Checkpoint{}, err
		}
		hashes = append(hashes, hash)
	}
	return checkpoint, tlog.CheckRecord(hashes, checkpoint.Size, checkpoint.Root,
		int64(proof.Index), sealed.LeafHash())
}

// ordinal formats a position, such as 3rd.
func ordinal(number int) string {
	ending := "th"
	if number/10%10 != 1 {
		ending = map[int]string{1: "st", 2: "nd", 3: "rd"}[number%10]
	}
	if ending == "" {
		ending = "th"
	}
	return count(number) + ending
}
