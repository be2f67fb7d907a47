// Package agefile writes and opens files that are encrypted with age (age-encryption.org), and tells
// them from all others. Package vault has the key that files are encrypted to.
package agefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// Beginning is by how many bytes a file is told.
const Beginning = 64

// IsEncrypted reports whether a file is encrypted, by its beginning or all of it.
func IsEncrypted(beginning []byte) bool {
	return strings.HasPrefix(string(beginning), "age-encryption.org/v1\n") || IsArmored(beginning)
}

// IsArmored reports whether an encrypted file is written in letters.
func IsArmored(beginning []byte) bool {
	return strings.HasPrefix(string(beginning), armor.Header)
}

// Encrypt returns a writer of what recipients, in the form of age, can open. Closing it ends the
// file.
func Encrypt(to io.Writer, recipients ...string) (io.WriteCloser, error) {
	var all []age.Recipient
	for _, text := range recipients {
		recipient, err := age.ParseX25519Recipient(text)
		if err != nil {
			return nil, fmt.Errorf("the recipient %q: %w", text, err)
		}
		all = append(all, recipient)
	}
	return age.Encrypt(to, all...)
}

// The errors of an encrypted file.
var (
	ErrOtherRecipient = errors.New("the file is encrypted to another recipient; " +
		"mintmark key-file recipient prints that of this installation")
	ErrDamagedFile = errors.New("the file is encrypted and damaged")
)

// Open returns what an encrypted file holds, and of any other file the file.
func Open(from io.Reader, identities ...age.Identity) (io.Reader, error) {
	source := &source{from: from}
	text := bufio.NewReader(source)
	beginning, err := text.Peek(Beginning)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var sealed io.Reader = text
	switch {
	case !IsEncrypted(beginning):
		return text, nil
	case IsArmored(beginning):
		sealed = armor.NewReader(text)
	}
	opened, err := age.Decrypt(sealed, identities...)
	other := (*age.NoIdentityMatchError)(nil)
	if errors.As(err, &other) {
		return nil, ErrOtherRecipient
	}
	if err != nil {
		return nil, source.explain(err)
	}
	return openedFile{opened, source}, nil
}

// source is a file, and the error of reading it.
type source struct {
	from io.Reader
	err  error
}

func (s *source) Read(into []byte) (int, error) {
	read, err := s.from.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return read, err
}

// explain tells an error of the file from one of reading it.
func (s *source) explain(err error) error {
	if s.err != nil {
		return s.err
	}
	return fmt.Errorf("%w: %v", ErrDamagedFile, err)
}

// openedFile is what an encrypted file holds.
type openedFile struct {
	io.Reader
	source *source
}

func (f openedFile) Read(into []byte) (int, error) {
	read, err := f.Reader.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.source.explain(err)
	}
	return read, err
}
