// Package sqlite is the engine of the embedded database: one file, one writer, many readers. It
// owns the commit queue, in which Updates that wait for the disk at the same time share a commit,
// and the handling of a failing disk. It knows no table; the SQL is in package sqlstore. Decision 3
// says why SQLite is driven without database/sql.
package sqlite

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"runtime"
	"sync"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/base/platform"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite/tables"
)

// Engine runs transactions on a SQLite database.
type Engine struct {
	clock *clock.Clock

	// writers and readers hold the free connections. A transaction takes one from the channel,
	// which serves transactions in the order of arrival and makes the wait cancellable.
	writers, readers chan *connection

	queue      commitQueue
	groupLimit int
	committed  func(updates int) // may be nil
	external   externalCommits

	logLimit int // pages of the log at which it is written back; 0 without a log
	failure  failure
	leave    func() error // records that the file was closed cleanly; nil without a file

	// newest is the time of this machine at the last Update. Only the holder of the writer may
	// access it.
	newest time.Time

	closing  sync.Once
	closed   chan struct{}
	closeErr error
}

var _ db.Engine = (*Engine)(nil)

// Options configures an engine. The zero value is right for a server.
type Options struct {
	// Clock derives business time from the time of this machine; without a Clock they are the same.
	Clock *clock.Clock
	// GroupLimit is how many Updates may share a commit; 0 means the default.
	GroupLimit int
	// DoNotWait makes an Update fail immediately with store.ErrBusy while another process writes to
	// the same file. SQLite would retry at ever longer intervals, and miss the short gaps that a
	// busy server leaves.
	DoNotWait bool
	// Image is the initial content of a database in memory, as Engine.Image returns it in this
	// version of the program. Nil means an empty database.
	Image []byte
	// Committed, if set, is called with the number of Updates that shared a commit.
	Committed func(updates int)
}

// defaultGroupLimit bounds how many Updates share a commit. A larger group delays its first Update,
// and leaves too few callers to fill the next group while the disk syncs.
const defaultGroupLimit = 48

// minReaders is how many Views run concurrently on a small machine.
const minReaders = 4

// Open opens the database in a file, creates the file if there is none, and brings its tables up to
// date. It first checks a file that was not closed cleanly, and rejects a damaged one with
// ErrDamaged.
func Open(ctx context.Context, path string, options Options) (*Engine, error) {
	return openFile(ctx, path, writerSettings, options)
}

// openFile opens the database in a file with the given settings for the writer.
func openFile(
	ctx context.Context, path string, writer []string, options Options,
) (*Engine, error) {
	name := fileName(path)
	var use *users
	err := alone(ctx, home(path), func() error {
		var clean bool
		var err error
		use, clean, err = enter(path)
		if err != nil {
			return err
		}
		if !clean {
			if err := checkAfterCrash(ctx, path); err != nil {
				return err
			}
		}
		// The migration library has its own driver, which applies the settings of the writer.
		return classify(tables.Update(ctx, name+"?"+url.Values{"_pragma": writer}.Encode()))
	})
	if err != nil {
		return nil, errors.Join(err, use.abandon())
	}
	e := newEngine(options)
	e.logLimit = logLimit
	if options.DoNotWait {
		// The log is written back in small parts during the pauses of this process, so that a
		// commit of the server need not do it.
		writer = append(writer[:len(writer):len(writer)], "busy_timeout = 0")
		e.logLimit = smallLogLimit
	}
	e.leave = func() error {
		return alone(context.Background(), home(path), use.leave)
	}
	e.writers, err = openConnections(name, 1, writer)
	if err != nil {
		return nil, errors.Join(err, use.abandon())
	}
	e.readers, err = openConnections(name, max(minReaders, runtime.NumCPU()), readerSettings)
	if err != nil {
		return nil, errors.Join(err, drain(e.writers), use.abandon())
	}
	// The log file is new. SQLite syncs the directory with the first commit, and does not report an
	// error of that sync.
	if err := platform.SyncDirectory(home(path)); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func newEngine(options Options) *Engine {
	e := &Engine{
		clock: options.Clock, groupLimit: cmp.Or(options.GroupLimit, defaultGroupLimit),
		committed: options.Committed, closed: make(chan struct{}),
	}
	e.failure.known = make(chan struct{})
	e.external.opened = time.Now()
	return e
}

// BatchesReads returns false: a lookup takes less time than waiting for others would.
func (e *Engine) BatchesReads() bool { return false }

// Read runs a closure in which each Query sees its own snapshot.
func (e *Engine) Read(ctx context.Context, fn func(db.Session) error) error {
	if err := e.usable(); err != nil {
		return err
	}
	s := &session{ctx: ctx, engine: e}
	defer s.release()
	return fn(s)
}

// View runs a closure in which all queries see one snapshot.
func (e *Engine) View(ctx context.Context, fn func(db.Session) error) error {
	on, err := e.take(ctx, e.readers)
	if err != nil {
		return err
	}
	defer func() { e.readers <- on }()
	if _, err := on.exec(ctx, beginView); err != nil {
		return err
	}
	// Nothing was written, so it does not matter how the transaction ends.
	defer func() { _, _ = on.exec(context.WithoutCancel(ctx), "ROLLBACK") }()
	return fn(&session{ctx: ctx, on: on, now: clock.TimeOr(ctx, e.clock.Now())})
}

// Close waits for running transactions and closes the engine. If the engine has failed, or fails
// meanwhile, Close returns the cause without waiting, because a failing disk may never answer.
func (e *Engine) Close() error {
	e.closing.Do(func() {
		close(e.closed)
		all := e.claimAll(e.writers)
		if e.readers != e.writers {
			all = append(all, e.claimAll(e.readers)...)
		}
		if e.Failure() == nil {
			e.checkpoint(all[0], 0)
		}
		if e.closeErr = e.Failure(); e.closeErr != nil {
			abandon(e, all)
			return
		}
		for _, conn := range all {
			e.closeErr = errors.Join(e.closeErr, conn.close())
		}
		if e.closeErr == nil && e.leave != nil {
			e.closeErr = e.leave()
		}
	})
	return e.closeErr
}
