package admin

import (
	"context"
	"strconv"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
)

func (f *Face) webhookRoutes() []*Op {
	const ofProgram, one = "programs/{id}/webhooks", "webhooks/{id}"
	const deliveries = one + "/deliveries"
	return []*Op{
		list(Op{
			Path: ofProgram, Summary: "List the webhooks of a program", Roles: configurators,
			Filters: []Field{searched},
		}, f.webhooks),
		create(Op{
			Path: ofProgram, Summary: "Subscribe to events; the secret is shown once",
			Roles: configurators, Location: "webhooks/{id}",
		}, f.createWebhook),
		get(Op{Path: one, Summary: "Read a webhook", Roles: configurators}, f.webhook),
		patch(Op{Path: one, Summary: "Change a webhook", Roles: configurators},
			f.webhook, f.changeWebhook),
		remove(Op{
			Path: one, Summary: "End a subscription with what was not delivered",
			Roles: configurators,
		}, f.deleteWebhook),
		act(Op{
			Path:    one + "/rotate",
			Summary: "Give a webhook a new secret beside the one before; it is shown once",
			Roles:   configurators,
		}, f.rotateWebhook),

		list(Op{
			Path: deliveries, Summary: "List the deliveries of a webhook, newest first",
			Roles:   configurators,
			Filters: []Field{{Name: "state", Help: "delivered, waiting or dead."}},
		}, f.deliveries),
		get(Op{
			Path: deliveries + "/{event}", Summary: "Read a delivery with its attempts",
			Roles: configurators,
		}, f.delivery),
		act(Op{
			Path: deliveries + "/{event}/resend", Summary: "Send an event again, now",
			Roles: configurators,
		}, f.resend),
		list(Op{
			Path: one + "/replay", Summary: "List the replays of a webhook, newest first",
			Roles: configurators,
		}, f.replays),
		create(Op{
			Path: one + "/replay", Summary: "Send events of some time again",
			Roles: configurators, Location: one + "/replay",
		}, f.replay),
	}
}

func webhookOf(w events.WebhookState) wire.Webhook {
	return wire.Webhook{
		ID: w.ID, Revision: w.Revision, ProgramID: w.ProgramID, Name: w.Name, URL: w.URL,
		Types: w.Types, Paused: w.Paused, PausedBecause: w.PausedBecause, Waiting: w.Waiting,
		Dead: w.Dead, LastSuccess: moment(w.LastSuccess), Created: w.Created,
	}
}

// shownWebhook is the answer of an act, with the secret that it has made.
func shownWebhook(d events.WebhookDetail, err error) (wire.Webhook, error) {
	if err != nil {
		return wire.Webhook{}, err
	}
	shown := webhookOf(events.WebhookState{Webhook: d.Webhook})
	shown.Secret = d.Made.Reveal()
	return shown, nil
}

func (f *Face) webhooks(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Webhook, string, error) {
	programID, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	items, last, err := f.acts.Events.Webhooks(ctx, c.who, programID, c.query.Get("q"), page)
	return convertAll(webhookOf)(items, last, err)
}

func (f *Face) webhook(ctx context.Context, c *call) (wire.Webhook, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Webhook{}, err
	}
	found, err := f.acts.Events.Webhook(ctx, c.who, id)
	if err != nil {
		return wire.Webhook{}, err
	}
	return webhookOf(found), nil
}

func (f *Face) createWebhook(
	ctx context.Context, c *call, asked wire.NewWebhook,
) (wire.Webhook, error) {
	programID, err := c.number("id")
	if err != nil {
		return wire.Webhook{}, err
	}
	return shownWebhook(f.acts.Events.CreateWebhook(ctx, c.who, programID, events.WebhookSpec{
		Name: asked.Name, URL: asked.URL, Types: event.Filter(asked.Types), Paused: asked.Paused,
	}))
}

func (f *Face) changeWebhook(
	ctx context.Context, c *call, after wire.Webhook,
) (wire.Webhook, error) {
	before, err := f.webhook(ctx, c)
	if err != nil {
		return wire.Webhook{}, err
	}
	err = unchanged(before, after, "pausedBecause", "waiting", "dead", "lastSuccess", "created",
		"secret", "warning")
	if err != nil {
		return wire.Webhook{}, err
	}
	changed, err := f.acts.Events.ChangeWebhook(ctx, c.who, before.ID, c.revision, events.WebhookSpec{
		Name: after.Name, URL: after.URL, Types: event.Filter(after.Types), Paused: after.Paused,
	})
	if err != nil {
		return wire.Webhook{}, err
	}
	return webhookOf(changed), nil
}

func (f *Face) deleteWebhook(ctx context.Context, c *call) error {
	id, err := c.number("id")
	if err != nil {
		return err
	}
	return f.acts.Events.DeleteWebhook(ctx, c.who, id, c.revision)
}

func (f *Face) rotateWebhook(
	ctx context.Context, c *call, _ wire.Reasoned,
) (wire.Webhook, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Webhook{}, err
	}
	return shownWebhook(f.acts.Events.RotateWebhookSecret(ctx, c.who, id, c.revision))
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

func (f *Face) deliveries(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Delivery, string, error) {
	id, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	state := subscription.State(c.query.Get("state"))
	switch state {
	case "", events.Delivered, subscription.Waiting, subscription.Dead:
	default:
		return nil, "", invalidQuery("state", "must be delivered, waiting or dead")
	}
	items, last, err := f.acts.Events.DeliveryList(ctx, c.who, id, state, page)
	return convertAll(deliveryOf)(items, last, err)
}

func (f *Face) delivery(ctx context.Context, c *call) (wire.Delivery, error) {
	return deliveryAnswer(c, func(id, sequence int) (events.DeliveryDetail, error) {
		return f.acts.Events.FindDelivery(ctx, c.who, id, sequence)
	})
}

func (f *Face) resend(ctx context.Context, c *call, _ wire.Reasoned) (wire.Delivery, error) {
	return deliveryAnswer(c, func(id, sequence int) (events.DeliveryDetail, error) {
		return f.acts.Events.Resend(ctx, c.who, id, sequence)
	})
}

func deliveryAnswer(
	c *call, do func(id, sequence int) (events.DeliveryDetail, error),
) (wire.Delivery, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Delivery{}, err
	}
	sequence, known := event.SequenceOf(c.params["event"])
	if !known || sequence > problem.MaxID {
		return wire.Delivery{}, web.NotFound()
	}
	found, err := do(id, sequence)
	if err != nil {
		return wire.Delivery{}, err
	}
	return deliveryOf(found), nil
}

func replayOf(r subscription.Replay) wire.Replay {
	return wire.Replay{
		ID: r.ID, WebhookID: r.WebhookID, Count: r.Count, Sent: r.Sent, Created: r.Created,
		Ended: moment(r.Ended),
	}
}

func (f *Face) replays(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Replay, string, error) {
	id, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	items, last, err := f.acts.Events.Replays(ctx, c.who, id, page)
	return convertAll(replayOf)(items, last, err)
}

func (f *Face) replay(ctx context.Context, c *call, asked wire.NewReplay) (wire.Replay, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.Replay{}, err
	}
	if asked.FromSequence < 0 || asked.FromSequence > problem.MaxID {
		return wire.Replay{}, web.Invalid(problem.List{
			{Path: "fromSequence", Text: "must be at least 1"},
		})
	}
	made, err := f.acts.Events.StartReplay(ctx, c.who, id, events.ReplayRequest{
		From: timeOf(asked.From), To: timeOf(asked.To), FromSequence: asked.FromSequence,
		Types: event.Filter(asked.Types),
	})
	if err != nil {
		return wire.Replay{}, err
	}
	return replayOf(made), nil
}
