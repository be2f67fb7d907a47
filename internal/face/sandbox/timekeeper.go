package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/store"
)

// Timekeeper has everything that falls due in a sandbox happen in order and at its moment: when the
// clock is moved, all of it on the way, and while the clock runs, what has fallen due since the
// last look. It is safe for concurrent use.
type Timekeeper struct {
	service *acts.Service
	clock   *clock.Clock
	log     *slog.Logger
	// deliver sends the orders that are due.
	deliver func(context.Context) error

	// turn is held for writing while things that are due are done, and for reading by the
	// dispatcher while its orders are in flight.
	turn    sync.RWMutex
	reached time.Time // up to here everything was done
}

// NewTimekeeper returns a timekeeper that sends orders with a function.
func NewTimekeeper(
	service *acts.Service, of *clock.Clock, log *slog.Logger,
	deliver func(context.Context) error,
) *Timekeeper {
	return &Timekeeper{service: service, clock: of, log: log, deliver: deliver}
}

// ErrBackwards is the error of a clock that was to be moved backwards.
var ErrBackwards = errors.New("sandbox: the clock is later already")

// Begin does what fell due while no process served, before the first request. What the process
// before has done last is found in the states of the jobs.
func (t *Timekeeper) Begin(ctx context.Context) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	states, err := t.service.Overview.Jobs(ctx)
	if err != nil {
		return fmt.Errorf("find what was done last: %w", err)
	}
	now := t.now()
	t.reached = now
	for _, state := range states {
		if state.Name == issuing.ExpireJob && state.Began.Before(now) {
			t.reached = state.Began
		}
	}
	return t.catchUp(ctx)
}

// lookEvery is how late something may be noticed that is due sooner than anything was before.
const lookEvery = time.Minute

// Run does what falls due while the clock runs, as soon as it does, until the context ends.
func (t *Timekeeper) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := t.CatchUp(ctx); err != nil {
			t.fail(ctx, t.now(), err)
		}
		now := t.now()
		next := now.Add(lookEvery)
		if due, err := nextDue(ctx, t.service, now, next); err == nil && !due.Moment.IsZero() {
			next = due.Moment
		}
		_ = t.clock.Wait(ctx, next) // whichever way it ends, the loop looks again
	}
}

// CatchUp does what has fallen due since it was called last. While the clock stands still there is
// nothing.
func (t *Timekeeper) CatchUp(ctx context.Context) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	if now := t.now(); t.clock.Frozen() && !now.After(t.reached) {
		t.reached = now // the clock was set back, to a world in which everything was done
		return nil
	}
	return t.catchUp(ctx)
}

// catchUp is CatchUp for the holder of the turn, whether the clock stands still or not.
func (t *Timekeeper) catchUp(ctx context.Context) error {
	until := t.now()
	if t.reached.After(until) {
		t.reached = until
	}
	if err := t.doUntil(ctx, until, func(time.Time) {}); err != nil {
		return err
	}
	at := clock.WithMoment(ctx, until)
	return errors.Join(doAllDue(at, t.service), t.deliver(at))
}

// Pause waits until nothing that is due is being done, and keeps it so until the function that it
// returns is called: a world is put in the place of another meanwhile.
func (t *Timekeeper) Pause() (goOn func()) {
	t.turn.Lock()
	return t.turn.Unlock
}

// Follow takes it that everything is done that is due by now: the world was put in the place of
// another, or another node has moved the clock. The caller keeps the timekeeper paused.
func (t *Timekeeper) Follow() { t.reached = t.now() }

// Turn is Pause for the dispatcher, whose rounds may overlap.
func (t *Timekeeper) Turn() (over func()) {
	t.turn.RLock()
	return t.turn.RUnlock
}

// Move moves the clock to the moment that a function makes of the present one, which is never
// earlier, and freezes it or lets it run. Everything that falls due on the way has happened when
// Move returns. When the context ends first, the clock stays at the moment that was reached.
func (t *Timekeeper) Move(
	ctx context.Context, frozen *bool, to func(now time.Time) (time.Time, error),
) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	before, now := t.clock.Setting(), t.now()
	target, err := to(now)
	if err != nil {
		return err
	}
	target = target.UTC().Truncate(time.Millisecond)
	if target.Before(now) {
		return ErrBackwards
	}
	stays := !before.Frozen.IsZero()
	if frozen != nil {
		stays = *frozen
	}
	// Time has gone on since it was read, and acts were done in it.
	from := t.clock.Freeze()
	if target.Before(from) {
		target = from
	}
	err = t.pass(ctx, from, target)
	t.arrive(before, from, stays)
	return err
}

// pass lets the time from a moment, at which the clock stands still, to a later one pass. The clock
// stands still at each moment at which something is done.
func (t *Timekeeper) pass(ctx context.Context, from, to time.Time) error {
	if err := t.catchUp(ctx); err != nil {
		t.fail(ctx, from, err)
	}
	stop := func(at time.Time) { t.clock.Set(clock.Setting{Frozen: at}) }
	if err := t.doUntil(ctx, to, stop); err != nil {
		return err
	}
	stop(to)
	return nil
}

// arrive lets the clock go on, or stand still, where it has been moved to. A clock that ran before
// keeps the time that the move has taken.
func (t *Timekeeper) arrive(before clock.Setting, from time.Time, stays bool) {
	switch reached := t.now(); {
	case stays:
	case before.Frozen.IsZero():
		t.clock.Set(before.Advance(reached.Sub(from)))
	default:
		t.clock.Thaw()
	}
}

// doUntil does what falls due behind the moment that was reached, up to an end, each at its moment.
// A job that fails does not hold up time: it is done again by the next one who looks.
func (t *Timekeeper) doUntil(ctx context.Context, until time.Time, stop func(time.Time)) error {
	for ctx.Err() == nil {
		due, err := nextDue(ctx, t.service, t.reached, until)
		if err != nil {
			return fmt.Errorf("find what falls due: %w", err)
		}
		if due.Moment.IsZero() {
			t.reached = until
			return nil
		}
		stop(due.Moment)
		at := clock.WithMoment(ctx, due.Moment)
		err = errors.Join(doDue(at, t.service, due), t.deliver(at))
		t.reached = due.Moment
		if errors.Is(err, store.ErrUnavailable) {
			return err
		}
		if err != nil {
			t.fail(ctx, due.Moment, err)
		}
	}
	return ctx.Err()
}

func (t *Timekeeper) fail(ctx context.Context, at time.Time, err error) {
	if ctx.Err() == nil {
		t.log.ErrorContext(ctx, "not everything that fell due was done", "moment", at, "error", err)
	}
}

// now is the time in the unit in which times are kept.
func (t *Timekeeper) now() time.Time { return t.clock.Now().UTC().Truncate(time.Millisecond) }
