package sandbox

import (
	"context"
	"errors"
	"slices"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/events"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
)

// dueJob is a kind of work that falls due with time: when it is due next, and how to do it.
type dueJob struct {
	name string // of the kind of work
	// next returns the earliest due time in the span, once for each program concerned, or for
	// program 0. It may also return times after the end of the span.
	next func(of span) ([]store.ProgramTime, error)
	// do performs what is due, in some programs or in all.
	do func(ctx context.Context, s *acts.Service, programIDs []int) error
}

// dueJobs lists the jobs in the order in which those with the same due time run.
var dueJobs = []dueJob{
	{"pin", span.nextPin, func(ctx context.Context, s *acts.Service, in []int) error {
		_, err := s.Orders.ExpirePins(ctx, in...)
		return err
	}},
	{"verification", span.nextUnverified, func(ctx context.Context, s *acts.Service, in []int) error {
		_, err := s.Cards.ExpireUnverified(ctx, in...)
		return err
	}},
	{"hold", span.nextHold, func(ctx context.Context, s *acts.Service, in []int) error {
		_, err := s.Transfers.EndHolds(ctx, in...)
		return err
	}},
	{"renewal", span.nextRenewal, func(ctx context.Context, s *acts.Service, in []int) error {
		_, err := s.Cards.RenewCards(ctx, in...)
		return err
	}},
	{"document", span.nextDocument, func(ctx context.Context, s *acts.Service, _ []int) error {
		_, err := s.Events.AnnounceDocuments(ctx)
		return err
	}},
	{"keyWarning", span.nextKey, func(ctx context.Context, s *acts.Service, _ []int) error {
		_, err := s.Events.WarnOfKeys(ctx)
		return err
	}},
	{"idempotencyKey", span.nextAnswer, func(ctx context.Context, s *acts.Service, _ []int) error {
		return s.PurgeAnswers(ctx)
	}},
	// The timekeeper sends due orders itself.
	{"order", span.nextOrder, func(context.Context, *acts.Service, []int) error { return nil }},
}

// due is what falls due at one time.
type due struct {
	Moment time.Time // zero if nothing falls due
	of     [][]store.ProgramTime
}

// nextDue returns what falls due first after a time, up to and including an end. At that time the
// background jobs and the delivery of orders have something new to do.
func nextDue(ctx context.Context, s *acts.Service, after, until time.Time) (due, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (due, error) {
		first := due{of: make([][]store.ProgramTime, len(dueJobs))}
		var errs []error
		for i, job := range dueJobs {
			moments, err := job.next(span{r, after, until})
			errs = append(errs, err)
			first.of[i] = moments
			for _, m := range moments {
				if !m.Moment.After(until) &&
					(first.Moment.IsZero() || m.Moment.Before(first.Moment)) {
					first.Moment = m.Moment
				}
			}
		}
		return first, errors.Join(errs...)
	})
}

// listDue returns the next due time of each kind after a time, up to and including an end, earliest
// first.
func listDue(r store.Tx, after, until time.Time) ([]wire.Due, error) {
	list := []wire.Due{}
	for _, job := range dueJobs {
		moments, err := job.next(span{r, after, until})
		if err != nil {
			return nil, err
		}
		next := wire.Due{What: job.name}
		for _, m := range moments {
			if !m.Moment.After(until) && (next.At.IsZero() || m.Moment.Before(next.At)) {
				next.At = m.Moment.UTC()
			}
		}
		if !next.At.IsZero() {
			list = append(list, next)
		}
	}
	slices.SortStableFunc(list, func(a, b wire.Due) int { return a.At.Compare(b.At) })
	return list, nil
}

// doDue performs what falls due at now.Moment. The context must carry that time.
func doDue(ctx context.Context, s *acts.Service, now due) error {
	var errs []error
	for i, d := range dueJobs {
		var programIDs []int
		for _, m := range now.of[i] {
			if m.Moment.Equal(now.Moment) {
				programIDs = append(programIDs, m.ProgramID)
			}
		}
		if len(programIDs) > 0 {
			errs = append(errs, d.do(ctx, s, programIDs))
		}
	}
	return errors.Join(errs...)
}

// doAllDue performs everything that is due by now.
func doAllDue(ctx context.Context, s *acts.Service) error {
	var errs []error
	for _, d := range dueJobs {
		errs = append(errs, d.do(ctx, s, nil))
	}
	return errors.Join(errs...)
}

// span is the time after a start, up to and including an end, as seen in a transaction.
type span struct {
	r            store.Tx
	after, until time.Time
}

// pastEnd is added to a lifetime to get the first time that counts as past it: times are whole
// milliseconds.
const pastEnd = time.Millisecond

func (s span) nextPin() ([]store.ProgramTime, error) {
	const life = orders.PinLife + pastEnd
	moments, err := s.r.Due().NextPin(s.after.Add(-life))
	for i := range moments {
		moments[i].Moment = moments[i].Moment.Add(life)
	}
	return moments, err
}

func (s span) nextUnverified() ([]store.ProgramTime, error) {
	return s.r.Due().NextUnverified(s.after)
}

func (s span) nextHold() ([]store.ProgramTime, error) { return s.r.Due().NextHold(s.after) }

// nextRenewal returns, for each program, the next time at which the renewal of a month's cards
// begins.
func (s span) nextRenewal() ([]store.ProgramTime, error) {
	programIDs, err := s.r.Programs().List()
	if err != nil {
		return nil, err
	}
	var all []store.ProgramTime
	for _, id := range programIDs {
		moment, err := s.nextRenewalIn(id)
		if err != nil {
			return nil, err
		}
		if !moment.IsZero() {
			all = append(all, store.ProgramTime{ProgramID: id, Moment: moment})
		}
	}
	return all, nil
}

func (s span) nextRenewalIn(programID int) (time.Time, error) {
	// One day more on either side, because a month begins at a different time in each zone.
	months := store.ExpiringMonths{
		ProgramID: programID, First: monthNumber(s.after.AddDate(0, 0, -1)),
		Last: monthNumber(s.until.AddDate(0, 0, card.RenewalDays+1)),
	}
	var zone *time.Location
	for {
		year, month, ok, err := s.r.Due().NextExpiring(months)
		if err != nil || !ok {
			return time.Time{}, err
		}
		if zone == nil {
			of, err := s.r.Programs().Find(programID)
			if err != nil || of.Renewal.OrDefault() != program.Automatic {
				return time.Time{}, err
			}
			zone = of.Location()
		}
		moment := card.Month{Year: year, Month: month}.RenewalFrom(zone)
		if moment.After(s.after) {
			return moment.UTC(), nil
		}
		months.First = year*12 + month
	}
}

// monthNumber returns the number of months since year 0.
func monthNumber(at time.Time) int { return at.Year()*12 + int(at.Month()) - 1 }

func (s span) nextDocument() ([]store.ProgramTime, error) {
	return withoutProgram(s.r.Due().NextDocument(s.after))
}

// nextKey returns the next time at which a warning about an expiring API key secret is due.
func (s span) nextKey() ([]store.ProgramTime, error) {
	keys, err := s.r.Keys().List()
	var next time.Time
	for _, key := range keys {
		for _, secret := range key.Secrets {
			warned := secret.Expires.Add(-events.KeyWarning)
			if !key.Revoked.IsZero() || secret.Expires.IsZero() || !warned.After(s.after) {
				continue
			}
			if next.IsZero() || warned.Before(next) {
				next = warned
			}
		}
	}
	return withoutProgram(next, err)
}

// nextAnswer uses the default lifetime of idempotency keys: only a sandbox calls it, and a sandbox
// has no other.
func (s span) nextAnswer() ([]store.ProgramTime, error) {
	const life = issuing.IdempotencyLife + pastEnd
	given, err := s.r.Due().NextAnswer(s.after.Add(-life))
	if given.IsZero() {
		return nil, err
	}
	return withoutProgram(given.Add(life), err)
}

func (s span) nextOrder() ([]store.ProgramTime, error) {
	return withoutProgram(s.r.Due().NextOrder(s.after))
}

func withoutProgram(moment time.Time, err error) ([]store.ProgramTime, error) {
	if err != nil || moment.IsZero() {
		return nil, err
	}
	return []store.ProgramTime{{Moment: moment}}, nil
}
