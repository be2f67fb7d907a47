package audit

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checkpoint is the state of the log at a size. When signed, it is a note of three lines and a
// signature.
type Checkpoint struct {
	Origin string // name of the log, and of the key that signs
	Size   int64
	Root   tlog.Hash
}

// ErrCheckpoint is returned for text that is not a checkpoint of the log with the given key.
var ErrCheckpoint = errors.New("not a checkpoint of this log")

// Sign returns the checkpoint as a signed note.
func (c Checkpoint) Sign(signer note.Signer) (string, error) {
	text := fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size,
		base64.StdEncoding.EncodeToString(c.Root[:]))
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	return string(signed), err
}

// OpenCheckpoint verifies a signed note and returns its checkpoint. The key must have signed the
// note, and the note's first line must name the log, which the signature does not guarantee.
func OpenCheckpoint(signed string, key note.Verifier) (Checkpoint, error) {
	opened, err := note.Open([]byte(signed), note.VerifierList(key))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	c, err := ReadCheckpoint(opened.Text)
	if err != nil {
		return Checkpoint{}, err
	}
	if c.Origin != key.Name() {
		return Checkpoint{}, fmt.Errorf("%w: it belongs to %q, not to %q", ErrCheckpoint, c.Origin,
			key.Name())
	}
	return c, nil
}

// OpenExact is like OpenCheckpoint but accepts only the exact output of Sign: the three lines, one
// signature, and nothing after it.
func OpenExact(signed string, key note.Verifier) (Checkpoint, error) {
	c, err := OpenCheckpoint(signed, key)
	if err != nil {
		return c, err
	}
	// The signature, after the name, is 4 bytes of the key's hash and the 64 bytes of Ed25519.
	const bytes = 4 + ed25519.SignatureSize
	text, signature, _ := strings.Cut(signed, "\n\n— "+key.Name()+" ")
	raw, err := base64.StdEncoding.DecodeString(signature)
	if err != nil || len(raw) != bytes || strings.Count(text, "\n") != 2 ||
		signature != base64.StdEncoding.EncodeToString(raw)+"\n" {
		return c, fmt.Errorf("%w: it differs from the form that was signed", ErrCheckpoint)
	}
	return c, nil
}

// ReadCheckpoint parses the three lines of a checkpoint without verifying them. It ignores anything
// after them, such as a signature.
func ReadCheckpoint(text string) (Checkpoint, error) {
	const lines = 3
	parts := strings.SplitN(text, "\n", lines+1)
	if len(parts) != lines+1 {
		return Checkpoint{}, fmt.Errorf("%w: it does not have three lines", ErrCheckpoint)
	}
	c := Checkpoint{Origin: parts[0]}
	size, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != parts[1] {
		return Checkpoint{}, fmt.Errorf("%w: its size %q is not valid", ErrCheckpoint, parts[1])
	}
	c.Size = size
	root, err := base64.StdEncoding.Strict().DecodeString(parts[2])
	if err != nil || len(root) != len(c.Root) {
		return Checkpoint{}, fmt.Errorf("%w: its root %q is not valid", ErrCheckpoint, parts[2])
	}
	copy(c.Root[:], root)
	return c, nil
}
