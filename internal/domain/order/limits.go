package order

import (
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
)

// Maximum lengths of what the processor sends, in characters, and the maximum number of reports in
// a message.
const (
	MaxReportID     = 100
	MaxOrderID      = 100
	MaxReportReason = 500
	MaxReports      = 1000
)

// MaxTries is the maximum number of attempts that an order records.
const MaxTries = 10

// ReadReport reads a report from a body and records its problems.
func ReadReport(o *strictjson.Object) Report {
	r := Report{
		ID: o.String("reportId"), OrderID: o.String("orderId"), CardID: o.Int("cardId"),
		Kind: ReportKind(o.String("kind")), At: o.Time("at"), Reason: o.String("reason"),
	}
	o.Check(r)
	return r
}

// Rules checks each member.
func (r Report) Rules(rules *problem.Rules) {
	rules.Text("reportId", r.ID, MaxReportID)
	rules.OptionalText("orderId", r.OrderID, MaxOrderID)
	rules.ID("cardId", r.CardID)
	problem.OneOf(rules, "kind", r.Kind, ReportKinds)
	rules.Require("at", !r.At.IsZero())
	rules.OptionalText("reason", r.Reason, MaxReportReason)
}
