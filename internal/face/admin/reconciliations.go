package admin

import (
	"context"
	"errors"
	"io"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/customers"
	"mintmark/internal/store/reconciled"
)

// reconciliationRun accepts a list, which names its program.
func (d *Desk) reconciliationRun() *Resource {
	return &Resource{
		Noun: "reconciliation", Path: "reconciliations", Item: "reconciliations/{id}",
		Roles: configuratorRoles, Create: createLong(Op{
			Name:    "run",
			Summary: "Compare a list of the card processor or of the core banking system",
		}, rowsType, maxFeedBytes, d.reconcile),
	}
}

func (d *Desk) reconciliations() *Resource {
	return &Resource{
		Noun: "reconciliation", Path: "reconciliations", Item: "reconciliations/{id}",
		Empty: "Reports appear after a list is compared: mintmark reconciliation run FILE.",
		Fields: []Field{
			{Name: "kind", Label: "List of", On: Shown, Help: "cards or balances"},
			{Name: "programId", Label: "Program", On: Shown},
			{Name: "at", Label: "The list is of", On: Shown, Help: "Time of the data."},
			{Name: "made", Label: "Compared", On: Shown, Help: "Time of the comparison."},
			{Name: "by", Label: "By", On: Shown, Help: "Name of the operator."},
			{Name: "compared", Label: "Rows", On: Shown, Help: "Cards or accounts compared."},
			{Name: "equal", Label: "Equal", On: Shown, Help: "Without a difference."},
			{Name: "inFlight", Label: "In flight", On: Shown,
				Help: "Different only because of changes still in flight."},
			{Name: "different", Label: "Different", On: Shown, Help: "Rows with a difference."},
			{Name: "sha256", Label: "SHA-256 of the list", On: Shown},
		},
		In:    Param{Name: "id", Flag: "program", Help: "Of this program.", Number: true},
		ID:    Param{Name: "id", Help: "Number of the report.", Number: true},
		Help:  "Lists of the card processor and of the core, compared with the stored data.",
		Nav:   Nav{"Watch", "Reconciliations"},
		Roles: operator.Roles{operator.Support, operator.Configurator},
		Columns: []string{
			"id", "programId", "kind", "at", "made", "by", "compared", "equal", "inFlight",
			"different",
		},
		List: list(Op{
			Summary: "List the reports of comparisons, newest first",
			Example: "mintmark reconciliation list --kind cards",
			Filters: []Field{
				{Name: "programId", Label: "Program", Help: "of a program"},
				{Name: "kind", Label: "List of", Help: "cards or balances", Choices: []Choice{
					{Value: "cards", Label: "Cards"}, {Value: "balances", Label: "Balances"},
				}},
			},
		}, d.listReconciliations),
		Show: get(Op{
			Summary: "Read the report of a comparison, with the differences",
			Help:    "The exit code is 1 when there are differences.",
			Example: "mintmark reconciliation get 1",
		}, byID(showReconciliation, d.acts.Customers.FindReconciliation)),
		Acts: []*Op{
			get(Op{
				Name: "orders", Path: "programs/{id}/order-report",
				Summary: "Count the orders of a period by kind and state",
				Help: "It counts the orders written in the period by kind and state, and names " +
					"those that failed, and those that the processor has not answered for more " +
					"than an hour. A period has 31 days at most.",
				Example: "mintmark reconciliation orders --program 1 --from 2026-03-14 " +
					"--to 2026-03-15",
				Filters: []Field{
					{Name: "from", Label: "From", Help: "Since a moment, such as " +
						"2026-03-14T15:09:26Z, or a day, such as 2026-03-14; a day before the " +
						"end unless given"},
					{Name: "to", Label: "To",
						Help: "Before a moment, or before a day; now unless given"},
				},
			}, d.orderReport),
		},
	}
}

func (d *Desk) reconcile(
	ctx context.Context, c *call, from io.Reader,
) (wire.Reconciliation, error) {
	file, err := d.receive(ctx, "list", c, from)
	if err != nil {
		return wire.Reconciliation{}, err
	}
	report, err := d.acts.Customers.Reconcile(ctx, c.who, file)
	if err := errors.Join(err, file.Close()); err != nil {
		return wire.Reconciliation{}, rowsProblem(err)
	}
	return showReconciliation(report), nil
}

func (d *Desk) listReconciliations(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Reconciliation, string, error) {
	kind := c.query.Get("kind")
	if kind != "" && !slices.Contains(reconciled.Kinds, reconciled.Kind(kind)) {
		return nil, "", invalidQuery("kind", "must be cards or balances")
	}
	reports, last, err := d.acts.Customers.ListReconciliations(ctx, c.who, customers.ReportFilter{
		ProgramID: c.number("programId"), Kind: kind,
	}, page)
	shown := forms(reports, showReconciliation)
	for i := range shown {
		shown[i].MoreDifferences = 0 // a list shows none
	}
	return shown, last, err
}

func showReconciliation(r reconciled.Report) wire.Reconciliation {
	shown := wire.Reconciliation{
		ID: r.ID, ProgramID: r.ProgramID, Kind: string(r.Kind), At: r.At, Made: r.Made, By: r.Who,
		Digest: r.Digest, Compared: r.Compared, Equal: r.Equal, InFlight: r.InFlight,
		Different: r.Different, Sorts: wire.ReconciledSorts{
			MissingHere:  r.BySort[reconciled.MissingHere],
			MissingThere: r.BySort[reconciled.MissingThere],
			State:        r.BySort[reconciled.State], LastFour: r.BySort[reconciled.LastFour],
			Expiry: r.BySort[reconciled.Expiry], Balance: r.BySort[reconciled.Balance],
		},
	}
	for _, count := range r.BySort {
		shown.MoreDifferences += count
	}
	shown.MoreDifferences -= len(r.Differences)
	for _, d := range r.Differences {
		difference := wire.ReconciledDifference{
			Sort: string(d.Sort), Here: d.Here, There: d.There, Available: d.Available,
			Holds: d.Holds,
		}
		if r.Kind == reconciled.Balances {
			difference.AccountID = d.ID
		} else {
			difference.CardID = d.ID
		}
		shown.Differences = append(shown.Differences, difference)
	}
	return shown
}

func (d *Desk) orderReport(ctx context.Context, c *call) (wire.OrderReport, error) {
	r, err := d.acts.Orders.ReportOrders(ctx, c.who, c.id("id"), c.span())
	if err != nil {
		return wire.OrderReport{}, err
	}
	shown := wire.OrderReport{
		ProgramID: r.ProgramID, From: r.From, To: r.To, Kinds: []wire.OrderTally{},
		OldestUnanswered: moment(r.Oldest),
		Unanswered:       append([]wire.Order{}, forms(r.Unanswered, showOrder)...),
		MoreUnanswered:   r.MoreUnanswered,
		Failed:           append([]wire.Order{}, forms(r.Failed, showOrder)...),
		MoreFailed:       r.MoreFailed,
	}
	for _, orderLine := range r.Lines {
		shown.Kinds = append(shown.Kinds, wire.OrderTally{
			Kind: string(orderLine.Kind), Written: orderLine.Written, Waiting: orderLine.Waiting, Held: orderLine.Held,
			Sent: orderLine.Sent, Done: orderLine.Done, Acknowledged: orderLine.Acknowledged(),
			Failed: orderLine.Failed, Dropped: orderLine.Dropped,
		})
	}
	return shown, nil
}
