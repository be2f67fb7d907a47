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

// tokenNow is a token of a transaction that begins now.
func tokenNow() token { return newToken(time.Now().UnixMilli()) }

// writing begins a transaction that has written its token and is not committed.
func writing(t *testing.T, p *Engine, kept token) pgx.Tx {
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

// wantFate settles a commit, twice: the answer stays.
func wantFate(t *testing.T, p *Engine, what string, kept token, want error) {
	t.Helper()
	for range 2 {
		if err := p.outcomeByToken(&session{lastToken: kept}, errNoAnswer); !errors.Is(err, want) {
			t.Errorf("%s: got the error %v, want %v", what, err, want)
		}
	}
}

// TestSettle asks for the fate of transactions in every state that one can be in.
func TestSettle(t *testing.T) {
	t.Parallel()
	p, _ := wired(t)
	ctx := context.Background()

	kept := tokenNow()
	if err := writing(t, p, kept).Commit(ctx); err != nil {
		t.Fatal(err)
	}
	wantFate(t, p, "kept", kept, nil)

	undone := tokenNow()
	if err := writing(t, p, undone).Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	wantFate(t, p, "undone", undone, store.ErrUnavailable)

	late := tokenNow()
	wantFate(t, p, "late", late, store.ErrUnavailable)
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
		tx := writing(t, p, open)
		ended := make(chan struct{})
		time.AfterFunc(300*time.Millisecond, func() {
			defer close(ended)
			if err := way.end(tx); err != nil {
				t.Errorf("%s: %v", way.name, err)
			}
		})
		began := time.Now()
		wantFate(t, p, way.name, open, way.want)
		if took := time.Since(began); took < 250*time.Millisecond {
			t.Errorf("%s: answered after %v, while it was under way", way.name, took)
		}
		<-ended
	}

	forgotten := newToken(time.Now().Add(-tokensTrue - time.Second).UnixMilli())
	wantFate(t, p, "asked too late", forgotten, store.ErrUnknownOutcome)
}

// TestSettleUnanswered loses the answer to the question itself. Whoever asks again finds what the
// first question wrote, and does not take it for the transaction's.
func TestSettleUnanswered(t *testing.T) {
	t.Parallel()
	p, w := wired(t)
	ask := func(about token) error {
		_, err := p.queryOutcome(t.Context(), about, time.Now().Add(outcomeTime))
		return err
	}
	const tries = 30
	kept := 0
	for try := 0; try < tries && kept < 3; try++ {
		if err := ask(tokenNow()); err != nil { // a line is laid, and the statements are prepared
			t.Fatal(err)
		}
		absent := tokenNow()
		w.cut.Store(afterSending)
		if err := ask(absent); err == nil {
			t.Error("there is an answer although the line was cut")
		}
		// The server may give a question up when it finds that nobody listens.
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // It tells nobody whether it does.
		kept += countTokens(t, p, absent, absent)
		wantFate(t, p, "asked again", absent, store.ErrUnavailable)
	}
	if kept == 0 {
		t.Errorf("the server has kept none of %d questions", tries)
	}
}

// countTokens counts the tokens of a span.
func countTokens(t *testing.T, p *Engine, from, to token) (count int) {
	t.Helper()
	err := p.pool.QueryRow(t.Context(),
		`SELECT count(*) FROM commit_tokens WHERE token BETWEEN $1 AND $2`, from, to).Scan(&count)
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// TestSettleTakesNoPlace loses the only connection that a node may have, at the commit. The
// question needs one, too.
func TestSettleTakesNoPlace(t *testing.T) {
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

// TestRefusedInAnotherLanguage has a server refuse a statement that travels with the commit, in the
// language that it was told to speak. It has answered, so there is nothing to be settled.
func TestRefusedInAnotherLanguage(t *testing.T) {
	t.Parallel()
	p, w := wired(t)
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

// TestSweepAfterTheClockWasSetBack holds that tokens of an earlier time go, too, when those of a
// later one have gone before: another server may lead, whose clock is behind.
func TestSweepAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	p, _ := wired(t)
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

// TestSweep deletes old tokens, and no others, wherever they lie.
func TestSweep(t *testing.T) {
	t.Parallel()
	p, _ := wired(t)
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
	// The next one passes over what lies before.
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

// TestTokens looks at the order of tokens, by which they are swept.
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
