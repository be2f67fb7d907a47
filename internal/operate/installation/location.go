// Package installation is a set of keys and the database that belongs to it: where they are, how
// they are made, opened and compared, who opens the keys, and how they are rotated. A server and
// the commands that work without one begin here.
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

	"mintmark/internal/store/sqlstore/examine"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// Location names a set of keys and the database that belongs to it.
type Location struct {
	Data     string // directory of the keys, and of the embedded database
	Database Database

	// Insecure accepts key files that users other than their owner may read.
	Insecure bool

	Custody Custody

	// WebhooksAllow are the addresses that webhooks may reach beside those of the internet.
	WebhooksAllow []netip.Prefix
}

// ErrNotInitialized reports keys or a database that mintmark init has not made yet. In production
// only init makes them: with a mistyped path, or an unmounted disk, any other command would start
// on an empty database.
var ErrNotInitialized = errors.New("not initialized")

// Open opens the keys and the database of an existing place. Keys that do not belong to the
// database are refused before the tables are migrated.
func (p Location) Open(ctx context.Context) (*vault.Vault, store.Store, error) {
	keys, kept, err := p.OpenWith(ctx, sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	return keys, kept.Store, nil
}

func (p Location) OpenWith(
	ctx context.Context, options sqlite.Options,
) (*vault.Vault, *Storage, error) {
	environment, err := p.MarkedEnvironment()
	if err != nil {
		return nil, nil, err
	}
	c, err := p.Claim(ctx, environment)
	if err != nil {
		return nil, nil, err
	}
	kept, err := c.Open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	return c.Keys, kept, nil
}

// inProduction runs a closure with the keys and the open database of a place in production, beside
// servers that write to it.
func (p Location) inProduction(
	ctx context.Context, fn func(c *Claim, kept store.Store) error,
) error {
	c, err := p.Claim(ctx, store.Production)
	if err != nil {
		return err
	}
	kept, err := c.Open(ctx, sqlite.Options{DoNotWait: true})
	if err != nil {
		return err
	}
	return errors.Join(fn(c, Patient{kept}), kept.Close())
}

// Claim opens the keys and examines the database, and changes neither.
func (p Location) Claim(ctx context.Context, environment store.Environment) (*Claim, error) {
	return p.claimSoon(ctx, environment, 0)
}

// claimSoon is claim with patience for a key service that is about to start.
func (p Location) claimSoon(
	ctx context.Context, environment store.Environment, patience time.Duration,
) (*Claim, error) {
	settings, err := p.KeySettings(ctx, patience)
	if err != nil {
		return nil, err
	}
	keys, err := openKeys(settings)
	if err != nil {
		return nil, err
	}
	c := &Claim{Location: p, Environment: environment, Keys: keys, keySettings: settings}
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	if c.found.Installation == nil && c.found.Programs == 0 {
		return nil, fmt.Errorf("%w: there is no database %s", ErrNotInitialized, p)
	}
	return c, nil
}

// ClaimProduction is claim for a server of production, which refuses the directory of a sandbox.
func (p Location) ClaimProduction(ctx context.Context) (*Claim, error) {
	there, err := holds(filepath.Join(p.Data, SandboxMark))
	if err != nil {
		return nil, err
	}
	if there {
		return nil, foreign(p.Data, SandboxMark, store.Production)
	}
	return p.claimSoon(ctx, store.Production, startPatience)
}

// ClaimSandbox opens the keys of a sandbox, makes those that are missing, and examines the database.
// Random parts of digests are drawn from a source.
func (p Location) ClaimSandbox(
	ctx context.Context, seed *uint64, random io.Reader,
) (*Claim, error) {
	if err := MarkDirectory(ctx, p.Data, store.Sandbox); err != nil {
		return nil, err
	}
	keys, err := openSandboxVault(p.Data, seed, random)
	if err != nil {
		return nil, err
	}
	c := &Claim{Location: p, Environment: store.Sandbox, Keys: keys}
	return c, c.look(ctx)
}

// Keys opens existing keys.
func (p Location) Keys(ctx context.Context) (*vault.Vault, error) {
	settings, err := p.KeySettings(ctx, 0)
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

// MarkedEnvironment is what the directory is for, by its mark.
func (p Location) MarkedEnvironment() (store.Environment, error) {
	_, err := os.Lstat(filepath.Join(p.Data, SandboxMark))
	if err == nil {
		return store.Sandbox, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return store.Production, nil
	}
	return "", fmt.Errorf("the data directory: %w", err)
}

// String names the database in messages, without the password that a connection string may hold.
func (p Location) String() string {
	if p.Database.URL != "" {
		return "on the server"
	}
	return "in " + p.Data
}

// Engine is the kind of database in a word.
func (p Location) Engine() string {
	switch {
	case p.Database.URL != "":
		return "postgresql"
	case p.Data == "":
		return "memory"
	}
	return "embedded"
}

// Look examines the database without changing it.
func (p Location) Look(ctx context.Context) (examine.Found, error) {
	if p.Database.URL != "" {
		return examine.LookServer(ctx, p.Database.URL)
	}
	if p.Data == "" {
		return examine.Found{}, nil
	}
	path := filepath.Join(p.Data, DatabaseFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return examine.Found{}, nil
	}
	if err != nil {
		return examine.Found{}, fmt.Errorf("open the database: %w", err)
	}
	return examine.LookFile(ctx, path)
}

// Unverified returns the remote hosts of a connection string whose certificates are not verified.
func Unverified(url string) ([]string, error) { return postgres.Unverified(url) }
