package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"mintmark/internal/operate/installation"
)

type digestKeyCommand struct {
	Status digestKeyStatusCommand `cmd:"" help:"Print the digest keys and the progress of a rotation."`
	Rotate digestKeyRotateCommand `cmd:"" help:"Create the next key, under which all numbers get a second digest."`
	Retire digestKeyRetireCommand `cmd:"" help:"Find numbers by the next key, and retire the previous one."`
}

type digestKeyStatusCommand struct {
	place
	Output string `default:"table" enum:"table,json" help:"Format: ${enum}."`
}

func (digestKeyStatusCommand) Help() string {
	return "Key 0 is the one in keyset.json.\n\n" +
		"mintmark digest-key status --config mintmark.yaml"
}

func (d digestKeyStatusCommand) Run(
	ctx context.Context, at installation.Location, c console,
) error {
	state, err := installation.DigestKeyOf(ctx, at)
	if err != nil {
		return err
	}
	if d.Output == "json" {
		return c.printJSON(state)
	}
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "key\t%d\n", state.Key)
	if state.Next != 0 {
		fmt.Fprintf(table, "next key\t%d\n", state.Next)
	}
	fmt.Fprintf(table, "phase\t%s\n", state.Phase)
	if !state.Since.IsZero() {
		fmt.Fprintf(table, "since\t%s\n", state.Since.Format(time.RFC3339))
	}
	fmt.Fprintf(table, "numbers\t%d\nleft\t%d\n", state.Numbers, state.Left)
	return table.Flush()
}

type digestKeyRotateCommand struct{ place }

func (digestKeyRotateCommand) Help() string {
	return "The nodes keep running. Retire the previous key when mintmark digest-key status " +
		"says that none is left.\n\n" +
		"mintmark digest-key rotate --config mintmark.yaml"
}

func (d digestKeyRotateCommand) Run(
	ctx context.Context, at installation.Location, c console,
) error {
	rotated, err := installation.RotateDigestKey(ctx, at)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.out, rotated)
	fmt.Fprintf(c.err, "When none is left, retire the previous key: mintmark digest-key status "+
		"%s\n",
		d.flags())
	return nil
}

type digestKeyRetireCommand struct {
	place
	ID int `arg:"" help:"Number of the key in use."`
}

func (digestKeyRetireCommand) Help() string {
	return "Every node must be of this version or a later one: an earlier program would find no " +
		"card by its number. There is no way back to such a program.\n\n" +
		"mintmark digest-key retire 0 --config mintmark.yaml"
}

func (d digestKeyRetireCommand) Run(
	ctx context.Context, at installation.Location, c console,
) error {
	if err := installation.RetireDigestKey(ctx, at, d.ID); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "The digest key %d is retired.\n", d.ID)
	fmt.Fprintln(c.err, "The nodes remove its digests: mintmark digest-key status counts them.")
	return nil
}
