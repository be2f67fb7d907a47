package admin

import (
	"context"
	"slices"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/card"
)

func (d *Desk) overview() *Resource {
	return &Resource{Item: "overview", Show: get(Op{
		Summary: "Read how all that the operator sees fares, at a glance",
	}, d.readOverview)}
}

func (d *Desk) readOverview(ctx context.Context, c *call) (wire.Overview, error) {
	o, err := d.acts.Overview.Overview(ctx, c.who)
	if err != nil {
		return wire.Overview{}, err
	}
	waiting, err := d.acts.CountApprovals(ctx, c.Identity)
	if err != nil {
		return wire.Overview{}, err
	}
	shown := wire.Overview{
		Cards: []wire.Count{}, Locked: o.Cards.Locked, Acts: []wire.Count{},
		Orders: []wire.Count{}, Webhooks: o.Webhooks, Failing: o.Failing, Expiring: o.Expiring,
		SealingLagSeconds: o.SealingLag.Seconds(), Sealed: o.Sealed, At: o.At, Asked: waiting,
	}
	for _, status := range card.Statuses {
		if count := o.Cards.ByStatus[status]; count > 0 {
			shown.Cards = append(shown.Cards, wire.Count{Name: string(status), Count: count})
		}
	}
	for _, hour := range slices.Backward(o.Hours) {
		shown.Acts = append(shown.Acts, wire.Count{
			Name: hour.Hour.Format(time.RFC3339), Count: hour.Count,
		})
		shown.Refused += hour.Refused
	}
	for _, of := range o.Orders {
		shown.Orders = append(shown.Orders, wire.Count{Name: string(of.State), Count: of.Count})
		if shown.Oldest == nil || of.Oldest.Before(*shown.Oldest) {
			shown.Oldest = moment(of.Oldest)
		}
	}
	for _, job := range o.FailingJobs {
		shown.Jobs = append(shown.Jobs, wire.Job{
			ID: job.Name, State: "failing", Node: job.Node, Began: moment(job.Began),
			Ended: moment(job.Ended), Next: moment(job.Next), Error: job.Error,
		})
	}
	return shown, nil
}
