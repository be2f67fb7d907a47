package admin

import (
	"context"
	"strconv"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
)

// webhookID is the path parameter of a webhook.
var webhookID = Param{Name: "id", Help: "Number of the webhook.", Number: true}

func (d *Desk) webhooks() *Resource {
	const keep = "The receiver verifies deliveries with it. It is stored encrypted " +
		"and never shown again; if it is lost, rotate it."
	read := byID(webhookOf, d.acts.Events.Webhook)
	return &Resource{
		Noun: "webhook", Path: "programs/{id}/webhooks", Item: "webhooks/{id}",
		In: ofProgram, ID: webhookID,
		Help:  "Webhooks and their deliveries.",
		Nav:   Nav{"Watch", "Webhooks"},
		Empty: "A webhook receives signed events of the program. Events are recorded without one.",
		Roles: configuratorRoles,
		Columns: []string{
			"id", "name", "url", "types", "state", "waiting", "dead", "lastAnswer", "lastSuccess",
		},
		Fields: []Field{
			{Name: "url", Label: "Address", Required: true,
				Help: "Such as https://example.com/hooks. Plain http is for the sandbox and for an " +
					"address that webhooks.allow holds."},
			{Name: "name", Label: "Name", Help: "The address when left empty."},
			{Name: "types", Flag: "type", Label: "Events", Choices: choices(event.Types()...),
				Help: "All types when none is selected."},
			{Name: "paused", Label: "Paused",
				Help: "Queued events are delivered when you resume."},
			{Name: "secrets", Label: "Chosen secrets", On: WireOnly, Secret: true,
				Help: "At most two: whsec_ and the base64 of 24 to 64 bytes. One is made when left out."},
			{Name: "pausedBecause", Label: "Paused because", On: Shown},
			{Name: "state", Label: "State", On: Shown,
				Help: "delivering, behind, failing or paused"},
			{Name: "failingSince", Label: "Failing since", On: Shown},
			{Name: "lastTry", Label: "Last attempt", On: Shown},
			{Name: "lastAnswer", Label: "Last answer", On: Shown},
			{Name: "waiting", Label: "Waiting", On: Shown, Help: "Deliveries to be sent."},
			{Name: "dead", Label: "Failed", On: Shown, Help: "Deliveries that are not tried again."},
			{Name: "lastSuccess", Label: "Last success", On: Shown},
			{Name: "created", Label: "Created", On: Shown},
			{Name: "secret", Label: "Signing secret", On: Shown, Secret: true, Help: "Shown once."},
		},
		List: list(Op{
			Summary: "List the webhooks of a program", Example: "mintmark webhook list --program 1",
			Filters: []Field{searched},
		}, d.listWebhooks),
		Show: get(Op{Summary: "Read a webhook", Example: "mintmark webhook get 1"}, read),
		Create: create(Op{
			Summary: "Subscribe to events; the secret is shown once",
			Example: "mintmark webhook create till --program 1 --url https://till.example.com/hook " +
				"--type card.locked",
			Title: "Add a webhook", Button: "Add the webhook",
			Effect: "Events are sent from now on, each signed with a secret that is shown once.",
			Once:   []string{"secret"}, OnceHelp: keep,
		}, d.createWebhook),
		Change: patch(Op{
			Summary: "Change a webhook", Example: "mintmark webhook update 1 --set paused=true",
			Button: "Change webhook {id}",
		}, read, d.changeWebhook),
		Remove: remove(Op{
			Summary: "Delete a webhook with its undelivered events", Risky: true,
			Example: "mintmark webhook remove 1", Button: "Delete webhook {id} for good",
			Effect: "Nothing more is sent to it. Waiting deliveries are dropped.",
		}, d.removeWebhook),
		Acts: []*Op{
			act(Op{
				Name:    "rotate",
				Summary: "Rotate the signing secret; the new one is shown once",
				Example: "mintmark webhook rotate 1", Button: "Rotate the signing secret of {id}",
				Effect: "From now on each delivery is signed with the new and the previous " +
					"secret, so the receiver can change over.",
				Once: []string{"secret"}, OnceHelp: keep,
			}, atRevision[wire.Reasoned](webhookWithSecret, d.acts.Events.RotateWebhookSecret)),
		},
	}
}

func (d *Desk) deliveries() *Resource {
	return &Resource{
		Noun: "webhook", Path: "webhooks/{id}/deliveries",
		Item: "webhooks/{id}/deliveries/{event}", In: webhookID, ID: eventID,
		Roles:   configuratorRoles,
		Columns: []string{"id", "sequence", "type", "cardId", "state", "tries", "next"},
		Fields: []Field{
			{Name: "type", Label: "Event", On: Shown},
			{Name: "cardId", Label: "Card", On: Shown},
			{Name: "webhookId", Label: "Webhook", On: Shown},
			{Name: "state", Label: "State", On: Shown, Help: "delivered, waiting or dead"},
			{Name: "tries", Label: "Attempts", On: Shown},
			{Name: "next", Label: "Next attempt", On: Shown},
			{Name: "id", Label: "Identifier", On: Shown, Help: "of the event"},
			{Name: "sequence", Label: "Sequence", On: Shown, Help: "Number of the event."},
			{Name: "body", Label: "Payload", On: Shown, Help: "Left out of lists, and where the " +
				"event is archived."},
			{Name: "attempts", Label: "Latest attempts", On: Shown, Help: "The newest first."},
		},
		List: list(Op{
			Name: "deliveries", Summary: "List the deliveries of a webhook, newest first",
			Example: "mintmark webhook deliveries 1",
			Filters: []Field{{Name: "state", Label: "State", Help: "delivered, waiting or dead.",
				Choices: []Choice{
					{Value: "waiting", Label: "Waiting"}, {Value: "dead", Label: "Failed"},
					{Value: "delivered", Label: "Delivered"},
				}}},
		}, d.listDeliveries),
		Show: get(Op{
			Name: "delivery", Summary: "Read a delivery with its attempts",
			Example: "mintmark webhook delivery 1 EVENT",
		}, d.readDelivery),
		Acts: []*Op{
			act(Op{
				Name: "resend", Summary: "Send an event again, now", Many: true,
				Example: "mintmark webhook resend 1 EVENT",
				Effect: "The event is sent again at once, under the same identifier. Receivers can " +
					"deduplicate by it.",
				Effects: "The events are sent again at once, each under the same identifier. Receivers " +
					"can deduplicate by it.",
			}, d.resend),
		},
	}
}

// replays lists and creates replays. A replay has no address of its own.
func (d *Desk) replays() *Resource {
	return &Resource{
		Noun: "webhook", Path: "webhooks/{id}/replay", Item: "webhooks/{id}/replay",
		In: webhookID, Roles: configuratorRoles,
		Columns: []string{"id", "count", "sent", "created", "ended"},
		Fields: []Field{
			{Name: "from", Label: "Events since", On: Creating},
			{Name: "to", Label: "Up to", On: Creating, Help: "Not included; now when left out."},
			{Name: "fromSequence", Label: "Or from an event", On: Creating,
				Help: "Its number; leave both times empty."},
			{Name: "types", Label: "Events", On: WireOnly, Help: "All of them when left out."},
			{Name: "count", Label: "Events to send", On: Shown},
			{Name: "sent", Label: "Events sent", On: Shown},
			{Name: "created", Label: "Created", On: Shown},
			{Name: "ended", Label: "Ended", On: Shown},
		},
		List: list(Op{
			Name: "replays", Summary: "List the replays of a webhook, newest first",
			Example: "mintmark webhook replays 1",
		}, d.listReplays),
		Create: create(Op{
			Name: "replay", Summary: "Send the events of a period again",
			Example: "mintmark webhook replay 1 --from 24h",
			Button:  "Send events to webhook {id} again",
			Effect: "Every subscribed event in this period is sent again under its own " +
				"identifier. Receivers can deduplicate by it.",
		}, d.replay),
	}
}

func webhookOf(w events.WebhookState) wire.Webhook {
	shown := wire.Webhook{
		ID: w.ID, Revision: w.Revision, ProgramID: w.ProgramID, Name: w.Name, URL: w.URL,
		Types: w.Types, Paused: w.Paused, PausedBecause: w.PausedBecause, State: string(w.State),
		LastTry: moment(w.Last.At), LastAnswer: w.Answer(), Waiting: w.Waiting, Dead: w.Dead,
		LastSuccess: moment(w.LastSuccess), Created: w.Created,
	}
	if w.State == events.Failing {
		shown.FailingSince = moment(w.Since)
	}
	return shown
}

// webhookWithSecret shows a webhook with the secret that an act has created.
func webhookWithSecret(d events.WebhookDetail) wire.Webhook {
	shown := webhookOf(events.WebhookState{Webhook: d.Webhook})
	shown.Secret = d.NewSecret.Reveal()
	return shown
}

func (d *Desk) listWebhooks(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Webhook, string, error) {
	return convertAll(webhookOf)(
		d.acts.Events.Webhooks(ctx, c.who, c.id("id"), c.query.Get("q"), page))
}

func (d *Desk) createWebhook(
	ctx context.Context, c *call, w wire.NewWebhook,
) (wire.Webhook, error) {
	spec := events.WebhookSpec{
		Name: w.Name, URL: w.URL, Types: event.Filter(w.Types), Paused: w.Paused,
	}
	for _, text := range w.Secrets {
		spec.Secrets = append(spec.Secrets, secret.New(text))
	}
	return convert(webhookWithSecret)(d.acts.Events.CreateWebhook(ctx, c.who, c.id("id"), spec))
}

func (d *Desk) changeWebhook(
	ctx context.Context, c *call, after wire.Webhook,
) (wire.Webhook, error) {
	return convert(webhookOf)(d.acts.Events.ChangeWebhook(ctx, c.who, c.id("id"), c.revision,
		events.WebhookSpec{
			Name: after.Name, URL: after.URL, Types: event.Filter(after.Types),
			Paused: after.Paused,
		}))
}

func (d *Desk) removeWebhook(ctx context.Context, c *call) error {
	return d.acts.Events.DeleteWebhook(ctx, c.who, c.id("id"), c.revision)
}

func deliveryOf(d events.DeliveryDetail) wire.Delivery {
	shown := wire.Delivery{
		ID: d.Event.ID, WebhookID: d.WebhookID, Sequence: d.Sequence, Type: string(d.Type),
		CardID: d.Event.CardID, State: string(d.State), Tries: d.Tries, Next: moment(d.Next),
	}
	if shown.ID == "" {
		shown.ID = strconv.Itoa(d.Sequence) // an archived event
	}
	for _, a := range d.Attempts {
		shown.Attempts = append(shown.Attempts, wire.Attempt{
			At: a.At, Status: a.Status, Milliseconds: int(a.Duration.Milliseconds()),
			Error: a.Error, Answer: a.Answer,
		})
	}
	return shown
}

func (d *Desk) listDeliveries(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Delivery, string, error) {
	state := subscription.State(c.query.Get("state"))
	switch state {
	case "", events.Delivered, subscription.Waiting, subscription.Dead:
	default:
		return nil, "", invalidQuery("state", "must be delivered, waiting or dead")
	}
	return convertAll(deliveryOf)(
		d.acts.Events.DeliveryList(ctx, c.who, c.id("id"), state, page))
}

func (d *Desk) readDelivery(ctx context.Context, c *call) (wire.Delivery, error) {
	sequence, err := c.event()
	if err != nil {
		return wire.Delivery{}, err
	}
	detail, err := d.acts.Events.FindDelivery(ctx, c.who, c.id("id"), sequence)
	if err != nil {
		return wire.Delivery{}, err
	}
	shown := deliveryOf(detail)
	if detail.Event.ID != "" { // else it is archived
		shown.Body, err = detail.Event.Body()
	}
	return shown, err
}

func (d *Desk) resend(ctx context.Context, c *call, _ wire.Reasoned) (wire.Delivery, error) {
	sequence, err := c.event()
	if err != nil {
		return wire.Delivery{}, err
	}
	return convert(deliveryOf)(d.acts.Events.Resend(ctx, c.who, c.id("id"), sequence))
}

func replayOf(r subscription.Replay) wire.Replay {
	return wire.Replay{
		ID: r.ID, WebhookID: r.WebhookID, Count: r.Count, Sent: r.Sent, Created: r.Created,
		Ended: moment(r.Ended),
	}
}

func (d *Desk) listReplays(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Replay, string, error) {
	return convertAll(replayOf)(d.acts.Events.Replays(ctx, c.who, c.id("id"), page))
}

func (d *Desk) replay(_ context.Context, c *call, r wire.NewReplay) (wire.Replay, error) {
	if r.FromSequence < 0 || r.FromSequence > problem.MaxID {
		return wire.Replay{}, web.Invalid(problem.List{
			{Path: "fromSequence", Text: "must be at least 1"},
		})
	}
	counting := c.request.Sender.WithoutDeadline() // it may go through months of events
	return convert(replayOf)(d.acts.Events.StartReplay(counting, c.who, c.id("id"),
		events.ReplayRequest{
			From: timeOf(r.From), To: timeOf(r.To), FromSequence: r.FromSequence,
			Types: event.Filter(r.Types),
		}))
}
