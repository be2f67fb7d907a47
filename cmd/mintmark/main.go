// Mintmark issues and manages payment cards over HTTP. This is its only program: a sandbox for
// integrators, a server for banks, and the commands for operators.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// cli are the commands. Each has a file of its own.
type cli struct {
	Sandbox   sandboxCommand   `cmd:"" help:"Serve a sandbox with demo data."`
	Init      initCommand      `cmd:"" help:"Make keys and database for production, or check that they belong together."`
	Serve     serveCommand     `cmd:"" help:"Serve in production."`
	Load      loadCommand      `cmd:"" help:"Load banks, programs, keys, customers, accounts, documents and cards from a YAML file."`
	PinKey    pinKeyCommand    `cmd:"" name:"pin-key" help:"Print the public key that PINs are encrypted with."`
	Migrate   migrateCommand   `cmd:"" help:"Migrate the database to this program's version."`
	Audit     auditCommand     `cmd:"" help:"Verify, export, prove and archive the audit log."`
	Doctor    doctorCommand    `cmd:"" help:"Examine settings, files, keys and database, and change nothing."`
	Simulator simulatorCommand `cmd:"" name:"processor-simulator" help:"Stand in for a card processor, for tests."`
	Version   versionCommand   `cmd:"" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// console is where a command prints.
type console struct {
	out, err io.Writer
}

// run runs one command and returns the exit code: 0 success, 1 failure, 2 usage error.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	const failed, misunderstood = 1, 2
	exited := -1
	parser, err := kong.New(&cli{},
		kong.Name("mintmark"),
		kong.Description("The card-issuing back end that anyone can run."),
		kong.Writers(out, errOut),
		kong.Exit(func(code int) { exited = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(console{out, errOut}),
		kong.UsageOnError(),
	)
	if err != nil {
		fmt.Fprintln(errOut, "mintmark:", err)
		return failed
	}
	command, err := parser.Parse(args)
	if exited >= 0 {
		return exited // help was printed
	}
	if err != nil {
		fmt.Fprintln(errOut, "mintmark:", err)
		return misunderstood
	}
	err = command.Run()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return 0 // stopped before it began
	}
	if err != nil {
		fmt.Fprintln(errOut, "mintmark:", err)
		return failed
	}
	return 0
}
