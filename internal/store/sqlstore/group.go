package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"mintmark/internal/store"
)

// groupLimit bounds how many Updates share a transaction. The first of them waits for the work of
// all the others, and while they all wait for the disk nobody is left to prepare the next.
const groupLimit = 48

// group is a transaction that several Updates share, so that they wait for the disk once.
//
// Updates wait in a line. The first in it leads: it takes the session, runs the closures of those
// in line one after the other, each under a savepoint of its own, and commits for all when nobody
// waits or the group is full. Then the next in line leads. So the work stays with one goroutine
// as long as there is any, and nobody is woken up but to be answered.
//
// Nobody is answered before the commit, not even who was refused: the refusal may rest on what
// another one in the group wrote.
type group struct {
	session session
	begun   bool // a transaction is open
	cache   *cache
	wrote   touched
	turns   []*turn // whose closures were run
	err     error   // why nothing of it was kept
}

// turn is one Update on its way.
type turn struct {
	ctx  context.Context
	fn   func(store.Tx) error
	wake chan bool // true: to lead; false: it is known what became of the Update

	err   error
	panic *panicked
}

// waitingLine are the Updates that wait.
type waitingLine struct {
	mu      sync.Mutex
	waiting []*turn
	led     bool // somebody leads
	watched bool // somebody looks for those who have no time left
}

// updateInGroup is Update for a database with one writer.
func (s *Store) updateInGroup(ctx context.Context, fn func(store.Tx) error) error {
	own := &turn{ctx: ctx, fn: fn, wake: make(chan bool, 1)}
	if s.line.join(own) || <-own.wake {
		s.lead(own)
	}
	if own.panic != nil {
		panic(own.panic)
	}
	return own.err
}

// lead runs the closures of a group and tells everybody what became of them.
func (s *Store) lead(own *turn) {
	one, err := s.take(own.ctx, s.writers)
	if err != nil {
		own.err = err
		s.line.handOn()
		return
	}
	g := &group{session: one, cache: s.cache}
	// This also runs when the leader's own closure panics.
	defer func() {
		s.settle(g)
		for _, t := range g.turns {
			if g.err != nil {
				t.err = g.err
			}
			if t != own {
				t.wake <- false
			}
		}
		s.checkpoint(one, s.logLimit)
		s.writers <- one
		s.line.handOn()
	}()
	for next := own; next != nil; next = s.line.next() {
		s.takePart(g, next, next == own)
		// Without a transaction, be it that none could begin or that it is lost, the group is over:
		// what another one would keep is not what this one has promised.
		if !g.begun || len(g.turns) == s.groupLimit {
			break
		}
	}
}

// takePart runs a closure in a group. Whatever becomes of the closure of another caller, the group
// goes on; if it panics, that is raised again where it belongs.
func (s *Store) takePart(g *group, t *turn, leads bool) {
	g.turns = append(g.turns, t)
	t.err = t.ctx.Err()
	if t.err != nil {
		return
	}
	t.err = errNotRun // in case that what follows panics
	t.err = g.enter(t.ctx, s.dialect.beginUpdate)
	if t.err != nil {
		return
	}
	before, kept := len(g.wrote.cards), false
	defer func() {
		if !kept {
			g.undo()
			g.wrote.undo(before)
		}
		if leads {
			return
		}
		if cause := recover(); cause != nil {
			t.panic = &panicked{cause, debug.Stack()}
		}
	}()
	t.err = s.change(t.ctx, g.session, &g.wrote, t.fn)
	s.notice(t.err)
	if t.err == nil {
		t.err = t.ctx.Err()
	}
	kept = t.err == nil && g.keep()
}

// errNotRun is an Update whose closure was not run.
var errNotRun = errors.New("sqlstore: another Update panicked")

// panicked is what a closure has panicked with, and where: it is raised again in the goroutine of
// the caller, which is another one.
type panicked struct {
	cause any
	stack []byte
}

// Error tells both.
func (p *panicked) Error() string { return fmt.Sprintf("%v\n%s", p.cause, p.stack) }

// Unwrap returns the cause when that is an error.
func (p *panicked) Unwrap() error {
	err, _ := p.cause.(error)
	return err
}

// join puts a turn at the end of the line, or reports that it leads.
func (l *waitingLine) join(t *turn) (leads bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.led {
		l.led = true
		return true
	}
	l.waiting = append(l.waiting, t)
	if !l.watched {
		l.watched = true
		time.AfterFunc(watchEvery, l.watch)
	}
	return false
}

// watchEvery is how late it may be noticed that somebody in line has no time left. The line is
// looked through for all of them, because a timer for each would cost as much as a good part of
// what they wait for.
const watchEvery = 50 * time.Millisecond

// watch sends those away who have no time left, as long as anybody waits.
func (l *waitingLine) watch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(t *turn) bool {
		t.err = t.ctx.Err()
		if t.err != nil {
			t.wake <- false
		}
		return t.err != nil
	})
	l.watched = len(l.waiting) > 0
	if l.watched {
		time.AfterFunc(watchEvery, l.watch)
	}
}

// next takes the first turn out of the line, nil when nobody waits.
func (l *waitingLine) next() *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.first()
}

// first is next for the holder of the lock.
func (l *waitingLine) first() *turn {
	if len(l.waiting) == 0 {
		return nil
	}
	first := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	return first
}

// handOn has the first in line lead, if there is one.
func (l *waitingLine) handOn() {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.first()
	l.led = first != nil
	if l.led {
		first.wake <- true
	}
}

// everyone is the context of what is done for all in a group: nobody's deadline counts.
var everyone = context.Background()

// enter makes room for one more closure.
func (g *group) enter(ctx context.Context, begin string) error {
	if !g.begun {
		_, err := g.session.exec(ctx, begin)
		// Waiting for another process can take longer than the caller has time.
		if late := ctx.Err(); err != nil && late != nil {
			return late
		}
		if err != nil {
			return err
		}
		g.begun = true
		if err := g.cache.look(everyone, g.session); err != nil {
			g.abandon(err)
			return err
		}
	}
	return g.exec("SAVEPOINT one")
}

// keep makes what a closure wrote a part of the group, and reports whether it is.
func (g *group) keep() bool { return g.exec("RELEASE one") == nil }

// undo forgets what a closure wrote.
func (g *group) undo() {
	if g.begun && g.exec("ROLLBACK TO one") == nil {
		_ = g.exec("RELEASE one")
	}
}

// exec runs a statement that cannot fail while the transaction stands. When it does fail, the
// database has rolled everything back, and nobody's writes are left.
func (g *group) exec(text string) error {
	_, err := g.session.exec(everyone, text)
	if err != nil {
		g.abandon(fmt.Errorf("%w: the shared transaction is gone: %w", store.ErrUnavailable, err))
	}
	return err
}

// abandon ends the transaction of a group with nothing kept.
func (g *group) abandon(because error) {
	g.begun, g.err = false, because
	// A failure means that the database has rolled back already.
	_, _ = g.session.exec(everyone, "ROLLBACK")
}

// settle commits for all.
func (s *Store) settle(g *group) {
	if !g.begun {
		return
	}
	err := g.cache.during(&g.wrote, func() error { return s.commit(everyone, g.session) })
	if err != nil {
		g.abandon(err)
	}
}
