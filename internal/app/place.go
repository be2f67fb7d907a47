package app

import (
	"context"
	"errors"
	"fmt"
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

// Place names a set of keys and the database that belongs to it.
type Place struct {
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
func (p Place) Open(ctx context.Context) (*vault.Vault, store.Store, error) {
	keys, kept, err := p.open(ctx, sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	return keys, kept.Store, nil
}

func (p Place) open(
	ctx context.Context, options sqlite.Options,
) (*vault.Vault, *storage, error) {
	environment, err := p.environment()
	if err != nil {
		return nil, nil, err
	}
	c, err := p.claim(ctx, environment)
	if err != nil {
		return nil, nil, err
	}
	kept, err := c.open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	return c.keys, kept, nil
}

// inProduction runs a closure with the keys and the open database of a place in production, beside
// servers that write to it.
func (p Place) inProduction(
	ctx context.Context, fn func(c *claim, kept store.Store) error,
) error {
	c, err := p.claim(ctx, store.Production)
	if err != nil {
		return err
	}
	kept, err := c.open(ctx, sqlite.Options{DoNotWait: true})
	if err != nil {
		return err
	}
	return errors.Join(fn(c, patient{kept}), kept.Close())
}

// claim opens the keys and examines the database, and changes neither.
func (p Place) claim(ctx context.Context, environment store.Environment) (*claim, error) {
	return p.claimSoon(ctx, environment, 0)
}

// claimSoon is claim with patience for a key service that is about to start.
func (p Place) claimSoon(
	ctx context.Context, environment store.Environment, patience time.Duration,
) (*claim, error) {
	settings, err := p.keySettings(ctx, patience)
	if err != nil {
		return nil, err
	}
	keys, err := openKeys(settings)
	if err != nil {
		return nil, err
	}
	c := &claim{Place: p, environment: environment, keys: keys, keySettings: settings}
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	if c.found.Installation == nil && c.found.Programs == 0 {
		return nil, fmt.Errorf("%w: there is no database %s", ErrNotInitialized, p)
	}
	return c, nil
}

// keys opens existing keys.
func (p Place) keys(ctx context.Context) (*vault.Vault, error) {
	settings, err := p.keySettings(ctx, 0)
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

// environment is what the directory is for, by its mark.
func (p Place) environment() (store.Environment, error) {
	_, err := os.Lstat(filepath.Join(p.Data, sandboxMark))
	if err == nil {
		return store.Sandbox, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return store.Production, nil
	}
	return "", fmt.Errorf("the data directory: %w", err)
}

// String names the database in messages, without the password that a connection string may hold.
func (p Place) String() string {
	if p.Database.URL != "" {
		return "on the server"
	}
	return "in " + p.Data
}

// engine is the kind of database in a word.
func (p Place) engine() string {
	switch {
	case p.Database.URL != "":
		return "postgresql"
	case p.Data == "":
		return "memory"
	}
	return "embedded"
}

// look examines the database without changing it.
func (p Place) look(ctx context.Context) (examine.Found, error) {
	if p.Database.URL != "" {
		return examine.LookServer(ctx, p.Database.URL)
	}
	if p.Data == "" {
		return examine.Found{}, nil
	}
	path := filepath.Join(p.Data, databaseFile)
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
