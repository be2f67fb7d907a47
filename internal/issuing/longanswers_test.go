package issuing

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLongAnswers holds that one API key cannot keep the others out, that there are no more places than
// are said, and that whoever goes away while it waits takes none along.
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

// TestLongAnswersComeInOrder holds that the one who has waited longest is the next.
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
		synctest.Wait() // until it waits, too
	}
	held[0]()
	for want := range waiting {
		if got := <-entered; got != want {
			t.Errorf("number %d comes in place of %d", got, want)
		}
	}
}

// TestLongAnswersOutlivePanics holds that an answer that could not be read keeps no place.
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
