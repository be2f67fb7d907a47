package processorapi

import (
	"context"
	"log/slog"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/order"
)

// results is the answer to a list of reports, with one result each, in order.
type results struct {
	Results []order.ReportResult `json:"results"`
}

func readReports(body []byte) ([]order.Report, problem.List) {
	var reports []order.Report
	wrong := strictjson.ReadList(body, order.MaxReports, func(o *strictjson.Object) {
		reports = append(reports, order.ReadReport(o))
	})
	return reports, wrong
}

// applyReports applies the reports in order.
func (f *Face) applyReports(
	ctx context.Context, who from, reports []order.Report,
) (results, error) {
	applied, err := f.reports.ApplyReportsFrom(ctx, who, reports)
	if applied == nil {
		applied = []order.ReportResult{}
	}
	return results{applied}, err
}

// notes returns the log attributes of the results: the count of each kind.
func (r results) notes() []slog.Attr {
	counts := make(map[order.Result]int)
	for _, result := range r.Results {
		counts[result.Result]++
	}
	var notes []slog.Attr
	for _, kind := range []order.Result{order.Applied, order.Repeated, order.Ignored} {
		if counts[kind] > 0 {
			notes = append(notes, slog.Int(string(kind), counts[kind]))
		}
	}
	return notes
}
