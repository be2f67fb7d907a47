package sqlite

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// TestUndecidedCommit lets a commit fail in many ways. If the outcome is open, every Update in the
// group gets store.ErrUnknownOutcome, and the engine answers nothing more.
func TestUndecidedCommit(t *testing.T) {
	t.Parallel()
	cases := []struct {
		code sqlite.ResultCode
		open bool
	}{
		{sqlite.ResultIOErrFsync, true},
		{sqlite.ResultIOErrDirFsync, true},
		{sqlite.ResultIOErrWrite, true},
		{sqlite.ResultIOErrSHMSize, true}, // the log's index is written after its sync
		{sqlite.ResultNoMem, true},
		{sqlite.ResultCorrupt, true},
		{sqlite.ResultError, true},
		{panics, true},
		{sqlite.ResultFull, false},
		{sqlite.ResultBusy, false},
		{sqlite.ResultConstraintForeignKey, false},
	}
	for _, c := range cases {
		for _, limit := range []int{0, 1} {
			e, _ := opened(t, Options{GroupLimit: limit})
			withWriter(e, func(on *connection) { failStatement(t, on, "COMMIT", c.code) })
			asks := []testUpdate{{bank: 7}, {bank: 8, end: refuse}, {bank: 9}}
			if limit == 1 {
				asks = asks[:1]
			}
			for i, err := range updateTogether(t, e, asks...) {
				unknown := errors.Is(err, store.ErrUnknownOutcome)
				unavailable := errors.Is(err, store.ErrUnavailable)
				// A violated constraint is a fault of the caller, with a result code of its own.
				certain := unavailable || resultCode(err) == sqlite.ResultConstraintForeignKey
				if unknown != c.open || certain == c.open {
					t.Errorf("%v: Update %d got the error %v", c.code, i, err)
				}
			}
			withWriter(e, func(on *connection) { clearHook(on, "COMMIT") })
			checkBroken(t, e, c.open)
			if err := e.Close(); errors.Is(err, store.ErrUnknownOutcome) != c.open {
				t.Errorf("%v: Close answers %v", c.code, err)
			}
		}
	}
}

// TestPanicBetweenClosures lets the library panic while it sets the savepoint for the second of
// three Updates in a group. An Update whose closure has not run must not be reported as committed.
func TestPanicBetweenClosures(t *testing.T) {
	t.Parallel()
	e, _ := opened(t, Options{})
	got := updateTogether(t, e, testUpdate{bank: 7, end: func(s db.Session) error {
		failStatement(t, s.(*session).on, setSavepoint, panics)
		return nil
	}}, testUpdate{bank: 8}, testUpdate{bank: 9})
	withWriter(e, func(on *connection) { clearHook(on, setSavepoint) })
	kept := banks(t, e)
	for i, err := range got {
		if id := 7 + i; err == nil && !slices.Contains(kept, id) {
			t.Errorf("Update %d was answered as kept, and is not: %v", id, kept)
		}
	}
	if got[1] == nil {
		t.Error("the one for which there was no room got no error")
	}
}

// checkBroken checks that a broken engine answers nothing more, and that any other answers
// everything.
func checkBroken(t *testing.T, e *Engine, broken bool) {
	t.Helper()
	var want error
	if broken {
		want = store.ErrUnavailable
	}
	ctx, nothing := t.Context(), func(db.Session) error { return nil }
	got := map[string]error{
		"View":   e.View(ctx, nothing),
		"Update": e.Update(ctx, func(s db.Session) error { return putBank(s, 10) }),
		// A read cache around the engine answers without a query.
		"Read without a query": e.Read(ctx, nothing),
		"Read":                 e.Read(ctx, func(s db.Session) error { return s.Query() }),
	}
	for name, err := range got {
		if !errors.Is(err, want) || errors.Is(err, store.ErrUnknownOutcome) {
			t.Errorf("%s answers %v, want %v", name, err, want)
		}
	}
	select {
	case <-e.Failed():
		if !broken {
			t.Errorf("the engine broke: %v", e.Failure())
		}
	default:
		if broken {
			t.Error("the engine does not say that it broke")
		}
	}
}

// TestBrokenClose checks that a broken engine leaves the log to the next start, and the number of
// users unchanged.
func TestBrokenClose(t *testing.T) {
	t.Parallel()
	e, path := opened(t, Options{})
	cause := errors.New("the disk failed")
	e.fail(cause)
	if err := e.Close(); !errors.Is(err, cause) {
		t.Errorf("Close answers %v", err)
	}
	if _, err := os.Stat(path + "-wal"); err != nil {
		t.Errorf("the log is gone: %v", err)
	}
	if text, err := os.ReadFile(path + usersFile); err != nil || string(text) != "         1\n" {
		t.Errorf("there are %q users, %v", text, err)
	}
}

// TestBrokenCloseDoesNotWait closes an engine while a View waits for a disk that does not answer.
// If the engine has broken, or breaks meanwhile, Close must not wait.
func TestBrokenCloseDoesNotWait(t *testing.T) {
	t.Parallel()
	cause := errors.New("the disk failed")
	for _, before := range []bool{true, false} {
		e, _ := opened(t, Options{})
		reading, answer := make(chan struct{}), make(chan struct{})
		var reader sync.WaitGroup
		reader.Go(func() {
			_ = e.View(context.Background(), func(db.Session) error {
				close(reading)
				<-answer
				return nil
			})
		})
		<-reading
		if before {
			e.fail(cause)
		}
		closed := make(chan error, 1)
		go func() { closed <- e.Close() }()
		if !before {
			<-e.closed
			e.fail(cause)
		}
		select {
		case err := <-closed:
			if !errors.Is(err, cause) {
				t.Errorf("broken before is %v: Close answers %v", before, err)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("broken before is %v: Close waits", before)
		}
		close(answer)
		reader.Wait()
	}
}

// TestBrokenCheckpoint lets the write-back of the log fail, after the commit: what was written is
// stored, and nothing after it.
func TestBrokenCheckpoint(t *testing.T) {
	t.Parallel()
	for code, broken := range map[sqlite.ResultCode]bool{
		sqlite.ResultIOErrFsync: true, sqlite.ResultFull: false, sqlite.ResultBusy: false,
		panics: true,
	} {
		e, path := opened(t, Options{})
		e.logLimit = 1
		withWriter(e, func(on *connection) { failStatement(t, on, backfill, code) })
		wantErrors(t, updateTogether(t, e, testUpdate{bank: 7}), []error{nil})
		checkBroken(t, e, broken)
		if got := commits(t, path); got < 1 {
			t.Errorf("%v: there were %d commits", code, got)
		}
	}
}

// TestBrokenBeforeCommit lets a sync fail before the commit, whatever the closure returns. Nothing
// of the Update is stored, and no later sync is trusted.
func TestBrokenBeforeCommit(t *testing.T) {
	t.Parallel()
	const statement = `SELECT 'the one that fails'`
	statements := map[string]func(s db.Session) error{
		"Write": func(s db.Session) error { return s.Write(statement) },
		"Query": func(s db.Session) error { return s.Query(db.Query{Text: statement}) },
	}
	for name, run := range statements {
		for end, want := range map[error]error{
			nil: store.ErrUnavailable, errRefused: errRefused,
		} {
			e, _ := opened(t, Options{})
			withWriter(e, func(on *connection) { failStatement(t, on, statement, sqlite.ResultIOErrFsync) })
			err := e.Update(t.Context(), func(s db.Session) error {
				if run(s) == nil {
					t.Errorf("%s did not fail", name)
				}
				return end
			})
			if end == nil && !errors.Is(err, want) || errors.Is(err, store.ErrUnknownOutcome) {
				t.Errorf("%s, ending with %v: got the error %v", name, end, err)
			}
			checkBroken(t, e, true)
		}
	}
}

// TestLogShrinks lets the log grow beyond its size limit during a long read, and expects it to
// shrink when the read has ended.
func TestLogShrinks(t *testing.T) {
	t.Parallel()
	const size, pages = 64 << 10, 10
	path := newPath(t)
	e, err := openFile(t.Context(), path, withSettings("journal_size_limit = 65536"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.logLimit = pages
	bank := 0
	write := func() {
		bank++
		wantErrors(t, updateTogether(t, e, testUpdate{bank: bank}), []error{nil})
	}
	err = e.View(t.Context(), func(s db.Session) error {
		var ids []int
		if err := s.Query(listBanks(&ids)); err != nil {
			return err
		}
		for sizeOf(t, path+"-wal") < 4*size {
			write()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range pages {
		write()
	}
	if got := sizeOf(t, path+"-wal"); got > size {
		t.Errorf("the log has %d bytes, want at most %d", got, size)
	}
}

// TestLogIsWrittenBackHere checks that SQLite never writes the log back automatically, because it
// would not report a failed sync: neither after a commit nor when a broken engine ends.
func TestLogIsWrittenBackHere(t *testing.T) {
	t.Parallel()
	const manyPages = 2000 // SQLite's default limit is half of that
	e, path := opened(t, Options{})
	e.logLimit = 2 * manyPages
	before := sizeOf(t, path)
	mustUpdate(t, e, func(s db.Session) error {
		return s.Write(`INSERT INTO banks (bank_id, name) VALUES (1, $1)`,
			string(make([]byte, manyPages*4096)))
	})
	wantErrors(t, updateTogether(t, e, testUpdate{bank: 2}, testUpdate{bank: 3}), []error{nil, nil})
	if now := sizeOf(t, path); now != before {
		t.Errorf("the file has grown from %d to %d bytes", before, now)
	}
	e.logLimit = manyPages
	wantErrors(t, updateTogether(t, e, testUpdate{bank: 4}), []error{nil})
	if now := sizeOf(t, path); now <= manyPages*4096 {
		t.Errorf("with the log at its limit, the file has %d bytes", now)
	}
}
