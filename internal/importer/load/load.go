// Package load reads banks, programs, keys, customers, accounts, documents and cards from one YAML
// file and brings a store to what the file says. A member that the file leaves out stays as it is.
// The package owns the form of the file, says line by line what is wrong with it, and writes in
// chunks beside a server. The rules of what is loaded belong to the packages of the things
// themselves; keeping them belongs to the store, and secrets to the vault.
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

// Data is a file, divided into the lists that it holds.
type Data struct {
	name     string
	digest   string // SHA-256 of the file
	files    fs.FS  // where the files that documents name lie
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

// Options say how a file is loaded.
type Options struct {
	Vault Vault

	// Random and Ending are what new card numbers are drawn with: see pangen.PickUnused.
	Random io.Reader
	Ending string

	// Sandbox allows weak secrets and plain PINs, Insecure weak secrets only.
	Sandbox, Insecure bool

	// WebhooksAllow are the addresses that webhooks may reach beside those of the internet.
	WebhooksAllow []netip.Prefix

	// Accept has the names of the destructive changes that the operator accepts.
	Accept []string

	// Actor is the person who loads, for the audit.
	Actor audit.Actor

	// ExternalCommits counts the commits of other programs to a database with one writer at a time;
	// nil for a database server. Where others write, the load takes turns with them.
	ExternalCommits func() int64

	// DryRun checks everything and writes nothing. Tell is then called with each change.
	DryRun bool
	Tell   func(line string)
}

// Read reads a file and divides it into its lists. The error is a *Problems when the file is not
// YAML, or has lists of other names. Documents are named relative to the file and must lie in its
// directory or below.
func Read(fsys fs.FS, name string) (*Data, error) {
	text, err := readFile(fsys, name)
	if err != nil {
		return nil, err
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s has more than %d MB: give its customers, accounts and access to "+
			"mintmark feed as NDJSON rows (docs/data.md), or divide the file", name, maxBytes>>20)
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

// readFile reads a file, and of one that is too large little more than its greatest size.
func readFile(fsys fs.FS, name string) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	return text, errors.Join(err, file.Close())
}

// kind is one of the lists of a file.
type kind struct {
	name string
	// step is how many entries are read and written before the time is looked at again.
	step int
	// find reads the stored form of some entries.
	find func(p *pass, items []item) error
	// take compares an entry with its stored form, and writes it when they differ.
	take func(p *pass, at item) error
}

// kinds are the lists in the order in which they are taken: the things that an entry may refer to
// come before it, wherever they stand in the file.
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

// How many entries are taken together. A card draws a number and seals it.
const (
	bulkStep = 64
	cardStep = 8
)

func nothing(*pass, []item) error { return nil }

// kindOf returns the kind of a name.
func kindOf(name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// clock is that of importer.Throttle; tests set it.
var clock = time.Now
