package rows

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"filippo.io/age"

	"mintmark/internal/base/agefile"
	"mintmark/internal/base/progress"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/importer"
	"mintmark/internal/importer/moving"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Leaving says which program leaves an installation, and for whom.
type Leaving struct {
	installation.Location
	Program    int
	Recipients []string // in the form of age
	Out        string   // a file that must not exist
}

// ExportProgram writes a program into a new encrypted file, and enters that in the audit.
func ExportProgram(ctx context.Context, l Leaving) (moving.Tallies, error) {
	keys, opened, err := l.OpenBeside(ctx)
	if err != nil {
		return nil, err
	}
	kept := installation.Patient{Store: opened}
	var tallies moving.Tallies
	err = writeNew(l.Out, func(to io.Writer) error {
		var err error
		tallies, err = l.write(ctx, kept, keys, progress.Writer(ctx, to))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("there is no program %d", l.Program)
	}
	return tallies, errors.Join(err, kept.Close())
}

// write writes the encrypted file. Its entry is kept before the file has its name.
func (l Leaving) write(
	ctx context.Context, kept store.Store, keys *vault.Vault, to io.Writer,
) (moving.Tallies, error) {
	digest := sha256.New()
	sealed, err := agefile.Encrypt(io.MultiWriter(to, digest), l.Recipients...)
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewWriter(sealed)
	tallies, err := moving.Export(ctx, kept, keys, l.Program, buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err := errors.Join(err, sealed.Close()); err != nil {
		return nil, err
	}
	file := importer.File{
		Name: filepath.Base(l.Out), Digest: hex.EncodeToString(digest.Sum(nil)),
	}
	return tallies, moving.EnterExport(ctx, kept, installation.Person(), l.Program, file, tallies)
}

// Arriving says which program comes into an installation.
type Arriving struct {
	installation.Location
	File     string
	Identity string // a file of age; empty for the key of the installation
	Audit    string // a file that must not exist; empty for none
	DryRun   bool
}

// ImportProgram brings a program in.
func ImportProgram(ctx context.Context, a Arriving) (*moving.Report, error) {
	environment, err := a.MarkedEnvironment()
	if err != nil {
		return nil, err
	}
	keys, opened, err := a.OpenBeside(ctx)
	if err != nil {
		return nil, err
	}
	kept := installation.Patient{Store: opened}
	file, err := a.rows(keys)
	if err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	options := moving.Options{
		Actor: installation.Person(), DryRun: a.DryRun,
		Reach: subscription.Reach{
			Sandbox: environment == store.Sandbox, Allow: a.WebhooksAllow,
		},
	}
	var report *moving.Report
	bring := func() error {
		report, err = moving.Import(ctx, kept, keys, file, options)
		return err
	}
	if a.Audit == "" || a.DryRun {
		err = bring()
	} else {
		err = writeNew(a.Audit, func(to io.Writer) error {
			options.Audit = to
			return bring()
		})
	}
	return report, errors.Join(err, file.Close(), kept.Close())
}

// rows opens the file on its way to a temporary one.
func (a Arriving) rows(keys *vault.Vault) (*importer.Rows, error) {
	file, err := os.Open(a.File)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	opened, err := a.open(keys, file)
	if err != nil {
		return nil, err
	}
	return importer.SpoolRows(filepath.Base(a.File), a.Data, opened, -1)
}

func (a Arriving) open(keys *vault.Vault, file io.Reader) (io.Reader, error) {
	if a.Identity == "" {
		return keys.OpenFile(file)
	}
	text, err := os.Open(a.Identity)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	identities, err := age.ParseIdentities(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Identity, err)
	}
	return agefile.Open(file, identities...)
}
