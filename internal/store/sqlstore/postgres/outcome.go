package postgres

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/store"
)

// How long tokens are retained, and how long the absence of a token proves that its transaction was
// not committed. Both are measured by the server's clock, so a node that was suspended is not
// misled.
const (
	tokensKept = 5 * time.Minute
	tokensTrue = 2 * time.Minute
)

// outcome is what became of a commit that was not answered.
type outcome string

const (
	kept         outcome = "kept"
	lost         outcome = "lost" // nothing was committed, and nothing will be
	tokenExpired outcome = "asked too late"
)

// outcomeQuery queries the outcome of a commit by its token. The column settled shows who wrote the
// token: FALSE the transaction, which was committed; TRUE an earlier query, or this one. The
// statement waits while the transaction is still in progress; a transaction that comes later meets
// the token of the query and fails. The statement writes in either case, so that its own commit is
// answered only when everything before it is on disk and on the synchronous standby.
const outcomeQuery = `INSERT INTO commit_tokens (token, settled) VALUES ($1, TRUE)
	ON CONFLICT (token) DO UPDATE SET settled = commit_tokens.settled
	RETURNING settled, CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)`

// outcomeByToken returns nil if the transaction of an unanswered commit was committed, and
// store.ErrUnavailable if it was lost. If it cannot find the outcome in time, it returns
// store.ErrUnknownOutcome.
func (e *Engine) outcomeByToken(unanswered *session, cause error) error {
	end := time.Now().Add(outcomeTime)
	ctx, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	for {
		o, err := e.queryOutcome(ctx, unanswered.lastToken, end)
		switch o {
		case kept:
			return nil
		case lost:
			return fmt.Errorf("%w: %w", store.ErrUnavailable, cause)
		case tokenExpired:
			return fmt.Errorf("%w: %s: %w", store.ErrUnknownOutcome, o, cause)
		}
		select {
		case <-ctx.Done():
			// err is not wrapped: it is mostly ErrUnavailable, which means that nothing was
			// committed.
			return fmt.Errorf("%w: %v: %w", store.ErrUnknownOutcome, err, cause)
		case <-time.After(outcomeStep):
		}
	}
}

// queryOutcome queries the outcome of the commit with a token once. With an error the outcome is
// empty.
func (e *Engine) queryOutcome(
	ctx context.Context, written token, end time.Time,
) (outcome, error) {
	s, err := e.newSession(ctx)
	if err != nil {
		return "", err
	}
	defer s.release()
	var byQuestion bool
	var now int64 // by the clock of the server
	ask := statement{outcomeQuery, []any{written}, func(rows pgx.Rows) error {
		if !rows.Next() {
			// Without a row the outcome stays unknown.
			return cmp.Or(rows.Err(), errNoAnswer)
		}
		return rows.Scan(&byQuestion, &now)
	}}
	if err := s.commitApart(time.Until(end), ask); err != nil {
		return "", err
	}
	switch {
	case !byQuestion:
		return kept, nil
	case now-written.time() < tokensTrue.Milliseconds():
		return lost, nil
	}
	return tokenExpired, nil
}

// beginReadCommitted begins a transaction that cannot collide with Updates, because it is not
// serializable.
const beginReadCommitted = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

// commitApart runs a statement and commits it in one round trip. If the error is nil, the statement
// is committed.
func (s *session) commitApart(limit time.Duration, row statement) error {
	s.open = true
	_, err := s.commitNow(limit, []statement{{text: beginReadCommitted}, row})
	if err != nil {
		return s.classify(context.Background(), err)
	}
	return nil
}
