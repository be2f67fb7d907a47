package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"mintmark/internal/audit"
	"mintmark/internal/load"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/sqlite"
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
	// A server that writes without a pause must get its turns, too.
	keys, kept, err := l.open(ctx, sqlite.Options{DoNotWait: true})
	if err != nil {
		return nil, err
	}
	defer kept.Close()
	options := load.Options{
		Vault: keys, Random: rand.Reader, Sandbox: environment == store.Sandbox,
		Insecure: l.Insecure, Accept: l.Accept, Actor: person(), DryRun: l.DryRun, Tell: l.Tell,
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

// CheckLosses returns the names that are not names of losses.
func CheckLosses(names []string) string { return load.CheckLosses(names) }

// person is the actor of a command: the person who runs the program.
func person() audit.Actor { return audit.Actor{Kind: audit.CommandLine, Name: userName()} }

// userName is the user that runs the program. When another person has signed in, as before su or
// sudo, it names both.
func userName() string {
	acts := nameOf(strconv.Itoa(os.Getuid()))
	text, err := os.ReadFile("/proc/self/loginuid")
	if err != nil {
		return acts
	}
	return withPerson(acts, strings.TrimSpace(string(text)))
}

// nobodySignedIn is what Linux says of a process that no sign-in has led to.
const nobodySignedIn = "4294967295"

// withPerson adds the person of the number that Linux keeps from the sign-in on, through su and
// sudo.
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
