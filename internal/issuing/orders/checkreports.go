package orders

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// reportsAtOnce is the number of reports of a file that one transaction checks.
const reportsAtOnce = 500

// CheckReports returns the reports of a file that were not applied before, so that a file that was
// applied in part continues from there. fault is the reason why the file cannot be applied: a
// report has the identifier of another one, or reports name orders that do not exist, one per line.
func (s *Service) CheckReports(
	ctx context.Context, reports []order.Report,
) (fresh []order.Report, fault string, err error) {
	inFile := make(map[string]order.Report, len(reports))
	var unknown []string
	for chunk := range slices.Chunk(reports, reportsAtOnce) {
		err := s.Store.View(ctx, func(r store.Tx) error {
			earlier, err := findReports(r, chunk)
			if err != nil {
				return err
			}
			for _, report := range chunk {
				report.Reason = pan.Redact(report.Reason)
				kept, applied := earlier[report.ID]
				if applied && !isSameReport(kept.Report, report) {
					fault = fmt.Sprintf("report %q: %s", report.ID, otherContent)
					return nil
				}
				if twin, ok := inFile[report.ID]; ok && !isSameReport(twin, report) {
					fault = fmt.Sprintf("report %q: another one of this reportId is in the file", report.ID)
					return nil
				}
				inFile[report.ID] = report
				if applied {
					continue
				}
				ok, err := isKnown(r, report.OrderID)
				if err != nil {
					return err
				}
				if !ok {
					unknown = append(unknown, fmt.Sprintf("there is no order %q", report.OrderID))
				}
				fresh = append(fresh, report)
			}
			return nil
		})
		if err != nil || fault != "" {
			return nil, fault, err
		}
	}
	if len(unknown) > 0 {
		return nil, strings.Join(unknown, "\n"), nil
	}
	return fresh, "", nil
}

// findReports returns the reports that were received before, by identifier.
func findReports(r store.Tx, of []order.Report) (map[string]store.ReceivedReport, error) {
	ids := make([]string, len(of))
	for i, report := range of {
		ids[i] = report.ID
	}
	received, err := r.Reports().FindMany(ids)
	earlier := make(map[string]store.ReceivedReport, len(received))
	for _, report := range received {
		earlier[report.ID] = report
	}
	return earlier, err
}

// isKnown reports whether there is an order with a public identifier. It is true for a report
// without one, which is about a card.
func isKnown(r store.Tx, public string) (bool, error) {
	if public == "" {
		return true, nil
	}
	number, ok := order.ParseID(public)
	if !ok {
		return false, nil
	}
	o, err := r.Orders().Find(number)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return o.Is(public), err
}
