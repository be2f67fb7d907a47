// Package batch answers concurrent lookups together. On a database server a statement costs more
// than finding its rows, and so does the round trip, so lookups that would queue travel in one
// statement. A lookup that is alone is sent at once. The package knows no table and no database.
package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Queue holds the lookups that wait for a statement of one kind. It is safe for concurrent use.
type Queue[K, V any] struct {
	// Answer sets the value, or the error, of each lookup. Its own error is that of all.
	Answer func(ctx context.Context, all []*Lookup[K, V]) error

	mu      sync.Mutex
	waiting []*Lookup[K, V]
	sending int // how many batches are under way
}

// Lookup is a key that a request waits for, and what was found.
type Lookup[K, V any] struct {
	Key   K
	Value V
	Err   error

	done chan struct{} // closed when the rest is known
}

// maxBatches is how many batches are under way at once. Fewer put more lookups into each, which
// saves work; more make better use of a server that is far away.
const maxBatches = 2

// batchTime bounds how long a batch may take. A request may give up before.
const batchTime = 10 * time.Second

// Find waits for the answer to a lookup. A batch is sent after all its lookups arrived, so no
// answer is older than its request.
func (q *Queue[K, V]) Find(ctx context.Context, key K) (value V, err error) {
	if err := ctx.Err(); err != nil {
		return value, err
	}
	one := &Lookup[K, V]{Key: key, done: make(chan struct{})}
	q.mu.Lock()
	q.waiting = append(q.waiting, one)
	if q.sending < maxBatches {
		q.sending++
		go q.send()
	}
	q.mu.Unlock()
	select {
	case <-one.done:
		return one.Value, one.Err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// send sends batches until no lookup waits.
func (q *Queue[K, V]) send() {
	for {
		q.mu.Lock()
		all := q.waiting
		q.waiting = nil
		if len(all) == 0 {
			q.sending--
			q.mu.Unlock()
			return
		}
		q.mu.Unlock()
		q.answer(all)
	}
}

// errPanicked answers the lookups of a batch that has panicked. The process must not end with it,
// as little as it does when a single request panics.
var errPanicked = errors.New("batch: the lookup panicked")

// answer runs a batch. It is not cancelled when a waiting request is.
func (q *Queue[K, V]) answer(all []*Lookup[K, V]) {
	defer func() {
		cause := recover()
		for _, one := range all {
			if cause != nil {
				one.Err = fmt.Errorf("%w: %v", errPanicked, cause)
			}
			close(one.done)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), batchTime)
	defer cancel()
	err := q.Answer(ctx, all)
	for _, one := range all {
		one.Err = cmp.Or(one.Err, err)
	}
}
