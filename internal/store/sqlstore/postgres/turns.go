package postgres

import (
	"context"
	"sync"
)

// turns run the Updates of one key one after the other in this process. Without them, many that
// change one waiting would collide, each would be tried several times, and in the end all that have
// collided on any waiting would wait for each other. Updates of other processes still collide.
type turns struct {
	mu   sync.Mutex
	open map[int]*turn
}

// turn is held by one Update. Those that wait for it are counted, so that it can be forgotten.
type turn struct {
	held  chan struct{} // holds a value while the turn is held
	users int
}

// enter waits for the turn of a key. After a nil error the caller must call the function that is
// returned.
func (t *turns) enter(ctx context.Context, key int) (leave func(), err error) {
	t.mu.Lock()
	if t.open == nil {
		t.open = make(map[int]*turn)
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
func (t *turns) forget(key int, waiting *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	waiting.users--
	if waiting.users == 0 {
		delete(t.open, key)
	}
}
