package sqlstore

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
func (s *Store) Broken() <-chan struct{} { return s.broke.known }

// Breakage says why the store has broken; nil while it has not.
func (s *Store) Breakage() error {
	select {
	case <-s.broke.known:
		return s.broke.cause
	default:
		return nil
	}
}

// breakDown ends the store for good.
func (s *Store) breakDown(cause error) {
	s.broke.once.Do(func() {
		s.broke.cause = cause
		close(s.broke.known)
	})
}

// usable returns why nothing may be read or written any more. Whoever is told so has written
// nothing.
func (s *Store) usable() error {
	select {
	case <-s.closed:
		return errClosed
	case <-s.broke.known:
		return fmt.Errorf("%w: stopped, because earlier: %v", store.ErrUnavailable, s.broke.cause)
	default:
		return nil
	}
}

// commit ends a transaction that writes.
func (s *Store) commit(ctx context.Context, one session) (err error) {
	if s.Breakage() != nil {
		return s.usable()
	}
	defer func() {
		// Those that wait for the session would wait for ever.
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: the commit panicked: %v", store.ErrUnknownOutcome, cause)
			s.breakDown(err)
		}
	}()
	_, err = one.exec(ctx, "COMMIT")
	if !undecided(err) {
		return err
	}
	// The class of the error says that nothing was kept, and must not come along.
	err = fmt.Errorf("%w: the commit failed with %v", store.ErrUnknownOutcome, resultCode(err))
	s.breakDown(err)
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
func (s *Store) notice(err error) {
	switch resultCode(err) {
	case sqlite.ResultIOErrFsync, sqlite.ResultIOErrDirFsync:
		s.breakDown(fmt.Errorf("a sync failed before the commit: %w", err))
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
func (s *Store) checkpoint(one session, from int) {
	if s.logLimit == 0 || s.Breakage() != nil {
		return
	}
	defer func() {
		if cause := recover(); cause != nil {
			s.breakDown(fmt.Errorf("writing the log back panicked: %v", cause))
		}
	}()
	var gaveWay bool
	var pages, written int
	ask := func(text string) error {
		return one.queryRow(everyone, text)(&gaveWay, &pages, &written)
	}
	err := ask(logLength)
	if err == nil && pages >= from {
		err = ask(backfill)
	}
	if undecided(err) {
		s.breakDown(fmt.Errorf("writing the log back failed with %v", resultCode(err)))
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
