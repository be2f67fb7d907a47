// Package moving writes a program with all that belongs to it into a file, and brings such a file
// into another installation. It owns the format: docs/moving.md describes it for others. Cards made
// elsewhere are brought in by package feed.
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

// Format is the version of the file. A reader of one reads no other.
const Format = 2

// Vault opens and seals what moves.
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
	Keyset      string            `json:"keyset"` // fingerprint of the keys of the installation
	Version     string            `json:"mintmark"`
	At          time.Time         `json:"at"` // of the snapshot
}

// The kinds of lines beside those of records.
const (
	headKind  = "head"
	auditKind = "audit" // a line of an export of a part of the audit
	endKind   = "end"
)

// line is a line of the file.
type line struct {
	Kind  string          `json:"kind"`
	Value json.RawMessage `json:"value"`
}

// Tally says how many lines of a kind there are, and the SHA-256 of their values, each with the end
// of a line. Two files with the same tallies hold the same.
type Tally struct {
	Count  int    `json:"count"`
	Digest string `json:"sha256"`
}

// Tallies are those of a file, by kind.
type Tallies map[string]Tally

// Lines tells the counts, a kind on each line. A digest would tell who knows all else about a single
// card its number, so it stays in the file.
func (t Tallies) Lines() []string {
	var lines []string
	for _, name := range names() {
		lines = append(lines, fmt.Sprintf("%-15s %d", name, t[name].Count))
	}
	return lines
}

// short tells the counts in a line, for the audit.
func (t Tallies) short() string {
	var parts []string
	for _, name := range names() {
		if count := t[name].Count; count > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, count))
		}
	}
	return strings.Join(parts, ", ")
}

// names are the kinds in the order of a file.
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

// tallies has a tally for each kind, also for one without lines.
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
