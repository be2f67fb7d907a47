package app

import (
	"context"
	"errors"
	"mintmark/internal/app/job"
	"net/http"
	"sync/atomic"
)

// A sandbox with a seed whose clock stands still is repeatable: two of them answer the same
// requests byte for byte the same. What the service does in the background at moments of the wall
// clock is done in step with requests then.

// repeatable reports whether equal requests have equal answers.
func (a *App) repeatable() bool { return a.Sandbox && a.Seed != nil && a.Clock.Frozen() }

// begin does what is due at the start of a sandbox, before anybody asks.
func (a *App) begin(ctx context.Context, jobs *job.Runner, told loops) {
	jobs.Begin(ctx)
	for _, loop := range []func(context.Context, error){told.sealer, told.orders, told.webhooks} {
		loop(ctx, nil)
	}
	if a.repeatable() {
		a.settle(ctx)
	}
}

// dated has every answer of a sandbox be dated by its clock, as everything in the answer is. A
// second is written once.
func (a *App) dated(next http.Handler) http.Handler {
	type date struct {
		second int64
		header []string
	}
	var last atomic.Pointer[date]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := a.Clock.Now().UTC()
		of := last.Load()
		if of == nil || of.second != now.Unix() {
			of = &date{now.Unix(), []string{now.Format(http.TimeFormat)}}
			last.Store(of)
		}
		w.Header()["Date"] = of.header
		next.ServeHTTP(w, r)
	})
}

// settled has the background catch up around the requests of a repeatable sandbox that may see or
// change what it works on.
func (a *App) settled(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !a.repeatable() {
			next.ServeHTTP(w, r)
			return
		}
		a.settle(r.Context())
		next.ServeHTTP(w, r)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			a.settle(r.Context())
		}
	})
}

// sealBehind has the audit sealed behind an act of a caller in a repeatable sandbox, before it is
// answered, so that it falls into the same batches every time, and subscribers hear of it at once.
func (a *App) sealBehind(r *http.Request) {
	if r.Method == http.MethodPost && a.repeatable() {
		ctx := a.worlds.era.In(context.WithoutCancel(r.Context()))
		a.noteBehind(ctx, a.sealer.SealAll(ctx))
	}
}

// settle does at once what the background would do within a minute: enters refusals, seals the
// audit, notes when keys were used, and takes changed keys over.
func (a *App) settle(ctx context.Context) {
	ctx = a.worlds.era.In(context.WithoutCancel(ctx))
	a.noteBehind(ctx, errors.Join(a.service.EnterRefusals(ctx), a.people.EnterRefusals(ctx),
		a.sealer.SealAll(ctx), a.callers.Settle(ctx, a.Log)))
}

// noteBehind logs that the background could not catch up. The next request has it try again.
func (a *App) noteBehind(ctx context.Context, err error) {
	if err != nil {
		a.Log.WarnContext(ctx, "the background has not caught up", "error", err)
	}
}
