// Package sealedlog verifies, proves, exports and archives the audit log of an installation.
package sealedlog

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mintmark/internal/auditlog"
	"mintmark/internal/domain/audit"
	"mintmark/internal/issuing/events"
	"mintmark/internal/operate/backup"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Report is the result of a verification of the audit log.
type Report = auditlog.Report

// Files names the files for a verification of an audit log.
type Files struct {
	Checkpoints []string // signed notes that were stored elsewhere
	Archives    []string
	Backups     []string // backups whose logs must be a prefix of the log
	Exports     []string // in order
	Key         string   // verifier key of the exports
}

// Verify verifies the audit log of an installation.
func Verify(ctx context.Context, l installation.Location, files Files) (*Report, error) {
	with := auditlog.Verification{}
	var err error
	with.Checkpoints, err = readTexts(files.Checkpoints)
	if err != nil {
		return nil, err
	}
	for _, name := range files.Backups {
		checkpoint, err := checkpointOf(ctx, l, name)
		if err != nil {
			return nil, err
		}
		with.Checkpoints = append(with.Checkpoints, checkpoint...)
	}
	for _, name := range files.Archives {
		archive, err := auditlog.OpenArchive(name)
		if err != nil {
			return nil, err
		}
		defer archive.Close()
		with.Archives = append(with.Archives, archive)
	}
	keys, kept, err := openToRead(ctx, l)
	if err != nil {
		return nil, err
	}
	with.Keys = keys
	report, err := auditlog.Verify(ctx, kept, with)
	return report, errors.Join(err, kept.Close())
}

// openToRead opens an installation without migrating tables.
func openToRead(
	ctx context.Context, l installation.Location,
) (*vault.Vault, store.Store, error) {
	if err := l.CheckTables(ctx); err != nil {
		return nil, nil, err
	}
	return l.Open(ctx)
}

// checkpointOf returns the checkpoint in a backup, signed like those of the log; none for a backup
// from before anything was sealed.
func checkpointOf(ctx context.Context, l installation.Location, file string) ([]string, error) {
	keys, from, err := backup.Open(ctx, l, file)
	if err != nil {
		return nil, err
	}
	if err := from.Close(); err != nil || from.Log == nil {
		return nil, err
	}
	told := audit.Checkpoint{Origin: from.Log.Origin, Size: from.Log.Size}
	copy(told.Root[:], from.Log.Root)
	text, err := told.Sign(keys.LogSigner())
	return []string{text}, err
}

// VerifyExport verifies exports and archives without a database.
func VerifyExport(files Files) (*Report, error) {
	checkpoints, err := readTexts(files.Checkpoints)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(files.Key)
	if err != nil {
		return nil, err
	}
	key, err := note.NewVerifier(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files.Key, err)
	}
	var exports []io.Reader
	for _, name := range files.Exports {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		exports = append(exports, file)
	}
	return auditlog.VerifyExport(key, checkpoints, exports...)
}

func readTexts(names []string) ([]string, error) {
	var texts []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

// Checkpoint returns the newest checkpoint as a signed note.
func Checkpoint(ctx context.Context, l installation.Location) (string, error) {
	_, kept, err := openToRead(ctx, l)
	if err != nil {
		return "", err
	}
	text, err := auditlog.Checkpoint(ctx, kept)
	return text, errors.Join(err, kept.Close())
}

// Key returns the key that verifies checkpoints.
func Key(ctx context.Context, l installation.Location) (string, error) {
	keys, err := l.Keys(ctx)
	if err != nil {
		return "", err
	}
	return keys.LogKey(), nil
}

// Prove returns an entry with the proof that it is in the log.
func Prove(ctx context.Context, l installation.Location, sequence int) (any, error) {
	_, kept, err := openToRead(ctx, l)
	if err != nil {
		return nil, err
	}
	proof, err := auditlog.Prove(ctx, kept, sequence)
	return proof, errors.Join(err, kept.Close())
}

// Export writes the sealed log, and records the export in the audit log.
func Export(ctx context.Context, l installation.Location, to io.Writer) error {
	if err := l.CheckTables(ctx); err != nil {
		return err
	}
	_, kept, err := l.OpenBeside(ctx)
	if err != nil {
		return err
	}
	enter := func(outcome, after string) error {
		return installation.RetryingStore{Store: kept}.Update(ctx, func(tx store.Tx) error {
			return tx.Audit().Put(audit.Entry{
				At: tx.Now(), Actor: installation.Person(), Act: events.ExportAct, Outcome: outcome,
				Subject: audit.Subject{Kind: audit.Log, ID: "log"}, After: after,
			})
		})
	}
	digest, lines := sha256.New(), lineCount(0)
	err = enter("begun", "") // a command that is killed has written a part already
	if err == nil {
		err = auditlog.Export(ctx, kept, io.MultiWriter(to, digest, &lines))
	}
	if err == nil {
		err = enter(events.Exported, audit.Members("sha256", hex.EncodeToString(digest.Sum(nil)),
			"lines", strconv.Itoa(int(lines))))
	}
	return errors.Join(err, kept.Close())
}

// lineCount counts the lines that are written to it.
type lineCount int

func (c *lineCount) Write(text []byte) (int, error) {
	*c += lineCount(bytes.Count(text, []byte("\n")))
	return len(text), nil
}

// Archive moves entries that were sealed before a time to a file. It does not archive a log that
// fails verification: afterwards only the file could show what is wrong.
func Archive(
	ctx context.Context, l installation.Location, before time.Time, file string,
) (first, last int, err error) {
	keys, kept, err := l.Open(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	report, err := auditlog.Verify(ctx, kept, auditlog.Verification{Keys: keys})
	if err == nil {
		err = report.Err()
	}
	if err != nil {
		return 0, 0, err
	}
	moved, err := auditlog.Move(ctx, kept, auditlog.Moving{
		Before: before, File: file, Keys: keys, Put: auditArchive,
	})
	return moved.First, moved.Last, err
}

// auditArchive stores the audit entry of an archive.
func auditArchive(tx store.Tx, a auditlog.Archived) error {
	return tx.Audit().Put(a.Entry(tx.Now(), installation.Person()))
}
