package postgres

import (
	"context"
	"sync"

	"mintmark/internal/store"
)

// turns run the Updates that change one row one after the other in this process. Without them, many
// would collide, each would be tried several times, and in the end all that have collided on any row
// would wait for each other. Updates of other processes still collide.
type turns struct {
	mu   sync.Mutex
	open map[changed]*turn
}

// changed is what Updates of one turn change.
type changed struct {
	account bool // not sums
	number  int
}

// turn is held by one Update. Those that wait for it are counted, so that it can be forgotten.
type turn struct {
	held  chan struct{} // holds a value while the turn is held
	users int
}

// take waits for the turn of sums, and then for that of an account, as far as they are known. The
// order is the same for all, so that none waits for itself. After a nil error the caller must call
// the function that is returned.
func (t *turns) take(ctx context.Context, of *store.Turn) (leave func(), err error) {
	leave = func() {}
	if of == nil {
		return leave, nil
	}
	for _, key := range []changed{{false, of.Sums}, {true, of.Account}} {
		if key.number == 0 {
			continue
		}
		leaveKey, err := t.enter(ctx, key)
		if err != nil {
			leave()
			return nil, err
		}
		earlier := leave
		leave = func() { leaveKey(); earlier() }
	}
	return leave, nil
}

// enter waits for the turn of a key. After a nil error the caller must call the function that is
// returned.
func (t *turns) enter(ctx context.Context, key changed) (leave func(), err error) {
	t.mu.Lock()
	if t.open == nil {
		t.open = make(map[changed]*turn)
	}
	waiting := t.open[key]
	if waiting == nil {
		waiting = &turn{held: make(chan struct{}, 1)}
		t.open[key] = waiting
	}
	waiting.users++
	t.mu.Unlock()
	select {
	case waiting.held <- struct{}{}:
		return func() { <-waiting.held; t.forget(key, waiting) }, nil
	case <-ctx.Done():
		t.forget(key, waiting)
		return nil, ctx.Err()
	}
}

// forget drops a turn that nothing uses any more.
func (t *turns) forget(key changed, waiting *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting.users--
	if waiting.users == 0 {
		delete(t.open, key)
	}
}
