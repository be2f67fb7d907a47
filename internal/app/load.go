package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"mintmark/internal/domain/audit"
	"mintmark/internal/importer/entity"
	"mintmark/internal/importer/load"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/sqlite"
)

// Loading is what an operator's file is loaded with.
type Loading struct {
	Place // insecure accepts weak secrets
	File  string

	Accept []string
	DryRun bool
	Tell   func(line string) // receives each change of a dry run
}

// Load changes the database to match an operator's file, and returns the changes.
func Load(ctx context.Context, l Loading) (*load.Report, error) {
	files, err := openLoaded(l.File)
	if err != nil {
		return nil, err
	}
	defer files.root.Close()
	read, err := load.Read(files, filepath.Base(l.File))
	if err != nil {
		return nil, err
	}
	environment, err := l.environment()
	if err != nil {
		return nil, err
	}
	// A server that writes continuously must not be locked out.
	keys, kept, err := l.open(ctx, sqlite.Options{DoNotWait: true})
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	options := load.Options{
		Vault: keys, Random: rand.Reader, Sandbox: environment == store.Sandbox,
		Insecure: l.Insecure, WebhooksAllow: l.WebhooksAllow,
		Accept: l.Accept, Actor: person(), DryRun: l.DryRun, Tell: l.Tell,
	}
	if kept.disk != nil {
		options.ExternalCommits = kept.disk.ForeignCommits
	}
	if options.Sandbox {
		options.Ending = sandboxEnding
	}
	return read.Load(ctx, kept, options)
}

// loaded are an operator's file and the files beside it and below. A link leads to none outside of
// the directory; the file itself may be one.
type loaded struct {
	root *os.Root
	path string // of the file itself
}

func openLoaded(path string) (loaded, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	return loaded{root, path}, err
}

// Open opens a file by its name in the directory.
func (l loaded) Open(name string) (fs.File, error) {
	if name == filepath.Base(l.path) {
		return os.Open(l.path)
	}
	return l.root.FS().Open(name)
}

// Stat describes a file without opening it.
func (l loaded) Stat(name string) (fs.FileInfo, error) { return fs.Stat(l.root.FS(), name) }

// Losses are the changes that an operator must accept by name, with their effects.
var Losses = entity.DestructiveChanges

// person is the actor of a command: the person who runs the program.
func person() audit.Actor { return audit.Actor{Kind: audit.CommandLine, Name: userName()} }

// userName is the user that runs the program. After su or sudo it also names the user who signed
// in.
func userName() string {
	if os.Getuid() < 0 {
		return windowsUser()
	}
	acts := nameOf(strconv.Itoa(os.Getuid()))
	text, err := os.ReadFile("/proc/self/loginuid")
	if err != nil {
		return acts
	}
	return withPerson(acts, strings.TrimSpace(string(text)))
}

// windowsUser is the user that runs the program on Windows, where users have no numbers.
func windowsUser() string {
	who, err := user.Current()
	if err != nil {
		return "unknown user"
	}
	return who.Username
}

// nobodySignedIn is Linux's value for a process without a sign-in.
const nobodySignedIn = "4294967295"

// withPerson adds the user who signed in. Linux keeps this user's number through su and sudo.
func withPerson(acts, signedIn string) string {
	if signedIn == "" || signedIn == nobodySignedIn || nameOf(signedIn) == acts {
		return acts
	}
	return fmt.Sprintf("%s, signed in as %s", acts, nameOf(signedIn))
}

// nameOf is the name of a user of the operating system.
func nameOf(number string) string {
	who, err := user.LookupId(number)
	if err != nil {
		return "user of number " + number
	}
	return who.Username
}
