package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/job"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestOneNodeDoesADuty lets two nodes on one database do a duty again and again. One of them does
// it, until it ends; then the other does, at once.
func TestOneNodeDoesADuty(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	var done [2]atomic.Int64
	var stops [2]func()
	for i := range stops {
		kept, _, err := cached.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		node := &App{store: &storage{Store: kept}, node: string(rune('a' + i))}
		node.Log = slog.New(slog.DiscardHandler)
		duties := []job.Duty{{Name: "count", Every: 20 * time.Millisecond,
			Do: func(context.Context) error { done[i].Add(1); return nil }}}
		duties[0].Do = node.underLease(duties[0])
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			job.Run(ctx, node.Log, duties)
			node.giveBack(duties)
			close(ended)
		}()
		stops[i] = func() { stop(); <-ended }
		await(t, &done[0], 1) // the first node is the first to ask
	}
	await(t, &done[0], 10)
	if other := done[1].Load(); other != 0 {
		t.Errorf("the second node did it %d times, too", other)
	}
	stops[0]()
	await(t, &done[1], 3)
	stops[1]()
}

// await waits until something was done some times.
func await(t *testing.T, done *atomic.Int64, times int64) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); done.Load() < times; {
		if time.Now().After(end) {
			t.Fatalf("it was done %d times, want %d", done.Load(), times)
		}
		time.Sleep(time.Millisecond)
	}
}
