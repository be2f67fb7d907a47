package app

import (
	"context"
	"time"

	"mintmark/internal/issuing"
	"mintmark/internal/job"
)

// jobJitter spreads the jobs of several nodes. A sandbox has one node and repeatable times.
const jobJitter = 5 * time.Second

// startBackground starts the jobs and watchers that run beside the requests.
func (a *App) startBackground() {
	ctx, stop := context.WithCancel(context.Background())
	a.stop = stop
	a.jobs = a.newJobs()
	a.background.Go(func() { a.callers.Run(ctx, a.Log) })
	a.background.Go(func() { a.watchStore(ctx) })
	a.background.Go(func() { a.jobs.Run(ctx) })
}

// newJobs returns the jobs of the service. Each name is that of a lease, which nodes of earlier
// versions on the same database take, too.
func (a *App) newJobs() *job.Runner {
	settings := job.Settings{Node: a.node, Clock: a.Clock, Log: a.Log, Jitter: jobJitter}
	if a.Sandbox {
		settings.Jitter = 0
	}
	everyMinute := job.Every(time.Minute)
	return job.New(a.store, settings,
		job.Job{Name: issuing.ExpireJob, Schedule: everyMinute, Run: a.expireUnverified},
		job.Job{Name: issuing.ForgetJob, Schedule: everyMinute, Run: a.service.ForgetAnswers},
		job.Job{Name: issuing.ExpirePinsJob, Schedule: everyMinute, Run: a.expirePins},
	)
}

func (a *App) expireUnverified(ctx context.Context) error {
	_, err := a.service.ExpireUnverified(ctx)
	return err
}

func (a *App) expirePins(ctx context.Context) error {
	destroyed, err := a.service.ExpirePins(ctx)
	if destroyed > 0 {
		a.Log.WarnContext(ctx, "PINs destroyed that the card processor did not take in time",
			"count", destroyed)
	}
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
