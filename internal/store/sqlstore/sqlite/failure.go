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

// failure is the state of an engine whose disk has failed in a way that leaves the content of the
// disk unknown. After a commit whose sync has failed, the pages of the commit are in the log, but
// may be gone after a restart. A second sync would prove nothing, because the kernel drops pages
// that it could not write and then reports success.
//
// A failed engine answers nothing more, neither from memory nor from the file, and leaves the files
// as they are. The next start replays the log, which decides what was committed.
type failure struct {
	once  sync.Once
	known chan struct{} // closed when there is a cause
	cause error
}

// Failed returns a channel that is closed when the engine has failed.
func (e *Engine) Failed() <-chan struct{} { return e.failure.known }

// Failure returns why the engine has failed, or nil if it has not.
func (e *Engine) Failure() error {
	select {
	case <-e.failure.known:
		return e.failure.cause
	default:
		return nil
	}
}

// failStatement stops the engine. Only the first cause counts.
func (e *Engine) fail(cause error) {
	e.failure.once.Do(func() {
		e.failure.cause = cause
		close(e.failure.known)
	})
}

// usable returns the error of an engine that is closed or has failed. A transaction that gets the
// error has written nothing.
func (e *Engine) usable() error {
	select {
	case <-e.closed:
		return errClosed
	case <-e.failure.known:
		return fmt.Errorf("%w: stopped after an earlier failure: %v",
			store.ErrUnavailable, e.failure.cause)
	default:
		return nil
	}
}

// commit commits a transaction that writes.
func (e *Engine) commit(ctx context.Context, on *connection) (err error) {
	if e.Failure() != nil {
		return e.usable()
	}
	defer func() {
		// Without this, Updates that wait for the connection would wait forever.
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: the commit panicked: %v", store.ErrUnknownOutcome, cause)
			e.fail(err)
		}
	}()
	_, err = on.exec(ctx, "COMMIT")
	if !undecided(err) {
		return err
	}
	// The error itself is not wrapped: it may be store.ErrUnavailable, which means that nothing was
	// committed.
	err = fmt.Errorf("%w: the commit failed with %v", store.ErrUnknownOutcome, resultCode(err))
	e.fail(err)
	return err
}

// undecided reports whether an error of a commit leaves open whether the commit is on disk. The
// outcome is certain (nothing was committed) if the commit did not begin, another process holds the
// lock, a constraint is violated, or the disk is full: the frame that completes the commit is
// written last, and a full disk cuts it off. Any other error, such as one of a sync, may come after
// that frame.
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

// failOnSyncError makes the engine fail if a sync failed before the commit, which can happen when a
// transaction outgrows the page cache. Nothing of that transaction is committed, but no later sync
// can be trusted.
func (e *Engine) failOnSyncError(err error) {
	switch resultCode(err) {
	case sqlite.ResultIOErrFsync, sqlite.ResultIOErrDirFsync:
		e.fail(fmt.Errorf("a sync failed before the commit: %w", err))
	}
}

// logLength queries how many pages the log holds. backfill writes them into the database file,
// except for pages whose older version a reader still needs. Both return whether a lock stopped
// them, the number of pages in the log, and how many of those are in the file.
const (
	logLength = "PRAGMA wal_checkpoint(NOOP)"
	backfill  = "PRAGMA wal_checkpoint(PASSIVE)"
)

// checkpoint writes the log back if it has at least from pages. SQLite can do so on its own, after
// a commit and when the file is closed, but does not report an error of that sync.
func (e *Engine) checkpoint(on *connection, from int) {
	if e.logLimit == 0 || e.Failure() != nil {
		return
	}
	defer func() {
		if cause := recover(); cause != nil {
			e.fail(fmt.Errorf("the WAL checkpoint panicked: %v", cause))
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
		e.fail(fmt.Errorf("the WAL checkpoint failed with %v", resultCode(err)))
	}
}

// abandoned holds failed engines, and connections that must not be closed: closing them would write
// the log back, which is left to the next start. They are kept reachable, because the library
// panics when the garbage collector finds an open connection.
var abandoned struct {
	mu  sync.Mutex
	all []any
}

func abandon(what ...any) {
	abandoned.mu.Lock()
	defer abandoned.mu.Unlock()
	abandoned.all = append(abandoned.all, what...)
}
