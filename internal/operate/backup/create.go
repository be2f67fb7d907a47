package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mintmark/internal/base/progress"
	"mintmark/internal/base/version"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/digests"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/inspect"
	"mintmark/internal/store/sqlstore/sqlite"
)

// The acts on backups in the audit log. Package inspect searches for the first.
const (
	Act        = "backup"
	restoreAct = "restore"
)

// Backup describes a backup file.
type Backup struct {
	Header
	Written
}

// Create copies the whole database of an installation to a file while servers use it, and writes an
// audit entry. The file contains no key. It includes everything that was acknowledged before the
// call.
func Create(ctx context.Context, l installation.Location, file string) (Backup, error) {
	if err := checkNew(file); err != nil {
		return Backup{}, err
	}
	environment, err := l.MarkedEnvironment()
	if err != nil {
		return Backup{}, err
	}
	claimed, err := l.Claim(ctx, environment)
	if err != nil {
		return Backup{}, err
	}
	c := copying{claimed}
	b, err := c.write(ctx, file)
	if errors.Is(err, inspect.ErrSchema) {
		err = l.OtherTables(err)
	}
	if err != nil {
		return Backup{}, err
	}
	if err := c.enter(ctx, b); err != nil {
		return b, fmt.Errorf("the backup %s is complete, but was not recorded in the audit: %w",
			file, err)
	}
	return b, nil
}

// copying is a claim on a database to copy.
type copying struct{ *installation.Claim }

// write writes the backup file.
func (c copying) write(ctx context.Context, file string) (b Backup, err error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	create := func(contents inspect.Contents, data func(io.Writer) error) error {
		var err error
		if b.Header, err = c.header(contents, now); err == nil {
			b.Written, err = write(file, b.Header, c.Keys.BackupCode,
				func(to io.Writer) error { return data(progress.Writer(ctx, to)) })
		}
		return err
	}
	if c.Database.URL != "" {
		return b, inspect.CopyServer(ctx, c.Database.URL, create)
	}
	copied := file + ".copy"
	if err := os.Remove(copied); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return b, err // left by a killed backup
	}
	contents, err := inspect.CopyFile(ctx, filepath.Join(c.Data, installation.DatabaseFile), copied)
	if err != nil {
		return b, err
	}
	err = create(contents, func(to io.Writer) error {
		in, err := os.Open(copied)
		if err != nil {
			return err
		}
		if about, err := in.Stat(); err == nil {
			progress.Expect(ctx, about.Size())
		}
		_, err = io.Copy(to, in)
		return errors.Join(err, in.Close())
	})
	return b, errors.Join(err, os.Remove(copied))
}

// header returns the header for copied contents.
func (c copying) header(contents inspect.Contents, now time.Time) (Header, error) {
	h := Header{
		Version: Version, Program: version.Current().Version, Store: kind(c.Location),
		Schema: contents.Schema, Made: now,
		Environment: string(contents.Installation.Environment),
		Keyset:      contents.Installation.Keyset, PinKey: contents.Installation.PinKey,
	}
	if contents.Checkpoint == "" {
		return h, nil
	}
	newest, err := audit.OpenCheckpoint(contents.Checkpoint, c.Keys.LogVerifier())
	if err != nil {
		return h, fmt.Errorf("open the newest audit checkpoint: %w", err)
	}
	h.Log = &Log{Origin: newest.Origin, Size: newest.Size, Root: newest.Root[:]}
	return h, nil
}

// kind returns the kind of an installation's database.
func kind(l installation.Location) Store {
	if l.Database.URL != "" {
		return PostgreSQL
	}
	return Embedded
}

// enter writes the audit entry of a backup, beside a server that writes.
func (c copying) enter(ctx context.Context, b Backup) error {
	kept, err := c.Open(ctx, sqlite.Options{DoNotWait: true})
	if err != nil {
		return err
	}
	err = installation.RetryingStore{Store: kept}.Update(ctx, func(tx store.Tx) error {
		return putBackupEntry(tx, Act, b.Header, b.Written)
	})
	return errors.Join(err, kept.Close())
}

// putBackupEntry stores the audit entry of an act on a backup.
func putBackupEntry(tx store.Tx, act string, h Header, w Written) error {
	text, err := json.Marshal(struct {
		Made   time.Time `json:"made"`
		SHA256 string    `json:"sha256"`
		Bytes  int64     `json:"bytes"`
		Log    *Log      `json:"log,omitempty"`
	}{h.Made, w.SHA256, w.Bytes, h.Log})
	if err != nil {
		return err
	}
	return tx.Audit().Put(audit.Entry{
		At: tx.Now(), Actor: installation.Person(), Act: act, Outcome: "done", After: string(text),
		Subject: audit.Subject{Kind: audit.Installation, ID: digests.Fingerprint(h.Keyset)},
	})
}
