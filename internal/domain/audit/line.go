package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// Line is a sealed entry as a line of an export or an archive. Hash is the entry's hash in the
// tree, which locates the first bad line. The line of an entry that was archived elsewhere has only
// the sequence and the hash.
type Line struct {
	Sequence   int         `json:"sequence,omitempty"`
	Event      int         `json:"event,omitempty"`
	Hash       *tlog.Hash  `json:"hash,omitempty"`
	Digest     []byte      `json:"digest,omitempty"`
	At         string      `json:"at,omitempty"`
	Actor      *ActorLine  `json:"actor,omitempty"`
	Address    string      `json:"address,omitempty"`
	RequestID  string      `json:"requestId,omitempty"`
	Act        string      `json:"act,omitempty"`
	Subject    SubjectLine `json:"subject,omitzero"`
	ProgramID  int         `json:"programId,omitempty"`
	BankID     int         `json:"bankId,omitempty"`
	CustomerID int         `json:"customerId,omitempty"`
	Outcome    string      `json:"outcome,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	Before     string      `json:"before,omitempty"` // a JSON object, as a string
	After      string      `json:"after,omitempty"`

	// Proof holds the hashes that lead from the entry to the root of the checkpoint in the last
	// line. Only an export of a part of the log has proofs.
	Proof []tlog.Hash `json:"proof,omitempty"`

	// Part is set in the first line of an export of a part of the log, together with the checkpoint
	// to which its proofs lead.
	Part bool `json:"part,omitempty"`

	// Checkpoint is a signed note, in the last line of a batch and in the last line of the file.
	Checkpoint string `json:"checkpoint,omitempty"`

	// Batches is set in the last line: the number of lines in the file that end a batch. It is 0 in
	// files of earlier versions, and in an export of a part.
	Batches int `json:"batches,omitempty"`
}

// ActorLine identifies the actor. The rest of the request's context is in Line.
type ActorLine struct {
	Kind Kind   `json:"kind"`
	ID   int    `json:"id,omitempty"`
	Name string `json:"name"`
}

// SubjectLine identifies the subject of the act; it is omitted if there is none in particular.
type SubjectLine struct {
	Kind SubjectKind `json:"kind"`
	ID   string      `json:"id"`
}

// LineOf returns the line of a sealed entry.
func LineOf(s Sealed) Line {
	line := lineOf(s)
	hash := s.LeafHash()
	line.Hash = &hash
	return line
}

// lineOf is LineOf without the hash.
func lineOf(s Sealed) Line {
	return Line{
		Sequence: s.Sequence, Event: s.Event, Digest: s.Digest,
		At: s.At.UTC().Format(time.RFC3339Nano), Actor: &ActorLine{s.Kind, s.Actor.ID, s.Name},
		Address: s.Address, RequestID: s.RequestID, Act: s.Act,
		Subject: SubjectLine(s.Subject), ProgramID: s.ProgramID, BankID: s.BankID,
		CustomerID: s.CustomerID, Outcome: s.Outcome, Reason: s.Reason,
		Before: s.Before, After: s.After,
	}
}

// IsHashOnly reports whether the line is for an entry that was archived elsewhere.
func (l Line) IsHashOnly() bool { return l.Actor == nil && l.Hash != nil }

// Sealed returns the entry of the line.
func (l Line) Sealed() (Sealed, error) {
	at, err := time.Parse(time.RFC3339Nano, l.At)
	if err != nil || l.Actor == nil {
		return Sealed{}, fmt.Errorf("audit: entry %d is incomplete", l.Sequence)
	}
	return Sealed{
		Sequence: l.Sequence, Event: l.Event, Digest: l.Digest, Entry: Entry{
			At: at.UTC(), Act: l.Act, ProgramID: l.ProgramID, BankID: l.BankID,
			CustomerID: l.CustomerID, Actor: Actor{
				Kind: l.Actor.Kind, ID: l.Actor.ID, Name: l.Actor.Name,
				Address: l.Address, RequestID: l.RequestID, Reason: l.Reason,
			},
			Subject: Subject(l.Subject), Outcome: l.Outcome, Before: l.Before, After: l.After,
		},
	}, nil
}

// Append appends the line, with a newline, to a buffer.
func (l Line) Append(to []byte) ([]byte, error) {
	text := bytes.NewBuffer(to)
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(l)
	return text.Bytes(), err
}

// ReadLine parses a line and verifies that it is byte for byte what Append writes: a file must not
// contain anything that no hash covers, and every reader of a line must see the same entry.
func ReadLine(text []byte) (Line, error) {
	var l Line
	if err := json.Unmarshal(text, &l); err != nil {
		return l, err
	}
	covered := Line{Sequence: l.Sequence}
	if l.Actor != nil {
		sealed, err := l.Sealed()
		if err != nil {
			return l, err
		}
		covered = lineOf(sealed)
		covered.Proof = l.Proof
	}
	covered.Hash, covered.Checkpoint = l.Hash, l.Checkpoint
	covered.Part, covered.Batches = l.Part, l.Batches
	written, err := covered.Append(nil)
	if err != nil {
		return l, err
	}
	if !bytes.Equal(bytes.TrimSuffix(written, []byte("\n")), bytes.TrimSuffix(text, []byte("\n"))) {
		return l, fmt.Errorf("audit: the line differs from its canonical form")
	}
	return l, nil
}
