package app

import (
	"context"

	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/delivery/webhook"
	"mintmark/internal/domain/subscription"
)

// connectProcessor connects the service to the card processor. Without one orders wait. A sandbox
// first carries out the orders that were left when it was killed.
func (a *App) connectProcessor(ctx context.Context) error {
	if a.port == nil {
		return nil
	}
	a.orders = dispatch.New(a.service.Orders, dispatch.Settings{
		Node: a.node, Port: a.port, Log: a.Log, Synchronous: a.Sandbox,
	})
	a.service.Dispatcher = a.orders
	if a.sandbox != nil {
		ctx = a.sandbox.Generation().In(ctx)
	}
	return a.orders.Resume(ctx)
}

// newDeliverer returns a deliverer of events to the subscribers of programs. It reuses the
// connections of its predecessor.
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
