package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mintmark/internal/demo"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/vault"
)

// databaseFile is the embedded database in the data directory.
const databaseFile = "mintmark.db"

// Database says which database is used, and how.
type Database struct {
	// URL is the connection string of a PostgreSQL database, which several nodes may share.
	// Without one the database is embedded, in the data directory.
	URL string

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

// OpenStore opens the database: one on a server, or the embedded one in a data directory, made when
// it is not there. Without either everything is kept in memory.
func OpenStore(ctx context.Context, data string, settings Database) (store.Store, error) {
	return openStore(ctx, data, settings)
}

func openStore(
	ctx context.Context, data string, settings Database, more ...sqlstore.Option,
) (store.Store, error) {
	if settings.URL != "" {
		if data == "" {
			// With keys that are gone at the end nobody could open what the server keeps.
			return nil, errors.New("a database on a server needs a data directory for the keys")
		}
		return opened(sqlstore.OpenPostgres(ctx, settings.URL))
	}
	if data == "" {
		return opened(sqlstore.OpenMemory(ctx, settings.options()...))
	}
	if err := makeDirectory(data); err != nil {
		return nil, err
	}
	path := filepath.Join(data, databaseFile)
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	return opened(sqlstore.Open(ctx, path, append(settings.options(), more...)...))
}

// opened returns a store that could be opened. A nil pointer in an interface is not nil: whoever
// closes what was opened would call it.
func opened[S store.Store](kept S, err error) (store.Store, error) {
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// closeStore closes the store, which may break even then.
func (a *App) closeStore() error {
	err := a.store.Close()
	if kept, breaks := a.store.(store.Breakable); breaks && kept.Breakage() != nil {
		a.fail(kept.Breakage())
	}
	return err
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

// OpenVault opens the keys in a data directory. Only a sandbox makes those that are not there.
func OpenVault(data string, sandbox bool, seed *uint64) (*vault.Vault, error) {
	settings := vault.Settings{Dir: data, AllowPlainPins: sandbox, MustExist: !sandbox}
	if sandbox {
		settings.Seed = seed
	}
	if sandbox && data != "" {
		if err := makeDirectory(data); err != nil {
			return nil, err
		}
	}
	return vault.Open(settings)
}

// PublicPinKey returns the key that callers encrypt PINs with, as PEM.
func PublicPinKey(p Place) ([]byte, error) {
	if _, err := os.Stat(p.Data); err != nil {
		return nil, fmt.Errorf("%w: the data directory: %w", ErrNotInitialized, err)
	}
	keys, err := p.keys()
	if err != nil {
		return nil, err
	}
	return keys.PublicPinKeyPEM(), nil
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
