// Package installation manages a set of keys and the database that belongs to it: where they are,
// how they are created, opened and compared, who opens the keys, and how they are rotated. A
// server, and each command that works without one, begins here.
package installation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/inspect"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// Location is the place of a set of keys and of the database that belongs to it.
type Location struct {
	Data     string // directory of the keys and of the embedded database
	Database Database

	// Insecure accepts key files that users other than their owner can read.
	Insecure bool

	Custody Custody

	// WebhooksAllow lists the addresses that webhooks may reach besides public internet addresses.
	WebhooksAllow []netip.Prefix
}

// ErrNotInitialized reports keys or a database that mintmark init has not created yet. In
// production only init creates them: with a mistyped path, or an unmounted disk, any other command
// would start on an empty database.
var ErrNotInitialized = errors.New("not initialized")

// Open opens the keys and the database of an existing installation. It rejects keys that do not
// belong to the database before it migrates the tables.
func (l Location) Open(ctx context.Context) (*vault.Vault, store.Store, error) {
	keys, kept, err := l.open(ctx, sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	return keys, kept.Store, nil
}

// OpenBeside is Open for a command beside a server that writes continuously, which the command must
// not lock out: an Update that meets a writer fails with store.ErrBusy, unless the store is
// Patient.
func (l Location) OpenBeside(ctx context.Context) (*vault.Vault, *Storage, error) {
	return l.open(ctx, sqlite.Options{DoNotWait: true})
}

func (l Location) open(
	ctx context.Context, options sqlite.Options,
) (*vault.Vault, *Storage, error) {
	environment, err := l.MarkedEnvironment()
	if err != nil {
		return nil, nil, err
	}
	c, err := l.Claim(ctx, environment)
	if err != nil {
		return nil, nil, err
	}
	c.Server = postgres.Options{Blocks: environment != store.Sandbox}
	kept, err := c.Open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	return c.Keys, kept, nil
}

// inProduction runs a closure with the keys and the open database of a production installation,
// beside servers that write to it.
func (l Location) inProduction(
	ctx context.Context, fn func(c *Claim, kept store.Store) error,
) error {
	c, err := l.Claim(ctx, store.Production)
	if err != nil {
		return err
	}
	kept, err := c.Open(ctx, sqlite.Options{DoNotWait: true})
	if err != nil {
		return err
	}
	return errors.Join(fn(c, RetryingStore{kept}), kept.Close())
}

// Claim opens the keys and examines the database, without changing either.
func (l Location) Claim(ctx context.Context, environment store.Environment) (*Claim, error) {
	return l.claimSoon(ctx, environment, 0)
}

// claimSoon is Claim with patience for a key service that is about to start.
func (l Location) claimSoon(
	ctx context.Context, environment store.Environment, patience time.Duration,
) (*Claim, error) {
	settings, err := l.KeySettings(ctx, patience)
	if err != nil {
		return nil, err
	}
	keys, err := openKeys(settings)
	if err != nil {
		return nil, err
	}
	c := &Claim{Location: l, Environment: environment, Keys: keys, keySettings: settings}
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	if c.found.Installation == nil && c.found.Programs == 0 {
		return nil, fmt.Errorf("%w: there is no database %s", ErrNotInitialized, l)
	}
	return c, nil
}

// ClaimProduction is Claim for a production server. It rejects the directory of a sandbox.
func (l Location) ClaimProduction(ctx context.Context) (*Claim, error) {
	there, err := holds(filepath.Join(l.Data, SandboxMark))
	if err != nil {
		return nil, err
	}
	if there {
		return nil, foreign(l.Data, SandboxMark, store.Production)
	}
	return l.claimSoon(ctx, store.Production, startPatience)
}

// ClaimSandbox opens the keys of a sandbox, creates missing ones, and examines the database. Random
// is the source of random parts of digests.
func (l Location) ClaimSandbox(
	ctx context.Context, seed *uint64, random io.Reader,
) (*Claim, error) {
	if err := MarkDirectory(ctx, l.Data, store.Sandbox); err != nil {
		return nil, err
	}
	keys, err := openSandboxVault(l.Data, seed, random)
	if err != nil {
		return nil, err
	}
	c := &Claim{Location: l, Environment: store.Sandbox, Keys: keys}
	return c, c.look(ctx)
}

// Keys opens existing keys.
func (l Location) Keys(ctx context.Context) (*vault.Vault, error) {
	settings, err := l.KeySettings(ctx, 0)
	if err != nil {
		return nil, err
	}
	return openKeys(settings)
}

func openKeys(settings vault.Settings) (*vault.Vault, error) {
	settings.MustExist = true
	keys, err := vault.Open(settings)
	if errors.Is(err, vault.ErrNoKeys) {
		return nil, fmt.Errorf("%w: %w", ErrNotInitialized, err)
	}
	return keys, err
}

// MarkedEnvironment returns the environment that the directory is marked for.
func (l Location) MarkedEnvironment() (store.Environment, error) {
	_, err := os.Lstat(filepath.Join(l.Data, SandboxMark))
	if err == nil {
		return store.Sandbox, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return store.Production, nil
	}
	return "", fmt.Errorf("the data directory: %w", err)
}

// CheckTables returns an error for a database with the tables of an older version. A command that
// only reads calls it first, because opening the database would migrate them.
func (l Location) CheckTables(ctx context.Context) error {
	database, err := l.Inspect(ctx)
	if err == nil && database.Older != nil {
		err = l.OtherTables(database.Older)
	}
	return err
}

// OtherTables explains inspect.ErrSchema.
func (l Location) OtherTables(err error) error {
	return fmt.Errorf("the database %s: %w: use the program that serves from it", l, err)
}

// String describes the database in messages, without the password that a connection string may
// contain.
func (l Location) String() string {
	if l.Database.URL != "" {
		return "on the server"
	}
	return "in " + l.Data
}

// Engine returns the kind of database in one word.
func (l Location) Engine() string {
	switch {
	case l.Database.URL != "":
		return "postgresql"
	case l.Data == "":
		return "memory"
	}
	return "embedded"
}

// Inspect examines the database without changing it.
func (l Location) Inspect(ctx context.Context) (inspect.Found, error) {
	if l.Database.URL != "" {
		return inspect.LookServer(ctx, l.Database.URL)
	}
	if l.Data == "" {
		return inspect.Found{}, nil
	}
	path := filepath.Join(l.Data, DatabaseFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return inspect.Found{}, nil
	}
	if err != nil {
		return inspect.Found{}, fmt.Errorf("open the database: %w", err)
	}
	return inspect.LookFile(ctx, path)
}

// Unverified returns the remote hosts of a connection string whose certificates are not verified.
func Unverified(url string) ([]string, error) { return postgres.Unverified(url) }
