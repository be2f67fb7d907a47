package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// lookupBatcher batches lookups of one kind. It is safe for concurrent use.
type lookupBatcher[K, V any] struct {
	// Answer sets the value or the error of each lookup. An error that it returns applies to all of
	// them.
	Answer func(ctx context.Context, all []*lookup[K, V]) error

	mu      sync.Mutex
	waiting []*lookup[K, V]
	sending int // the number of batches in progress
}

// lookup is a key that a request waits for, and the result.
type lookup[K, V any] struct {
	Key   K
	Value V
	Err   error

	done chan struct{} // closed when Value and Err are set
}

// maxBatches bounds the number of batches that are sent at the same time. Fewer batches hold more
// lookups each, which saves work; more batches make better use of a distant server.
const maxBatches = 2

// batchTime bounds the duration of a batch. A request may give up earlier.
const batchTime = 10 * time.Second

// Find returns the result of a lookup. A batch is sent after all its lookups have arrived, so no
// result is older than its request.
func (q *lookupBatcher[K, V]) Find(ctx context.Context, key K) (value V, err error) {
	if err := ctx.Err(); err != nil {
		return value, err
	}
	single := &lookup[K, V]{Key: key, done: make(chan struct{})}
	q.mu.Lock()
	q.waiting = append(q.waiting, single)
	if q.sending < maxBatches {
		q.sending++
		go q.send()
	}
	q.mu.Unlock()
	select {
	case <-single.done:
		return single.Value, single.Err
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// send sends batches until no lookup waits.
func (q *lookupBatcher[K, V]) send() {
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

// errLookupPanicked is the error of the lookups of a batch that panicked. The process continues, as
// after a panic in a single request.
var errLookupPanicked = errors.New("batch: the lookup panicked")

// answer runs a batch. The end of one request's context does not cancel it.
func (q *lookupBatcher[K, V]) answer(all []*lookup[K, V]) {
	defer func() {
		cause := recover()
		for _, single := range all {
			if cause != nil {
				single.Err = fmt.Errorf("%w: %v", errLookupPanicked, cause)
			}
			close(single.done)
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), batchTime)
	defer cancel()
	err := q.Answer(ctx, all)
	for _, single := range all {
		single.Err = cmp.Or(single.Err, err)
	}
}
