package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"mintmark/client/admin"
	"mintmark/client/sandbox"
	"mintmark/internal/delivery/listen"
)

// listenCommand shows events as they happen, and forwards them to a program on this machine.
type listenCommand struct {
	Remote
	ForwardTo  string `placeholder:"URL" help:"Post each event there, signed as a webhook is. Without it events are only shown."`
	SecretFile string `type:"path" placeholder:"FILE" help:"File with the secret that signs; it is made with a new one when it is missing. Without it each start makes a secret, unless MINTMARK_WEBHOOK_SECRET holds one."`
	After      *int   `placeholder:"SEQUENCE" help:"Start after this event, with 0 at the first; without it, with the next event."`
	Count      int    `placeholder:"N" help:"End after this many events."`
	Program    int    `placeholder:"ID" help:"Only events of this program." group:"Filter"`
	Card       int    `placeholder:"ID" help:"Only events of this card." group:"Filter"`
	Type       string `placeholder:"TYPE" help:"Only events of this type, or of types with a prefix, such as card.*." group:"Filter"`
}

func (listenCommand) Help() string {
	return "A sandbox needs no token. It waits for a receiver that does not answer, and drops " +
		"an event that is refused three times.\n\n" +
		"mintmark listen --forward-to http://127.0.0.1:3000/webhooks"
}

// Run follows events until the context ends, or the number of events in --count was reached.
func (l listenCommand) Run(ctx context.Context, t Terminal) error {
	if l.ForwardTo != "" {
		if err := listen.CheckAddress(l.ForwardTo); err != nil {
			return newUsageError("--forward-to: %w", err)
		}
	}
	signs, err := l.secret()
	if err != nil {
		return err
	}
	client, err := l.follower(ctx)
	if err != nil {
		return err
	}
	after := listen.FromNow
	if l.After != nil {
		after = max(0, *l.After)
	}
	told := l.tellPerson
	if l.Output == "json" {
		told = tellProgram
	}
	return listen.Run(ctx, listen.Settings{
		Client: client, After: after, Limit: l.Count, To: l.ForwardTo,
		Filter:  query("programId", l.Program, "cardId", l.Card, "type", l.Type),
		Secrets: []listen.Secret{signs}, Say: t.say,
		Ready:       func(after int) { l.ready(t, signs, after) },
		OnDelivered: func(d listen.Delivery) error { return told(t.Out, d) },
	})
}

// sandboxToken is the token that may read events in every sandbox. It is public.
const sandboxToken = "sandbox-auditor"

// follower returns a client of the service. Without a token it tries the public one, if the address
// is that of a sandbox.
func (l listenCommand) follower(ctx context.Context) (*admin.Client, error) {
	client, err := l.client()
	if !errors.Is(err, errNoToken) {
		return client, err
	}
	_, notSandbox := sandbox.Get[sandbox.Clock](ctx, sandbox.New(l.Server), "clock")
	switch {
	case unreachable(notSandbox):
		return nil, notSandbox
	case notSandbox != nil:
		return nil, err
	}
	return admin.New(l.Server, sandboxToken), nil
}

// secret returns the signing secret.
func (l listenCommand) secret() (listen.Secret, error) {
	if l.SecretFile == "" {
		text := strings.TrimSpace(os.Getenv("MINTMARK_WEBHOOK_SECRET"))
		if text == "" {
			return listen.NewSecret()
		}
		signs, err := listen.ParseSecret(text)
		if err != nil {
			return listen.Secret{}, newUsageError("MINTMARK_WEBHOOK_SECRET: %w", err)
		}
		return signs, nil
	}
	text, err := os.ReadFile(l.SecretFile)
	if errors.Is(err, os.ErrNotExist) {
		return newSecretFile(l.SecretFile)
	}
	if err != nil {
		return listen.Secret{}, newUsageError("--secret-file: %w", err)
	}
	signs, err := listen.ParseSecret(strings.TrimSpace(string(text)))
	if err != nil {
		return listen.Secret{}, newUsageError("--secret-file: %w", err)
	}
	return signs, nil
}

func newSecretFile(path string) (listen.Secret, error) {
	secret, err := listen.NewSecret()
	if err == nil {
		err = os.WriteFile(path, []byte(secret.Reveal()+"\n"), 0o600)
	}
	return secret, err
}

// ready prints where events go and how they are signed: text for people, or the first line of JSON
// for programs.
func (l listenCommand) ready(t Terminal, signs listen.Secret, after int) {
	if l.Output == "json" {
		_ = json.NewEncoder(t.Out).Encode(struct {
			Secret string `json:"secret"`
			After  int    `json:"after"`
		}{signs.Reveal(), after})
		return
	}
	where := "shown here"
	if l.ForwardTo != "" {
		where = "forwarded to " + l.ForwardTo
	}
	t.say("Events of %s after event %d are %s.", l.Server, after, where)
	t.say("They are signed with %s (docs/events.md says how to verify).", signs.Reveal())
}

// tellPerson prints a line of text about an event.
func (l listenCommand) tellPerson(w io.Writer, d listen.Delivery) error {
	about := ""
	if d.Event.CardID != 0 {
		about = fmt.Sprintf(" card %d", d.Event.CardID)
	}
	if d.Event.CustomerID != 0 {
		about += fmt.Sprintf(" customer %d", d.Event.CustomerID)
	}
	if l.ForwardTo != "" {
		about += fmt.Sprintf(" -> %d in %v", d.Status, d.Took.Round(time.Millisecond))
	}
	_, err := fmt.Fprintf(w, "%d %s %s%s\n", d.Event.Sequence,
		d.Event.At.Format(time.RFC3339), printable(d.Event.Type), about)
	return err
}

// tellProgram prints a line of JSON about an event. The event comes last, byte for byte as it is
// signed.
func tellProgram(w io.Writer, d listen.Delivery) error {
	headers := map[string]string{}
	for name, value := range d.Headers {
		headers[strings.ToLower(name)] = value
	}
	return json.NewEncoder(w).Encode(struct {
		Status  int               `json:"status,omitempty"`
		Tries   int               `json:"tries,omitempty"`
		Headers map[string]string `json:"headers"`
		Event   json.RawMessage   `json:"event"`
	}{d.Status, d.Tries, headers, d.Body})
}
