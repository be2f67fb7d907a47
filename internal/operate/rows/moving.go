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
	"time"

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

// ProgramExport configures the export of a program to another installation.
type ProgramExport struct {
	installation.Location
	Program    int
	Recipients []string // in the format of age
	Out        string   // a file that must not exist

	// Fence makes callers of the program, and the card processor, get the response that the service
	// is unavailable, from before the snapshot on.
	Fence bool
	// Waiting is called with the time until which a new fence has to stand before the snapshot.
	Waiting func(until time.Time)
}

// ExportProgram exports a program into a new encrypted file and writes an audit entry.
func ExportProgram(ctx context.Context, l ProgramExport) (moving.Tallies, error) {
	if err := l.CheckTables(ctx); err != nil {
		return nil, err
	}
	// Report a wrong recipient before the program is fenced.
	if _, err := agefile.Encrypt(io.Discard, l.Recipients...); err != nil {
		return nil, err
	}
	keys, opened, err := l.OpenBeside(ctx)
	if err != nil {
		return nil, err
	}
	kept := installation.RetryingStore{Store: opened}
	var tallies moving.Tallies
	err = writeNew(l.Out, func(to io.Writer) error {
		err := l.fence(ctx, kept)
		if err == nil {
			tallies, err = l.write(ctx, kept, keys, progress.Writer(ctx, to))
		}
		return err
	})
	return tallies, errors.Join(l.explain(err), kept.Close())
}

func (l ProgramExport) explain(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("there is no program %d", l.Program)
	}
	if err != nil && l.Fence {
		return fmt.Errorf("%w (program %d may be fenced: mintmark program unfence lifts that)", err,
			l.Program)
	}
	return err
}

// settled is moving.FenceDelay; tests change it.
var settled = moving.FenceDelay

// fence fences the program and waits until no request that was admitted before can change it.
func (l ProgramExport) fence(ctx context.Context, kept store.Store) error {
	if !l.Fence {
		return nil
	}
	fenced, err := moving.Fence(ctx, kept, installation.Person(), l.Program)
	if err != nil {
		return err
	}
	if left := min(settled-fenced, settled); left > 0 {
		l.Waiting(time.Now().Add(left))
		select {
		case <-time.After(left):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// LiftFence lifts the fence of a program, and reports whether there was one.
func LiftFence(ctx context.Context, l ProgramExport) (lifted bool, err error) {
	_, opened, err := l.OpenBeside(ctx)
	if err != nil {
		return false, err
	}
	kept := installation.RetryingStore{Store: opened}
	lifted, err = moving.Lift(ctx, kept, installation.Person(), l.Program)
	return lifted, errors.Join(l.explain(err), kept.Close())
}

// write writes the encrypted file. Its audit entry is stored before the file gets its name.
func (l ProgramExport) write(
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
	return tallies, moving.AuditExport(ctx, kept, installation.Person(), l.Program, file, tallies)
}

// ProgramImport configures the import of a program from another installation.
type ProgramImport struct {
	installation.Location
	File     string
	Identity string // an age identity file; empty for the key of the installation
	Audit    string // a file that must not exist; empty for none
	DryRun   bool
}

// ImportProgram imports a program.
func ImportProgram(ctx context.Context, a ProgramImport) (*moving.Report, error) {
	environment, err := a.MarkedEnvironment()
	if err != nil {
		return nil, err
	}
	keys, opened, err := openFor(ctx, a.Location, a.DryRun)
	if err != nil {
		return nil, err
	}
	kept := installation.RetryingStore{Store: opened}
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
	auditKept := false
	if a.Audit != "" {
		options.KeepAudit = func(write func(io.Writer) error) error {
			err := writeNew(a.Audit, write)
			auditKept = err == nil
			return err
		}
	}
	report, err := moving.Import(ctx, kept, keys, file, options)
	if err != nil && auditKept && !errors.Is(err, store.ErrUnknownOutcome) {
		err = errors.Join(err, os.Remove(a.Audit)) // so that the command can be run again
	}
	return report, errors.Join(err, file.Close(), kept.Close())
}

// rows decrypts the file into a temporary one.
func (a ProgramImport) rows(keys *vault.Vault) (*importer.Rows, error) {
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

func (a ProgramImport) open(keys *vault.Vault, file io.Reader) (io.Reader, error) {
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
