package main

import (
	"context"
	"fmt"
	"time"

	"mintmark/internal/operate/installation"
	"mintmark/internal/operate/rows"
)

// programByHand holds the commands on programs that are written by hand.
type programByHand struct {
	Export  programExportCommand  `cmd:"" help:"Export a program, with all that belongs to it, to an encrypted file."`
	Import  programImportCommand  `cmd:"" help:"Import a program that another installation exported."`
	Unfence programUnfenceCommand `cmd:"" help:"Lift the fence of an exported program, so that its requests are answered again."`
}

type programExportCommand struct {
	place
	Program   int      `required:"" placeholder:"ID" help:"Number of the program."`
	Recipient []string `required:"" placeholder:"AGE1" help:"Whom the file is encrypted to: mintmark key-file recipient of the other installation. May be repeated."`
	Out       string   `required:"" type:"path" placeholder:"FILE" help:"File to write, which must not exist."`
	Fence     bool     `help:"Answer callers of the program and the card processor with 503, from before the snapshot until mintmark program unfence."`
}

func (programExportCommand) Help() string {
	return "The file holds card numbers. It is a snapshot of the program; secrets of API " +
		"keys stay behind. A new fence stands for 50 seconds before the file is written, so that " +
		"all requests that were let in before have ended.\n\n" +
		"mintmark program export --data DIR --program 1 --recipient age1... --out program.age\n\n" +
		"docs/moving.md describes the file, and the steps of a move."
}

func (e programExportCommand) Run(ctx context.Context, at installation.Location, c console) error {
	ctx, end := c.progress(ctx, "bytes")
	tallies, err := rows.ExportProgram(ctx, rows.ProgramExport{
		Location: at, Program: e.Program, Recipients: e.Recipient, Out: e.Out, Fence: e.Fence,
		Waiting: func(until time.Time) {
			fmt.Fprintf(c.err, "Program %d is fenced; the snapshot is taken at %s.\n", e.Program,
				until.UTC().Format(time.RFC3339))
		},
	})
	end()
	if err != nil {
		return err
	}
	for _, line := range tallies.Lines() {
		fmt.Fprintln(c.out, line)
	}
	return nil
}

type programUnfenceCommand struct {
	place
	Program int `required:"" placeholder:"ID" help:"Number of the program."`
}

func (programUnfenceCommand) Help() string {
	return "Use it when a move is abandoned. A file that was exported before is out of date as soon as a " +
		"caller is answered.\n\nmintmark program unfence --data DIR --program 1"
}

func (u programUnfenceCommand) Run(ctx context.Context, at installation.Location, c console) error {
	lifted, err := rows.LiftFence(ctx, rows.ProgramExport{Location: at, Program: u.Program})
	if err != nil {
		return err
	}
	state := "has no fence"
	if lifted {
		state = "is answered again"
	}
	fmt.Fprintf(c.err, "Program %d %s.\n", u.Program, state)
	return nil
}

type programImportCommand struct {
	place
	In       string `required:"" type:"existingfile" placeholder:"FILE" help:"File that mintmark program export has written."`
	Identity string `type:"existingfile" placeholder:"FILE" help:"File with the age identity that decrypts the file, in place of the key of the installation."`
	AuditOut string `type:"path" placeholder:"FILE" help:"Write the audit of the program in the other installation here, for mintmark audit verify --export."`
	DryRun   bool   `help:"Check everything, write nothing."`
}

func (programImportCommand) Help() string {
	return "Everything is checked first, and written at once: everything or nothing. Numbers of " +
		"customers, accounts and cards stay; a number that is taken is named by line. API keys " +
		"come without secrets: mintmark key rotate makes one.\n\n" +
		"mintmark program import --data DIR --in program.age --dry-run\n\n" +
		"docs/moving.md describes the file, and the steps of a move."
}

func (i programImportCommand) Run(ctx context.Context, at installation.Location, c console) error {
	takeOneCore()
	report, err := rows.ImportProgram(ctx, rows.ProgramImport{
		Location: at, File: i.In, Identity: i.Identity, Audit: i.AuditOut, DryRun: i.DryRun,
	})
	if err != nil {
		return err
	}
	for _, line := range report.Lines() {
		fmt.Fprintln(c.out, line)
	}
	state := "is imported"
	if i.DryRun {
		state = "can be imported; nothing was written"
	}
	fmt.Fprintf(c.err, "Program %d %s.\n", report.Program, state)
	return nil
}
