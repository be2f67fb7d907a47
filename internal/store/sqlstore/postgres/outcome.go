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

// outcome is what has become of a commit that was not answered.
type outcome string

const (
	kept         outcome = "kept"
	lost         outcome = "lost" // nothing was kept, and nothing will be
	askedTooLate outcome = "asked too late"
)

// askByToken asks for the outcome of a commit by its token. The column settled says who wrote
// the token: FALSE the transaction, which was kept; TRUE an earlier question, or this one. The
// statement waits while the transaction is still under way; a transaction that comes later meets
// the token of the question and fails. The statement writes in either case, so that its own commit
// is answered only when everything before it is on disk and on the synchronous standby.
const askByToken = `INSERT INTO commit_tokens (token, settled) VALUES ($1, TRUE)
	ON CONFLICT (token) DO UPDATE SET settled = commit_tokens.settled
	RETURNING settled, CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)`

// outcomeByToken returns nil when a transaction was kept whose commit was not answered, and
// store.ErrUnavailable when it was lost. What cannot be found out in time is
// store.ErrUnknownOutcome.
func (e *Engine) outcomeByToken(unanswered *session, cause error) error {
	end := time.Now().Add(outcomeTime)
	ctx, cancel := context.WithDeadline(context.Background(), end)
	defer cancel()
	for {
		o, err := e.askOutcome(ctx, unanswered.lastToken, end)
		switch o {
		case kept:
			return nil
		case lost:
			return fmt.Errorf("%w: %w", store.ErrUnavailable, cause)
		case askedTooLate:
			return fmt.Errorf("%w: %s: %w", store.ErrUnknownOutcome, o, cause)
		}
		select {
		case <-ctx.Done():
			// err is not wrapped: it is mostly ErrUnavailable, which says that nothing was kept.
			return fmt.Errorf("%w: %v: %w", store.ErrUnknownOutcome, err, cause)
		case <-time.After(outcomeStep):
		}
	}
}

// askOutcome asks once for the outcome of the commit with a token. With an error it is empty.
func (e *Engine) askOutcome(
	ctx context.Context, written token, end time.Time,
) (outcome, error) {
	s, err := e.newSession(ctx)
	if err != nil {
		return "", err
	}
	defer s.release()
	var byQuestion bool
	var now int64 // by the clock of the server
	ask := statement{askByToken, []any{written}, func(rows pgx.Rows) error {
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
	return askedTooLate, nil
}

// beginApart begins a transaction that cannot collide with Updates, because it is not serializable.
const beginApart = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"

// commitApart runs a statement and commits it in one round trip. Without an error it is kept.
func (s *session) commitApart(limit time.Duration, row statement) error {
	s.open = true
	_, err := s.commitNow(limit, []statement{{text: beginApart}, row})
	if err != nil {
		return s.classify(context.Background(), err)
	}
	return nil
}
