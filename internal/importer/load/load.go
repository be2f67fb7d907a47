// Package load reads banks, programs, keys, customers, accounts, documents and cards from one YAML
// file and makes a store match it. A member that the file leaves out stays as stored. The package
// owns the format of the file, reports its problems line by line, and writes in chunks beside a
// server. The rules of the entities belong to their packages, storing them to the store, and
// secrets to the vault.
package load

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"slices"
	"time"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/audit"
	"mintmark/internal/importer/entity"
)

// Data is a file, split into its lists.
type Data struct {
	name     string
	digest   string // SHA-256 of the file
	files    fs.FS  // contains the files that documents name
	lists    map[string][]*batch
	problems problems // of the file outside its lists
}

// Vault is the part of package vault that loading needs.
type Vault interface {
	entity.Vault
	DigestSecret(secret string) []byte
	SealWebhookSecret(text secret.Text, programID int) ([]byte, error)
	OpenWebhookSecret(sealed []byte, programID int) (secret.Text, error)
}

// Options configures how a file is loaded.
type Options struct {
	Vault Vault

	// Random and Ending are used to draw new card numbers: see pangen.PickUnused.
	Random io.Reader
	Ending string

	// Sandbox allows weak secrets and plain PINs, Insecure only weak secrets.
	Sandbox, Insecure bool

	// WebhooksAllow lists the addresses that webhooks may reach besides public internet addresses.
	WebhooksAllow []netip.Prefix

	// Accept lists the destructive changes that the operator accepts, by name.
	Accept []string

	// Actor is the person who loads the file, for the audit.
	Actor audit.Actor

	// ExternalCommits returns the number of commits by other programs to a database with a single
	// writer; nil for a database server. Where others write, the load takes turns with them.
	ExternalCommits func() int64

	// DryRun checks everything and writes nothing. Tell is then called with each change.
	DryRun bool
	Tell   func(line string)
}

// Read reads a file and splits it into its lists. It returns a *Problems if the file is not YAML or
// has unknown lists. Documents are named relative to the file and must lie in its directory or
// below.
func Read(fsys fs.FS, name string) (*Data, error) {
	text, err := readFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s is larger than %d MB: give its customers, accounts and access "+
			"to mintmark feed as NDJSON rows (docs/data.md), or split the file", name, maxBytes>>20)
	}
	digest := sha256.Sum256(text)
	d := &Data{
		name: name, digest: hex.EncodeToString(digest[:]), files: fsys,
		lists: make(map[string][]*batch), problems: newProblems(name),
	}
	if err := d.take(text); err != nil {
		d.problems.Add(syntaxLine(err), "", "%s", syntaxText(err))
		return nil, d.problems.Err()
	}
	return d, nil
}

// readFile reads a file, up to one byte more than the maximum size.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	return text, errors.Join(err, file.Close())
}

// kind is a kind of list in a file.
type kind struct {
	name string
	// step is the number of entries that are read and written between two looks at the clock.
	step int
	// find reads the stored form of entries.
	find func(p *pass, items []item) error
	// take compares an entry with its stored form and writes it if they differ.
	take func(p *pass, at item) error
}

// kinds holds the lists in processing order: what an entry may refer to comes before it, wherever
// it stands in the file.
var kinds = []kind{
	{"banks", bulkStep, nothing, (*pass).takeBank},
	{"programs", 1, nothing, (*pass).takeProgram},
	{"bins", bulkStep, nothing, (*pass).takeLooseBin},
	{"keys", bulkStep, (*pass).findKeys, (*pass).takeKey},
	{"customers", bulkStep, (*pass).findCustomers, (*pass).takeCustomer},
	{"accounts", bulkStep, (*pass).findAccounts, (*pass).takeAccount},
	{"access", bulkStep, (*pass).findAccess, (*pass).takeAccess},
	{"documents", 1, nothing, (*pass).takeDocument},
	{"cards", cardStep, (*pass).findCards, (*pass).takeCard},
}

// The numbers of entries that are taken together. A card takes longer: its number is drawn and
// encrypted.
const (
	bulkStep = 64
	cardStep = 8
)

func nothing(*pass, []item) error { return nil }

// kindOf returns the kind with a name.
func kindOf(name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// clock is the clock of importer.Throttle; tests replace it.
var clock = time.Now
