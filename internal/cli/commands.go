package cli

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// Commands holds the commands that call a service, by noun. Those on audit, operators and tokens
// are in package main, because some of them also work on the machine itself.
type Commands struct {
	Me       meCommand       `cmd:"" group:"ask" help:"Print the owner of the token, and its rights."`
	Overview overviewCommand `cmd:"" group:"ask" help:"Print the state of the service at a glance."`
	Search   searchCommand   `cmd:"" group:"ask" help:"Search cards and customers at once."`

	Described kong.Plugins `embed:""`

	Listen listenCommand `cmd:"" group:"ask" help:"Show events as they happen, and forward them to a program on this machine."`
	API    apiCommand    `cmd:"" name:"api" group:"ask" help:"Send any request of the operators' interface."`
}

// NewCommands returns the commands for a command line. The structs card and program hold commands
// on cards and programs that are written by hand.
func NewCommands(typed Typed, card, program any) Commands {
	return Commands{Described: described(typed, map[string]any{
		"bin":            binByHand{},
		"card":           card,
		"document":       documentByHand{},
		"program":        program,
		"reconciliation": reconciliationByHand{},
	})}
}

// ShowExamples adds an example to the help of commands that have no detailed help: the command with
// the arguments in its tag example.
func ShowExamples(k *kong.Kong) error {
	for _, leaf := range k.Model.Leaves(false) {
		example := strings.TrimSpace("mintmark " + leaf.Path() + " " + leaf.Tag.Get("example"))
		leaf.Detail = exampleLine.ReplaceAllString(cmp.Or(leaf.Detail, example), "  $0")
		if strings.HasPrefix(leaf.Detail, " ") {
			leaf.Detail = "For example:\n\n" + leaf.Detail
		}
	}
	return nil
}

// exampleLine matches a line of a help text that can be typed. Help does not wrap a line that is
// indented and has text above it.
var exampleLine = regexp.MustCompile(`(?m)^(?:echo .* \| |source <\()?mintmark .*$`)
