// Package agefile encrypts and decrypts files with age (age-encryption.org), and distinguishes
// encrypted files from all others. Package vault has the key to which files are encrypted.
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

// Beginning is the number of bytes that IsEncrypted needs.
const Beginning = 64

// IsEncrypted reports whether a file is encrypted. It needs the beginning of the file, or all of a
// shorter one.
func IsEncrypted(beginning []byte) bool {
	return strings.HasPrefix(string(beginning), "age-encryption.org/v1\n") || IsArmored(beginning)
}

// IsArmored reports whether an encrypted file is ASCII-armored.
func IsArmored(beginning []byte) bool {
	return strings.HasPrefix(string(beginning), armor.Header)
}

// Encrypt returns a writer that encrypts to recipients, in the form of age. Closing it ends the
// file.
func Encrypt(to io.Writer, recipients ...string) (io.WriteCloser, error) {
	var all []age.Recipient
	for _, text := range recipients {
		recipient, err := age.ParseX25519Recipient(text)
		if err != nil {
			return nil, fmt.Errorf("parse the recipient %q: %w", text, err)
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

// Open returns the decrypted content of an encrypted file, and any other file unchanged.
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

// source is a file that remembers the error of reading it.
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

// explain distinguishes a damaged file from an error of reading it.
func (s *source) explain(err error) error {
	if s.err != nil {
		return s.err
	}
	return fmt.Errorf("%w: %v", ErrDamagedFile, err)
}

// openedFile is the decrypted content of an encrypted file.
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
