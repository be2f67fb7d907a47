package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"mintmark/internal/app/job"
	"mintmark/internal/auditlog"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/customers"
	"mintmark/internal/issuing/events"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/issuing/orders"
)

// jobJitter spreads the jobs of several nodes. A sandbox has one node and repeatable times.
const jobJitter = 5 * time.Second

// The job that takes the files of a card processor. A large one may take longer than until the next
// is looked for.
const (
	collectJob    = "collect files of the card processor"
	collectEvery  = 2 * time.Second
	collectWithin = 5 * time.Minute
)

// The jobs that seal and digest numbers anew. To look is cheap, and a key that was rotated should
// not have to wait; a whole bank may take long.
const (
	resealEvery  = 10 * time.Second
	resealWithin = time.Hour
)

// refusalsWithin is how long entering refusals may take.
const refusalsWithin = 5 * time.Second

// webhooksLoop is the name under which the delivery of webhooks shows how it fares.
const webhooksLoop = "deliver webhooks"

// startBackground starts the jobs and watchers that run beside the requests.
func (a *App) startBackground() {
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	a.background.Go(func() { a.callers.Run(ctx, a.Log) })
	a.background.Go(func() { a.watchStore(ctx) })
	a.background.Go(func() { a.watchKeys(ctx) })
	a.background.Go(func() { a.noteJumps(ctx) })
	if a.Sandbox {
		a.runWorlds(ctx)
		return
	}
	a.background.Go(a.startJobs(ctx))
}

// startJobs starts what works on the data of one world until the context ends. The function that
// it returns waits until all of it has ended but deliveries of webhooks: a receiver may take long
// to answer.
func (a *App) startJobs(ctx context.Context) (wait func()) {
	var running sync.WaitGroup
	jobs := a.newJobs()
	told := loops{
		jobs.Loop(auditlog.Lease), jobs.Loop(orders.DeliverJob), jobs.Loop(webhooksLoop),
	}
	if a.Sandbox {
		a.begin(ctx, jobs, told)
	}
	running.Go(func() { jobs.Run(ctx) })
	if a.time != nil {
		running.Go(func() { a.time.Run(ctx) })
	}
	a.sealer.Ran = told.sealer
	running.Go(func() { a.sealer.Run(ctx) })
	if a.orders != nil {
		a.orders.Ran = told.orders
		running.Go(func() { a.orders.Run(ctx) })
	}
	deliver := a.newDeliverer(told.webhooks)
	a.background.Go(func() { deliver.Run(ctx) })
	running.Go(func() { a.enterRefusals(ctx) })
	return running.Wait
}

// loops are told how the work fares that goes on all the time.
type loops struct{ sealer, orders, webhooks func(context.Context, error) }

// enterRefusals enters in the audit what callers, and people who sign in, were refused on this node,
// each minute and at the end.
func (a *App) enterRefusals(ctx context.Context) {
	ticker := time.NewTicker(issuing.RefusalsEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ticker.C:
			if a.repeatable() {
				continue // whoever looks has them entered
			}
		case <-ctx.Done():
		}
		entering, cancel := context.WithTimeout(context.WithoutCancel(ctx), refusalsWithin)
		err := errors.Join(a.service.EnterRefusals(entering), a.people.EnterRefusals(entering))
		if err != nil {
			a.Log.WarnContext(entering, "refusals are not in the audit", "error", err)
		}
		cancel()
	}
}

// newJobs returns the jobs of the service. Each name is that of a lease, which nodes of earlier
// versions on the same database take, too.
func (a *App) newJobs() *job.Runner {
	settings := job.Settings{Node: a.node, Clock: a.Clock, Log: a.Log, Jitter: jobJitter}
	if a.Sandbox {
		settings.Jitter = 0
	}
	everyMinute, everyHour := job.Every(time.Minute), job.Every(time.Hour)
	jobs := []job.Job{
		{Name: issuing.ExpireJob, Schedule: everyMinute, Run: a.orInOrder(a.expireUnverified)},
		{Name: issuing.ForgetJob, Schedule: everyMinute, Run: a.orInOrder(a.service.ForgetAnswers)},
		{Name: issuing.ExpirePinsJob, Schedule: everyMinute, Run: a.orInOrder(a.expirePins)},
		{Name: issuing.RenewJob, Schedule: everyHour, Run: a.orInOrder(a.renewCards)},
		{Name: issuing.DocumentsJob, Schedule: everyMinute, Run: a.orInOrder(a.announceDocuments)},
		{Name: issuing.KeysJob, Schedule: everyHour, Run: a.orInOrder(a.warnOfKeys)},
		{Name: events.ForgetDeliveriesJob, Schedule: everyHour, Run: a.service.Events.ForgetDeliveries},
		{Name: customers.ForgetPeopleJob, Schedule: everyHour, Run: a.service.Customers.ForgetPeople},
		{Name: customers.ForgetReconciliationsJob, Schedule: everyHour,
			Run: a.service.Customers.ForgetReconciliations},
		{Name: issuing.EndHoldsJob, Schedule: everyMinute, Run: a.orInOrder(a.endHolds)},
		{Name: keys.ResealJob, Schedule: job.Every(resealEvery), Within: resealWithin,
			Run: a.reseal},
		{Name: archiveJob, Schedule: everyHour, Within: archiveWithin, Run: a.archiveAudit},
		{Name: keys.RedigestJob, Schedule: job.Every(resealEvery), Within: resealWithin,
			Run: a.redigest},
		{Name: cards.PackJob, Schedule: everyMinute, Run: a.service.Cards.PackCards},
	}
	if _, there := a.port.(inFiles); there {
		jobs = append(jobs, job.Job{
			Name: collectJob, Schedule: job.Every(collectEvery), Within: collectWithin,
			Run: a.collectFiles,
		})
	}
	return job.New(a.store, settings, jobs...)
}

func (a *App) expireUnverified(ctx context.Context) error {
	_, err := a.service.Cards.ExpireUnverified(ctx)
	return err
}

func (a *App) expirePins(ctx context.Context) error {
	destroyed, err := a.service.Orders.ExpirePins(ctx)
	if destroyed > 0 {
		a.Log.WarnContext(ctx, "PINs destroyed that the card processor did not take in time",
			"count", destroyed)
	}
	return err
}

func (a *App) renewCards(ctx context.Context) error {
	renewed, err := a.service.Cards.RenewCards(ctx)
	if renewed > 0 {
		a.Log.InfoContext(ctx, "cards renewed that are about to expire", "count", renewed)
	}
	return err
}

func (a *App) announceDocuments(ctx context.Context) error {
	_, err := a.service.Events.AnnounceDocuments(ctx)
	return err
}

func (a *App) warnOfKeys(ctx context.Context) error {
	warned, err := a.service.Events.WarnOfKeys(ctx)
	if warned > 0 {
		a.Log.WarnContext(ctx, "secrets of API keys are about to expire", "count", warned)
	}
	return err
}

func (a *App) reseal(ctx context.Context) error {
	resealed, err := a.service.Keys.Reseal(ctx)
	if resealed > 0 {
		a.Log.InfoContext(ctx, "card numbers and PINs sealed under the keys of their banks",
			"count", resealed)
	}
	return err
}

func (a *App) redigest(ctx context.Context) error {
	changed, err := a.service.Keys.Redigest(ctx)
	if changed > 0 {
		a.Log.InfoContext(ctx, "digests of card numbers changed by a rotation", "count", changed)
	}
	return err
}

func (a *App) endHolds(ctx context.Context) error {
	_, err := a.service.Transfers.EndHolds(ctx)
	return err
}

// awaitBackground waits until the background has ended, or the store has failed: on a failed disk
// a job may wait for ever.
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
