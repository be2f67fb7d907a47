package console

import (
	"context"
	"strconv"
	"sync"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/subscription"
)

type deliveryLine struct {
	wire.Delivery
	Tried []triedLine // newest first
}

type triedLine struct {
	At     moment
	Mark   mark
	Took   string
	Answer string
}

func (v *visit) deliveryLine(d wire.Delivery) deliveryLine {
	line := deliveryLine{Delivery: d}
	for _, a := range d.Attempts {
		tried := triedLine{At: v.When(a.At), Took: itoa(a.Milliseconds) + " ms", Answer: a.Answer}
		tried.Mark = attemptMark(a)
		line.Tried = append(line.Tried, tried)
	}
	return line
}

// Behind returns what a waiting delivery without a next attempt is waiting for.
func (d deliveryLine) Behind() string {
	switch {
	case d.State != string(subscription.Waiting) || d.Next != nil:
		return ""
	case d.CardID == 0:
		return "after an earlier event about the same"
	}
	return "after an earlier event of card " + itoa(d.CardID)
}

func attemptMark(a wire.Attempt) mark {
	told := a.Error
	if a.Status != 0 {
		told = itoa(a.Status)
	}
	if a.Error == "" {
		return mark{"ok", "", told}
	}
	return mark{"bad", "cross", told}
}

// deliveryPage is the delivery of an event to a webhook, with all attempts.
type deliveryPage struct {
	deliveryLine
	Facts   []fact
	Hook    wire.Webhook
	Request string // as sent; empty if the body is no longer stored
}

func showDelivery(ctx context.Context, v *visit) (deliveryPage, error) {
	hook, err := readNamed[wire.Webhook](ctx, v, "webhooks/{id}")
	if err != nil {
		return deliveryPage{}, err
	}
	d, err := readNamed[wire.Delivery](ctx, v, "webhooks/{id}/deliveries/{event}")
	if err != nil {
		return deliveryPage{}, err
	}
	id, number := itoa(hook.ID), v.params["event"]
	v.crumbs("Event "+number+" to "+hook.Name, "Webhooks", "webhooks", hook.Name, "webhooks/"+id)
	v.command("webhook resend", id, number)
	line := v.deliveryLine(d)
	card := fact{Name: "Card"}
	if d.CardID != 0 {
		card.Text, card.To = itoa(d.CardID), v.To("cards/"+itoa(d.CardID))
	}
	facts := []fact{
		{Name: "Event", Text: d.Type, Code: true},
		card,
		{Name: "Webhook", Text: hook.Name, To: v.To("webhooks/" + id)},
		{Name: "Attempts", Text: itoa(d.Tries)},
		{Name: "Next attempt", At: v.Maybe(d.Next), Text: line.Behind()},
		{Name: "Identifier", Text: d.ID, Code: true, Copy: true},
	}
	return deliveryPage{line, facts, hook, requestOf(hook, d)}, nil
}

// requestOf returns the request that a receiver gets. Time and signature differ between attempts,
// and the signature is not stored.
func requestOf(hook wire.Webhook, d wire.Delivery) string {
	if len(d.Body) == 0 {
		return ""
	}
	at := "(the moment of the attempt)"
	if len(d.Attempts) > 0 {
		at = strconv.FormatInt(d.Attempts[0].At.Unix(), 10)
	}
	return "POST " + hook.URL + "\nContent-Type: application/json\nUser-Agent: Mintmark" +
		"\nWebhook-Id: " + d.ID + "\nWebhook-Timestamp: " + at +
		"\nWebhook-Signature: v1,(computed with the signing secret)\n\n" + indented(d.Body)
}

func resend(ctx context.Context, v *visit) (outcome, error) {
	path := v.consolePath("webhooks/{id}/deliveries/{event}")
	_, err := act[wire.Delivery](ctx, v, path+"/resend", reasoned)
	return redirectTo(v.To(path)), err
}

// replays returns the pages of replays, which are shown on those of webhooks.
var replays = sync.OnceValue(func() *pages {
	return &pages{Resource: resourceAt("webhooks/{id}/replay")}
})

func showReplay(ctx context.Context, v *visit) (actPage, error) {
	hook, err := readNamed[wire.Webhook](ctx, v, "webhooks/{id}")
	if err != nil {
		return actPage{}, err
	}
	id, op := itoa(hook.ID), replays().Create
	title := replays().label(op, id)
	v.crumbs(title, "Webhooks", "webhooks", id, "webhooks/"+id)
	v.command("webhook replay", id, "--from 1h")
	fields := ask(replays().inputs(v, op, nil).controls()...)
	now := v.now().In(v.Zone).Truncate(time.Minute)
	fields.set("from", now.Add(-time.Hour).Format(momentForm))
	fields.set("to", now.Format(momentForm))
	return actPage{
		formPage: formPage{
			Confirm: noSecond, Facts: pagesAt("webhooks").facts(v, hook), Button: title,
			Fields: fields.afterRefusal(v), Back: v.To("webhooks/" + id),
			BackText: "Back to the webhook",
		},
		Effect: op.Effect,
	}, nil
}

func replay(ctx context.Context, v *visit) (outcome, error) {
	body := replays().inputs(v, replays().Create, nil).newBody(v)
	_, err := create[wire.Replay](ctx, v, "webhooks/"+v.param("id")+"/replay", body)
	return redirectTo(v.To("webhooks/" + v.param("id"))), err
}
