package console

import (
	"context"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/order"
)

func orderRows() []row {
	rows := []row{
		page("orders", "orders", "orders", showOrders),
		page("orders/{id}", "orders", "order", showOrder),
	}
	for _, one := range orderActs {
		rows = append(rows, form("orders/{id}/"+one.name, "orders", "act",
			one.show, one.do)...)
	}
	return rows
}

// orderAct is what an operator can do about an order.
type orderAct struct {
	name, label string
	event       order.Event
	effect      string
	risky       bool
	stops       bool // the order is not sent
}

// orderActs are the acts in the order in which a page offers them.
var orderActs = []orderAct{
	{"retry", "Send again", order.Retry,
		"The order is sent again at once. The processor knows its identifier, so what it has " +
			"done already is done once.", false, false},
	{"hold", "Hold back", order.Hold,
		"The order is kept here, and so are those of its card that wait for it.", false, true},
	{"release", "Release", order.Release, "The order is sent at once.", false, false},
	{"drop", "Drop", order.Drop,
		"The order is given up for ever: what it was to tell the processor stays untold, and " +
			"the processor's card differs from ours.", true, true},
}

// possible reports whether an act can be done about an order now.
func (a orderAct) possible(o wire.Order) bool {
	return o.Dropped == nil && slices.ContainsFunc(order.Transitions,
		func(t order.Transition) bool {
			return string(t.From) == o.State && t.Event == a.event
		})
}

// orderList is the page of orders.
type orderList struct {
	Items    []orderLine
	Next     string
	States   filterChoice
	Filtered bool
}

type orderLine struct {
	wire.Order
	Mark mark
	When moment // of the next try, or of the end
}

func (v *visit) orderLine(o wire.Order) orderLine {
	line := orderLine{Order: o, Mark: orderMark(o), When: v.Maybe(o.NextTry)}
	if o.Ended != nil {
		line.When = v.Maybe(o.Ended)
	}
	return line
}

func orderMark(o wire.Order) mark {
	if o.Dropped != nil {
		return state("order", "dropped")
	}
	return state("order", o.State)
}

func showOrders(ctx context.Context, v *visit) (orderList, error) {
	asked := v.filter("state", "cardId")
	if v.Program != nil {
		asked.Set("programId", itoa(v.Program.ID))
	}
	found, err := readPage[wire.Order](ctx, v, "orders", asked)
	if err != nil {
		return orderList{}, err
	}
	list := orderList{
		Next: found.Next,
		States: v.chooses("state", "State", []option{
			{Value: "", Label: "All states"}, {Value: "waiting", Label: "Waiting"},
			{Value: "sent", Label: "Sent, outcome to come"}, {Value: "held", Label: "Held back"},
			{Value: "failed", Label: "Failed"}, {Value: "done", Label: "Done"},
		}),
		Filtered: v.filtered("state", "cardId"),
	}
	for _, o := range found.Items {
		list.Items = append(list.Items, v.orderLine(o))
	}
	v.crumbs("Orders")
	v.command("order list", v.programFlag(), v.flags("state", "cardId"))
	return list, nil
}

// orderPage is an order with what can be done about it.
type orderPage struct {
	orderLine
	Facts []fact
	Acts  []offered
}

// offered is an act of a page: one that can be done has an address.
type offered struct {
	Label, To, Why string
	Risky          bool
}

func findOrder(ctx context.Context, v *visit) (wire.Order, error) {
	found, err := read[wire.Order](ctx, v, "orders/"+v.param("id"))
	if err == nil {
		v.choose(found.ProgramID)
	}
	return found, err
}

func showOrder(ctx context.Context, v *visit) (orderPage, error) {
	o, err := findOrder(ctx, v)
	if err != nil {
		return orderPage{}, err
	}
	shown := orderPage{orderLine: v.orderLine(o), Facts: v.orderFacts(o)[1:]}
	for _, one := range orderActs {
		line := offered{Label: one.label, Why: one.effect, Risky: one.risky}
		if one.possible(o) && v.May("support", "configurator") {
			line.To = v.To("orders/" + o.ID + "/" + one.name)
		}
		shown.Acts = append(shown.Acts, line)
	}
	v.crumbs("Order "+itoa(o.Number), "Orders", "orders")
	v.command("order get", o.ID)
	return shown, nil
}

func (v *visit) orderFacts(o wire.Order) []fact {
	mark, urgent := orderMark(o), "no"
	if o.Urgent {
		urgent = "yes, before everything else"
	}
	facts := []fact{
		{Name: "State", Mark: &mark},
		{Name: "Kind", Text: o.Kind, Code: true},
		{Name: "Card", Text: itoa(o.CardID), To: v.To("cards/" + itoa(o.CardID))},
		{Name: "Sequence of the card", Text: itoa(o.Sequence)},
		{Name: "Tries", Text: itoa(o.Attempts)},
		{Name: "Urgent", Text: urgent},
		{Name: "Created", At: v.When(o.Created)},
		{Name: "Next try", At: v.Maybe(o.NextTry)},
		{Name: "Ended", At: v.Maybe(o.Ended)},
		{Name: "Identifier", Text: o.ID, Code: true},
	}
	if o.File > 0 {
		facts = append(facts, fact{Name: "Waits in file", Text: itoa(o.File)})
	}
	return facts
}

func (a orderAct) show(ctx context.Context, v *visit) (actPage, error) {
	o, err := findOrder(ctx, v)
	if err != nil {
		return actPage{}, err
	}
	number := itoa(o.Number)
	title := a.label + " order " + number
	if a.risky {
		title += " for good"
	}
	confirm, button := noSecond, title
	if a.stops && o.Urgent {
		confirm, button = v.secondOperator(), v.confirmLabel(title)
	}
	v.crumbs(title, "Orders", "orders", number, "orders/"+o.ID)
	v.command("order", a.name, o.ID, `--reason "…"`)
	return actPage{
		asking: asking{
			Confirm: confirm,
			Fields:  ask(reasonField("What is wrong, and what was found out.")).refused(v),
			Facts:   v.orderFacts(o), Revision: o.Revision, Button: button,
			Back: v.To("orders/" + o.ID), BackText: "Back to the order",
		},
		Effect: a.effect, Risky: a.risky,
	}, nil
}

func (a orderAct) do(ctx context.Context, v *visit) (outcome, error) {
	path := "orders/" + v.param("id")
	_, err := act[wire.Order](ctx, v, path+"/"+a.name, reasoned)
	return lead(v.To(path)), err
}
