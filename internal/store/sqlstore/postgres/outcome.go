package postgres

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/store"
)

// How long tokens are kept, and how long the absence of a token proves that its transaction was not
// kept. Both go by the clock of the server, so a node that was suspended is not misled.
const (
	tokensKept = 5 * time.Minute
	tokensTrue = 2 * time.Minute
)

// settleToken inserts the token, unless it is there, and returns which statement wrote it: the
// transaction (settled is FALSE) or settleToken (TRUE), now or in an earlier try whose answer was
// lost. The insert waits while the transaction is in progress. A transaction that commits later
// violates the unique index and fails. The statement writes in either case, so that its own commit
// is answered only when everything before it is on disk and on the standby.
const settleToken = `INSERT INTO commit_tokens (token, settled) VALUES ($1, TRUE)
	ON CONFLICT (token) DO UPDATE SET settled = commit_tokens.settled
	RETURNING settled, CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)`

// resolveOutcome finds out whether a transaction was kept whose commit was not answered. The error
// is nil when it was kept, store.ErrUnavailable when it was not, and store.ErrUnknownOutcome when
// that could not be found out in time.
func (e *Engine) resolveOutcome(unanswered *session, cause error) error {
	end := time.Now().Add(settleTime)
	ctx, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	for {
		settled, now, err := e.askToken(ctx, unanswered.kept, end)
		switch {
		case err == nil && !settled:
			return nil
		case err == nil && now-unanswered.kept.at() < tokensTrue.Milliseconds():
			return fmt.Errorf("%w: %w", store.ErrUnavailable, cause)
		case err == nil:
			return fmt.Errorf("%w: asked too late: %w", store.ErrUnknownOutcome, cause)
		}
		select {
		case <-ctx.Done():
			// err is not wrapped: it is mostly ErrUnavailable, which says that nothing was kept.
			return fmt.Errorf("%w: %v: %w", store.ErrUnknownOutcome, err, cause)
		case <-time.After(settleStep):
		}
	}
}

// askToken runs settleToken. It returns its answer and the time of the server.
func (e *Engine) askToken(
	ctx context.Context, kept token, end time.Time,
) (settled bool, now int64, err error) {
	s, err := e.newSession(ctx)
	if err != nil {
		return false, 0, err
	}
	defer s.release()
	ask := statement{settleToken, []any{kept}, func(rows pgx.Rows) error {
		if !rows.Next() {
			// Without a row the outcome stays unknown.
			return cmp.Or(rows.Err(), errNoAnswer)
		}
		return rows.Scan(&settled, &now)
	}}
	if err := s.commitApart(time.Until(end), ask); err != nil {
		return false, 0, err
	}
	return settled, now, nil
}

// beginApart begins a transaction that cannot collide with Updates, because it is not serializable.
const beginApart = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

// commitApart runs a statement and commits it in one round trip. Without an error it is kept.
func (s *session) commitApart(limit time.Duration, one statement) error {
	s.open = true
	_, err := s.commitNow(limit, []statement{{text: beginApart}, one})
	if err != nil {
		return s.classify(context.Background(), err)
	}
	return nil
}
