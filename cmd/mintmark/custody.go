package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"mintmark/internal/app"
	"mintmark/internal/base/prompt"
	"mintmark/internal/operate/installation"
)

// custodySettings names the custodians or the key service that unwrap the key files.
type custodySettings struct {
	Passphrases map[string]string `yaml:"passphrases"` // two files, by name of the custodian
	Transit     transitSettings   `yaml:"transit"`
}

// transitSettings identifies a key in a key service.
type transitSettings struct {
	Address   string `yaml:"address"`
	Key       string `yaml:"key"`
	TokenFile string `yaml:"tokenFile"` // relative to the settings file, like caFile
	CAFile    string `yaml:"caFile"`
}

// locate makes paths relative to the settings file.
func (c *custodySettings) locate(directory string) {
	for name, path := range c.Passphrases {
		if path != "" && !filepath.IsAbs(path) {
			c.Passphrases[name] = filepath.Join(directory, path)
		}
	}
	for _, path := range []*string{&c.Transit.TokenFile, &c.Transit.CAFile} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(directory, *path)
		}
	}
}

// transitKey matches a key name that may appear in the path of an address.
var transitKey = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// settings validates the values.
func (c custodySettings) settings(f *findings) installation.Custody {
	settings := installation.Custody{
		Passphrases: c.Passphrases, Transit: installation.Transit(c.Transit), Ask: askOnTerminal(),
	}
	if len(c.Passphrases) > 0 {
		if problem := installation.CheckCustodians(settings.Wrappers()); problem != nil {
			f.add("custody.passphrases: %w", problem)
		}
		for name, path := range c.Passphrases {
			if path == "" {
				f.add("custody.passphrases.%s: a file with the passphrase is needed", name)
			}
		}
	}
	t := c.Transit
	if t == (transitSettings{}) {
		return settings
	}
	if len(c.Passphrases) > 0 {
		f.add("custody: set passphrases or transit")
	}
	read, err := url.Parse(t.Address)
	switch {
	case err != nil || read.Host == "" || read.User != nil || read.RawQuery != "" ||
		read.Scheme != "https" && read.Scheme != "http":
		f.add("custody.transit.address: %q is not an http or https address",
			hidden(read, t.Address))
	case read.Scheme == "http" && !app.OnLoopback(withPort(read)):
		f.addInsecure("custody.transit.address: %s is reached in plain HTTP", t.Address)
	}
	if !transitKey.MatchString(t.Key) {
		f.add("custody.transit.key: %q is not the name of a key", t.Key)
	}
	if t.TokenFile == "" {
		f.add("custody.transit.tokenFile: a file with the token is needed")
	}
	return settings
}

// askOnTerminal returns a function that prompts a custodian on the terminal, nil without a
// terminal.
func askOnTerminal() installation.Ask {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return nil
	}
	return func(ctx context.Context, custodian string, isNew bool) ([]byte, error) {
		if !isNew {
			return prompt.Hidden(ctx, os.Stdin, os.Stderr, "Passphrase of "+custodian+": ")
		}
		typed, err := prompt.Hidden(ctx, os.Stdin, os.Stderr, "New passphrase of "+custodian+": ")
		if err != nil {
			return nil, err
		}
		again, err := prompt.Hidden(ctx, os.Stdin, os.Stderr, "Repeat the passphrase: ")
		if err != nil {
			return nil, err
		}
		defer clear(again)
		if !bytes.Equal(typed, again) {
			return nil, errors.New("the two passphrases differ")
		}
		return typed, nil
	}
}

type custodyCommand struct {
	Status custodyStatusCommand `cmd:"" help:"Print whether the key files are wrapped, and who opens them."`
	Wrap   custodyWrapCommand   `cmd:"" help:"Wrap the key files, by two custodians or a key service."`
	Rewrap custodyRewrapCommand `cmd:"" help:"Change passphrases, custodians or the key service."`
	Unwrap custodyUnwrapCommand `cmd:"" help:"Remove the wrapping of the key files."`
}

// custodians holds the flag --custodians: the two people whose passphrases wrap the key files.
type custodians struct {
	Custodians []string `help:"Two custodians whose passphrases wrap the keys; typed on the terminal unless the settings name files." placeholder:"NAME"`
}

// apply replaces the custody of the settings with the custodians in the flag, if there are any.
func (n custodians) apply(to *installation.Custody) error {
	if len(n.Custodians) == 0 {
		return nil
	}
	to.Custodians, to.Transit = n.Custodians, installation.Transit{}
	return installation.CheckCustodians(n.Custodians)
}

type custodyStatusCommand struct {
	place
	Output string `default:"table" enum:"table,json" help:"Format: ${enum}."`
}

func (custodyStatusCommand) Help() string {
	return "It needs no passphrase. The exit code is 1 when some key files are wrapped and " +
		"others are not, as an interrupted command leaves them.\n\n" +
		"mintmark custody status --config mintmark.yaml"
}

func (s custodyStatusCommand) Run(at installation.Location, c console) error {
	state, err := installation.CustodyOf(at)
	if err != nil {
		return err
	}
	if s.Output == "json" {
		err = c.printJSON(state)
	} else {
		err = c.printCustody(state)
	}
	if err == nil && state.Incomplete() {
		err = errors.New("some key files are in the clear: mintmark custody wrap wraps them, " +
			"mintmark custody unwrap unwraps the others")
	}
	return err
}

func (c console) printCustody(state installation.CustodyState) error {
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	opened := map[string]string{
		"none":        "no custodian is needed",
		"passphrases": strings.Join(state.Custodians, " and "),
		"transit":     state.TransitKey,
	}
	fmt.Fprintf(table, "%s\t%s\n", state.Custody, opened[state.Custody])
	for _, file := range state.Files {
		fmt.Fprintf(table, "%s\t%s\n", file.Name, file.State)
	}
	return table.Flush()
}

type custodyWrapCommand struct {
	place
	custodians
}

func (custodyWrapCommand) Help() string {
	return "Without --custodians the settings say what wraps them (custody). It may run beside " +
		"a server, and completes an interrupted run. Copies of the key files in backups and on " +
		"disks stay in the clear.\n\n" +
		"mintmark custody wrap --config mintmark.yaml --custodians ada,grace"
}

func (w custodyWrapCommand) Run(ctx context.Context, at installation.Location, c console) error {
	if err := w.apply(&at.Custody); err != nil {
		return err
	}
	if err := installation.WrapKeys(ctx, at); err != nil {
		return err
	}
	return c.sayCustody(at)
}

// sayCustody prints the state after a change.
func (c console) sayCustody(at installation.Location) error {
	state, err := installation.CustodyOf(at)
	if err != nil {
		return err
	}
	return c.printCustody(state)
}

type custodyRewrapCommand struct {
	place
	custodians
	To string `type:"existingfile" help:"Settings file whose custody wraps the keys from now on."`
}

func (custodyRewrapCommand) Help() string {
	return "The present custody opens the keys: two custodians, or the service that the " +
		"settings name. Then another custody replaces it, in one step.\n\n" +
		"mintmark custody rewrap --config mintmark.yaml --custodians ada,linus\n\n" +
		"mintmark custody rewrap --config mintmark.yaml --to tomorrow.yaml"
}

// Run wraps the data key with a new custody.
func (r custodyRewrapCommand) Run(ctx context.Context, at installation.Location, c console) error {
	if (r.To == "") == (len(r.Custodians) == 0) {
		return errors.New("give either --to or --custodians")
	}
	// Custodians who stay are prompted too: the files in the settings contain their old
	// passphrases.
	to := installation.Custody{Ask: askOnTerminal()}
	if r.To != "" {
		settings, err := readConfig(r.To)
		if err != nil {
			return err
		}
		to = settings.Custody
	}
	if err := r.apply(&to); err != nil {
		return err
	}
	if err := installation.RewrapKeys(ctx, at, to); err != nil {
		return err
	}
	return c.sayCustody(at)
}

type custodyUnwrapCommand struct{ place }

func (custodyUnwrapCommand) Help() string {
	return "Afterwards only the file modes protect the keys.\n\n" +
		"mintmark custody unwrap --config mintmark.yaml"
}

func (custodyUnwrapCommand) Run(ctx context.Context, at installation.Location, c console) error {
	if err := installation.UnwrapKeys(ctx, at); err != nil {
		return err
	}
	return c.sayCustody(at)
}
