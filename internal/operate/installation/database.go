package installation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// DatabaseFile is the name of the embedded database in the data directory.
const DatabaseFile = "mintmark.db"

// Database configures the database.
type Database struct {
	// URL is the connection string of a PostgreSQL database, which several nodes may share. If
	// empty, the embedded database in the data directory is used.
	URL string
	// ReadCache is the maximum size in bytes of the embedded database's read cache; 0 for
	// DefaultReadCache.
	ReadCache int64
}

// DefaultReadCache is the maximum size in bytes of the read cache unless it is set.
const DefaultReadCache = cached.DefaultBytes

// Storage is an open store, with the parts that depend on its engine.
type Storage struct {
	store.Store

	// Listener signals keys that other nodes have changed; nil if only one process uses the
	// database.
	Listener auth.Listener
	// Cache and Server provide their statistics; nil if there is none.
	Cache  *cached.Store
	Server *postgres.Engine
	// Disk signals that the disk of the embedded database has failed; nil for a database server.
	Disk *sqlite.Engine
}

// OpenStore opens the database: the one on a server, or the embedded one in a data directory, which
// it creates if necessary. Without either, the store is in memory.
func OpenStore(ctx context.Context, data string, settings Database) (store.Store, error) {
	opened, err := openStore(ctx, data, settings, sqlite.Options{}, postgres.Options{}, nil)
	if err != nil {
		return nil, err
	}
	return opened.Store, nil
}

func openStore(
	ctx context.Context, data string, settings Database, options sqlite.Options,
	server postgres.Options, guard func(db.Engine) db.Engine,
) (*Storage, error) {
	if guard == nil {
		guard = func(engine db.Engine) db.Engine { return engine }
	}
	if settings.URL != "" {
		if data == "" {
			// Keys in memory would be lost at the end, and with them all encrypted data on the
			// server.
			return nil, errors.New("a database on a server needs a data directory for the keys")
		}
		server.Clock = options.Clock
		engine, err := postgres.Open(ctx, settings.URL, server)
		if err != nil {
			return nil, err
		}
		return &Storage{Store: sqlstore.New(guard(engine)), Listener: engine, Server: engine}, nil
	}
	if data == "" {
		engine, err := sqlite.OpenMemory(ctx, options)
		return embedded(engine, settings, guard, err)
	}
	if err := makeDirectory(data); err != nil {
		return nil, err
	}
	path := filepath.Join(data, DatabaseFile)
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	engine, err := sqlite.Open(ctx, path, options)
	return embedded(engine, settings, guard, err)
}

// embedded returns the storage on an embedded database.
func embedded(
	engine *sqlite.Engine, settings Database, guard func(db.Engine) db.Engine, err error,
) (*Storage, error) {
	if err != nil {
		return nil, err
	}
	kept := cached.New(sqlstore.New(guard(engine)), engine,
		cmp.Or(settings.ReadCache, DefaultReadCache))
	return &Storage{Store: kept, Cache: kept, Disk: engine}, nil
}

// makePrivate creates a database file that only its owner can read. SQLite gives its other files
// the same mode.
func makePrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	return file.Close()
}

// OpenVault opens the keys in a data directory. Only a sandbox creates missing keys.
func OpenVault(data string, sandbox bool, seed *uint64) (*vault.Vault, error) {
	if sandbox {
		return openSandboxVault(data, seed, nil)
	}
	return vault.Open(vault.Settings{Dir: data, MustExist: true})
}

// openSandboxVault opens the keys of a sandbox and creates missing ones. Random is the source of
// random parts of digests, nil for the system's.
func openSandboxVault(data string, seed *uint64, random io.Reader) (*vault.Vault, error) {
	if data != "" {
		if err := makeDirectory(data); err != nil {
			return nil, err
		}
	}
	return vault.Open(vault.Settings{
		Dir: data, AllowPlainPins: true, Seed: seed, Random: random,
	})
}
