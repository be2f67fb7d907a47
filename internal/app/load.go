package app

import (
	"context"
	"crypto/rand"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"mintmark/internal/load"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
)

// Loading is what an operator's file is loaded with.
type Loading struct {
	Place // which is insecure when secrets may be weak
	File  string

	Accept []string
	DryRun bool
	Tell   func(line string) // is told each change of a dry run
}

// Load brings the database to what an operator's file says, and returns what that changes.
func Load(ctx context.Context, l Loading) (*load.Report, error) {
	read, err := load.Read(os.DirFS(filepath.Dir(l.File)), filepath.Base(l.File))
	if err != nil {
		return nil, err
	}
	environment, err := l.environment()
	if err != nil {
		return nil, err
	}
	// The server beside it may write without a pause, and needs its turns, too.
	keys, kept, err := l.Open(ctx, sqlstore.WithoutWaiting())
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	options := load.Options{
		Vault: keys, Random: rand.Reader, Sandbox: environment == store.Sandbox,
		Insecure: l.Insecure, Accept: l.Accept, User: userName(), DryRun: l.DryRun, Tell: l.Tell,
	}
	if options.Sandbox {
		options.Ending = sandboxEnding
	}
	return read.Load(ctx, kept, options)
}

// Losses are the changes that an operator must accept by name, and what each does.
var Losses = load.Losses

// LossNames are their names in order.
func LossNames() []string { return load.LossNames() }

// CheckLosses returns the names that are those of no loss, empty when there are none.
func CheckLosses(names []string) string { return load.CheckLosses(names) }

// userName is who runs the program, as the operating system knows them.
func userName() string {
	who, err := user.Current()
	if err != nil {
		return "user of number " + strconv.Itoa(os.Getuid())
	}
	return who.Username
}
