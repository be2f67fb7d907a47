package orders

import (
	"context"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
)

// OrderReport holds the outcomes of the orders of a program that were written in a span, and the
// orders that the processor has not answered.
type OrderReport struct {
	issuing.Span
	ProgramID int
	Lines     []OrderLine // without kinds that no order has

	// Oldest is when the oldest order that is waiting or sent was written, in the span or before
	// it; zero if there is none.
	Oldest time.Time
	// Unanswered holds those of them that were written more than an hour ago, oldest first.
	Unanswered     []order.Order
	MoreUnanswered bool
	// Failed holds orders that the processor refused or that were given up, and that no operator
	// has dropped.
	Failed     []order.Order
	MoreFailed bool
}

// OrderLine counts the orders of a kind by state. Dropped orders have failed, too, and are counted
// separately.
type OrderLine struct {
	Kind                                                order.Kind
	Written, Waiting, Held, Sent, Done, Failed, Dropped int
	// InFile counts the sent orders in files that the processor has not fetched.
	InFile int
}

// Acknowledged returns the number of orders that the processor has.
func (l OrderLine) Acknowledged() int { return l.Sent - l.InFile + l.Done }

const (
	longUnanswered = time.Hour
	maxListed      = 100                 // unanswered or failed orders of a report
	longestSpan    = 31 * 24 * time.Hour // of a report
	defaultSpan    = 24 * time.Hour
)

// ReportOrders reports on the orders of a program in the operator's scope. A span without an end
// ends now, and one without a beginning covers a day.
func (s *Service) ReportOrders(
	ctx context.Context, who issuing.Operator, programID int, span issuing.Span,
) (OrderReport, error) {
	var report OrderReport
	err := s.View(ctx, who, programID, func(r store.Tx) error {
		orderReport := OrderReport{ProgramID: programID, Span: span}
		if orderReport.To.IsZero() {
			orderReport.To = r.Now()
		}
		if orderReport.From.IsZero() {
			orderReport.From = orderReport.To.Add(-defaultSpan)
		}
		if length := orderReport.To.Sub(orderReport.From); length <= 0 || length > longestSpan {
			return issuing.Invalid("to", "must come after from, by 31 days at most")
		}
		of := reconciled.OrderQuery{
			ProgramID: programID, From: orderReport.From, To: orderReport.To, Limit: maxListed + 1,
		}
		counts, err := r.Reconciliations().CountOrders(of)
		if err != nil {
			return err
		}
		orderReport.Lines = orderLines(counts)
		of.Failed = true
		orderReport.Failed, err = r.Reconciliations().ListOrders(of)
		if err != nil {
			return err
		}
		of.Failed, of.From = false, time.Time{}
		open, err := r.Reconciliations().ListOrders(of)
		if err != nil {
			return err
		}
		orderReport.add(open, r.Now())
		report = orderReport
		return nil
	})
	return report, err
}

// add adds the orders that the processor has not answered.
func (r *OrderReport) add(open []order.Order, now time.Time) {
	if len(open) > 0 {
		r.Oldest = open[0].Created
	}
	for _, o := range open {
		if now.Sub(o.Created) > longUnanswered {
			r.Unanswered = append(r.Unanswered, o)
		}
	}
	if len(r.Unanswered) > maxListed {
		r.Unanswered, r.MoreUnanswered = r.Unanswered[:maxListed], true
	}
	if len(r.Failed) > maxListed {
		r.Failed, r.MoreFailed = r.Failed[:maxListed], true
	}
}

// orderLines adds up counts by kind, in the order of order.Kinds.
func orderLines(counts []reconciled.OrderCount) []OrderLine {
	var lines []OrderLine
	for _, kind := range order.Kinds {
		line := OrderLine{Kind: kind}
		for _, orderCount := range counts {
			if orderCount.Kind == kind {
				line.Written += orderCount.Count
				if orderCount.InFile {
					line.InFile += orderCount.Count
				}
				*line.of(orderCount) += orderCount.Count
			}
		}
		if line.Written > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// of returns the count of a state.
func (l *OrderLine) of(orderCount reconciled.OrderCount) *int {
	switch orderCount.State {
	case order.Waiting:
		return &l.Waiting
	case order.Held:
		return &l.Held
	case order.Sent:
		return &l.Sent
	case order.Done:
		return &l.Done
	}
	if orderCount.Dropped {
		return &l.Dropped
	}
	return &l.Failed
}
