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

// Timekeeper makes everything that falls due in a sandbox happen in order and at its due time: when
// the clock is moved, everything on the way; while the clock runs, everything since the last check.
// It is safe for concurrent use.
type Timekeeper struct {
	service *acts.Service
	clock   *clock.Clock
	log     *slog.Logger
	// deliver sends the due orders.
	deliver func(context.Context) error

	// turn is locked for writing while due work runs, and for reading by the dispatcher while its
	// orders are in flight.
	turn    sync.RWMutex
	reached time.Time // everything due up to here is done
}

// NewTimekeeper returns a timekeeper that sends orders with deliver.
func NewTimekeeper(
	service *acts.Service, of *clock.Clock, log *slog.Logger,
	deliver func(context.Context) error,
) *Timekeeper {
	return &Timekeeper{service: service, clock: of, log: log, deliver: deliver}
}

// ErrBackwards is the error of moving the clock backwards.
var ErrBackwards = errors.New("sandbox: the clock cannot be moved backwards")

// Begin performs, before the first request, what fell due while no process was running. The job
// states tell what the previous process did last.
func (t *Timekeeper) Begin(ctx context.Context) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	states, err := t.service.Overview.Jobs(ctx)
	if err != nil {
		return fmt.Errorf("read the states of jobs: %w", err)
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

// lookEvery is the maximum delay in noticing new work that is due before all other work.
const lookEvery = time.Minute

// Run performs what falls due while the clock runs, as soon as it is due, until the context ends.
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
		_ = t.clock.Wait(ctx, next) // however the wait ends, the loop checks again
	}
}

// CatchUp performs what has fallen due since the last call. Nothing falls due while the clock is
// frozen.
func (t *Timekeeper) CatchUp(ctx context.Context) error {
	t.turn.Lock()
	defer t.turn.Unlock()
	if now := t.now(); t.clock.Frozen() && !now.After(t.reached) {
		t.reached = now // the clock was set back to a state without overdue work
		return nil
	}
	return t.catchUp(ctx)
}

// catchUp is CatchUp for a holder of turn, for a frozen clock too.
func (t *Timekeeper) catchUp(ctx context.Context) error {
	until := t.now()
	if t.reached.After(until) {
		t.reached = until
	}
	if err := t.doUntil(ctx, until, func(time.Time) {}); err != nil {
		return err
	}
	at := clock.WithTime(ctx, until)
	return errors.Join(doAllDue(at, t.service), t.deliver(at))
}

// Pause waits for due work to end and prevents more until goOn is called. Data is replaced in
// between.
func (t *Timekeeper) Pause() (goOn func()) {
	t.turn.Lock()
	return t.turn.Unlock
}

// MarkDone marks everything due by now as done, after the data was replaced or another node has moved
// the clock. The timekeeper must be paused.
func (t *Timekeeper) MarkDone() { t.reached = t.now() }

// Share is Pause for the dispatcher, whose rounds may overlap each other.
func (t *Timekeeper) Share() (over func()) {
	t.turn.RLock()
	return t.turn.RUnlock
}

// Move moves the clock to to(now), which must not be earlier than now, and freezes or unfreezes it.
// When Move returns, everything that falls due on the way has happened. If the context ends first,
// the clock stays at the time that was reached.
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
	// The clock has advanced since it was read, and acts were performed meanwhile.
	from := t.clock.Freeze()
	if target.Before(from) {
		target = from
	}
	err = t.pass(ctx, from, target)
	t.arrive(before, from, stays)
	return err
}

// pass moves the frozen clock from one time to a later one, stopping at each time at which
// something falls due.
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

// arrive starts the clock, or leaves it frozen, at the time reached. A clock that was running
// before the move does not lose the time that the move took.
func (t *Timekeeper) arrive(before clock.Setting, from time.Time, stays bool) {
	switch reached := t.now(); {
	case stays:
	case before.Frozen.IsZero():
		t.clock.Set(before.Advance(reached.Sub(from)))
	default:
		t.clock.Thaw()
	}
}

// doUntil performs what falls due after t.reached, up to an end, each at its due time. A failing
// job does not hold up time: the next check runs it again.
func (t *Timekeeper) doUntil(ctx context.Context, until time.Time, stop func(time.Time)) error {
	for ctx.Err() == nil {
		due, err := nextDue(ctx, t.service, t.reached, until)
		if err != nil {
			return fmt.Errorf("find due work: %w", err)
		}
		if due.Moment.IsZero() {
			t.reached = until
			return nil
		}
		stop(due.Moment)
		at := clock.WithTime(ctx, due.Moment)
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
		t.log.ErrorContext(ctx, "running due work failed", "moment", at, "error", err)
	}
}

// now returns the time in the precision of stored times.
func (t *Timekeeper) now() time.Time { return t.clock.Now().UTC().Truncate(time.Millisecond) }
