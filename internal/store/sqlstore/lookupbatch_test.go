package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"mintmark/internal/testkit/testrun"

	"testing"
)

var errLookup = errors.New("as the test wants it")

// TestQueue lets lookups wait for running batches, give up, and fail.
func TestQueue(t *testing.T) {
	t.Parallel()
	type batch struct {
		size   int
		answer chan bool
	}
	batches := make(chan batch)
	q := &lookupBatcher[int, int]{Answer: func(_ context.Context, all []*lookup[int, int]) error {
		b := batch{len(all), make(chan bool)}
		batches <- b
		if !<-b.answer {
			panic(errLookup)
		}
		for _, lookup := range all {
			lookup.Value = 2 * lookup.Key
			if lookup.Key == 0 {
				lookup.Err = errLookup
			}
		}
		return nil
	}}
	results := make(chan error, 10)
	find := func(ctx context.Context, key int) {
		value, err := q.Find(ctx, key)
		if err == nil && value != 2*key {
			err = errors.New("the answer to another lookup")
		}
		results <- err
	}
	var sent []batch
	for i := range maxBatches {
		go find(context.Background(), i+1)
		sent = append(sent, <-batches)
		if sent[i].size != 1 {
			t.Errorf("%d lookups travel together, where one was there", sent[i].size)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	go find(ctx, 10)
	q.await(t, 1)
	cancel()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Errorf("a lookup that is given up ends with %v", err)
	}
	for i, key := range []int{11, 0} {
		go find(context.Background(), key)
		q.await(t, 2+i)
	}
	sent[0].answer <- false
	if err := <-results; !errors.Is(err, errLookupPanicked) {
		t.Errorf("the lookups of a batch that panics end with %v", err)
	}
	next := <-batches
	if next.size != 3 {
		t.Errorf("%d lookups travel together, where three waited", next.size)
	}
	next.answer <- true
	firstErr, two := <-results, <-results
	if (firstErr == nil) == (two == nil) || !errors.Is(errors.Join(firstErr, two), errLookup) {
		t.Errorf("of two lookups, one of which fails, these fail: %v, %v", firstErr, two)
	}
	sent[1].answer <- true
	if err := <-results; err != nil {
		t.Error(err)
	}
}

// await waits until the given number of lookups wait.
func (q *lookupBatcher[K, V]) await(t *testing.T, many int) {
	t.Helper()
	testrun.Within(t, fmt.Sprint(many, " lookups wait"), func() bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return len(q.waiting) == many
	})
}
