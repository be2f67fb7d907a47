// Package rows imports rows into an installation and exports them, beside its servers: load and
// feed read an operator's files, and export writes rows that can be fed.
package rows

import (
	"context"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"

	"mintmark/internal/domain/card"
	"mintmark/internal/importer/entity"
	"mintmark/internal/importer/load"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
)

// LoadOptions configures how an operator's file is loaded.
type LoadOptions struct {
	installation.Location // insecure accepts weak secrets
	File                  string

	Accept []string
	DryRun bool
	Tell   func(line string) // receives each change of a dry run
}

// Load changes the database to match an operator's file and returns a report of the changes.
func Load(ctx context.Context, l LoadOptions) (*load.Report, error) {
	files, err := openLoaded(l.File)
	if err != nil {
		return nil, err
	}
	defer files.root.Close()
	read, err := load.Read(files, filepath.Base(l.File))
	if err != nil {
		return nil, err
	}
	environment, err := l.MarkedEnvironment()
	if err != nil {
		return nil, err
	}
	keys, kept, err := openFor(ctx, l.Location, l.DryRun)
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	options := load.Options{
		Vault: keys, Random: rand.Reader, Sandbox: environment == store.Sandbox,
		Insecure: l.Insecure, WebhooksAllow: l.WebhooksAllow,
		Accept: l.Accept, Actor: installation.Person(), DryRun: l.DryRun, Tell: l.Tell,
	}
	if kept.Disk != nil {
		options.ExternalCommits = kept.Disk.ExternalCommits
	}
	if options.Sandbox {
		options.Ending = card.SandboxEnding
	}
	return read.Load(ctx, kept, options)
}

// loaded is a file system with an operator's file, and the files beside it and below. A symbolic
// link cannot lead out of the directory; only the operator's file itself may be such a link.
type loaded struct {
	root *os.Root
	path string // of the operator's file
}

func openLoaded(path string) (loaded, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	return loaded{root, path}, err
}

// Open opens a file by its name relative to the directory.
func (l loaded) Open(name string) (fs.File, error) {
	if name == filepath.Base(l.path) {
		return os.Open(l.path)
	}
	return l.root.FS().Open(name)
}

// Stat describes a file without opening it.
func (l loaded) Stat(name string) (fs.FileInfo, error) { return fs.Stat(l.root.FS(), name) }

// Losses maps the changes that an operator must accept by name to their effects.
var Losses = entity.DestructiveChanges
