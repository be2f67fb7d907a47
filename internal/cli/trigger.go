package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"mintmark/client/sandbox"
	"mintmark/internal/cli/ledger"
	"mintmark/internal/cli/trigger"
	"mintmark/internal/domain/fault"
)

// TriggerCommand provokes an error of the callers' interface in a running sandbox.
type TriggerCommand struct {
	Code  int    `arg:"" optional:"" help:"Code of the error catalogue."`
	Send  bool   `name:"run" help:"Send the request, undo what it needed, and print the answer."`
	List  bool   `help:"List the codes, and what provokes each."`
	Route string `placeholder:"PATH" help:"Of a code with two meanings, the one that a route has."`

	SandboxFlags
	URL string `name:"url" placeholder:"URL" help:"Address for callers of the sandbox; without it, the one that the sandbox names." group:"Sandbox"`
}

// usualURL is the default address of a sandbox for callers.
const usualURL = "http://127.0.0.1:8080"

// Help returns the help text below the flags.
func (TriggerCommand) Help() string {
	return "Without --run it prints the commands for a shell that provoke the code, and sends " +
		"nothing.\n\nmintmark sandbox trigger 150402 --run"
}

// Run provokes the code, or prints the commands that do.
func (c TriggerCommand) Run(ctx context.Context, t Terminal) error {
	if c.List == (c.Code != 0) {
		return newUsageError("name a code, or ask for the --list of them")
	}
	if c.List {
		return listTriggers(t)
	}
	cases := trigger.Find(c.Code, c.Route)
	if len(cases) == 0 {
		return newUsageError("no request provokes %d; --list names the codes", c.Code)
	}
	if len(cases) > 1 {
		t.say("%d has %d meanings; --route %s is the other.", c.Code, len(cases), cases[1].Path)
	}
	url, err := c.url(ctx)
	if !c.Send {
		if err != nil {
			url = usualURL
		}
		fmt.Fprint(t.Out, trigger.Reach(url, c.AdminURL).Shell(cases[0]))
		return nil
	}
	if err != nil {
		return err
	}
	answer, err := trigger.Reach(url, c.AdminURL).Run(ctx, cases[0])
	if len(answer) > 0 {
		fmt.Fprintf(t.Out, "%s\n", answer)
	}
	return err
}

// url returns the sandbox's address for callers.
func (c TriggerCommand) url(ctx context.Context) (string, error) {
	if c.URL != "" {
		return c.URL, nil
	}
	text, err := c.send(ctx, "GET", "world", nil)
	if err != nil {
		return "", err
	}
	var world sandbox.World
	if err := json.Unmarshal(text, &world); err != nil {
		return "", fmt.Errorf("%w: %w", sandbox.ErrBrokenAnswer, err)
	}
	return world.Settings.URL, nil
}

// listTriggers prints the codes and what provokes each.
func listTriggers(t Terminal) error {
	table := newTable(t.Out)
	fmt.Fprintln(table, "CODE\tHTTP\tROUTE\tPROVOKED BY")
	for _, c := range ledger.Triggers() {
		entry := fault.Lookup(c.Kind)
		fmt.Fprintf(table, "%d\t%d\t%s\t%s\n", entry.Code, entry.HTTP, c.Path, c.Name)
	}
	return table.Flush()
}
