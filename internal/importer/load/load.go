// Package load reads banks, programs, keys, customers, accounts, documents and cards from one YAML
// file and brings a store to what the file says. A member that the file leaves out stays as it is.
// The package owns the form of the file, says line by line what is wrong with it, and writes in
// chunks beside a server. The rules of what is loaded belong to the packages of the things
// themselves; keeping them belongs to the store, and secrets to the vault.
package load

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/netip"
	"slices"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/audit"
)

// Data is a file, taken apart into the lists that it holds.
type Data struct {
	name     string
	digest   string // SHA-256 of the file
	files    fs.FS  // where the files that documents name lie
	sections map[string]*section
	problems problems // of the file outside its lists
}

// Vault is the part of package vault that loading needs.
type Vault interface {
	DigestNumberUnder(key int, wrapped []byte, number pan.Number) ([]byte, error)
	SealNumber(key int, number pan.Number, cardID int) ([]byte, error)
	HasBankKey(id int) bool
	UseBankKey(id, pciKeyID int, wrapped []byte) error
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

// Read reads a file and takes it apart. The error is a *Problems when it is no YAML, or has no
// lists of the right names. Documents are named relative to the file and must lie in its directory
// or below.
func Read(fsys fs.FS, name string) (*Data, error) { return read(fsys, name, wholeBytes) }

func read(fsys fs.FS, name string, whole int) (*Data, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(text)
	d := &Data{
		name: name, digest: hex.EncodeToString(digest[:]), files: fsys,
		sections: make(map[string]*section), problems: newProblems(name),
	}
	if len(text) <= whole {
		err = d.takeWhole(text)
	} else {
		d.takeLines(text)
	}
	if err != nil {
		d.problems.Add(syntaxLine(err), "", "%s", syntaxText(err))
		return nil, d.problems.Err()
	}
	return d, nil
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

// clock limits the time of a chunk. No stored time comes from it; tests set it.
var clock = time.Now
