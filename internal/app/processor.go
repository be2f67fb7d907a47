package app

import (
	"context"

	"mintmark/internal/delivery/dispatch"
)

// connectProcessor connects the service to the card processor. Without one orders wait. A sandbox
// first carries out what was left when it was killed.
func (a *App) connectProcessor(ctx context.Context) error {
	if a.port == nil {
		return nil
	}
	a.orders = dispatch.New(a.service.Orders, dispatch.Settings{
		Node: a.node, Port: a.port, Log: a.Log, AtOnce: a.Sandbox,
	})
	a.service.Outbox = a.orders
	if a.sandbox != nil {
		ctx = a.sandbox.Era().In(ctx)
	}
	return a.orders.Resume(ctx)
}
