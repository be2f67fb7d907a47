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
	return a.resumeOrders(ctx)
}

// resumeOrders carries out the orders of a sandbox that wait, all in the world of now.
func (a *App) resumeOrders(ctx context.Context) error {
	return a.orders.Resume(a.era().In(ctx))
}

// collectFiles takes the files in which a card processor reports. It does nothing with a processor
// that reports in another way.
func (a *App) collectFiles(ctx context.Context) error {
	files, there := a.port.(inFiles)
	if !there {
		return nil
	}
	return files.Collect(ctx, a.service.Orders)
}
