package rows

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mintmark/internal/base/agefile"
	"mintmark/internal/base/progress"
	"mintmark/internal/domain/audit"
	"mintmark/internal/importer"
	"mintmark/internal/importer/feed"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// FeedOptions configures how rows of a core banking system are applied.
type FeedOptions struct {
	installation.Location
	File string    // - for In
	In   io.Reader // the rows, if no file is named

	Accept []string
	DryRun bool
	Tell   func(feed.Change) // receives each change of a dry run
}

// FeedLosses maps the changes that a feed makes only when they are accepted to their effects.
var FeedLosses = feed.DestructiveChanges

// FeedChange is a difference that a dry run reports: a changed member, or an added row.
type FeedChange = feed.Change

// FeedExample is a small file, indented for the help text.
var FeedExample = indented(feed.Example)

// CardsExample is a small file of cards, indented for the help text.
var CardsExample = indented(feed.CardsExample)

// Feed applies the rows of a core banking system and returns a report of the changes.
func Feed(ctx context.Context, f FeedOptions) (*feed.Report, error) {
	return f.run(ctx, func(
		kept store.Store, _ *vault.Vault, file *importer.Rows, o feed.Options,
	) (*feed.Report, error) {
		return feed.Run(ctx, kept, file, o)
	})
}

// ImportCards imports cards that were issued elsewhere.
func ImportCards(ctx context.Context, f FeedOptions) (*feed.Report, error) {
	return f.run(ctx, func(
		kept store.Store, keys *vault.Vault, file *importer.Rows, o feed.Options,
	) (*feed.Report, error) {
		return feed.ImportCards(ctx, kept, file, keys, o)
	})
}

// run opens the installation and the file, and calls apply.
func (f FeedOptions) run(
	ctx context.Context,
	apply func(store.Store, *vault.Vault, *importer.Rows, feed.Options) (*feed.Report, error),
) (*feed.Report, error) {
	keys, kept, err := openFor(ctx, f.Location, f.DryRun)
	if err != nil {
		return nil, err
	}
	file, err := f.rows(keys)
	if err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	options := feed.Options{
		Actor: installation.Person(), Accept: f.Accept, DryRun: f.DryRun, Tell: f.Tell,
	}
	if kept.Disk != nil {
		options.ExternalCommits = kept.Disk.ExternalCommits
	}
	report, err := apply(kept, keys, file, options)
	return report, errors.Join(err, file.Close(), kept.Close())
}

// openFor opens an installation for a command that writes. A dry run must not migrate tables, so it
// fails on tables of an older version.
func openFor(
	ctx context.Context, l installation.Location, dryRun bool,
) (*vault.Vault, *installation.Storage, error) {
	if dryRun {
		if err := l.CheckTables(ctx); err != nil {
			return nil, nil, err
		}
	}
	return l.OpenBeside(ctx)
}

// rows opens the file. It decrypts an encrypted file into a temporary one.
func (f FeedOptions) rows(keys *vault.Vault) (*importer.Rows, error) {
	if f.File == "-" {
		return f.spool(keys, "standard input", f.In)
	}
	file, err := os.Open(f.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	beginning := make([]byte, agefile.Beginning)
	read, err := io.ReadFull(file, beginning)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", f.File, err)
	}
	if !agefile.IsEncrypted(beginning[:read]) {
		return importer.OpenRows(f.File)
	}
	return f.spool(keys, filepath.Base(f.File), io.MultiReader(bytes.NewReader(beginning[:read]), file))
}

func (f FeedOptions) spool(keys *vault.Vault, name string, from io.Reader) (*importer.Rows, error) {
	opened, err := keys.OpenFile(from)
	if err != nil {
		return nil, err
	}
	return importer.SpoolRows(name, f.Data, opened, -1)
}

// exportAct is the act of an export in the audit log.
const exportAct = "export"

// ExportOptions configures an export.
type ExportOptions struct {
	installation.Location
	Source  string
	Program int // 0 for the only one
}

// Export writes the customers, accounts and access of a program as rows that can be fed, and
// records the export in the audit log under the given file name.
func Export(ctx context.Context, e ExportOptions, name string, to io.Writer) error {
	if err := e.CheckTables(ctx); err != nil {
		return err
	}
	_, kept, err := e.OpenBeside(ctx)
	if err != nil {
		return err
	}
	program, err := e.program(ctx, kept)
	enter := func(entry audit.Entry) error {
		return installation.RetryingStore{Store: kept}.Update(ctx, func(tx store.Tx) error {
			entry.At, entry.ProgramID = tx.Now(), program
			return tx.Audit().Put(entry)
		})
	}
	if err == nil { // a command that is killed has written a part already
		err = enter(audit.Entry{
			Actor: installation.Person(), Act: exportAct, Outcome: "begun",
			Subject: audit.Of(audit.Program, program),
		})
	}
	var counts string
	digest := sha256.New()
	if err == nil {
		counts, err = feed.Export(ctx, kept, e.Source, program, io.MultiWriter(to, digest))
	}
	if err == nil {
		file := importer.File{Name: name, Digest: hex.EncodeToString(digest.Sum(nil))}
		err = enter(file.Entry(exportAct, installation.Person(), time.Time{}, counts, nil, true))
	}
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no program %d", program)
	}
	return errors.Join(err, kept.Close())
}

// program returns the program that is named, or the only one. If it does not exist, the error is
// store.ErrNotFound.
func (e ExportOptions) program(ctx context.Context, kept store.Store) (int, error) {
	all, err := store.ViewOf(ctx, kept, func(r store.Tx) ([]int, error) {
		return r.Programs().List()
	})
	switch {
	case err != nil:
		return 0, err
	case e.Program != 0 && !slices.Contains(all, e.Program):
		return e.Program, store.ErrNotFound
	case e.Program != 0:
		return e.Program, nil
	case len(all) != 1:
		return 0, fmt.Errorf("--program is needed: the programs are %v", all)
	}
	return all[0], nil
}

// ExportTo is Export into a new file that only its owner can read. A failed export leaves no file.
func ExportTo(ctx context.Context, e ExportOptions, name string) error {
	return writeNew(name, func(to io.Writer) error {
		return Export(ctx, e, filepath.Base(name), progress.Writer(ctx, to))
	})
}
