// Package backup is the form of a backup file: a line that says what the file holds and which keys
// it needs, the data, and an authentication code of both, which only these keys can make. It holds
// no key. A file is read to its end, and its code compared, before anything of it is used; what the
// data means is the business of package inspect.
package backup

import (
	"encoding/hex"
	"errors"
	"time"
)

// Version is the form that this program writes and reads. Form 1 ended with a digest that anybody
// can make.
const Version = 2

// Store says what kind of database the data was taken from.
type Store string

// The kinds of database. A backup of one is restored into the same kind.
const (
	Embedded   Store = "embedded"
	PostgreSQL Store = "postgresql"
)

// Header is the first line of a file, as JSON.
type Header struct {
	Version int       `json:"mintmarkBackup"`
	Program string    `json:"program"` // the version of Mintmark that has made it
	Store   Store     `json:"store"`
	Schema  int64     `json:"schema"` // version of the tables
	Made    time.Time `json:"made"`   // nothing that was answered earlier is missing

	// What the keys must be that the data is restored with.
	Environment string `json:"environment"`
	Keyset      string `json:"keyset"`
	PinKey      string `json:"pinKey"`

	Log *Log `json:"log,omitempty"` // nil before anything was sealed
}

// Log is the newest checkpoint of the audit in the data.
type Log struct {
	Origin string `json:"origin"`
	Size   int64  `json:"size"`
	Root   []byte `json:"root"`
}

var (
	// ErrNoBackup: a file does not begin as a backup does.
	ErrNoBackup = errors.New("it is not a backup of Mintmark")
	// ErrDamaged: a file is not as it was written.
	ErrDamaged = errors.New("the backup is damaged, or was changed")
	// ErrUnauthenticated: a file has a form without an authentication code.
	ErrUnauthenticated = errors.New("the backup is not authenticated")
	// ErrNewer: a file has a form that this program does not know.
	ErrNewer = errors.New("the backup was made by a newer program")
)

// Code returns the authentication code, 32 bytes, of the SHA-256 of a text under the keys of an
// installation.
type Code func(digest []byte) []byte

// The end of a file is this text, the code of everything before it in hexadecimal, and a line feed.
const (
	sealText   = "\nhmac-sha256 "
	sealLength = len(sealText) + 64 + 1
)

// seal is the end of a file whose text has a digest.
func (c Code) seal(digest []byte) string { return sealText + hex.EncodeToString(c(digest)) + "\n" }

// longestHeader bounds the first line.
const longestHeader = 1 << 16
