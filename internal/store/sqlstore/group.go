package sqlstore

import (
	"context"
	"fmt"

	"mintmark/internal/store"
)

// groupLimit bounds how many Updates share a transaction. The first of them waits for the work of
// all the others.
const groupLimit = 64

// group is a transaction that several Updates share, so that they wait for the disk once.
//
// Whoever takes the free session begins a group. Who has done its own part hands the group on to
// somebody who waits for a turn. When nobody waits, or the group is full, the one who holds it
// commits for all. Each closure runs in the goroutine of its own caller, so a panic or a deadline
// stays with whom it belongs to.
//
// Nobody is answered before the commit, not even who was refused: the refusal may rest on what
// another one in the group wrote.
type group struct {
	session session
	begun   bool // a transaction is open
	size    int  // closures that were run
	cache   *cache
	wrote   touched

	settled chan struct{} // closed when it is known what became of the group
	err     error         // why nothing of it was kept; to be read once it is settled
}

// updateInGroup is Update for a database with one writer.
func (s *Store) updateInGroup(ctx context.Context, fn func(store.Tx) error) error {
	g, err := s.join(ctx)
	if err != nil {
		return err
	}
	err = s.takePart(ctx, g, fn)
	<-g.settled
	if g.err != nil {
		return g.err
	}
	return err
}

// join waits for a group to take part in, or for the session to begin one.
func (s *Store) join(ctx context.Context) (*group, error) {
	select {
	case g := <-s.joining:
		return g, nil
	case one := <-s.writers:
		return &group{session: one, cache: s.cache, settled: make(chan struct{})}, nil
	case <-s.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// takePart runs a closure in a group. Whatever becomes of the closure, the group goes on.
func (s *Store) takePart(ctx context.Context, g *group, fn func(store.Tx) error) error {
	defer s.handOn(g)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := g.enter(ctx, s.dialect.beginUpdate); err != nil {
		return err
	}
	kept, wrote := false, &touched{}
	defer func() {
		// This also runs when the closure panics.
		if !kept {
			g.undo()
		}
		g.wrote.add(wrote, kept)
	}()
	if err := s.change(ctx, g.session, wrote, &g.wrote, fn); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	kept = g.keep()
	return nil
}

// handOn gives a group to somebody who waits, or ends it.
func (s *Store) handOn(g *group) {
	if g.begun && g.size < s.groupLimit {
		select {
		case s.joining <- g:
			return
		default:
		}
	}
	g.settle()
	s.writers <- g.session
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
			return err
		}
	}
	g.size++
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

// settle commits for all, and lets everybody know.
func (g *group) settle() {
	defer close(g.settled)
	if !g.begun {
		return
	}
	err := g.cache.during(&g.wrote, func() error {
		_, err := g.session.exec(everyone, "COMMIT")
		return err
	})
	if err != nil {
		g.abandon(err)
	}
}
