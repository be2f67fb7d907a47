package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store"
)

// A store breaks when the disk has failed in a way that leaves open what is on it. A commit whose
// sync fails is the case in point: its pages are in the log, and it is not known whether they will
// be there after a restart. A second sync would prove nothing. The kernel forgets what it could not
// write, and reports success from then on.
//
// So the store answers nothing more, neither from memory nor from the file, and leaves the files as
// they are. The next start replays the log and so decides what was kept.
type breakage struct {
	once  sync.Once
	known chan struct{} // closed when there is a cause
	cause error
}

// Broken is closed when the store has broken.
func (e *Engine) Broken() <-chan struct{} { return e.broke.known }

// Breakage says why the store has broken; nil while it has not.
func (e *Engine) Breakage() error {
	select {
	case <-e.broke.known:
		return e.broke.cause
	default:
		return nil
	}
}

// breakDown ends the store for good.
func (e *Engine) breakDown(cause error) {
	e.broke.once.Do(func() {
		e.broke.cause = cause
		close(e.broke.known)
	})
}

// usable returns why nothing may be read or written any more. Whoever is told so has written
// nothing.
func (e *Engine) usable() error {
	select {
	case <-e.closed:
		return errClosed
	case <-e.broke.known:
		return fmt.Errorf("%w: stopped, because earlier: %v", store.ErrUnavailable, e.broke.cause)
	default:
		return nil
	}
}

// commit ends a transaction that writes.
func (e *Engine) commit(ctx context.Context, on *connection) (err error) {
	if e.Breakage() != nil {
		return e.usable()
	}
	defer func() {
		// Those that wait for the session would wait for ever.
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: the commit panicked: %v", store.ErrUnknownOutcome, cause)
			e.breakDown(err)
		}
	}()
	_, err = on.exec(ctx, "COMMIT")
	if !undecided(err) {
		return err
	}
	// The class of the error says that nothing was kept, and must not come along.
	err = fmt.Errorf("%w: the commit failed with %v", store.ErrUnknownOutcome, resultCode(err))
	e.breakDown(err)
	return err
}

// undecided reports whether an error of a commit leaves open what is on disk. It does not when the
// commit was not begun, or another process holds the lock, or a constraint is violated. Nor does it
// when the disk is full: the frame that makes a commit is written last, and it is not whole. All
// other errors may come after that frame, those of a sync above all.
func undecided(err error) bool {
	if err == nil || errors.Is(err, errClosed) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	certain := []sqlite.ResultCode{
		sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultConstraint, sqlite.ResultFull,
	}
	return !slices.Contains(certain, resultCode(err).ToPrimary())
}

// notice breaks the store when a sync failed before the commit. That happens when a transaction
// outgrows the memory for its pages. Nothing of it is kept, and yet no later sync can be trusted.
func (e *Engine) notice(err error) {
	switch resultCode(err) {
	case sqlite.ResultIOErrFsync, sqlite.ResultIOErrDirFsync:
		e.breakDown(fmt.Errorf("a sync failed before the commit: %w", err))
	}
}

// logLength asks how many pages the log holds, and backfill writes them into the database file, as
// far as no reader needs what stands there. They answer whether they had to give way, the pages of
// the log, and those that are in the file.
const (
	logLength = "PRAGMA wal_checkpoint(NOOP)"
	backfill  = "PRAGMA wal_checkpoint(PASSIVE)"
)

// checkpoint writes the log back when it has so many pages. SQLite would do so by itself after a
// commit, and when the file is closed, but it would keep an error of the sync to itself.
func (e *Engine) checkpoint(on *connection, from int) {
	if e.logLimit == 0 || e.Breakage() != nil {
		return
	}
	defer func() {
		if cause := recover(); cause != nil {
			e.breakDown(fmt.Errorf("writing the log back panicked: %v", cause))
		}
	}()
	var gaveWay bool
	var pages, written int
	ask := func(text string) error {
		return on.row(context.Background(), []any{&gaveWay, &pages, &written}, text)
	}
	err := ask(logLength)
	if err == nil && pages >= from {
		err = ask(backfill)
	}
	if undecided(err) {
		e.breakDown(fmt.Errorf("writing the log back failed with %v", resultCode(err)))
	}
}

// abandoned are the stores that broke, and sessions. To close them would write the log back, which
// is for the next start to do. The library complains about connections that are no longer held.
var abandoned struct {
	mu  sync.Mutex
	all []any
}

func abandon(what ...any) {
	abandoned.mu.Lock()
	defer abandoned.mu.Unlock()
	abandoned.all = append(abandoned.all, what...)
}
