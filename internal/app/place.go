package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mintmark/internal/store/sqlstore/examine"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// Place is where a set of keys and the database that belongs to it lie.
type Place struct {
	Data     string // directory of the keys, and of the embedded database
	Database Database

	// Insecure accepts key files that users other than their owner may read.
	Insecure bool
}

// ErrNotInitialized reports keys or a database that mintmark init has not made yet. No other
// command makes them in production: with a mistyped path, or a disk that is not mounted, a new
// database would look like one that has lost everything.
var ErrNotInitialized = errors.New("not initialized")

// Open opens the keys and the database of a place that exists. It refuses keys that the database
// does not know, before it brings the tables up to date.
func (p Place) Open(ctx context.Context) (*vault.Vault, store.Store, error) {
	return p.open(ctx, sqlite.Options{})
}

func (p Place) open(
	ctx context.Context, options sqlite.Options,
) (*vault.Vault, store.Store, error) {
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

// claim opens the keys and looks into the database, and changes neither.
func (p Place) claim(ctx context.Context, environment store.Environment) (*claim, error) {
	keys, err := p.keys()
	if err != nil {
		return nil, err
	}
	c := &claim{Place: p, environment: environment, keys: keys}
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	if c.found.Installation == nil && c.found.Programs == 0 {
		return nil, fmt.Errorf("%w: there is no database %s", ErrNotInitialized, p)
	}
	return c, nil
}

// keys opens the keys of a place that has some.
func (p Place) keys() (*vault.Vault, error) {
	keys, err := vault.Open(vault.Settings{
		Dir: p.Data, MustExist: true, AllowReadable: p.Insecure,
	})
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

// String names the database in messages. The connection string may hold a password.
func (p Place) String() string {
	if p.Database.URL != "" {
		return "on the server"
	}
	return "in " + p.Data
}

// engine says what keeps the data, in a word.
func (p Place) engine() string {
	switch {
	case p.Database.URL != "":
		return "postgresql"
	case p.Data == "":
		return "memory"
	}
	return "embedded"
}

// look looks into the database without changing it.
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

// Unverified returns the hosts of a connection string that are other machines, and whose
// certificates a connection does not look at.
func Unverified(url string) ([]string, error) { return postgres.Unverified(url) }
