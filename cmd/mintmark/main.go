// Mintmark issues and manages payment cards over HTTP. This is its only program: a sandbox for
// integrators, a server for banks, and the commands for operators.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"mintmark/internal/base/platform"
	"mintmark/internal/base/progress"
	"mintmark/internal/cli"
)

// commands holds the commands that work on the machine itself, one file each, and those that call a
// service.
type commands struct {
	Sandbox   sandboxCommand   `cmd:"" help:"Serve a sandbox with demo data."`
	Init      initCommand      `cmd:"" help:"Create keys and database for production, or check that they belong together."`
	Serve     serveCommand     `cmd:"" example:"--config mintmark.yaml" help:"Serve in production."`
	Load      loadCommand      `cmd:"" help:"Load banks, programs, keys, customers, accounts, documents and cards from a YAML file."`
	Feed      feedCommand      `cmd:"" help:"Apply customers, accounts, access and balances of a core banking system."`
	Export    exportCommand    `cmd:"" help:"Write customers, accounts and access of a program as rows for mintmark feed."`
	PinKey    pinKeyCommand    `cmd:"" name:"pin-key" help:"Print and rotate the key that PINs are encrypted with."`
	DigestKey digestKeyCommand `cmd:"" name:"digest-key" help:"Rotate the key that card numbers are looked up by."`
	KeyFile   keyFileCommand   `cmd:"" name:"key-file" help:"Print the recipient for encrypting files with card numbers."`
	Custody   custodyCommand   `cmd:"" help:"Show and change who can open the key files."`
	Migrate   migrateCommand   `cmd:"" example:"--config mintmark.yaml" help:"Migrate the database to this program's version."`
	Audit     cli.Noun         `cmd:"" help:"Verify, export, prove and archive the audit log."`
	Backup    backupCommand    `cmd:"" help:"Back up the database to a file while servers run."`
	Restore   restoreCommand   `cmd:"" help:"Restore a backup into an empty directory that holds its keys."`
	Doctor    doctorCommand    `cmd:"" help:"Examine settings, files, keys and database, and change nothing."`
	Simulator simulatorCommand `cmd:"" name:"processor-simulator" help:"Simulate a card processor, for tests."`
	Version   versionCommand   `cmd:"" help:"Print the version."`

	Completion completionCommand `cmd:"" help:"Print the script that completes commands and flags in a shell."`

	Operator cli.Noun `cmd:"" group:"ask" help:"Operators."`
	Token    cli.Noun `cmd:"" group:"ask" help:"Tokens that programs sign in with."`
	cli.Commands
}

func main() {
	setGCPercent(relaxedGCPercent) // until the command runs: parsing creates little
	_ = platform.ForbidDumps()     // if the system refuses, keys are as safe as its dumps
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process immediately
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// console holds the output streams of a command.
type console struct {
	out, err io.Writer
}

// terminal returns the streams for the commands of package cli.
func (c console) terminal() cli.Terminal {
	return cli.Terminal{In: os.Stdin, Out: c.out, Err: c.err}
}

// progress shows the progress of a command on a terminal.
func (c console) progress(ctx context.Context, unit string) (context.Context, func()) {
	return progress.Show(ctx, c.err, unit)
}

// printJSON prints a value as indented JSON.
func (c console) printJSON(value any) error {
	encoder := json.NewEncoder(c.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// run runs a command line and returns the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	exited := -1
	typed := append(cli.Typed{"mintmark"}, args...)
	toComplete := os.Getenv("COMP_LINE")
	if toComplete != "" {
		typed = strings.Fields(toComplete)
	}
	parser, err := newParser(ctx, typed, console{out, errOut}, func(code int) { exited = code })
	if err != nil {
		fmt.Fprintln(errOut, "mintmark:", err)
		return cli.Refused
	}
	if toComplete != "" {
		kongcompletion.Register(parser)
	}
	if exited >= 0 {
		return exited // a shell requested a completion
	}
	return runParsed(ctx, parser, args, &exited)
}

// runParsed parses a command line, runs its command and returns the exit code.
func runParsed(ctx context.Context, parser *kong.Kong, args []string, exited *int) int {
	command, err := parser.Parse(args)
	if *exited >= 0 {
		return *exited // help was printed
	}
	if err != nil {
		fmt.Fprintln(parser.Stderr, "mintmark:", cli.PlainWords(err))
		return cli.InvalidUsage
	}
	setGCPercent(usualGarbage)
	err = command.Run()
	if at, ok := command.Selected().Target.Interface().(interface{ explain(error) error }); ok {
		err = at.explain(err)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = fmt.Errorf("stopped: %v", err)
	}
	if err != nil {
		fmt.Fprintln(parser.Stderr, "mintmark:", cli.Explain(err))
	}
	return cli.ExitCode(err)
}

// newParser returns the parser for a command line.
func newParser(
	ctx context.Context, typed cli.Typed, c console, exit func(code int),
) (*kong.Kong, error) {
	all := &commands{Commands: cli.NewCommands(typed, cardByHand{}, programByHand{})}
	all.Audit = typed.NounOf("audit", auditByHand{})
	all.Operator = typed.NounOf("operator", operatorByHand{})
	all.Token = typed.NounOf("token", tokenByHand{})
	return kong.New(all,
		kong.Name("mintmark"),
		kong.Description("A card-issuing back end.\n\n"+cli.ExitCodes),
		kong.ExplicitGroups([]kong.Group{{
			Key: "ask", Title: "Commands that call a service",
			Description: "Its address is in MINTMARK_SERVER, the token in MINTMARK_TOKEN.",
		}}),
		kong.Writers(c.out, c.err),
		kong.Exit(exit),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(c, c.terminal()),
		kong.PostBuild(cli.ShowExamples),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{NoExpandSubcommands: true, Compact: true}),
	)
}
