package app

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
	"mintmark/internal/domain/audit"
	"mintmark/internal/operate/backup"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/dump"
	"mintmark/internal/store/sqlstore/sqlite"
)

// The acts of the audit about backups. Package examine looks for the first.
const (
	backupAct  = "backup"
	restoreAct = "restore"
)

// BackedUp tells of a backup that was made.
type BackedUp struct {
	backup.Header
	backup.Written
}

// Backup writes everything that the database of a place holds to a file, while servers use the
// database, and enters that in the audit. The file holds no key. Whatever was acknowledged before
// the call is in it.
func Backup(ctx context.Context, p Place, file string) (BackedUp, error) {
	if err := backup.CheckNew(file); err != nil {
		return BackedUp{}, err
	}
	environment, err := p.environment()
	if err != nil {
		return BackedUp{}, err
	}
	c, err := p.claim(ctx, environment)
	if err != nil {
		return BackedUp{}, err
	}
	made, err := c.backUp(ctx, file)
	if errors.Is(err, dump.ErrSchema) {
		err = fmt.Errorf("the database %s: %w: use the program that serves from it", p, err)
	}
	if err != nil {
		return BackedUp{}, err
	}
	if err := c.noteBackup(ctx, made); err != nil {
		return made, fmt.Errorf("the backup %s is whole, but the audit does not tell of it: %w",
			file, err)
	}
	return made, nil
}

// backUp writes the file.
func (c *claim) backUp(ctx context.Context, file string) (made BackedUp, err error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	create := func(contents dump.Contents, data func(io.Writer) error) error {
		var err error
		if made.Header, err = c.header(contents, now); err == nil {
			made.Written, err = backup.Create(file, made.Header, c.keys.BackupCode,
				func(to io.Writer) error { return data(progress.Writer(ctx, to)) })
		}
		return err
	}
	if c.Database.URL != "" {
		return made, dump.CopyServer(ctx, c.Database.URL, create)
	}
	copied := file + ".copy"
	if err := os.Remove(copied); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return made, err // left by a backup that was killed
	}
	contents, err := dump.CopyFile(ctx, filepath.Join(c.Data, databaseFile), copied)
	if err != nil {
		return made, err
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
	return made, errors.Join(err, os.Remove(copied))
}

// header describes what was copied.
func (c *claim) header(contents dump.Contents, now time.Time) (backup.Header, error) {
	h := backup.Header{
		Version: backup.Version, Program: Version().Version, Store: c.kind(),
		Schema: contents.Schema, Made: now,
		Environment: string(contents.Installation.Environment),
		Keyset:      contents.Installation.Keyset, PinKey: contents.Installation.PinKey,
	}
	if contents.Checkpoint == "" {
		return h, nil
	}
	newest, err := audit.OpenCheckpoint(contents.Checkpoint, c.keys.LogVerifier())
	if err != nil {
		return h, fmt.Errorf("the newest checkpoint of the audit: %w", err)
	}
	h.Log = &backup.Log{Origin: newest.Origin, Size: newest.Size, Root: newest.Root[:]}
	return h, nil
}

// kind is the store of a place, as backups name it.
func (p Place) kind() backup.Store {
	if p.Database.URL != "" {
		return backup.PostgreSQL
	}
	return backup.Embedded
}

// noteBackup enters a backup in the audit, beside a server that writes.
func (c *claim) noteBackup(ctx context.Context, made BackedUp) error {
	kept, err := c.open(ctx, sqlite.Options{DoNotWait: true})
	if err != nil {
		return err
	}
	err = patient{kept}.Update(ctx, func(tx store.Tx) error {
		return putBackupEntry(tx, backupAct, made.Header, made.Written)
	})
	return errors.Join(err, kept.Close())
}

// putBackupEntry enters an act on a backup in the audit.
func putBackupEntry(tx store.Tx, act string, h backup.Header, w backup.Written) error {
	text, err := json.Marshal(struct {
		Made   time.Time   `json:"made"`
		SHA256 string      `json:"sha256"`
		Bytes  int64       `json:"bytes"`
		Log    *backup.Log `json:"log,omitempty"`
	}{h.Made, w.SHA256, w.Bytes, h.Log})
	if err != nil {
		return err
	}
	return tx.Audit().Put(audit.Entry{
		At: tx.Now(), Actor: person(), Act: act, Outcome: "done", After: string(text),
		Subject: audit.Subject{Kind: audit.Installation, ID: h.Keyset},
	})
}
