// Package moving exports a program with everything that belongs to it into a file, and imports such
// a file into another installation. It owns the format, which docs/moving.md describes for others.
// Package feed imports cards that were issued elsewhere.
//
//	Export (export.go) -> kinds (kinds.go): each lists its records, as rows (rows.go)
//	Import (import.go) -> check: every line, nothing is written
//	                   -> put: everything in one transaction
package moving

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"strings"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// Format is the version of the file format. A reader reads only its own version.
const Format = 2

// Vault decrypts and encrypts what moves.
type Vault interface {
	entity.Vault
	KeyOf(sealed []byte) int
	OpenNumber(sealed []byte, cardID int) (pan.Number, error)
	OpenWebhookSecret(sealed []byte, programID int) (secret.Text, error)
	SealWebhookSecret(text secret.Text, programID int) ([]byte, error)
}

// Head is the first line of a file.
type Head struct {
	Format      int               `json:"format"`
	Program     int               `json:"programId"`
	Name        string            `json:"name"`
	Environment store.Environment `json:"environment"`
	Keyset      string            `json:"keyset"` // fingerprint of the installation's keys
	Version     string            `json:"mintmark"`
	At          time.Time         `json:"at"` // of the snapshot
}

// The kinds of lines that are no records.
const (
	headKind  = "head"
	auditKind = "audit" // a line of a partial audit export
	endKind   = "end"
)

// line is a line of the file.
type line struct {
	Kind  string          `json:"kind"`
	Value json.RawMessage `json:"value"`
}

// Tally is the number of lines of a kind, and the SHA-256 of their values, each followed by a line
// feed. Two files with the same tallies have the same content.
type Tally struct {
	Count  int    `json:"count"`
	Digest string `json:"sha256"`
}

// Tallies holds the tallies of a file by kind.
type Tallies map[string]Tally

// Lines returns the counts as text, one kind a line. The digests stay in the file: the digest would
// reveal the number of a single card to anyone who knows everything else about it.
func (t Tallies) Lines() []string {
	var lines []string
	for _, name := range names() {
		lines = append(lines, fmt.Sprintf("%-15s %d", name, t[name].Count))
	}
	return lines
}

// short returns the counts in one line, for the audit.
func (t Tallies) short() string {
	var parts []string
	for _, name := range names() {
		if count := t[name].Count; count > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, count))
		}
	}
	return strings.Join(parts, ", ")
}

// names returns the kinds in file order.
func names() []string {
	var all []string
	for _, k := range kinds {
		all = append(all, k.name)
	}
	return append(all, auditKind)
}

// counting adds up the tallies of a file.
type counting map[string]*counted

type counted struct {
	count  int
	digest hash.Hash
}

func (c counting) add(kind string, value []byte) {
	if c[kind] == nil {
		c[kind] = &counted{digest: sha256.New()}
	}
	c[kind].count++
	c[kind].digest.Write(value)
	c[kind].digest.Write([]byte("\n"))
}

// tallies returns a tally for each kind, including kinds without lines.
func (c counting) tallies() Tallies {
	all := make(Tallies)
	for _, name := range names() {
		of := c[name]
		if of == nil {
			of = &counted{digest: sha256.New()}
		}
		all[name] = Tally{of.count, hex.EncodeToString(of.digest.Sum(nil))}
	}
	return all
}
