package sqlite

import (
	"context"
	"sync/atomic"
	"time"
)

// externalCommits detects commits of other processes to the same file, such as a load beside a
// server. SQLite counts such commits for each connection. The engine compares the count of the
// writing connection before the first Update of each group and, between Updates, several times a
// second.
type externalCommits struct {
	opened time.Time
	looked atomic.Int64 // when the count was last read, as the time since opened
	seen   atomic.Int64 // how often it has changed
	count  int64        // only the holder of the writer may access it
	told   func()       // called when the count has changed; nil without a listener
}

const (
	// lookEvery is the interval between checks for external commits. trustFor is how long the read
	// cache may be used after the last check while the writing connection is busy.
	lookEvery = 100 * time.Millisecond
	trustFor  = 500 * time.Millisecond
)

// OnExternalCommit sets a function that is called when a commit of another process is detected, and
// before any Update that could see its writes. Call OnExternalCommit once, before the engine is
// used.
func (e *Engine) OnExternalCommit(changed func()) { e.external.told = changed }

// ExternalCommits returns how often commits of other processes to the same file were detected.
func (e *Engine) ExternalCommits() int64 { return e.external.seen.Load() }

// Fresh reports whether the last check for external commits is recent. It makes a new check if one
// is due and no Update is running.
func (e *Engine) Fresh(ctx context.Context) bool {
	age := time.Since(e.external.opened) - time.Duration(e.external.looked.Load())
	if age < lookEvery {
		return true
	}
	select {
	case on := <-e.writers:
		defer func() { e.writers <- on }()
		return e.external.look(ctx, on) == nil
	default:
		return age < trustFor
	}
}

// look reads the count of external commits on the writing connection.
func (f *externalCommits) look(ctx context.Context, on *connection) error {
	if f.told == nil {
		return nil
	}
	at := int64(time.Since(f.opened))
	var count int64
	if err := on.row(ctx, []any{&count}, "PRAGMA data_version"); err != nil {
		return err
	}
	if count != f.count {
		f.count = count
		f.seen.Add(1)
		f.told()
	}
	f.looked.Store(at)
	return nil
}
