package app

import (
	"context"

	"mintmark/internal/subscription"
	"mintmark/internal/webhook"
)

// deliverWebhooks sends events to the subscribers of programs until the context ends.
func (a *App) deliverWebhooks(ctx context.Context) {
	reach := subscription.Reach{Sandbox: a.Sandbox}
	webhook.New(a.service, webhook.Settings{
		Node: a.node, Sender: webhook.NewSender(reach, nil), Log: a.Log,
		Ran: a.jobs.Loop(webhooksLoop),
	}).Run(ctx)
}
