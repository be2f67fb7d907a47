package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"mintmark/internal/app/job"
	"mintmark/internal/auditlog"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/charts"
	"mintmark/internal/issuing/customers"
	"mintmark/internal/issuing/events"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/issuing/orders"
)

// jobJitter spreads the jobs of several nodes. A sandbox has one node and reproducible times.
const jobJitter = 5 * time.Second

// The job that collects the files of a card processor. A file with 100,000 reports may take long.
const (
	collectJob    = "collect files of the card processor"
	collectEvery  = 2 * time.Second
	collectWithin = time.Hour
)

// The jobs that encrypt and digest card numbers again after a rotation. Checking is cheap, and a
// rotated key should not have to wait; a whole bank may take long.
const (
	reencryptEvery  = 10 * time.Second
	reencryptWithin = time.Hour
)

// The job that counts for charts. The first run on a database with a long log takes long.
const (
	countEvery  = 10 * time.Second
	countWithin = time.Hour
)

// The job that locks and replaces compromised cards. A list should not have to wait; a long one
// takes minutes.
const (
	compromisesEvery  = 2 * time.Second
	compromisesWithin = time.Hour
)

// refusalsWithin is the timeout for recording refusals.
const refusalsWithin = 5 * time.Second

// startBackground starts the jobs and watchers that run concurrently with requests.
func (a *App) startBackground() {
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	a.background.Go(func() { a.callers.Run(ctx, a.Log) })
	a.background.Go(func() { a.watchStore(ctx) })
	a.background.Go(func() { a.watchKeys(ctx) })
	a.background.Go(func() { a.recordJumps(ctx) })
	if a.store.Server != nil && !a.Sandbox {
		a.background.Go(func() { a.watchServerClock(ctx) })
	}
	if a.sandbox != nil {
		a.sandbox.Run(ctx, &a.background, a.startJobs)
		return
	}
	a.background.Go(a.startJobs(ctx))
}

// startJobs starts the work on the data, which runs until the context ends. The returned function
// waits for all of it to end, except for webhook deliveries: a receiver may take long to respond.
func (a *App) startJobs(ctx context.Context) (wait func()) {
	var running sync.WaitGroup
	jobs := a.newJobs()
	sealed, sent := jobs.Loop(auditlog.Lease), jobs.Loop(orders.DeliverJob)
	delivered := jobs.Loop(events.DeliverEventsJob)
	if a.sandbox != nil {
		a.sandbox.BeginJobs(ctx, jobs, sealed, sent, delivered)
		running.Go(func() { a.sandbox.KeepTime(ctx) })
	}
	running.Go(func() { jobs.Run(ctx) })
	a.sealer.Ran = sealed
	running.Go(func() { a.sealer.Run(ctx) })
	if a.orders != nil {
		a.orders.Ran = sent
		running.Go(func() { a.orders.Run(ctx) })
	}
	deliver := a.newDeliverer(delivered)
	a.background.Go(func() { deliver.Run(ctx) })
	running.Go(func() { a.recordRefusals(ctx) })
	return running.Wait
}

// recordRefusals records in the audit the refusals of callers, and of people who sign in, on this
// node, every minute and at the end.
func (a *App) recordRefusals(ctx context.Context) {
	ticker := time.NewTicker(issuing.RefusalsEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ticker.C:
			if a.sandbox != nil && a.sandbox.Repeatable() {
				continue // a request to the operators' address records them
			}
		case <-ctx.Done():
		}
		entering, cancel := context.WithTimeout(context.WithoutCancel(ctx), refusalsWithin)
		err := errors.Join(a.service.FlushRefusals(entering), a.people.FlushRefusals(entering))
		if err != nil {
			a.Log.WarnContext(entering, "recording refusals in the audit failed", "error", err)
		}
		cancel()
	}
}

// newJobs returns the jobs of the service. Each name is also that of a lease, which nodes of
// earlier versions on the same database acquire, too.
func (a *App) newJobs() *job.Runner {
	settings := job.Settings{Node: a.node, Clock: a.Clock, Log: a.Log, Jitter: jobJitter}
	// A sandbox does everything that falls due in business time together and in order.
	due := func(run func(context.Context) error) func(context.Context) error { return run }
	if a.sandbox != nil {
		settings.Jitter = 0
		due = func(func(context.Context) error) func(context.Context) error {
			return a.sandbox.CatchUp
		}
	}
	s, everyMinute, everyHour := a.service, job.Every(time.Minute), job.Every(time.Hour)
	jobs := []job.Job{
		{Name: issuing.ExpireJob, Schedule: everyMinute,
			Run: due(quiet(all(s.Cards.ExpireUnverified)))},
		{Name: issuing.PurgeAnswersJob, Schedule: everyMinute, Run: due(s.PurgeAnswers)},
		{Name: issuing.ExpirePinsJob, Schedule: everyMinute, Run: due(a.counted(
			slog.LevelWarn, "PINs destroyed, because the card processor did not take them in time",
			all(s.Orders.ExpirePins)))},
		{Name: issuing.RenewJob, Schedule: everyHour, Run: due(a.counted(
			slog.LevelInfo, "cards renewed before they expire", all(s.Cards.RenewCards)))},
		{Name: issuing.CompromisesJob, Schedule: job.Every(compromisesEvery),
			Within: compromisesWithin, Run: a.counted(slog.LevelWarn,
				"cards of compromised numbers locked, replaced or left", s.Cards.HandleCompromises)},
		{Name: issuing.DocumentsJob, Schedule: everyMinute,
			Run: due(quiet(s.Events.AnnounceDocuments))},
		{Name: issuing.KeysJob, Schedule: everyHour, Run: due(a.counted(
			slog.LevelWarn, "secrets of API keys are about to expire", s.Events.WarnOfKeys))},
		{Name: events.PurgeDeliveriesJob, Schedule: everyHour, Run: s.Events.PurgeDeliveries},
		{Name: customers.RedactPeopleJob, Schedule: everyHour, Run: s.Customers.RedactPeople},
		{Name: customers.PurgeReconciliationsJob, Schedule: everyHour,
			Run: s.Customers.PurgeReconciliations},
		{Name: issuing.EndHoldsJob, Schedule: everyMinute, Run: due(quiet(all(s.Transfers.EndHolds)))},
		{Name: keys.ReencryptJob, Schedule: job.Every(reencryptEvery), Within: reencryptWithin,
			Run: a.counted(slog.LevelInfo, "card numbers and PINs sealed under the keys of their banks",
				s.Keys.Reencrypt)},
		{Name: archiveJob, Schedule: everyHour, Within: archiveWithin, Run: a.archiveAudit},
		{Name: keys.RehashJob, Schedule: job.Every(reencryptEvery), Within: reencryptWithin,
			Run: a.counted(slog.LevelInfo, "digests of card numbers changed by a rotation",
				s.Keys.Rehash)},
		{Name: cards.PackJob, Schedule: everyMinute, Run: s.Cards.PackCards},
		{Name: charts.CountJob, Schedule: job.Every(countEvery), Within: countWithin,
			Run: s.Charts.Count},
	}
	if files, ok := a.port.(inFiles); ok {
		jobs = append(jobs, job.Job{
			Name: collectJob, Schedule: job.Every(collectEvery), Within: collectWithin,
			Run: func(ctx context.Context) error { return files.Collect(ctx, s.Orders) },
		})
	}
	return job.New(a.store, settings, jobs...)
}

// counted returns the run of a job that logs how many things it changed, if any.
func (a *App) counted(
	level slog.Level, message string, run func(context.Context) (int, error),
) func(context.Context) error {
	return func(ctx context.Context) error {
		count, err := run(ctx)
		if count > 0 {
			a.Log.Log(ctx, level, message, "count", count)
		}
		return err
	}
}

// quiet returns the run of a job that logs nothing.
func quiet(run func(context.Context) (int, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := run(ctx)
		return err
	}
}

// all makes a job cover all programs.
func all(run func(context.Context, ...int) (int, error)) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) { return run(ctx) }
}

// awaitBackground waits until the background work has ended or the store has failed: on a failed
// disk a job may wait forever.
func (a *App) awaitBackground() {
	ended := make(chan struct{})
	go func() {
		a.background.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-a.failed:
	}
}
