package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"mintmark/internal/store"
)

var closing = []test{
	{"After", closeAfter},
	{"During", closeDuring},
}

// closeAfter closes twice, like a program that shuts down in several places.
func closeAfter(t *testing.T, s store.Store) {
	background(t, s)
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	err := s.View(context.Background(), func(store.Tx) error { return errOwn })
	wantError(t, "View", err, store.ErrUnavailable)
	err = s.Read(context.Background(), func(store.Tx) error { return errOwn })
	wantError(t, "Read", err, store.ErrUnavailable)
	wantUpdate(t, s, "Update", store.ErrUnavailable, func(store.Tx) error { return errOwn })
}

// closeDuring closes the store while one transaction is running, which may still end normally, and
// another is waiting for its turn.
func closeDuring(t *testing.T, s store.Store) {
	background(t, s)
	closed, waited := make(chan error, 1), make(chan error, 1)
	update(t, s, func(tx store.Tx) error {
		go func() {
			waited <- s.Update(context.Background(), func(store.Tx) error { return errOwn })
		}()
		go func() { closed <- s.Close() }()
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // No store tells that a caller waits.
		return putNamed(tx, "last words")
	})
	if err := <-waited; !errors.Is(err, store.ErrUnavailable) && err != errOwn {
		t.Errorf("waiting Update: got error %v", err)
	}
	if err := <-closed; err != nil {
		t.Errorf("Close: %v", err)
	}
}
