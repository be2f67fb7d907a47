package admin

import (
	"cmp"
	"context"
	"slices"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing/overview"
	"mintmark/internal/store"
)

func (d *Desk) overview() *Resource {
	return &Resource{
		Item: "overview", Show: get(Op{
			Summary: "Read the overview of everything in scope",
			Filters: []Field{{Name: "programId", Label: "Program", Help: "Of a program"}},
		}, d.readOverview),
		Fields: []Field{
			{Name: "cards", Label: "Cards by status", On: Shown},
			{Name: "locked", Label: "Locked cards", On: Shown},
			{Name: "acts", Label: "Acts of the last 24 hours, by hour", On: Shown,
				Help: "Without your own reads."},
			{Name: "actors", Label: "The same acts by kind of actor", On: Shown},
			{Name: "refused", Label: "Refused acts among them", On: Shown},
			{Name: "orders", Label: "Orders that are not done, by state", On: Shown},
			{Name: "oldestOrder", Label: "When the oldest waiting order was written", On: Shown},
			{Name: "webhooks", Label: "Webhooks", On: Shown},
			{Name: "failingWebhooks", Label: "Failing webhooks", On: Shown,
				Help: "Paused by the service, or with deliveries that failed."},
			{Name: "expiringKeys", Label: "Keys that expire within 30 days", On: Shown},
			{Name: "approvalsWaiting", Label: "Approvals that the operator can end", On: Shown},
			{Name: "sealingLagSeconds", Label: "Age of the oldest entry that is not sealed, in " +
				"seconds", On: Shown},
			{Name: "sealed", Label: "Sealed entries of the audit", On: Shown},
			{Name: "jobs", Label: "Failing jobs", On: Shown},
			{Name: "at", Label: "When it was counted", On: Shown},
			{Name: "attention", Label: "Attention", On: Shown,
				Help: "The most urgent first."},
			{Name: "setup", Label: "Set-up", On: Shown, Help: "Steps before the first card; left " +
				"out from then on."},
		},
	}
}

func (d *Desk) readOverview(ctx context.Context, c *call) (wire.Overview, error) {
	o, err := d.acts.Overview.Overview(ctx, c.who, c.Identity, c.number("programId"))
	if err != nil {
		return wire.Overview{}, err
	}
	shown := wire.Overview{
		Cards: []wire.Count{}, Locked: o.Cards.Locked, Acts: []wire.Count{},
		Orders: []wire.Count{}, Webhooks: o.Webhooks, Failing: o.Failing, Expiring: o.Expiring,
		SealingLagSeconds: o.SealingLag.Seconds(), Sealed: o.Sealed, At: o.At, Asked: o.Approvals,
	}
	for _, status := range card.Statuses {
		if count := o.Cards.ByStatus[status]; count > 0 {
			shown.Cards = append(shown.Cards, wire.Count{Name: string(status), Count: count})
		}
	}
	showHours(&shown, o.Hours)
	for _, step := range o.Setup {
		shown.Setup = append(shown.Setup, wire.Step(step))
	}
	for _, of := range o.Orders {
		shown.Orders = append(shown.Orders, wire.Count{Name: string(of.State), Count: of.Count})
		if of.State == order.Waiting {
			shown.Oldest = moment(of.Oldest)
		}
	}
	for _, job := range o.FailingJobs {
		shown.Jobs = append(shown.Jobs, wire.Job{
			ID: job.Name, State: "failing", Node: job.Node, Began: moment(job.Began),
			Ended: moment(job.Ended), Next: moment(job.Next), Error: job.Error,
		})
	}
	for _, a := range o.Attention {
		roles := attentionRoles[a.Kind]
		if len(roles) > 0 && !slices.ContainsFunc(roles, c.Roles.Has) {
			continue
		}
		shown.Attention = append(shown.Attention, wire.Attention{
			Kind: string(a.Kind), ID: a.ID, Name: a.Name, ProgramID: a.ProgramID,
			Since: moment(a.Since), Until: moment(a.Until), Count: a.Count, Detail: a.Detail,
		})
	}
	return shown, nil
}

// showHours sums the acts by hour and by kind of actor.
func showHours(shown *wire.Overview, hours []store.HourCount) {
	of := make(map[audit.Kind]int) // index in shown.Actors
	for _, hour := range slices.Backward(hours) {
		name := hour.Hour.Format(time.RFC3339)
		if last := len(shown.Acts) - 1; last < 0 || shown.Acts[last].Name != name {
			shown.Acts = append(shown.Acts, wire.Count{Name: name})
		}
		shown.Acts[len(shown.Acts)-1].Count += hour.Count
		shown.Refused += hour.Refused
		if _, known := of[hour.Kind]; !known {
			of[hour.Kind] = len(shown.Actors)
			shown.Actors = append(shown.Actors, wire.ActorCount{Kind: string(hour.Kind)})
		}
		by := &shown.Actors[of[hour.Kind]]
		by.Acts, by.Refused = by.Acts+hour.Count, by.Refused+hour.Refused
	}
	slices.SortFunc(shown.Actors, func(a, b wire.ActorCount) int {
		return cmp.Or(cmp.Compare(b.Acts, a.Acts), cmp.Compare(a.Kind, b.Kind))
	})
}

// attentionRoles has the roles that can read the page of a kind of attention; other kinds are for
// every operator.
var attentionRoles = map[overview.AttentionKind]operator.Roles{
	overview.FailingWebhook: {operator.Configurator, operator.Auditor},
	overview.PausedList:     {operator.Support, operator.Security, operator.Auditor},
	overview.OldBackup:      {operator.Auditor},
	overview.EndingKey:      {operator.Security, operator.Auditor},
}
