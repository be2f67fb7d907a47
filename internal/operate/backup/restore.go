package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mintmark/internal/base/platform"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/digests"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/inspect"
	"mintmark/internal/store/sqlstore/migrations"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// unfinished is the suffix of an embedded database while it is being restored. There is no database
// without the suffix then, which every command reports.
const unfinished = ".restoring"

// restoring is a claim on a database to restore into.
type restoring struct{ *installation.Claim }

// Restore restores a backup into an empty location, which must already have the keys, and writes an
// audit entry. An interrupted restore leaves an installation that no other command accepts; it can
// be repeated.
func Restore(ctx context.Context, l installation.Location, file string) (Backup, error) {
	keys, from, err := Open(ctx, l, file)
	if err != nil {
		return Backup{}, err
	}
	defer from.Close()
	told := Backup{from.Header, from.Written}
	c := restoring{&installation.Claim{
		Location: l, Keys: keys, Environment: store.Environment(from.Environment),
	}}
	if err := c.mayRestore(ctx, file, from.Header); err != nil {
		return told, err
	}
	if l.Database.URL == "" {
		return told, c.restoreFile(ctx, from)
	}
	return told, c.restoreServer(ctx, from)
}

// Open opens a backup, and rejects one that was made under keys other than those of the
// installation.
func Open(
	ctx context.Context, l installation.Location, file string,
) (keys *vault.Vault, from *File, err error) {
	from, err = open(ctx, file, func(h Header) (Code, error) {
		keys, err = l.Keys(ctx)
		if errors.Is(err, installation.ErrNotInitialized) {
			err = fmt.Errorf("%w: it needs the keyset %s and the PIN key %s: copy keyset.json, "+
				"pin-private.pem and processor-private.pem into %s first", err, h.Keyset,
				installation.JoinPinKeys(h.PinKey), l.Data)
		}
		if err != nil {
			return nil, err
		}
		held := keys.Fingerprints().Keyset
		if digests.Fingerprint(h.Keyset) != held {
			return nil, fmt.Errorf("it needs the keyset %s, and %s holds %s: use the "+
				"keyset.json that belongs to the backup", h.Keyset, l.Data, held)
		}
		return keys.BackupCode, nil
	})
	return keys, from, err
}

// markCure tells the operator how to prepare the location for the environment of the backup.
func (c restoring) markCure() string {
	mark := filepath.Join(c.Data, installation.SandboxMark)
	if c.Environment == store.Sandbox {
		return "to restore it as a sandbox, make an empty file " + mark
	}
	return "restore it into a directory without the file " + mark
}

// mayRestore returns an error if the backup does not belong to the location, or the location is not
// empty.
func (c restoring) mayRestore(ctx context.Context, file string, h Header) error {
	environment, err := c.Location.MarkedEnvironment()
	if err != nil {
		return err
	}
	database := migrations.SQLite
	if h.Store == PostgreSQL {
		database = migrations.PostgreSQL
	}
	known, err := migrations.Newest(database)
	if err != nil {
		return err
	}
	switch {
	case h.Store != kind(c.Location):
		return fmt.Errorf("%s contains a database of type %s, and the one %s is of type %s",
			file, h.Store, c.Location, kind(c.Location))
	case environment != c.Environment:
		return fmt.Errorf("%s is a backup of %s, and %s belongs to %s: %s", file,
			c.Environment, c.Data, environment, c.markCure())
	case h.Schema > known:
		return fmt.Errorf("%s has schema version %d, and this program knows version %d: restore "+
			"it with the program %s", file, h.Schema, known, h.Program)
	}
	err = c.Keys.UsePinKeys(strings.Fields(h.PinKey))
	if errors.Is(err, vault.ErrPinKey) {
		return fmt.Errorf("%s needs the PIN key %s, and %s holds %s: use the one that belongs "+
			"to the backup", file, installation.JoinPinKeys(h.PinKey),
			filepath.Join(c.Data, "pin-private.pem"),
			strings.Join(c.Keys.AllPinKeys(), " and "))
	}
	if err != nil {
		return err
	}
	return c.empty(ctx)
}

// empty returns an error if the location is in use.
func (c restoring) empty(ctx context.Context) error {
	if c.Database.URL == "" {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			path := filepath.Join(c.Data, installation.DatabaseFile+suffix)
			about, err := os.Stat(path)
			if err == nil && about.Size() > 0 {
				return fmt.Errorf("%s exists: restore a backup into a directory that contains "+
					"the keys and no database", path)
			}
		}
		return nil
	}
	problems, err := c.Location.Inspect(ctx)
	if err != nil {
		return err
	}
	broken := problems.Installation != nil && problems.Installation.Keyset == inspect.Unfinished
	if !broken && (problems.Installation != nil || problems.Programs > 0) {
		return fmt.Errorf("the database %s is in use: restore a backup into an empty one",
			c.Location)
	}
	return nil
}

// restoreFile writes the embedded database under a temporary name and renames it in the last step.
func (c restoring) restoreFile(ctx context.Context, from *File) error {
	path := filepath.Join(c.Data, installation.DatabaseFile)
	if err := removeDatabase(path + unfinished); err != nil {
		return err
	}
	if err := writeData(ctx, path+unfinished, from); err != nil {
		return errors.Join(err, removeDatabase(path+unfinished))
	}
	engine, err := sqlite.Open(ctx, path+unfinished, sqlite.Options{})
	if err != nil {
		return err
	}
	if err := c.finish(ctx, engine, from); err != nil {
		return err
	}
	if err := installation.MarkDirectory(ctx, c.Data, c.Environment); err != nil {
		return err
	}
	if err := os.Rename(path+unfinished, path); err != nil {
		return err
	}
	return errors.Join(removeDatabase(path+unfinished), platform.SyncDirectory(c.Data))
}

// removeDatabase removes all existing files of an embedded database.
func removeDatabase(path string) error {
	var all error
	for _, suffix := range []string{"", "-wal", "-shm", "-journal", "-users"} {
		if err := os.Remove(path + suffix); !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// writeData writes the data of a backup to a file and syncs it.
func writeData(ctx context.Context, path string, from *File) error {
	data, err := from.Data(ctx)
	if err != nil {
		return err
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, data)
	if err == nil {
		err = to.Sync()
	}
	return errors.Join(err, to.Close())
}

// restoreServer fills a database on a server, which is marked as unfinished until the end.
func (c restoring) restoreServer(ctx context.Context, from *File) error {
	data, err := from.Data(ctx)
	if err != nil {
		return err
	}
	err = inspect.FillServer(ctx, c.Database.URL, from.Schema, data)
	if errors.Is(err, inspect.ErrNewerTables) {
		err = fmt.Errorf("the database %s: %w: make an empty one", c.Location, err)
	}
	if err != nil {
		return err
	}
	engine, err := postgres.Open(ctx, c.Database.URL, postgres.Options{})
	if err != nil {
		return err
	}
	if err := c.finish(ctx, engine, from); err != nil {
		return err
	}
	return installation.MarkDirectory(ctx, c.Data, c.Environment)
}

// finish prepares a restored database for this location and closes it. The last step removes the
// mark of an unfinished restore.
func (c restoring) finish(ctx context.Context, engine db.Engine, from *File) error {
	kept := sqlstore.New(engine)
	kept.DigestEntries(func(e audit.Entry) []byte {
		return c.Keys.DigestEntry(e.AppendContent(nil))
	})
	err := inspect.PrepareRestored(ctx, engine, from.Made)
	if err == nil {
		err = kept.Update(ctx, func(tx store.Tx) error {
			remembered, err := tx.Installation().Find()
			if err != nil {
				return err
			}
			remembered.Keyset = from.Keyset
			if err := tx.Installation().Put(remembered); err != nil {
				return err
			}
			return putBackupEntry(tx, restoreAct, from.Header, from.Written)
		})
	}
	return errors.Join(err, kept.Close())
}

// Describe describes a backup after it has authenticated it under the keys of an installation.
func Describe(ctx context.Context, l installation.Location, file string) (string, error) {
	_, from, err := Open(ctx, l, file)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is of %s, and whole", file, from.Made.Format(time.RFC3339)),
		from.Close()
}
