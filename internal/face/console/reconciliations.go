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
		page("reconciliations", "reconciliations", "reconciliations", showReconciliations),
		page("reconciliations/{id}", "reconciliations", "reconciliation", showReconciliation),
		page("order-report", "orders", "orderreport", showOrderReport),
	}
}

type reconciliationList struct {
	Items    []reconciliationLine
	Next     string
	Kinds    filterChoice
	Filtered bool
	Orders   string // address of the report on orders; empty without a program
}

type reconciliationLine struct {
	wire.Reconciliation
	Mark mark
}

func reconciliationLineOf(r wire.Reconciliation) reconciliationLine {
	line := reconciliationLine{r, mark{"ok", "", "Equal"}}
	if r.Different > 0 {
		line.Mark = mark{"bad", "cross", count(r.Different) + " differ"}
	}
	return line
}

func showReconciliations(ctx context.Context, v *visit) (reconciliationList, error) {
	asked := v.filter("kind")
	list := reconciliationList{
		Kinds: v.chooses("kind", "List of", []option{
			{Value: "", Label: "Cards and balances"}, {Value: "cards", Label: "Cards"},
			{Value: "balances", Label: "Balances"},
		}),
		Filtered: v.filtered("kind"),
	}
	if v.Program != nil {
		asked.Set("programId", itoa(v.Program.ID))
		list.Orders = v.To("order-report")
	}
	found, err := readPage[wire.Reconciliation](ctx, v, "reconciliations", asked)
	if err != nil {
		return reconciliationList{}, err
	}
	list.Next = found.Next
	for _, r := range found.Items {
		list.Items = append(list.Items, reconciliationLineOf(r))
	}
	v.crumbs("Reconciliations")
	v.command("reconciliation list", v.programFlag(), v.flags("kind"))
	return list, nil
}

type reconciliationPage struct {
	reconciliationLine
	Facts []fact
	Other string // whose list it is
	Rows  []differenceLine
}

type differenceLine struct {
	wire.ReconciledDifference
	Number    int // of the card or the account
	To, Words string
}

// sortWords say what a sort of difference means.
var sortWords = map[string]string{
	"missingHere": "Not here", "missingThere": "Not in the list", "state": "State",
	"lastFour": "Last four digits", "expiry": "Expiry", "balance": "Balance",
}

func showReconciliation(ctx context.Context, v *visit) (reconciliationPage, error) {
	r, err := read[wire.Reconciliation](ctx, v, "reconciliations/"+v.param("id"))
	if err != nil {
		return reconciliationPage{}, err
	}
	v.choose(r.ProgramID)
	shown := reconciliationPage{
		reconciliationLine: reconciliationLineOf(r), Other: "At the card processor",
	}
	if r.Kind == "balances" {
		shown.Other = "In the core"
	}
	shown.Facts = []fact{
		{Name: "List of", Text: r.Kind},
		{Name: "Program", Text: itoa(r.ProgramID), To: v.To("programs/" + itoa(r.ProgramID))},
		{Name: "The list is of", At: v.When(r.At)},
		{Name: "Compared", At: v.When(r.Made)},
		{Name: "By", Text: r.By},
		{Name: "Rows", Text: count(r.Compared)},
		{Name: "Equal", Text: count(r.Equal)},
		{Name: "In flight", Text: count(r.InFlight)},
		{Name: "SHA-256 of the list", Text: r.Digest, Code: true},
	}
	for _, one := range r.Differences {
		line := differenceLine{
			ReconciledDifference: one, Number: one.CardID, Words: sortWords[one.Sort],
		}
		if one.CardID != 0 && one.Sort != "missingHere" {
			line.To = v.To("cards/" + itoa(one.CardID))
		}
		if one.AccountID != 0 {
			line.Number = one.AccountID
		}
		shown.Rows = append(shown.Rows, line)
	}
	v.crumbs("Report "+itoa(r.ID), "Reconciliations", "reconciliations")
	v.command("reconciliation get", itoa(r.ID))
	return shown, nil
}

// orderReportPage is what became of the orders of a day.
type orderReportPage struct {
	wire.OrderReport
	Day          string // the first of the span, as the field has it
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
			v.orderLine(o), v.When(o.Created), v.To("orders/" + o.ID),
			v.To("cards/" + itoa(o.CardID)),
		})
	}
	return lines
}

func showOrderReport(ctx context.Context, v *visit) (orderReportPage, error) {
	path, err := v.ofProgram("order-report")
	if err != nil {
		return orderReportPage{}, err
	}
	span := url.Values{}
	command := []string{"reconciliation orders", v.programFlag()}
	day, err := time.Parse(time.DateOnly, v.Asked("day"))
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
		OrderReport: r, Day: r.From.Format(time.DateOnly), Since: v.When(r.From),
		Until: v.When(r.To), Oldest: v.Maybe(r.OldestUnanswered),
	}
	shown.Open, shown.Failed = v.reportedOrders(r.Unanswered), v.reportedOrders(r.Failed)
	v.crumbs("Orders of a day", "Orders", "orders")
	v.command(command...)
	return shown, nil
}
