package orders

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// ApplyReports applies reports of the card processor in order, each in its own transaction, and
// returns the result of each. After an error the remaining reports are not applied; applying the
// same list again is safe.
func (s *Service) ApplyReports(
	ctx context.Context, reports []order.Report,
) ([]order.ReportResult, error) {
	return s.ApplyReportsFrom(ctx, audit.Actor{Kind: audit.Processor, Name: ProcessorName}, reports)
}

// errFenced comes with the fault of a report on a card whose program is fenced.
var errFenced = errors.New("the program of the card is fenced")

// ApplyReportsFrom is ApplyReports for reports that came in a request of the given actor. A fence
// holds up only the reports on cards of its program, and its fault is returned at the end.
func (s *Service) ApplyReportsFrom(
	ctx context.Context, from audit.Actor, reports []order.Report,
) ([]order.ReportResult, error) {
	results := make([]order.ReportResult, 0, len(reports))
	var fenced error
	heldUp := make(map[int]bool) // by card: the fence may end before its next report
	for _, report := range reports {
		if heldUp[report.CardID] {
			continue
		}
		report.Reason = pan.Redact(report.Reason)
		result, err := s.applyInProgram(ctx, from, report)
		switch {
		case errors.Is(err, errFenced):
			fenced, heldUp[report.CardID] = err, true
		case err != nil:
			return results, err
		default:
			results = append(results, result)
		}
	}
	return results, fenced
}

// applyInProgram applies one report. The program of its card never changes, so it is looked up
// before the transaction.
func (s *Service) applyInProgram(
	ctx context.Context, from audit.Actor, report order.Report,
) (order.ReportResult, error) {
	from.Reason = report.Reason
	programID, err := store.ReadOf(ctx, s.Store, func(r store.Tx) (int, error) {
		return r.Reports().FindProgram(report.CardID)
	})
	who := issuing.Caller{Actor: from, Route: reportAct(report.Kind), ProgramID: programID}
	var result order.ReportResult
	if err == nil || errors.Is(err, store.ErrNotFound) {
		err = s.Update(ctx, who, func(tx *issuing.Tx) (err error) {
			result, err = applyReport(tx, report)
			return err
		})
	}
	if err != nil {
		return order.ReportResult{}, fmt.Errorf("report %q: %w", report.ID, issuing.FaultOf(err))
	}
	return result, nil
}

// ignored is the audit outcome of a report that contradicts the state of the card.
const ignored = "ignored"

// applyReport applies a report and stores it with its result. The first attempt does not look up
// the identifier, because the lookup would make reports about different cards collide.
func applyReport(tx *issuing.Tx, report order.Report) (order.ReportResult, error) {
	if !tx.Optimistic {
		earlier, err := tx.Reports().Find(report.ID)
		if err == nil {
			return repeated(earlier, report), nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return order.ReportResult{}, err
		}
	}
	// A file is applied despite a fence: it also has reports on cards of other programs.
	if tx.Caller.RequestID != "" {
		if err := tx.Service.CheckFence(tx.Caller.ProgramID); err != nil {
			if tx.Optimistic {
				return order.ReportResult{}, issuing.ErrRecheck // it may have been applied before
			}
			return order.ReportResult{}, fmt.Errorf("%w: %w", errFenced, err)
		}
	}
	why, err := carryOut(tx, report)
	if err != nil {
		return order.ReportResult{}, err
	}
	received := store.ReceivedReport{
		Report: report, ProgramID: tx.Caller.ProgramID, Received: tx.Now(),
		Result: order.Applied, Why: why,
	}
	if why != "" {
		received.Result = order.Ignored
		if err := tx.PutEntry(issuing.NewCardEntry(report.CardID, 0, ignored)); err != nil {
			return order.ReportResult{}, err
		}
	}
	if err := tx.Reports().Put(received); err != nil {
		return order.ReportResult{}, err
	}
	return order.ReportResult{
		ReportID: report.ID, Result: received.Result, Reason: received.Why,
	}, nil
}

// otherContent is the result of a report whose identifier was used for another one. Nothing is
// applied.
const otherContent = "another report of this reportId was received before"

// repeated returns the result of a report whose identifier was received before, with the reason why
// the earlier report was ignored, if it was.
func repeated(earlier store.ReceivedReport, now order.Report) order.ReportResult {
	result := order.ReportResult{
		ReportID: now.ID, Result: order.Repeated, Reason: earlier.Why,
	}
	if !isSameReport(earlier.Report, now) {
		result.Reason = otherContent
	}
	return result
}

// isSameReport reports whether two reports with the same identifier are equal. A processor that
// sends a report again may write its time differently.
func isSameReport(earlier, now order.Report) bool {
	if earlier.At.UnixMilli() == now.At.UnixMilli() {
		now.At = earlier.At
	}
	return earlier == now
}

// carryOut applies a report. why is the reason for ignoring the report, empty if it was applied.
func carryOut(tx *issuing.Tx, r order.Report) (why string, err error) {
	if tx.Caller.ProgramID == 0 {
		return "there is no such card", nil
	}
	before, err := tx.Cards().Find(tx.Caller.ProgramID, r.CardID)
	if err != nil {
		return "", err
	}
	reported, why, err := settleReported(tx, r)
	if why != "" && !locks(r.Kind) || err != nil {
		return why, err
	}
	rule := ruleOf(r.Kind, reported)
	after, possible := rule(before, tx.Now())
	if !possible {
		return fmt.Sprintf("the card is %s", before.Status), nil
	}
	again, err := lockAgain(tx, before, after, r)
	if err != nil {
		return "", err
	}
	_, err = SaveCard(tx, 0, before, after, again...)
	return "", err
}

// clockSlack is how far the processor's clock may be ahead of ours.
const clockSlack = 5 * time.Minute

// lockAgain returns the order to lock a card at the processor again, after the processor has
// reported it as locked, if an order to unlock it may have arrived there since, or may still
// arrive.
func lockAgain(tx *issuing.Tx, before, after card.Card, r order.Report) ([]Request, error) {
	if before.Lock == after.Lock {
		return nil, nil
	}
	all, err := tx.Orders().List(
		store.OrderQuery{ProgramID: after.ProgramID, CardID: after.ID, Limit: math.MaxInt32})
	opens := func(o order.Order) bool {
		return o.Kind == order.Unlock && o.Dropped.IsZero() &&
			(o.State != order.Done || o.Ended.After(r.At.Add(-clockSlack)))
	}
	if err != nil || !slices.ContainsFunc(all, opens) {
		return nil, err
	}
	return []Request{{Kind: order.ForLock(after.Lock)}}, nil
}

// Reasons why a report contradicts its order.
const (
	noSuchOrder = "there is no such order of the card"
	orderIsDone = "the order is done"
)

// settleReported settles the order that a report names. It returns the kind of that order, empty if
// the report names none, and the reason if the report contradicts the order.
func settleReported(tx *issuing.Tx, r order.Report) (about order.Kind, why string, err error) {
	if r.OrderID == "" {
		return "", "", nil
	}
	orderID, readable := order.ParseID(r.OrderID)
	if !readable {
		return "", noSuchOrder, nil
	}
	before, err := tx.Orders().Find(orderID)
	if errors.Is(err, store.ErrNotFound) {
		return "", noSuchOrder, nil
	}
	if err != nil {
		return "", "", err
	}
	if !before.Is(r.OrderID) || before.CardID != r.CardID {
		return "", noSuchOrder, nil
	}
	event := r.Kind.Event(before.Kind)
	if event == order.IsRefused && before.State == order.Done {
		return before.Kind, orderIsDone, nil
	}
	note := order.Note{}
	if event == order.IsRefused {
		note.Error = value.Cut(r.Reason, maxErrorLength)
	}
	after, settled := before.After(event, note, tx.Now())
	if !settled {
		return before.Kind, "", nil // the report repeats what is known
	}
	after.Attempts = before.Attempts // a report is not an attempt
	if after.State == order.Failed {
		return before.Kind, "", changeOrder(tx, before, &after, orderFailed)
	}
	return before.Kind, "", tx.Orders().Change(before, &after)
}
