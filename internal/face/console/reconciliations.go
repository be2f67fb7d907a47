package console

import (
	"context"
	"net/http"
	"net/url"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

func reconciliationRows() []row {
	return []row{
		page("reconciliations", "reconciliations", "list", listWithReport("reconciliations")),
		page("reconciliations/{id}", "reconciliations", "reconciliation", showReconciliation),
		page("order-report", "orders", "orderreport", showOrderReport),
	}
}

func reconciliationMark(r wire.Reconciliation) mark {
	if r.Different > 0 {
		return mark{"bad", "cross", plural(r.Different, "difference", "differences")}
	}
	return mark{"ok", "", "Equal"}
}

type reconciliationPage struct {
	itemPage
	wire.Reconciliation
	Other string // heading for the values of the list
	Rows  []differenceLine
}

type differenceLine struct {
	wire.ReconciledDifference
	Number    int // of the card or account
	To, Words string
}

// sortWords are the texts for the sorts of differences.
var sortWords = map[string]string{
	"missingHere": "Not here", "missingThere": "Not in the list", "state": "State",
	"lastFour": "Last four digits", "expiry": "Expiry", "balance": "Balance",
}

func showReconciliation(ctx context.Context, v *visit) (reconciliationPage, error) {
	p := pagesAt("reconciliations")
	r, err := readNamed[wire.Reconciliation](ctx, v, p.Item)
	if err != nil {
		return reconciliationPage{}, err
	}
	shown := reconciliationPage{
		itemPage: p.page(v, r), Reconciliation: r, Other: "At the card processor",
	}
	if r.Kind == "balances" {
		shown.Other = "In the core"
	}
	for _, difference := range r.Differences {
		line := differenceLine{
			ReconciledDifference: difference, Number: difference.CardID, Words: sortWords[difference.Sort],
		}
		if difference.CardID != 0 && difference.Sort != "missingHere" {
			line.To = v.To("cards/" + itoa(difference.CardID))
		}
		if difference.AccountID != 0 {
			line.Number = difference.AccountID
		}
		shown.Rows = append(shown.Rows, line)
	}
	return shown, nil
}

// orderReportPage shows what became of the orders of a day.
type orderReportPage struct {
	wire.OrderReport
	Day          string // in UTC, as the field has it; empty for the last 24 hours
	Since, Until moment
	Oldest       moment
	Open, Failed []reportedOrder
}

type reportedOrder struct {
	orderLine
	Written    moment
	To, ToCard string
}

func (v *visit) reportedOrders(all []wire.Order) []reportedOrder {
	var lines []reportedOrder
	for _, o := range all {
		lines = append(lines, reportedOrder{
			orderLine{o, orderMark(o)}, v.When(o.Created), v.To("orders/" + o.ID),
			v.To("cards/" + itoa(o.CardID)),
		})
	}
	return lines
}

func showOrderReport(ctx context.Context, v *visit) (orderReportPage, error) {
	path, err := v.fillPath("programs/{id}/order-report")
	if err != nil {
		return orderReportPage{}, err
	}
	span := url.Values{}
	command := []string{"reconciliation orders", v.programFlag()}
	day, err := time.Parse(time.DateOnly, v.Asked("day"))
	if err != nil && v.Asked("day") != "" {
		return orderReportPage{}, incomplete("day", "must be a day such as 2026-03-14")
	}
	if err == nil {
		from, to := day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly)
		span.Set("from", from)
		span.Set("to", to)
		command = append(command, "--from", from, "--to", to)
	}
	r, err := valueOf[wire.OrderReport](v.do(ctx, admin.Request{
		Method: http.MethodGet, Path: path, Query: span,
	}))
	if err != nil {
		return orderReportPage{}, err
	}
	shown := orderReportPage{
		OrderReport: r, Since: v.When(r.From), Until: v.When(r.To),
		Oldest: v.Maybe(r.OldestUnanswered),
	}
	if !day.IsZero() {
		shown.Day = day.Format(time.DateOnly)
	}
	shown.Open, shown.Failed = v.reportedOrders(r.Unanswered), v.reportedOrders(r.Failed)
	v.crumbs("Daily order report", "Orders", "orders")
	v.command(command...)
	return shown, nil
}
