package console

import (
	"context"
	"net/url"
	"slices"

	wire "mintmark/client/admin"
)

func webhookRows() []row {
	p := pagesAt("webhooks")
	remove := form("webhooks/{id}/delete", "webhooks", "act", p.showAct(p.Remove, p.find), p.do(p.Remove))
	again := form("webhooks/{id}/replay", "webhooks", "act", showReplay, replay)
	rows := append(reserved(slices.Concat(remove, again), "configurator"),
		page("webhooks/{id}", "webhooks", "webhook", showWebhook))
	return append(rows, form("webhooks/{id}/deliveries/{event}", "webhooks", "delivery",
		showDelivery, resend)...)
}

// webhookPage is a webhook with its deliveries.
type webhookPage struct {
	itemPage
	plotted
	Path       string // of the webhook in the interface
	Deliveries []deliveryLine
	Next       string
	Tabs       []option
	Replays    []wire.Replay
	Many       []manyAct
}

func showWebhook(ctx context.Context, v *visit) (webhookPage, error) {
	item, err := pagesAt("webhooks").show(ctx, v)
	if err != nil {
		return webhookPage{}, err
	}
	path := v.consolePath("webhooks/{id}")
	list, err := readPage[wire.Delivery](ctx, v, path+"/deliveries", v.filter("state"))
	if err != nil {
		return webhookPage{}, err
	}
	shown := webhookPage{
		itemPage: item, Path: path, Next: list.Next,
		Tabs: choose([]option{
			{Value: "", Label: "Everything"}, {Value: "waiting", Label: "Waiting"},
			{Value: "dead", Label: "Failed"}, {Value: "delivered", Label: "Delivered"},
		}, v.Asked("state")),
	}
	if acts := shown.Acts; len(acts) > 0 {
		again := offered{"replay", "Replay…", v.To(path + "/replay"), false}
		shown.Acts = slices.Insert(acts, len(acts)-1, again)
	}
	replays, err := readPage[wire.Replay](ctx, v, path+"/replay", url.Values{"limit": {"5"}})
	if err != nil {
		return webhookPage{}, err
	}
	shown.Replays = replays.Items
	for _, d := range list.Items {
		shown.Deliveries = append(shown.Deliveries, v.deliveryLine(d))
	}
	shown.Many = manyActs(v, "webhooks/{id}/deliveries", list.Items)
	v.command("webhook deliveries", v.params["id"])
	shown.plotted, err = v.plots(ctx, []string{"webhookId", v.params["id"]}, "deliveries")
	return shown, err
}
