package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"mintmark/internal/app"
	"mintmark/internal/base/clock"
	"mintmark/internal/cli"
	"mintmark/internal/face/sandbox"
	"mintmark/internal/operate/installation"
)

// sandboxCommand holds the commands of integrators. Without one of them, it serves a sandbox.
type sandboxCommand struct {
	Serve sandboxServeCommand `cmd:"" default:"withargs" help:"Serve a sandbox with demo data (the default)."`
	cli.Sandbox
}

type sandboxServeCommand struct {
	Listen      string    `default:"127.0.0.1:8080" help:"Address of the JSON interface."`
	AdminListen string    `default:"127.0.0.1:8081" help:"Address for operators: health checks, the reference, the PIN key."`
	Data        string    `type:"path" help:"Data directory. Without it all data is in memory."`
	Database    string    `help:"Connection string of a PostgreSQL database for all data but the keys."`
	Clock       time.Time `placeholder:"MOMENT" help:"Begin with business time frozen at this moment (RFC 3339)."`
	Seed        *uint64   `help:"Make card numbers, request identifiers and the PIN key repeatable."`
	SandboxHost []string  `sep:"none" help:"Host name of the sandbox, beside localhost and its own addresses. May be repeated."`
	TLSCert     string    `name:"tls-cert" type:"existingfile" help:"Certificate in PEM, to serve HTTPS. Reloaded when it changes."`
	TLSKey      string    `name:"tls-key" type:"existingfile" help:"Key of the certificate."`
	PrintJSON   bool      `name:"print-json" help:"When ready, print one line of JSON for programs on standard output, and nothing else there."`
	LogFormat   string    `default:"text" enum:"text,json" help:"Format of the log: ${enum}."`
}

func (sandboxCommand) Help() string {
	return "Without a command it serves: mintmark sandbox serve --help lists the flags. The " +
		"other commands control a running sandbox; see docs/sandbox.md.\n\n" +
		"Keys: example1 (version 1), example2 (version 2), expired, limited (2 a second), " +
		"elsewhere (only from 192.0.2.0/24), legacy (compatible with earlier clients), other1 " +
		"(another bank), nobins, nokeys; each one's secret is its name. " +
		"Customers 1001 to 1013, accounts 2001 to 2014, cards 5001 to 5008 of customer 1001, and " +
		"5009 to 5025 of customer 1013, one for each thing to try (docs/sandbox.md). " +
		"Documents: 80 to 90 in en-US, 91 to 101 in es-US; 90 has no PDF, 102 is not in force " +
		"yet, 103 has expired. " +
		"Operators: operator (an administrator), support, auditor, each with the name as " +
		"password; tokens: sandbox-administrator, sandbox-support, sandbox-configurator, " +
		"sandbox-security, sandbox-auditor, sandbox-bank2 (administrator of bank 2).\n\n" +
		"mintmark sandbox --data DIR"
}

func (sandboxServeCommand) Help() string {
	return "mintmark sandbox --help lists the demo data. Port 0 is a free one, and --print-json " +
		"says which:\n\n" +
		"mintmark sandbox --listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 --print-json\n\n" +
		"mintmark sandbox serve --data DIR"
}

// Run serves until the context ends.
func (s sandboxServeCommand) Run(ctx context.Context, c console) error {
	from, hangUps := startedFrom(), onHangUp()
	settings := app.Settings{
		Sandbox: true, Listen: s.Listen, AdminListen: s.AdminListen, Data: s.Data, Seed: s.Seed,
		SandboxHosts: s.SandboxHost, TLSCert: s.TLSCert, TLSKey: s.TLSKey,
		Database: installation.Database{URL: s.Database},
		Log:      newLog(c, s.LogFormat),
	}
	if year := s.Clock.Year(); !s.Clock.IsZero() && (year < 1970 || year > sandbox.LastYear) {
		return fmt.Errorf("--clock: %d is not a year from 1970 to %d", year, sandbox.LastYear)
	}
	if !s.Clock.IsZero() {
		settings.Clock = clock.FrozenAt(s.Clock.UTC())
	}
	running, err := app.Start(ctx, settings)
	if err != nil {
		return unlessStopped(ctx, err)
	}
	if err := s.announce(c.out, running); err != nil {
		return errors.Join(err, running.Close(ctx))
	}
	return serveUntilDone(ctx, running, hangUps, func() (app.Settings, error) {
		if from.closed() {
			return app.Settings{}, errTerminalClosed
		}
		return settings, nil
	})
}

// announce prints that the sandbox answers requests: as JSON for programs, or at length for people.
func (s sandboxServeCommand) announce(out io.Writer, running *app.App) error {
	if s.PrintJSON {
		return json.NewEncoder(out).Encode(running.Ready())
	}
	_, err := io.WriteString(out, banner(running.URL(), running.AdminURL(), s))
	return err
}

// banner returns the introduction for a new user.
func banner(url, adminURL string, s sandboxServeCommand) string {
	kept := "in memory only (--data DIR keeps it)"
	if s.Data != "" {
		kept = "in " + s.Data
	}
	if s.Database != "" {
		kept = "on the database server, the keys " + kept
	}
	return strings.NewReplacer("URL", url, "ADMIN", adminURL, "KEPT", kept).Replace(
		`Mintmark sandbox
  interface  URL
  reference  URL/docs
  health     ADMIN/healthz
  PIN key    ADMIN/pin-key.pem (newPin is encrypted with it)
  console    ADMIN/console/ for the operators below
  data       KEPT
  keys       example1:example1 (version 1)  example2:example2 (version 2)
             expired:expired  limited:limited (2 a second)  elsewhere:elsewhere
             legacy:legacy (compatible with earlier clients)
             other1:other1  nobins:nobins  nokeys:nokeys
  operators  operator (administrator), support, auditor; each one's password is the name
  tokens     sandbox-administrator, sandbox-support, sandbox-configurator,
             sandbox-security, sandbox-auditor, sandbox-bank2 (bank 2 only)
  documents  80 to 90 (en-US), 91 to 101 (es-US); 90 has no PDF, 102 is not in
             force yet, 103 has expired

Try in another terminal:
  curl -s -w '\n' -u example1:example1 URL/card/get/1001/5001

  tag=first-$(date +%s)
  curl -s -w '\n' -u example1:example1 URL/card/initiate -d '{"customerId":1001,
    "cardHolderCustomerId":1001,"vendorTypeCode":"VS","primaryAccountId":2001,
    "firstName":"Ada","lastName":"Example","nickName":"'$tag'","tag":"'$tag'"}'

  curl -s -w '\n' -u example1:example1 URL/card/getbytag/1001/$tag

`)
}

// The time for requests in flight to finish: after a signal, and after a disk failure, when they
// can only get an error.
const (
	shutDownTime = 35 * time.Second
	failedTime   = 5 * time.Second
)

// unlessStopped returns the error of a start, nil if a signal interrupted it.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// serveUntilDone waits for the signal to stop, or for a failure that ends the process, and lets
// requests in flight finish. Until then, each SIGHUP reloads the settings.
func serveUntilDone(
	ctx context.Context, running *app.App, hangUps <-chan os.Signal,
	read func() (app.Settings, error),
) error {
	bounded, end := context.WithCancel(ctx)
	defer end()
	go boundGarbage(bounded)
	limit := shutDownTime
	waitForEnd(ctx, running, hangUps, read)
	select {
	case <-running.Failed():
		limit = failedTime
	default:
	}
	closing, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return running.Close(closing)
}

func newLog(c console, format string) *slog.Logger {
	if format == "json" {
		return slog.New(slog.NewJSONHandler(c.err, nil))
	}
	return slog.New(slog.NewTextHandler(c.err, nil))
}
