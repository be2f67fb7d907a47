// Package cli holds the commands that call a running Mintmark. Commands on a resource are derived
// from its description in face/admin: one verb per operation, whose arguments and flags are the
// path parameters, the filters of a list and the fields of a body (noun.go, command.go). A command
// sends what it is given and leaves the rest to the service, which alone decides what an operator
// may do. Commands that do not fit are written by hand, one file per noun. Package client/admin
// owns the wire format. The commands that work on the machine itself, without a running service,
// are in package main.
//
// A command reads card numbers and tokens where no other user of the machine can see them, prints
// one thing on standard output, and everything else on standard error.
//
//	face/admin.Resources -> command -> Remote (cli.go) -> client/admin -> table or JSON (print.go)
//	                                                   or error -> exit code (exit.go)
package cli

import (
	"context"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"mintmark/client/admin"
	"mintmark/internal/base/platform"
)

// Terminal holds the streams of a command.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
}

// say prints a line for people on standard error.
func (t Terminal) say(format string, args ...any) {
	fmt.Fprintf(t.Err, format+"\n", args...)
}

// Remote holds the flags for the service to call, the token, and the output format.
type Remote struct {
	Server    string `default:"http://127.0.0.1:8081" env:"MINTMARK_SERVER" placeholder:"URL" help:"Address for operators of the service (${default}). The token is read from MINTMARK_TOKEN." group:"Service"`
	TokenFile string `env:"MINTMARK_TOKEN_FILE" type:"path" placeholder:"FILE" help:"File with the token, instead of MINTMARK_TOKEN." group:"Service"`
	Plain     bool   `help:"Send the token to another machine without TLS." group:"Service"`
	Output    string `short:"o" default:"table" enum:"table,json" env:"MINTMARK_OUTPUT" help:"Print a table, or JSON as the interface answers: ${enum}." group:"Service"`
}

// maxToken is far above the length of a token.
const maxToken = 4 << 10

// client returns a client of the service. It refuses to send the token to another machine without
// TLS, unless --plain is set.
func (r Remote) client() (*admin.Client, error) {
	address, err := addressOf("--server", r.Server)
	if err != nil {
		return nil, err
	}
	if address.Scheme == "http" && !isLoopback(address.Hostname()) && !r.Plain {
		return nil, newUsageError("--server: the token would travel to %s in plain HTTP; "+
			"https is needed, or --plain accepts it", address.Host)
	}
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	return admin.New(r.Server, token), nil
}

// addressOf parses the address in a flag.
func addressOf(flag, text string) (*url.URL, error) {
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" ||
		address.Hostname() == "" || address.User != nil || address.RawQuery != "" {
		return nil, newUsageError("%s: an http or https address is needed, without a password", flag)
	}
	return address, nil
}

// token reads the token. It is never a flag: other users of the machine see the arguments of a
// command.
func (r Remote) token() (string, error) {
	token := os.Getenv("MINTMARK_TOKEN")
	if r.TokenFile != "" {
		file, err := os.Open(r.TokenFile)
		if err != nil {
			return "", newUsageError("--token-file: %w", err)
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return "", newUsageError("--token-file: %w", err)
		}
		if platform.SecretExposed(r.TokenFile, info) {
			return "", newUsageError("--token-file: %s has mode %04o, so users other than its "+
				"owner can access it; run chmod 600 %[1]s", r.TokenFile, info.Mode().Perm())
		}
		text, err := io.ReadAll(io.LimitReader(file, maxToken))
		if err != nil {
			return "", newUsageError("--token-file: %w", err)
		}
		token = string(text)
	}
	token = strings.TrimSpace(token)
	if strings.ContainsAny(token, " \t\r\n") {
		return "", newUsageError("the token has more than one word")
	}
	if token == "" {
		return "", errNoToken
	}
	return token, nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}

// ask sends a request to the service.
func (r Remote) ask(ctx context.Context, request admin.Request) (admin.Answer, error) {
	client, err := r.client()
	if err != nil {
		return admin.Answer{}, err
	}
	return client.Send(ctx, request)
}

// send sends an act. If the act waits for another operator, send says so and returns waits as true
// and no error.
func (r Remote) send(
	ctx context.Context, t Terminal, request admin.Request,
) (answer admin.Answer, waits bool, err error) {
	answer, err = r.ask(ctx, request)
	problem, refused := problemIn(err)
	if !refused || problem.Name() != admin.NeedsApproval {
		return answer, false, err
	}
	t.say("This waits for another operator, as approval %[1]d. Once it is approved, "+
		"mintmark approval result %[1]d prints the result, once.", problem.ApprovalID)
	if r.Output == "json" {
		err = printJSON(t.Out, problem)
	} else {
		err = nil
	}
	return answer, true, err
}

// show sends a request and prints the resource in the response.
func (r Remote) show(ctx context.Context, t Terminal, request admin.Request) error {
	answer, waits, err := r.send(ctx, t, request)
	if err != nil || waits {
		return err
	}
	return r.print(t, answer)
}

// copy sends a request and prints the response as it arrives.
func (r Remote) copy(ctx context.Context, t Terminal, request admin.Request) error {
	client, err := r.client()
	if err != nil {
		return err
	}
	return client.Copy(ctx, t.Out, request)
}

// get reads a resource and prints it.
func (r Remote) get(ctx context.Context, t Terminal, path string) error {
	return r.show(ctx, t, admin.Request{Method: "GET", Path: path})
}

// print prints a response that is one resource, or nothing.
func (r Remote) print(t Terminal, answer admin.Answer) error {
	if answer.Replayed {
		t.say("This was done before, under the same idempotency key.")
	}
	switch {
	case r.Output == "json" && len(answer.Body) == 0:
		return printJSON(t.Out, struct{}{})
	case r.Output == "json":
		return printRaw(t.Out, answer.Body)
	case len(answer.Body) == 0:
		t.say("Done.")
		return nil
	}
	return printResource(t.Out, answer.Body)
}

// path joins the parts of a path and escapes each.
func path(parts ...any) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(url.PathEscape(fmt.Sprint(part)))
	}
	return b.String()
}

// unreachable reports whether an error means that no response arrived.
func unreachable(err error) bool {
	e, ofClient := as[*url.Error](err)
	return ofClient && e.Op != "parse"
}
