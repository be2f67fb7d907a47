package issuing

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLongAnswers checks that one API key cannot starve the others, that the number of slots is
// bounded, and that a caller that leaves while it waits takes no slot.
func TestLongAnswers(t *testing.T) {
	t.Parallel()
	p := NewLongAnswers()
	soon, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	enter := func(ctx context.Context, key string) func() {
		t.Helper()
		leave, err := p.enter(ctx, key)
		if err != nil {
			t.Fatalf("no place for %s: %v", key, err)
		}
		return leave
	}
	wantNone := func(key string) {
		t.Helper()
		if _, err := p.enter(soon, key); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%s has a place too many: %v", key, err)
		}
	}
	first := enter(soon, "slow")
	enter(soon, "slow")
	wantNone("slow")

	ctx := t.Context()
	for _, key := range []string{"a", "a", "b", "b", "c", "c"} {
		enter(ctx, key)
	}
	wantNone("d")
	wantNone("d")
	wantNone("d")
	first()
	first() // counts once
	enter(ctx, "d")
	wantNone("d")
}

// TestLongAnswersComeInOrder checks that the longest waiting caller is next.
func TestLongAnswersComeInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, longAnswersComeInOrder)
}

func longAnswersComeInOrder(t *testing.T) {
	p := NewLongAnswers()
	var held []func()
	for range longAnswersOfAKey {
		leave, err := p.enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, leave)
	}
	const waiting = 5
	entered := make(chan int)
	for n := range waiting {
		go func() {
			leave, err := p.enter(t.Context(), "a")
			if err != nil {
				t.Error(err)
			}
			entered <- n
			leave()
		}()
		synctest.Wait() // until it waits as well
	}
	held[0]()
	for want := range waiting {
		if got := <-entered; got != want {
			t.Errorf("number %d comes in place of %d", got, want)
		}
	}
}

// TestLongAnswersOutlivePanics checks that a response whose production panicked releases its slot.
func TestLongAnswersOutlivePanics(t *testing.T) {
	t.Parallel()
	p := NewLongAnswers()
	for range longAnswers + 1 {
		func() {
			defer func() { _ = recover() }()
			_, err := p.Acquire(t.Context(), "a", func() error { panic("broken") })
			t.Errorf("a panic is answered %v", err)
		}()
		_, err := p.Acquire(t.Context(), "a", func() error { return context.Canceled })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}
