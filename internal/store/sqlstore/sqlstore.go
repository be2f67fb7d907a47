// Package sqlstore keeps the contract of package store in SQL. It owns the tables, their
// migrations and the text of every query; what a card may do is decided in package card, and
// which act reads and writes what in package issuing.
//
// Every query is written once, in the part of SQL that SQLite and PostgreSQL share: numbered
// placeholders, ON CONFLICT. What differs between the databases stands in dialect.
package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mintmark/internal/store"
)

// Store is a store.Store on a SQL database.
type Store struct {
	dialect dialect
	clock   func() time.Time

	// writers and readers hold the sessions that no transaction uses. Taking one is how a
	// transaction waits for its turn: a channel serves in the order of asking, and the wait can
	// be given up.
	writers chan session
	readers chan session

	line        waitingLine // of Updates
	asksForTurn bool        // an Update does not wait for other processes

	groupLimit int // 0 where Updates do not share transactions

	cache *cache // nil where others write to the database, too

	logLimit int // pages in the log at which they are written back; 0 without a log
	broke    breakage
	leave    func() error // notes that the file was closed well; nil without a file

	// newest is the time of the last Update. Only the holder of a writer may touch it.
	newest time.Time

	closing  sync.Once
	closed   chan struct{}
	closeErr error
}

var (
	_ store.Store     = (*Store)(nil)
	_ store.Breakable = (*Store)(nil)
)

var errClosed = fmt.Errorf("%w: the store is closed", store.ErrUnavailable)

// An Option changes how a store works.
type Option func(*Store)

// WithClock makes a store take the time of its transactions from a clock other than the system's.
func WithClock(now func() time.Time) Option {
	return func(s *Store) { s.clock = now }
}

// WithOneCommitPerUpdate gives each Update a transaction of its own, where Updates that wait for
// each other would otherwise share one.
func WithOneCommitPerUpdate() Option {
	return func(s *Store) { s.groupLimit = 0 }
}

// WithoutWaiting has an Update answer store.ErrBusy at once while another process writes to the
// same file. The database would ask at ever longer intervals, and miss its turn beside a server
// that writes without a pause.
func WithoutWaiting() Option {
	return func(s *Store) { s.asksForTurn = true }
}

// WithoutReadCache has every find look into the database.
func WithoutReadCache() Option {
	return func(s *Store) { s.cache = nil }
}

func newStore(d dialect, options []Option) *Store {
	s := &Store{dialect: d, clock: time.Now, closed: make(chan struct{})}
	s.broke.known = make(chan struct{})
	s.groupLimit = d.groupLimit
	if d.embedded {
		s.cache = newCache()
	}
	for _, option := range options {
		option(s)
	}
	return s
}

// ForeignCommits counts the Updates before which others were found to have written to the same
// file.
func (s *Store) ForeignCommits() int64 {
	if s.cache == nil {
		return 0
	}
	return s.cache.foreignSeen.Load()
}

// View runs a closure over one stable picture.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.transact(ctx, s.readers, s.dialect.beginView, nil, func(one session) error {
		return fn(&reader{ctx: ctx, session: one, began: beganAt(s.time())})
	})
}

// Update runs a closure and keeps what it wrote, all of it or nothing. The closure must not start
// another transaction on the same store: it would wait for itself.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	if s.groupLimit > 0 {
		return s.updateInGroup(ctx, fn)
	}
	wrote := &touched{}
	return s.transact(ctx, s.writers, s.dialect.beginUpdate, wrote, func(one session) error {
		if err := s.cache.look(ctx, one); err != nil {
			return err
		}
		return s.change(ctx, one, wrote, fn)
	})
}

// change runs a closure that writes, in a transaction of a session.
func (s *Store) change(
	ctx context.Context, one session, wrote *touched, fn func(store.Tx) error,
) error {
	// A system clock that is set back must not make a change older than what it changes.
	if now := s.time(); now.After(s.newest) {
		s.newest = now
	}
	t := &tx{
		reader:  reader{ctx: ctx, session: one, began: beganAt(s.newest), keeps: true},
		touched: wrote, cache: s.cache,
	}
	return t.verdict(fn(t))
}

// Close waits for the transactions that run and ends the store. Of a store that has broken, be it
// meanwhile, it returns why, and waits for nothing: a disk that fails may also never answer.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.closed)
		all := s.claimAll(s.writers)
		if s.readers != s.writers {
			all = append(all, s.claimAll(s.readers)...)
		}
		if s.Breakage() == nil {
			s.checkpoint(all[0], 0)
		}
		if s.closeErr = s.Breakage(); s.closeErr != nil {
			abandon(s, all)
			return
		}
		for _, one := range all {
			s.closeErr = errors.Join(s.closeErr, one.close())
		}
		if s.closeErr == nil && s.leave != nil {
			s.closeErr = s.leave()
		}
	})
	return s.closeErr
}

// time is the time of a transaction, in the precision that is kept.
func (s *Store) time() time.Time { return s.clock().UTC().Truncate(time.Millisecond) }

// transact runs a function in a transaction of a free session.
func (s *Store) transact(
	ctx context.Context, free chan session, begin string, wrote *touched, fn func(session) error,
) error {
	one, err := s.take(ctx, free)
	if err != nil {
		return err
	}
	defer func() { free <- one }()

	if _, err := one.exec(ctx, begin); err != nil {
		return err
	}
	committed := false
	defer func() {
		// This also runs when the closure panics. A failure to roll back means that the
		// database has done so already.
		if !committed {
			_, _ = one.exec(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	if err := fn(one); err != nil {
		s.notice(err)
		return err
	}
	err = s.cache.during(wrote, func() error {
		if wrote != nil {
			return s.commit(ctx, one)
		}
		_, err := one.exec(ctx, "COMMIT")
		return err
	})
	if err != nil {
		return err
	}
	committed = true
	if wrote != nil {
		s.checkpoint(one, s.logLimit)
	}
	return nil
}

// take waits for a free session. Once the store is closed or has broken there is none.
func (s *Store) take(ctx context.Context, free chan session) (session, error) {
	// Most need not wait, and asking a context when it ends costs more than to look.
	if err := s.usable(); err != nil {
		return nil, err
	}
	select {
	case one := <-free:
		return s.check(one, free)
	default:
	}
	select {
	case one := <-free:
		return s.check(one, free)
	case <-s.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// check gives a session back that was taken while the store broke.
func (s *Store) check(one session, free chan session) (session, error) {
	if s.Breakage() == nil {
		return one, nil
	}
	free <- one
	return nil, s.usable()
}

// claimAll takes every session out of use, as it becomes free, or until the store breaks.
func (s *Store) claimAll(free chan session) []session {
	var all []session
	for range cap(free) {
		select {
		case one := <-free:
			all = append(all, one)
		case <-s.broke.known:
			return all
		}
	}
	return all
}

// drain closes sessions that are not in use yet.
func drain(free chan session) error {
	var errs []error
	for range cap(free) {
		one := <-free
		errs = append(errs, one.close())
	}
	return errors.Join(errs...)
}
