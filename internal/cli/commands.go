package cli

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// Commands are the commands that ask a service, by their nouns. Those on audit, operators and
// tokens stand in package main, because some of them work on the machine itself, too.
type Commands struct {
	Me       meCommand       `cmd:"" group:"ask" help:"Print the owner of the token, and its rights."`
	Overview overviewCommand `cmd:"" group:"ask" help:"Print the state of the service at a glance."`
	Search   searchCommand   `cmd:"" group:"ask" help:"Search cards and customers at once."`

	Described kong.Plugins `embed:""`

	Listen listenCommand `cmd:"" group:"ask" help:"Show events as they happen, and forward them to a program on this machine."`
	API    apiCommand    `cmd:"" name:"api" group:"ask" help:"Send any request of the operators' interface."`
}

// NewCommands returns the commands. Card and program have those on cards and programs that are
// written by hand.
func NewCommands(typed Typed, card, program any) Commands {
	return Commands{Described: described(typed, map[string]any{
		"bin":            binByHand{},
		"card":           card,
		"document":       documentByHand{},
		"program":        program,
		"reconciliation": reconciliationByHand{},
	})}
}

// ShowExamples has the help of a command that says nothing more show the command itself, with the
// arguments of the tag example.
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

// exampleLine is a line of a help text that can be typed. Help wraps no line that is indented and has a
// text above it.
var exampleLine = regexp.MustCompile(`(?m)^(?:echo .* \| |source <\()?mintmark .*$`)
