package postgres

import (
	"context"
	"sync"

	"mintmark/internal/store"
)

// turns serializes the Updates of this process that change the same row. Without it many of them
// would collide, each would be tried several times, and in the end all that have collided on any
// row would wait for each other. Updates of other processes still collide.
type turns struct {
	mu   sync.Mutex
	open map[changed]*turn
}

// changed identifies what the Updates of one turn change.
type changed struct {
	account bool // not sums
	number  int
}

// turn is held by one Update at a time. The holder and those that wait are counted, so that an
// unused turn can be dropped.
type turn struct {
	held  chan struct{} // holds a value while the turn is held
	users int
}

// take waits for the turn of sums and then for that of an account, if they are known. The order is
// the same for all Updates, so there is no deadlock. If the error is nil, the caller must call
// leave.
func (t *turns) take(ctx context.Context, of *store.Contention) (leave func(), err error) {
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

// enter waits for the turn of a key. If the error is nil, the caller must call leave.
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

// forget removes one user of a turn, and drops the turn after the last.
func (t *turns) forget(key changed, waiting *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting.users--
	if waiting.users == 0 {
		delete(t.open, key)
	}
}
