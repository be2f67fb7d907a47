package postgres

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/testkit/pgtest"
)

// tokenNow returns a token of a transaction that begins now.
func tokenNow() token { return newToken(time.Now().UnixMilli()) }

// beginWithToken begins a transaction that has written its token and is not committed.
func beginWithToken(t *testing.T, p *Engine, kept token) pgx.Tx {
	t.Helper()
	conn, err := pgx.ConnectConfig(context.Background(), p.pool.Config().ConnConfig)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tx, err := conn.BeginTx(context.Background(), pgx.TxOptions{IsoLevel: pgx.Serializable})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(context.Background(), insertToken, kept); err != nil {
		t.Fatal(err)
	}
	return tx
}

// wantOutcome settles a commit twice: the answer must not change.
func wantOutcome(t *testing.T, p *Engine, what string, kept token, want error) {
	t.Helper()
	for range 2 {
		if err := p.outcomeByToken(&session{lastToken: kept}, errNoAnswer); !errors.Is(err, want) {
			t.Errorf("%s: got the error %v, want %v", what, err, want)
		}
	}
}

// TestSettle settles commits of transactions in every possible state.
func TestSettle(t *testing.T) {
	t.Parallel()
	p, _ := openWired(t)
	ctx := context.Background()

	kept := tokenNow()
	if err := beginWithToken(t, p, kept).Commit(ctx); err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, p, "kept", kept, nil)

	undone := tokenNow()
	if err := beginWithToken(t, p, undone).Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	wantOutcome(t, p, "undone", undone, store.ErrUnavailable)

	late := tokenNow()
	wantOutcome(t, p, "late", late, store.ErrUnavailable)
	err := p.Update(ctx, func(s db.Session) error {
		return errors.Join(s.Write(putBank, 9), s.Write(insertToken, late))
	})
	if err == nil {
		t.Error("a transaction that comes too late is kept")
	}

	for _, way := range []struct {
		name string
		end  func(pgx.Tx) error
		want error
	}{
		{"kept late", func(tx pgx.Tx) error { return tx.Commit(ctx) }, nil},
		{"undone late", func(tx pgx.Tx) error { return tx.Rollback(ctx) }, store.ErrUnavailable},
	} {
		open := tokenNow()
		tx := beginWithToken(t, p, open)
		ended := make(chan struct{})
		time.AfterFunc(300*time.Millisecond, func() {
			defer close(ended)
			if err := way.end(tx); err != nil {
				t.Errorf("%s: %v", way.name, err)
			}
		})
		began := time.Now()
		wantOutcome(t, p, way.name, open, way.want)
		if took := time.Since(began); took < 250*time.Millisecond {
			t.Errorf("%s: answered after %v, while it was under way", way.name, took)
		}
		<-ended
	}

	forgotten := newToken(time.Now().Add(-tokensTrue - time.Second).UnixMilli())
	wantOutcome(t, p, "asked too late", forgotten, store.ErrUnknownOutcome)
}

// TestSettleUnanswered loses the answer to the query that settles a commit. The next attempt finds
// the token which the lost query wrote, and must not mistake it for the transaction's.
func TestSettleUnanswered(t *testing.T) {
	t.Parallel()
	p, w := openWired(t)
	ask := func(about token) error {
		_, err := p.queryOutcome(t.Context(), about, time.Now().Add(outcomeTime))
		return err
	}
	const tries = 30
	kept := 0
	for try := 0; try < tries && kept < 3; try++ {
		if err := ask(tokenNow()); err != nil { // connects and prepares the statements
			t.Fatal(err)
		}
		absent := tokenNow()
		w.cut.Store(afterSending)
		if err := ask(absent); err == nil {
			t.Error("there is an answer although the line was cut")
		}
		// The server may abandon a query when it notices that its client is gone.
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // It tells nobody whether it does.
		kept += countTokens(t, p, absent, absent)
		wantOutcome(t, p, "asked again", absent, store.ErrUnavailable)
	}
	if kept == 0 {
		t.Errorf("the server has kept none of %d questions", tries)
	}
}

// countTokens counts the tokens in a range.
func countTokens(t *testing.T, p *Engine, from, to token) (count int) {
	t.Helper()
	err := p.pool.QueryRow(t.Context(),
		`SELECT count(*) FROM commit_tokens WHERE token BETWEEN $1 AND $2`, from, to).Scan(&count)
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// TestSettleWithFullPool loses a node's only connection at the commit. Settling it must still get a
// connection.
func TestSettleWithFullPool(t *testing.T) {
	t.Parallel()
	config, err := poolConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	p, err := open(context.Background(), config, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	err = p.Update(context.Background(), func(s db.Session) error {
		return errors.Join(s.Write(putBank, 1),
			s.Write("SELECT pg_terminate_backend(pg_backend_pid())"))
	})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got the error %v", err)
	}
}

// TestRefusedInAnotherLanguage lets a server with another message language reject a statement that
// is sent with the commit. The server has answered, so there is nothing to settle.
func TestRefusedInAnotherLanguage(t *testing.T) {
	t.Parallel()
	p, w := openWired(t)
	taken := tokenNow()
	if _, err := p.pool.Exec(t.Context(), insertToken, taken); err != nil {
		t.Fatal(err)
	}
	p.findOutcome = func(_ *session, cause error) error {
		t.Errorf("the outcome is asked for: %v", cause)
		return cause
	}
	for _, foreign := range []bool{false, true} {
		w.czech.Store(foreign)
		err := p.Update(t.Context(), func(s db.Session) error {
			return errors.Join(s.Write(putBank, 1), s.Write(insertToken, taken))
		})
		var coded *pgconn.PgError
		if !errors.Is(err, store.ErrExists) || !errors.As(err, &coded) ||
			(coded.Severity == "CHYBA") != foreign {
			t.Errorf("foreign is %v: got the error %v", foreign, err)
		}
	}
}

// TestSweepAfterTheClockWasSetBack checks that a sweep deletes earlier tokens even after later ones
// were swept: after a failover the new server's clock may be behind.
func TestSweepAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	p, _ := openWired(t)
	old := newToken(time.Now().Add(-2 * tokensKept).UnixMilli())
	if _, err := p.pool.Exec(t.Context(), insertToken, old); err != nil {
		t.Fatal(err)
	}
	ahead := oldestToken(time.Now().Add(time.Hour).UnixMilli())
	until, err := p.sweep(t.Context(), ahead)
	if err != nil {
		t.Fatal(err)
	}
	if countTokens(t, p, old, old) != 0 || until.time() >= ahead.time() {
		t.Errorf("a token of an earlier time stays, and the next sweep begins at %d", until.time())
	}
}

// TestSweep checks that a sweep deletes all old tokens, and no others.
func TestSweep(t *testing.T) {
	t.Parallel()
	p, _ := openWired(t)
	now := time.Now()
	ages := []time.Duration{
		0, tokensKept - 30*time.Second, tokensKept + time.Second,
		tokensKept + 1500*time.Millisecond, 2 * tokensKept, 1000 * time.Hour, 1001 * time.Hour,
	}
	const old = 5
	for _, age := range ages {
		for range 3 {
			mine := newToken(now.Add(-age).UnixMilli())
			if _, err := p.pool.Exec(t.Context(), insertToken, mine); err != nil {
				t.Fatal(err)
			}
		}
	}
	last := oldestToken(now.Add(time.Hour).UnixMilli())
	want := 3 * (len(ages) - old)
	var from token
	for range 2 {
		until, err := p.sweep(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}
		if got := countTokens(t, p, token{}, last); got != want {
			t.Errorf("%d tokens are left, want %d", got, want)
		}
		if behind := now.UnixMilli() - until.time(); behind > tokensKept.Milliseconds()+1000 {
			t.Errorf("the sweep ends %d ms ago", behind)
		}
		from = until
	}
	// The next sweep skips everything before its start.
	passed := newToken(from.time() - 1)
	if _, err := p.pool.Exec(t.Context(), insertToken, passed); err != nil {
		t.Fatal(err)
	}
	if _, err := p.sweep(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	if got := countTokens(t, p, passed, passed); got != 1 {
		t.Error("a sweep does not begin where the last one ended")
	}
}

// TestTokens checks the order of tokens, by which they are swept.
func TestTokens(t *testing.T) {
	t.Parallel()
	const at = 1_767_400_000_123
	mine, other := newToken(at), newToken(at)
	if mine == other {
		t.Error("two tokens are the same")
	}
	if mine.time() != at {
		t.Errorf("a token of %d is of %d", at, mine.time())
	}
	first, next := oldestToken(at), oldestToken(at+1)
	if bytes.Compare(first[:], mine[:]) > 0 || bytes.Compare(next[:], mine[:]) <= 0 {
		t.Error("a token does not lie in its millisecond")
	}
}
