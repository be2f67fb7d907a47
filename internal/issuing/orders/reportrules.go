package orders

import (
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
)

// reportAct returns the name of the act of a report.
func reportAct(kind order.ReportKind) string { return "report " + string(kind) }

// A reportRule applies a report to a card, and returns false if the status of the card does not
// allow it.
type reportRule func(c card.Card, now time.Time) (card.Card, bool)

// reportRules holds the rules of the reports that mean the same for every kind of order.
var reportRules = map[order.ReportKind]reportRule{
	order.Taken:            card.Card.TakeOrder,
	order.Shipped:          card.Card.Ship,
	order.Delivered:        card.Card.Deliver,
	order.Returned:         card.Card.Return,
	order.PinSet:           card.Card.SetPin,
	order.PinTriesExceeded: card.Card.ExceedPinTries,
	order.Compromised:      card.Card.Compromise,
}

// ruleOf returns the rule of a report about an order of the given kind, which is empty without an
// order. Only the refusal of the order to make a card is a refusal of the card.
func ruleOf(kind order.ReportKind, about order.Kind) reportRule {
	if kind != order.Refused {
		return reportRules[kind]
	}
	switch about {
	case "":
		return card.Card.Refuse
	case order.Make:
		return card.Card.RefuseToMake
	}
	return func(c card.Card, _ time.Time) (card.Card, bool) { return c, true }
}

// locks reports whether a report locks its card. Such a report is applied whatever order it names.
func locks(kind order.ReportKind) bool {
	return kind == order.PinTriesExceeded || kind == order.Compromised
}
