package cli

import (
	"cmp"
	"context"
	"net/url"

	"mintmark/client/admin"
)

// webhookCommands are the commands on webhooks.
type webhookCommands struct {
	List       webhookList       `cmd:"" help:"List the webhooks of a program."`
	Get        webhookGet        `cmd:"" help:"Print a webhook."`
	Create     webhookCreate     `cmd:"" help:"Make a webhook, and print its secret, once."`
	Update     webhookUpdate     `cmd:"" help:"Change a webhook."`
	Remove     webhookRemove     `cmd:"" help:"Remove a webhook with its deliveries."`
	Deliveries webhookDeliveries `cmd:"" help:"List the deliveries of a webhook."`
	Delivery   webhookDelivery   `cmd:"" help:"Print a delivery with its attempts."`
	Resend     webhookResend     `cmd:"" help:"Send an event to a webhook again."`
	Replay     webhookReplay     `cmd:"" help:"Send past events to a webhook again."`
	Replays    webhookReplays    `cmd:"" help:"List the replays of a webhook, and how far they are."`
	Rotate     webhookRotate     `cmd:"" help:"Give a webhook another secret, and print it, once."`
}

// webhookList lists webhooks.
type webhookList struct {
	Listing
	inProgram
	Q string `name:"q" placeholder:"TEXT" help:"With a text in the name or address." group:"Filter"`
}

func (webhookList) Help() string { return "mintmark webhook list --program 1" }

func (w webhookList) Run(ctx context.Context, t Terminal) error {
	return w.list(ctx, t, path("programs", w.Program, "webhooks"), query("q", w.Q),
		columns[admin.Webhook]("id", "name", "url", "types", "paused", "waiting", "dead",
			"lastSuccess"))
}

// oneWebhook is a webhook.
type oneWebhook struct {
	ID int `arg:"" help:"Number of the webhook."`
}

func (w oneWebhook) path(parts ...any) string {
	return path(append([]any{"webhooks", w.ID}, parts...)...)
}

// webhookGet prints a webhook.
type webhookGet struct {
	Remote
	oneWebhook
}

func (webhookGet) Help() string { return "mintmark webhook get 1" }

func (w webhookGet) Run(ctx context.Context, t Terminal) error { return w.get(ctx, t, w.path()) }

// webhookCreate makes a webhook.
type webhookCreate struct {
	Making
	inProgram
	Name string   `arg:"" help:"Name of the webhook."`
	URL  string   `name:"url" required:"" placeholder:"URL" help:"Where events are sent."`
	Type []string `placeholder:"TYPE" help:"Type of events that are sent; all when left out. May be repeated."`
}

func (webhookCreate) Help() string {
	return "mintmark webhook create till --program 1 --url https://till.example.com/hook " +
		"--type card.locked"
}

func (w webhookCreate) Run(ctx context.Context, t Terminal) error {
	return w.post(ctx, t, path("programs", w.Program, "webhooks"),
		body{"name": w.Name, "url": w.URL}.with("types", w.Type))
}

// webhookUpdate changes a webhook.
type webhookUpdate struct {
	oneWebhook
	Update
}

func (webhookUpdate) Help() string { return "mintmark webhook update 1 --set paused=true" }

func (w webhookUpdate) Run(ctx context.Context, t Terminal) error {
	return w.update(ctx, t, w.path(), resource{})
}

// webhookRemove removes a webhook.
type webhookRemove struct {
	Change
	oneWebhook
}

func (webhookRemove) Help() string { return "mintmark webhook remove 1" }

func (w webhookRemove) Run(ctx context.Context, t Terminal) error {
	return w.remove(ctx, t, w.path())
}

// webhookDeliveries lists deliveries.
type webhookDeliveries struct {
	Listing
	oneWebhook
	State string `placeholder:"STATE" help:"In a state: delivered, waiting or dead." group:"Filter"`
}

func (webhookDeliveries) Help() string { return "mintmark webhook deliveries 1" }

func (w webhookDeliveries) Run(ctx context.Context, t Terminal) error {
	return w.list(ctx, t, w.path("deliveries"), query("state", w.State), columns[admin.Delivery](
		"id", "sequence", "type", "cardId", "state", "tries", "next"))
}

// webhookDelivery prints a delivery.
type webhookDelivery struct {
	Remote
	oneWebhook
	Event int `arg:"" placeholder:"SEQUENCE" help:"Sequence of the event."`
}

func (webhookDelivery) Help() string { return "mintmark webhook delivery 1 EVENT" }

func (w webhookDelivery) Run(ctx context.Context, t Terminal) error {
	return w.get(ctx, t, w.path("deliveries", w.Event))
}

// webhookReplays lists replays.
type webhookReplays struct {
	Listing
	oneWebhook
}

func (webhookReplays) Help() string { return "mintmark webhook replays 1" }

func (w webhookReplays) Run(ctx context.Context, t Terminal) error {
	return w.list(ctx, t, w.path("replay"), url.Values{},
		columns[admin.Replay]("id", "count", "sent", "created", "ended"))
}

// webhookRotate gives a webhook another secret.
type webhookRotate struct {
	Change
	oneWebhook
}

func (webhookRotate) Help() string { return "mintmark webhook rotate 1" }

func (w webhookRotate) Run(ctx context.Context, t Terminal) error {
	return w.act(ctx, t, w.path("rotate"), body{})
}

// webhookResend sends an event again.
type webhookResend struct {
	Change
	oneWebhook
	Event int `arg:"" placeholder:"SEQUENCE" help:"Sequence of the event, as webhook deliveries shows it."`
}

func (webhookResend) Help() string { return "mintmark webhook resend 1 EVENT" }

func (w webhookResend) Run(ctx context.Context, t Terminal) error {
	return w.act(ctx, t, w.path("deliveries", w.Event, "resend"), body{})
}

// webhookReplay sends past events again.
type webhookReplay struct {
	Change
	oneWebhook
	From string `required:"" placeholder:"MOMENT" help:"From a moment (RFC 3339), a day, or so long ago, such as 24h."`
	To   string `placeholder:"MOMENT" help:"Until a moment; until now when left out."`
}

func (webhookReplay) Help() string { return "mintmark webhook replay 1 --from 24h" }

func (w webhookReplay) Run(ctx context.Context, t Terminal) error {
	from, err := moment("--from", w.From)
	if err != nil {
		return err
	}
	to, err := moment("--to", cmp.Or(w.To, "0s"))
	if err != nil {
		return err
	}
	return w.act(ctx, t, w.path("replay"),
		body{"from": from, "to": to})
}
