package customers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/importer"
	"mintmark/internal/importer/reconcile"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
)

const reconcileAct = "reconcile"

// aheadOfClock is how far the clock of a list's source may be ahead.
const aheadOfClock = 5 * time.Minute

// Reconcile compares a list with the stored data of its program, which must be in the operator's
// scope, and stores the report with one audit entry. For an invalid list it returns an
// *importer.Problems and stores nothing.
func (s *Service) Reconcile(
	ctx context.Context, who issuing.Operator, file *importer.Rows,
) (reconciled.Report, error) {
	list, err := reconcile.Begin(file)
	if err != nil {
		return reconciled.Report{}, err
	}
	_, err = s.ProgramInScope(ctx, who, list.ProgramID)
	if errors.Is(err, store.ErrNotFound) {
		return reconciled.Report{}, list.Refuse("programId", "there is no program %d",
			list.ProgramID)
	}
	if err != nil {
		return reconciled.Report{}, err
	}
	digits, now := 0, time.Time{}
	err = s.Store.View(ctx, func(r store.Tx) error {
		p, err := r.Programs().Find(list.ProgramID)
		digits, now = p.Settings.DecimalCount, r.Now()
		return err
	})
	if err != nil {
		return reconciled.Report{}, err
	}
	if list.At.Sub(now) > aheadOfClock {
		return reconciled.Report{}, list.Refuse("at", "lies in the future")
	}
	report, err := reconcile.Run(ctx, s.Store, list, digits)
	if err != nil {
		return reconciled.Report{}, err
	}
	report.Digest, report.Who = file.Digest, who.Name
	return s.keepReport(ctx, who, file, report)
}

func (s *Service) keepReport(
	ctx context.Context, who issuing.Operator, file *importer.Rows, report reconciled.Report,
) (reconciled.Report, error) {
	entry := func(r reconciled.Report) audit.Entry {
		counts := fmt.Sprintf("%s of %s: %d compared, %d equal, %d in flight, %d different",
			r.Kind, r.At.Format(time.RFC3339), r.Compared, r.Equal, r.InFlight, r.Different)
		return file.Entry(reconcileAct, who.Actor, r.Made, counts, nil, true)
	}
	kept := report
	err := s.Act(ctx, who, issuing.InProgram(report.ProgramID), reconcileAct,
		func(tx *issuing.Tx) error {
			put := report
			put.Made = tx.Now()
			if err := tx.Reconciliations().Put(&put); err != nil {
				return err
			}
			kept = put
			return tx.PutEntry(entry(put))
		})
	if err == nil && who.DryRun {
		// The response holds balances, so the read is in the audit.
		kept.ID = 0
		read := entry(kept)
		read.ProgramID, read.Outcome = kept.ProgramID, issuing.OutcomeRead+": "+read.Outcome
		err = s.PutEntry(ctx, read)
	}
	if err != nil {
		return reconciled.Report{}, err
	}
	return kept, nil
}

// ReportFilter selects reports to list. A zero field does not restrict.
type ReportFilter struct {
	ProgramID int
	Kind      string
}

// ListReconciliations returns the reports that an operator may see, newest first, without their
// differences.
func (s *Service) ListReconciliations(
	ctx context.Context, who issuing.Operator, filter ReportFilter, page issuing.Page,
) (reports []reconciled.Report, last string, err error) {
	number := func(r reconciled.Report) int { return r.ID }
	return issuing.PageOf(ctx, s.Service, who, filter.ProgramID, page, number, func(
		r store.Tx, programs []int, before, limit int,
	) ([]reconciled.Report, error) {
		return r.Reconciliations().List(reconciled.Query{
			Programs: programs, Kind: reconciled.Kind(filter.Kind), Before: before, Limit: limit,
		})
	})
}

// FindReconciliation returns a report in the operator's scope, with its differences.
func (s *Service) FindReconciliation(
	ctx context.Context, who issuing.Operator, id int,
) (reconciled.Report, error) {
	programOf := func(report reconciled.Report) int { return report.ProgramID }
	return issuing.FindInScope(ctx, s.Service, who, programOf,
		func(r store.Tx) (reconciled.Report, error) { return r.Reconciliations().Find(id) })
}
