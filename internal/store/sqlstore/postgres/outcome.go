package postgres

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/store"
)

// How long tokens are kept, and for how long the absence of one means anything. Both go by the
// clock of the server, so a node may sleep for as long as it likes.
const (
	tokensKept = 5 * time.Minute
	tokensTrue = 2 * time.Minute
)

// settleToken finds out who has written a token: the transaction that was to be kept (FALSE), or
// this question (TRUE), now or in an earlier try whose answer was lost. It waits while the
// transaction is still under way; one that comes later meets the token of the question and fails.
// The question writes in either case, so that its own commit is answered only when everything
// before it is on disk and on the standby.
const settleToken = `INSERT INTO commit_tokens (token, settled) VALUES ($1, TRUE)
	ON CONFLICT (token) DO UPDATE SET settled = commit_tokens.settled
	RETURNING settled, CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)`

// resolveOutcome finds out whether a transaction was kept whose commit was not answered. What
// cannot be found out in time is answered as store.ErrUnknownOutcome.
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
			// The error of the question is mostly ErrUnavailable, and this must not look like it.
			return fmt.Errorf("%w: %v: %w", store.ErrUnknownOutcome, err, cause)
		case <-time.After(settleStep):
		}
	}
}

// askToken asks whose a token is, and what time it is by the clock of the server.
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
			// No row says nothing, least of all that the transaction was kept.
			return cmp.Or(rows.Err(), errNoAnswer)
		}
		return rows.Scan(&settled, &now)
	}}
	if err := s.commitApart(time.Until(end), ask); err != nil {
		return false, 0, err
	}
	return settled, now, nil
}

// beginApart begins a transaction that neither gets in the way of Updates nor has to be tried again
// because of them.
const beginApart = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

// commitApart runs a statement in such a transaction, in one trip. Without an error it is kept.
func (s *session) commitApart(limit time.Duration, one statement) error {
	s.open = true
	_, err := s.commitNow(limit, []statement{{text: beginApart}, one})
	if err != nil {
		return s.classify(context.Background(), err)
	}
	return nil
}
