package app

import (
	"context"

	"mintmark/internal/delivery/webhook"
	"mintmark/internal/domain/subscription"
)

// newDeliverer returns what sends events to the subscribers of programs. Its connections are those
// of the one before.
func (a *App) newDeliverer(told func(context.Context, error)) *webhook.Deliverer {
	if a.sender == nil {
		a.sender = webhook.NewSender(func() subscription.Reach {
			return subscription.Reach{
				Sandbox: a.Sandbox, Allow: a.inForce.Load().WebhooksAllow,
			}
		}, nil)
	}
	return webhook.New(a.service.Events, webhook.Settings{
		Node: a.node, Sender: a.sender, Log: a.Log,
		Ran: told,
	})
}
