// Package backup implements the format of a backup file: a header line, which describes the content
// and the keys that it needs, then the data, and an authentication code of both, which only these
// keys can compute. The file contains no key. A file is read to its end and authenticated before
// any of it is used. Package inspect interprets the data.
package backup

import (
	"encoding/hex"
	"errors"
	"time"
)

// Version is the format that this program writes and reads. Format 1 ended with a digest that
// anyone could compute.
const Version = 2

// Store is the kind of database that the data was copied from.
type Store string

// The kinds of database. A backup is restored into a database of the same kind.
const (
	Embedded   Store = "embedded"
	PostgreSQL Store = "postgresql"
)

// Header is the first line of a file, as JSON.
type Header struct {
	Version int       `json:"mintmarkBackup"`
	Program string    `json:"program"` // version of the Mintmark that made it
	Store   Store     `json:"store"`
	Schema  int64     `json:"schema"` // version of the tables
	Made    time.Time `json:"made"`   // everything that was acknowledged earlier is included

	// The keys that a restore of the data needs.
	Environment string `json:"environment"`
	Keyset      string `json:"keyset"`
	PinKey      string `json:"pinKey"`

	Log *Log `json:"log,omitempty"` // nil before anything was sealed
}

// Log is the newest checkpoint of the audit log in the data.
type Log struct {
	Origin string `json:"origin"`
	Size   int64  `json:"size"`
	Root   []byte `json:"root"`
}

var (
	// ErrNoBackup: a file does not begin like a backup.
	ErrNoBackup = errors.New("it is not a Mintmark backup")
	// ErrDamaged: a file was changed after it was written.
	ErrDamaged = errors.New("the backup is damaged, or was changed")
	// ErrUnauthenticated: the format of a file has no authentication code.
	ErrUnauthenticated = errors.New("the backup is not authenticated")
	// ErrNewer: the format of a file is unknown to this program.
	ErrNewer = errors.New("the backup was made by a newer program")
)

// Code returns the authentication code, 32 bytes, for the SHA-256 of a text under the keys of an
// installation.
type Code func(digest []byte) []byte

// A file ends with this text, the code of everything before it in hexadecimal, and a line feed.
const (
	sealText   = "\nhmac-sha256 "
	sealLength = len(sealText) + 64 + 1
)

// seal returns the end of a file whose preceding content has the given digest.
func (c Code) seal(digest []byte) string { return sealText + hex.EncodeToString(c(digest)) + "\n" }

// longestHeader is the maximum length of the first line.
const longestHeader = 1 << 16
