package order

import (
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
)

// Lengths of what the processor sends, in characters, and the most reports of one message.
const (
	MaxReportID     = 100
	MaxOrderID      = 100
	MaxReportReason = 500
	MaxReports      = 1000
)

// MaxTries is how many of its tries an order keeps.
const MaxTries = 10

// ReadReport reads a report out of a body, and notes what is wrong with it.
func ReadReport(o *strictjson.Object) Report {
	r := Report{
		ID: o.Text("reportId"), OrderID: o.Text("orderId"), CardID: o.Number("cardId"),
		Kind: ReportKind(o.Text("kind")), At: o.Time("at"), Reason: o.Text("reason"),
	}
	o.Check(r)
	return r
}

// Rules are the rules of each member.
func (r Report) Rules(rules *problem.Rules) {
	rules.Text("reportId", r.ID, MaxReportID)
	rules.MayText("orderId", r.OrderID, MaxOrderID)
	rules.ID("cardId", r.CardID)
	problem.OneOf(rules, "kind", r.Kind, ReportKinds)
	rules.Require("at", !r.At.IsZero())
	rules.MayText("reason", r.Reason, MaxReportReason)
}
