package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mintmark/internal/demo"
	"mintmark/internal/load"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/vault"
)

// databaseFile is the embedded database in the data directory.
const databaseFile = "mintmark.db"

// Database says how the embedded database works.
type Database struct {
	// OneCommitPerRequest has every request that writes wait for a commit of its own, where
	// requests that come at the same time would otherwise share one. It is there to compare.
	OneCommitPerRequest bool

	// NoReadCache has every request look into the database, where a card that was read before
	// would otherwise be answered from memory. It is there to compare, too.
	NoReadCache bool
}

// options are the settings as the store takes them.
func (d Database) options() []sqlstore.Option {
	var options []sqlstore.Option
	if d.OneCommitPerRequest {
		options = append(options, sqlstore.WithOneCommitPerUpdate())
	}
	if d.NoReadCache {
		options = append(options, sqlstore.WithoutReadCache())
	}
	return options
}

// OpenStore opens the embedded database in a data directory, made when it is not there. Without a
// directory everything is kept in memory.
func OpenStore(ctx context.Context, data string, settings Database) (store.Store, error) {
	if data == "" {
		return sqlstore.OpenMemory(ctx, settings.options()...)
	}
	if err := makeDirectory(data); err != nil {
		return nil, err
	}
	path := filepath.Join(data, databaseFile)
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	return sqlstore.Open(ctx, path, settings.options()...)
}

// makePrivate makes the file of a database that nobody else can read. The database gives the files
// beside it the same mode.
func makePrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	return file.Close()
}

// OpenVault opens the keys in a data directory, made when they are not there.
func OpenVault(data string, sandbox bool, seed *uint64) (*vault.Vault, error) {
	if data != "" {
		if err := makeDirectory(data); err != nil {
			return nil, err
		}
	}
	settings := vault.Settings{Dir: data, AllowPlainPins: sandbox}
	if sandbox {
		settings.Seed = seed
	}
	return vault.Open(settings)
}

// makeDirectory makes a data directory that nobody else can read.
func makeDirectory(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fmt.Errorf("make the data directory: %w", err)
	}
	return nil
}

// fillSandbox writes the demo data into a store that holds no program yet.
func fillSandbox(
	ctx context.Context, kept store.Store, keys *vault.Vault, random io.Reader,
) error {
	data, err := demo.Read()
	if err != nil {
		return fmt.Errorf("read the demo data: %w", err)
	}
	return kept.Update(ctx, func(tx store.Tx) error {
		programs, err := tx.ListPrograms()
		if err != nil || len(programs) > 0 {
			return err
		}
		return data.Write(tx, keys, random, sandboxEnding)
	})
}

// Load writes an operator's file into the store of a data directory, all of it or nothing.
func Load(ctx context.Context, data, file string) error {
	read, err := load.Read(os.DirFS(filepath.Dir(file)), filepath.Base(file))
	if err != nil {
		return err
	}
	keys, err := OpenVault(data, false, nil)
	if err != nil {
		return err
	}
	kept, err := OpenStore(ctx, data, Database{})
	if err != nil {
		return err
	}
	defer kept.Close()
	return kept.Update(ctx, func(tx store.Tx) error {
		return read.Write(tx, keys, rand.Reader, "")
	})
}
