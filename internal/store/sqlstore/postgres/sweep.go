package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Old tokens are deleted once a minute, those of one second in each statement, with pauses. No
// Update waits for a lock of the deletion, but both use the same disk.
const (
	sweepEvery = time.Minute
	sweepSlice = time.Second      // of token times
	sweepTime  = 10 * time.Second // for one slice
	sweepPause = 20 * time.Millisecond
)

const (
	firstToken = `SELECT token FROM commit_tokens WHERE token >= $1 AND token < $2
	ORDER BY token LIMIT 1`
	dropTokens = `DELETE FROM commit_tokens WHERE token >= $1 AND token < $2`
)

// startSweep deletes old tokens until the returned function is called. Each sweep begins where the
// last one ended, because deleted tokens stay in the index until VACUUM and would be scanned again.
func (e *Engine) startSweep() (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(sweepEvery)
		defer ticker.Stop()
		var from token
		for {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			// After an error the next sweep tries again.
			from, _ = e.sweep(ctx, from)
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// sweep deletes the tokens that are no longer retained, and returns where the next sweep begins.
func (e *Engine) sweep(ctx context.Context, from token) (token, error) {
	now, err := e.ServerTime(ctx)
	if err != nil {
		return from, err
	}
	until := oldestToken(now.Add(-tokensKept).UnixMilli())
	if until.time() < from.time() {
		// The clock was set back, or another server is the primary: its tokens may be older.
		from = token{}
	}
	for {
		first, ok := from, false
		err := e.runAlone(ctx, statement{firstToken, []any{from, until}, func(rows pgx.Rows) error {
			ok = rows.Next()
			if !ok {
				return rows.Err()
			}
			return rows.Scan(&first)
		}})
		if err != nil {
			return from, err
		}
		if !ok {
			return until, nil
		}
		next := oldestToken(min(first.time()+sweepSlice.Milliseconds(), until.time()))
		err = e.runAlone(ctx, statement{dropTokens, []any{first, next}, nil})
		if err != nil {
			return from, err
		}
		from = next
		select {
		case <-time.After(sweepPause):
		case <-ctx.Done():
			return from, ctx.Err()
		}
	}
}

// runAlone runs a statement in its own transaction.
func (e *Engine) runAlone(ctx context.Context, what statement) error {
	s, err := e.newSession(ctx)
	if err != nil {
		return err
	}
	defer s.release()
	return s.commitApart(sweepTime, what)
}
