package main

import (
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"mintmark/internal/operate/installation"
)

type pinKeyCommand struct {
	Print   pinKeyPrintCommand   `cmd:"" default:"withargs" help:"Print the public key that PINs are encrypted with."`
	Status  pinKeyStatusCommand  `cmd:"" help:"List the PIN keys."`
	Rotate  pinKeyRotateCommand  `cmd:"" help:"Create a second PIN key, to be copied to every node."`
	Publish pinKeyPublishCommand `cmd:"" help:"Give callers another PIN key; the previous one still opens PINs."`
	Retire  pinKeyRetireCommand  `cmd:"" help:"Retire a PIN key that is not published."`
}

type pinKeyPrintCommand struct{ place }

func (pinKeyPrintCommand) Help() string {
	return "The word print may be left out.\n\n" +
		"mintmark pin-key print --config mintmark.yaml"
}

func (pinKeyPrintCommand) Run(ctx context.Context, at installation.Location, c console) error {
	key, err := installation.PublicPinKey(ctx, at)
	if err != nil {
		return err
	}
	_, err = c.out.Write(key)
	return err
}

type pinKeyStatusCommand struct {
	place
	Output string `default:"table" enum:"table,json" help:"Format: ${enum}."`
}

func (pinKeyStatusCommand) Help() string {
	return "A key is named by the fingerprint of its public half.\n\n" +
		"mintmark pin-key status --config mintmark.yaml"
}

func (p pinKeyStatusCommand) Run(ctx context.Context, at installation.Location, c console) error {
	state, err := installation.PinKeysOf(ctx, at)
	if err != nil {
		return err
	}
	if p.Output == "json" {
		return c.printJSON(state)
	}
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, id := range state.Held {
		said := "retired: it opens nothing"
		switch {
		case id == state.Published:
			said = "published"
		case slices.Contains(state.Remembered, id):
			said = "opens until it is retired"
		case slices.Contains(state.Used, id):
			said = "opens, and waits to be published"
		}
		fmt.Fprintf(table, "%s\t%s\n", id, said)
	}
	return table.Flush()
}

type pinKeyRotateCommand struct{ place }

func (pinKeyRotateCommand) Help() string {
	return "Copy pin-private-new.pem to every node, restart each, and publish the key when all " +
		"of them open PINs with it: /readyz?verbose on the admin address says so.\n\n" +
		"mintmark pin-key rotate --config mintmark.yaml"
}

func (p pinKeyRotateCommand) Run(ctx context.Context, at installation.Location, c console) error {
	rotated, err := installation.RotatePinKey(ctx, at)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.out, rotated)
	fmt.Fprintf(c.err, "Restart every node with this key, then: mintmark pin-key publish %s %s\n",
		rotated, p.flags())
	return nil
}

type pinKeyPublishCommand struct {
	place
	ID string `arg:"" help:"Fingerprint of the key."`
}

func (pinKeyPublishCommand) Help() string {
	return "A node gives callers this key from its next start on, and does not start without it. " +
		"The previous one opens PINs until it is retired, and can be published again.\n\n" +
		"mintmark pin-key publish 0123456789abcdef0123456789abcdef --config mintmark.yaml"
}

func (p pinKeyPublishCommand) Run(ctx context.Context, at installation.Location, c console) error {
	if err := installation.PublishPinKey(ctx, at, p.ID); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "The PIN key %s is published.\n", p.ID)
	fmt.Fprintln(c.err,
		"Restart every node, and give callers the key that mintmark pin-key prints.")
	return nil
}

type pinKeyRetireCommand struct {
	place
	ID string `arg:"" help:"Fingerprint of the key."`
}

func (pinKeyRetireCommand) Help() string {
	return "Run it on every node, with its data directory: the file of the key is removed there. " +
		"A node opens PINs with it until it is restarted.\n\n" +
		"mintmark pin-key retire 0123456789abcdef0123456789abcdef --config mintmark.yaml"
}

func (p pinKeyRetireCommand) Run(ctx context.Context, at installation.Location, c console) error {
	if err := installation.RetirePinKey(ctx, at, p.ID); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "The PIN key %s is retired.\n", p.ID)
	return nil
}
