package message

import (
	"encoding/json"
	"fmt"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/order"
)

// DecodeReport parses a report by the same rules as one over HTTP. Its errors quote nothing from
// the text, because they are logged.
func DecodeReport(text []byte) (order.Report, error) {
	var report order.Report
	wrong := strictjson.Read(text, func(o *strictjson.Object) { report = order.ReadReport(o) })
	if len(wrong) > 0 {
		return order.Report{}, fmt.Errorf("read a report: %s", withoutQuotes(wrong[0]))
	}
	return report, nil
}

// withoutQuotes returns the text of a problem without any value or unknown member in it.
func withoutQuotes(p problem.Problem) string {
	if p.Path == "" {
		return "it is not the JSON object of a report"
	}
	member, known := problem.Describe(order.Report{})[p.Path]
	if !known {
		return "it has a member that a report does not have"
	}
	if strings.Contains(p.Text, `"`) {
		return p.Path + ": must be " + strings.Join(member.Demands, ", ")
	}
	return p.Path + ": " + p.Text
}

// EncodeReport returns a report as a line of a file.
func EncodeReport(report order.Report) ([]byte, error) {
	text, err := json.Marshal(report)
	if err != nil {
		return nil, fmt.Errorf("encode report %s: %w", report.ID, err)
	}
	return text, nil
}
