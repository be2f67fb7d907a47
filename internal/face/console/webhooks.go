package console

import (
	"context"
	"net/url"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	kinds "mintmark/internal/domain/event"
)

func webhookRows() []row {
	forms := slices.Concat(
		form("webhooks/new", "webhooks", "form", showNewWebhook, addWebhook),
		form("webhooks/{id}/edit", "webhooks", "form", showWebhookForm, changeWebhook),
		form("webhooks/{id}/delete", "webhooks", "act", showDeleteWebhook, deleteWebhook),
		form("webhooks/{id}/rotate", "webhooks", "act", showRotateWebhook, rotateWebhook),
		form("webhooks/{id}/replay", "webhooks", "act", showReplay, replay),
	)
	rows := append(reserved(forms, "configurator"),
		page("webhooks", "webhooks", "webhooks", showWebhooks),
		page("webhooks/{id}", "webhooks", "webhook", showWebhook))
	return append(rows, form("webhooks/{id}/deliveries/{sequence}", "webhooks", "delivery",
		showDelivery, resend)...)
}

type webhookList struct {
	Items []webhookLine
	Next  string
}

type webhookLine struct {
	wire.Webhook
	Mark  mark
	Which string // types of event
}

func newWebhookLine(h wire.Webhook) webhookLine {
	line := webhookLine{Webhook: h, Mark: webhookMark(h), Which: "all"}
	if len(h.Types) > 0 {
		line.Which = strings.Join(h.Types, ", ")
	}
	return line
}

func webhookMark(h wire.Webhook) mark {
	switch {
	case h.Paused:
		return mark{"mute", "square", "Paused"}
	case h.Dead > 0:
		return mark{"bad", "cross", "Failing"}
	case h.Waiting > 0:
		return mark{"warn", "half", "Behind"}
	}
	return mark{"ok", "", "Delivering"}
}

func showWebhooks(ctx context.Context, v *visit) (webhookList, error) {
	path, err := v.ofProgram("webhooks")
	if err != nil {
		return webhookList{}, err
	}
	found, err := readPage[wire.Webhook](ctx, v, path, v.filter("q"))
	if err != nil {
		return webhookList{}, err
	}
	list := webhookList{Next: found.Next}
	for _, h := range found.Items {
		list.Items = append(list.Items, newWebhookLine(h))
	}
	v.crumbs("Webhooks")
	v.command("webhook list", v.programFlag())
	return list, nil
}

// findWebhook finds the webhook that the address names, and makes its program that of the page.
func findWebhook(ctx context.Context, v *visit) (wire.Webhook, error) {
	id, err := v.number("id")
	if err != nil {
		return wire.Webhook{}, err
	}
	found, err := read[wire.Webhook](ctx, v, "webhooks/"+itoa(id))
	if err == nil {
		v.choose(found.ProgramID)
	}
	return found, err
}

// webhookPage is a webhook with its deliveries.
type webhookPage struct {
	webhookLine
	Facts      []fact
	Deliveries []deliveryLine
	Next       string
	Tabs       []option
	Replays    []wire.Replay
}

func showWebhook(ctx context.Context, v *visit) (webhookPage, error) {
	hook, err := findWebhook(ctx, v)
	if err != nil {
		return webhookPage{}, err
	}
	id := itoa(hook.ID)
	found, err := readPage[wire.Delivery](ctx, v, "webhooks/"+id+"/deliveries",
		v.filter("state"))
	if err != nil {
		return webhookPage{}, err
	}
	shown := webhookPage{
		webhookLine: newWebhookLine(hook), Facts: v.webhookFacts(hook)[1:], Next: found.Next,
		Tabs: choose([]option{
			{Value: "", Label: "Everything"}, {Value: "waiting", Label: "Waiting"},
			{Value: "dead", Label: "Given up"}, {Value: "delivered", Label: "Delivered"},
		}, v.Asked("state")),
	}
	replays, err := readPage[wire.Replay](ctx, v, "webhooks/"+id+"/replay",
		url.Values{"limit": {"5"}})
	if err != nil {
		return webhookPage{}, err
	}
	shown.Replays = replays.Items
	for _, d := range found.Items {
		shown.Deliveries = append(shown.Deliveries, v.deliveryLine(d))
	}
	v.crumbs("Webhook "+id, "Webhooks", "webhooks")
	v.command("webhook get", id)
	v.command("webhook deliveries", id)
	return shown, nil
}

func (v *visit) webhookFacts(h wire.Webhook) []fact {
	line := newWebhookLine(h)
	return []fact{
		{Name: "State", Mark: &line.Mark},
		{Name: "Name", Text: h.Name},
		{Name: "Address", Text: h.URL, Code: true},
		{Name: "Events", Text: line.Which},
		{Name: "Waiting", Text: count(h.Waiting)},
		{Name: "Given up", Text: count(h.Dead)},
		{Name: "Last success", At: v.Maybe(h.LastSuccess), Text: "never"},
		{Name: "Created", At: v.When(h.Created)},
		{Name: "Revision", Text: itoa(h.Revision)},
	}
}

func webhookFields(h wire.Webhook) []*control {
	var types []option
	for _, kind := range kinds.Types() {
		types = append(types, option{Value: string(kind), Label: string(kind)})
	}
	return []*control{
		{Name: "url", Label: "Address", Kind: textField, Required: true, Value: h.URL,
			Help: "Such as https://example.com/hooks. Plain http is for the sandbox and loopback."},
		{Name: "name", Label: "Name", Kind: textField, Value: h.Name,
			Help: "Left empty: the address."},
		{Name: "types", Label: "Events", Kind: checksField, Wide: true,
			Options: choose(types, h.Types...), Help: "None chosen: all of them."},
		{Name: "paused", Label: "Paused", Kind: switchField, Value: onOff(h.Paused),
			Help: "Nothing is sent; what happens meanwhile is sent when it goes on."},
	}
}

func showNewWebhook(_ context.Context, v *visit) (asking, error) {
	if v.Program == nil {
		return asking{}, notFound()
	}
	v.crumbs("Add a webhook", "Webhooks", "webhooks")
	v.command("webhook create NAME", v.programFlag(), "--url https://example.com/hooks")
	return asking{
		Fields: ask(webhookFields(wire.Webhook{})...).refused(v), Once: v.once(),
		Button: "Add the webhook", Back: v.To("webhooks"), BackText: "Back to the webhooks",
		Note: "It is told events from now on, each signed with a secret that is shown once.",
	}, nil
}

func addWebhook(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofProgram("webhooks")
	if err != nil {
		return outcome{}, err
	}
	f := ask(webhookFields(wire.Webhook{})...).fill(v.form)
	made, err := create[wire.Webhook](ctx, v, path, wire.NewWebhook{
		Name: f.value("name"), URL: f.value("url"), Types: f.chosen("types"),
		Paused: f.on("paused"),
	})
	if err != nil {
		return outcome{}, err
	}
	return v.webhookSecret(made, "Webhook "+itoa(made.ID)+" is added"), nil
}

// webhookSecret shows the secret of a webhook, this once.
func (v *visit) webhookSecret(made wire.Webhook, title string) outcome {
	id := itoa(made.ID)
	v.crumbs(title, "Webhooks", "webhooks", id, "webhooks/"+id)
	v.command("webhook get", id)
	shows := secretPage{
		Back: v.To("webhooks/" + id), BackText: "To the webhook",
		Told: "The receiver verifies with it that a delivery comes from here. It is kept sealed " +
			"and never shown again.",
		Gone: "The secret of webhook " + id + " was shown in answer to this form. When it is " +
			"lost, give the webhook another.",
	}
	if made.Secret != "" {
		shows.Secrets = []shownOnce{{"secret", "Signing secret", made.Secret, ""}}
	}
	return once("secret", shows)
}

func showRotateWebhook(ctx context.Context, v *visit) (actPage, error) {
	hook, err := findWebhook(ctx, v)
	if err != nil {
		return actPage{}, err
	}
	id := itoa(hook.ID)
	title := "Give webhook " + id + " another secret"
	v.crumbs(title, "Webhooks", "webhooks", id, "webhooks/"+id)
	v.command("webhook get", id)
	return actPage{
		asking: asking{
			Confirm: noSecond, Facts: v.webhookFacts(hook), Revision: hook.Revision,
			Fields: ask(reasonField("Why now, and who was told.")).refused(v), Once: v.once(),
			Button: title, Back: v.To("webhooks/" + id), BackText: "Back to the webhook",
		},
		Effect: "From now on each delivery is signed with both secrets, the new one and the one " +
			"before, so the receiver can change over.",
	}, nil
}

func rotateWebhook(ctx context.Context, v *visit) (outcome, error) {
	made, err := create[wire.Webhook](ctx, v, "webhooks/"+v.param("id")+"/rotate", reasoned)
	if err != nil {
		return outcome{}, err
	}
	return v.webhookSecret(made, "Webhook "+itoa(made.ID)+" has another secret"), nil
}

func showWebhookForm(ctx context.Context, v *visit) (asking, error) {
	hook, err := findWebhook(ctx, v)
	if err != nil {
		return asking{}, err
	}
	id := itoa(hook.ID)
	v.crumbs("Change webhook "+id, "Webhooks", "webhooks", id, "webhooks/"+id)
	v.command("webhook update", id, "--set paused=true --revision", itoa(hook.Revision))
	return asking{
		Fields: ask(webhookFields(hook)...).refused(v), Revision: hook.Revision,
		Button: "Change webhook " + id, Back: v.To("webhooks/" + id),
		BackText: "Back to the webhook",
	}, nil
}

func changeWebhook(ctx context.Context, v *visit) (outcome, error) {
	path := "webhooks/" + v.param("id")
	f := ask(webhookFields(wire.Webhook{})...).fill(v.form)
	body := properties{}
	body.set("name", f.value("name"))
	body.set("url", f.value("url"))
	body.set("types", append([]string{}, f.chosen("types")...))
	body.set("paused", f.on("paused"))
	_, err := patch[wire.Webhook](ctx, v, path, body)
	return lead(v.To(path)), err
}

func showDeleteWebhook(ctx context.Context, v *visit) (actPage, error) {
	hook, err := findWebhook(ctx, v)
	if err != nil {
		return actPage{}, err
	}
	id := itoa(hook.ID)
	title := "Delete webhook " + id + " for good"
	v.crumbs(title, "Webhooks", "webhooks", id, "webhooks/"+id)
	v.command("webhook remove", id, "--revision", itoa(hook.Revision))
	effect := "Nothing is sent to " + hook.URL + " any more."
	if hook.Waiting > 0 {
		effect += " " + plural(hook.Waiting, "delivery that waits is", "deliveries that wait are") +
			" given up."
	}
	return actPage{
		asking: asking{
			Confirm: noSecond,
			Fields:  ask(reasonField("Why, and who was told.")).refused(v),
			Facts:   v.webhookFacts(hook), Revision: hook.Revision, Button: title,
			Back: v.To("webhooks/" + id), BackText: "Back to the webhook",
		},
		Risky: true, Effect: effect,
	}, nil
}

func deleteWebhook(ctx context.Context, v *visit) (outcome, error) {
	return lead(v.To("webhooks")), remove(ctx, v, "webhooks/"+v.param("id"))
}
