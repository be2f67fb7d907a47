package sqlstore_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
)

// TestWithoutWaiting has another store on the same file write. Who does not want to wait is told at
// once, and later that others have written.
func TestWithoutWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	server := opened(t, path)
	defer closed(t, server)
	asking, err := sqlstore.Open(context.Background(), path, sqlstore.WithoutWaiting())
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, asking)
	put(t, asking, 1)
	seen := asking.ForeignCommits()
	put(t, asking, 2)
	if asking.ForeignCommits() != seen {
		t.Error("its own commits are counted")
	}

	nothing := func(store.Tx) error { return nil }
	err = server.Update(context.Background(), func(tx store.Tx) error {
		began := time.Now()
		err := asking.Update(context.Background(), nothing)
		if !errors.Is(err, store.ErrBusy) || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("while another writes: %v", err)
		}
		if waited := time.Since(began); waited > 4*time.Second {
			t.Errorf("it waited %v", waited)
		}
		return tx.Banks().Put(store.Bank{ID: 9, Name: "Another"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := asking.Update(context.Background(), nothing); err != nil {
		t.Error(err)
	}
	if asking.ForeignCommits() == seen {
		t.Error("the commit of another was not seen")
	}
}
