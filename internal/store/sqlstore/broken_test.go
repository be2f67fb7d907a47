package sqlstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store"
)

// TestUndecidedCommit has a commit fail in many ways. Where the outcome is open, everybody in the
// group is told so, and nobody is answered any more.
func TestUndecidedCommit(t *testing.T) {
	t.Parallel()
	cases := []struct {
		code sqlite.ResultCode
		open bool
	}{
		{sqlite.ResultIOErrFsync, true},
		{sqlite.ResultIOErrDirFsync, true},
		{sqlite.ResultIOErrWrite, true},
		{sqlite.ResultIOErrSHMSize, true}, // the index of the log is written after its sync
		{sqlite.ResultNoMem, true},
		{sqlite.ResultCorrupt, true},
		{sqlite.ResultError, true},
		{sqlite.ResultFull, false},
		{sqlite.ResultBusy, false},
		{sqlite.ResultConstraintForeignKey, false},
	}
	for _, c := range cases {
		for _, alone := range []bool{false, true} {
			s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 1)
			if alone {
				WithOneCommitPerUpdate()(s)
			}
			standing(t, s, 1) // is in memory from now on
			w := watch(s)
			w.before = func(text string) error {
				if text == "COMMIT" {
					return classifySQLite(c.code.ToError())
				}
				return nil
			}
			want := store.ErrUnavailable
			if c.open {
				want = store.ErrUnknownOutcome
			}
			if c.code == sqlite.ResultConstraintForeignKey {
				want = c.code.ToError()
			}
			refusing := ask{bank: 8, end: func() error { return errRefused }}
			asks, wanted := []ask{{bank: 7}, refusing, {bank: 9}}, []error{want, want, want}
			if alone {
				asks, wanted = asks[:1], wanted[:1]
			}
			wantErrors(t, together(s, asks...), wanted)
			w.before = nil
			checkBroken(t, s, c.open)
		}
	}
}

// TestPanicAtCommit has the library panic in the middle of a commit. Nobody waits for ever, and
// nobody is told that nothing was kept.
func TestPanicAtCommit(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{false, true} {
		s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 1)
		asks := []ask{{bank: 7}, {bank: 8}}
		if alone {
			WithOneCommitPerUpdate()(s)
			asks = asks[:1]
		}
		w := watch(s)
		w.before = func(text string) error {
			if text == "COMMIT" {
				panic("the roof is on fire")
			}
			return nil
		}
		for i, err := range together(s, asks...) {
			if !errors.Is(err, store.ErrUnknownOutcome) {
				t.Errorf("Update %d got the error %v", i, err)
			}
		}
		w.before = nil
		checkBroken(t, s, true)
		if err := s.Close(); !errors.Is(err, store.ErrUnknownOutcome) {
			t.Errorf("Close answers %v", err)
		}
	}
}

// TestPanicBetweenClosures has the library panic while it makes room for the second of three
// Updates in a group. Nobody is told that an Update is kept whose closure has not run.
func TestPanicBetweenClosures(t *testing.T) {
	t.Parallel()
	s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 1)
	w := watch(s)
	w.before = func(text string) error {
		if text == "SAVEPOINT one" && w.count(text) == 2 {
			panic(errors.New("the roof is on fire"))
		}
		return nil
	}
	got := together(s, ask{bank: 7}, ask{bank: 8}, ask{bank: 9})
	kept := banks(t, s)
	for i, err := range got {
		if id := 7 + i; err == nil && !slices.Contains(kept, id) {
			t.Errorf("Update %d was answered as kept, and is not: %v", id, kept)
		}
	}
	if got[1] == nil {
		t.Error("the one for which there was no room got no error")
	}
}

// checkBroken looks whether a store answers nothing more, or all.
func checkBroken(t *testing.T, s *Store, broken bool) {
	t.Helper()
	var want error
	if broken {
		want = store.ErrUnavailable
	}
	_, remembered := s.FindStanding(t.Context(), stockedProgram, stockedCustomer,
		store.CardKey{ID: 1})
	got := map[string]error{
		"View": s.View(t.Context(), func(r store.Tx) error { return nil }),
		"Update": s.Update(t.Context(), func(tx store.Tx) error {
			return tx.Banks().Put(store.Bank{ID: 10})
		}),
		"FindStanding": remembered,
	}
	for name, err := range got {
		if !errors.Is(err, want) || errors.Is(err, store.ErrUnknownOutcome) {
			t.Errorf("%s answers %v, want %v", name, err, want)
		}
	}
	select {
	case <-s.Broken():
		if !broken {
			t.Errorf("the store broke: %v", s.Breakage())
		}
	default:
		if broken {
			t.Error("the store does not say that it broke")
		}
	}
}

// TestBrokenClose holds that a store that broke leaves the log to the next start, and the number of
// users as it is.
func TestBrokenClose(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	s, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("the disk failed")
	s.breakDown(cause)
	if err := s.Close(); !errors.Is(err, cause) {
		t.Errorf("Close answers %v", err)
	}
	if _, err := os.Stat(path + "-wal"); err != nil {
		t.Errorf("the log is gone: %v", err)
	}
	if text, err := os.ReadFile(path + usersFile); err != nil || string(text) != "         1\n" {
		t.Errorf("there are %q users, %v", text, err)
	}
}

// TestBrokenCloseDoesNotWait closes a store while somebody reads from a disk that does not answer.
// If it has broken, or does so meanwhile, nobody waits for that.
func TestBrokenCloseDoesNotWait(t *testing.T) {
	t.Parallel()
	cause := errors.New("the disk failed")
	for _, before := range []bool{true, false} {
		s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 1)
		reading, answer := make(chan struct{}), make(chan struct{})
		var reader sync.WaitGroup
		reader.Go(func() {
			_ = s.View(context.Background(), func(store.Tx) error {
				close(reading)
				<-answer
				return nil
			})
		})
		<-reading
		if before {
			s.breakDown(cause)
		}
		closed := make(chan error, 1)
		go func() { closed <- s.Close() }()
		if !before {
			<-s.closed
			s.breakDown(cause)
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

// TestBrokenCheckpoint has the log fail to be written back, which happens after the commit: what
// was written is kept, and nothing after it.
func TestBrokenCheckpoint(t *testing.T) {
	t.Parallel()
	for code, broken := range map[sqlite.ResultCode]bool{
		sqlite.ResultIOErrFsync: true, sqlite.ResultFull: false, sqlite.ResultBusy: false,
		panics: true,
	} {
		s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 1)
		s.logLimit = 1
		one := <-s.writers
		s.writers <- failing{one, backfill, code}
		wantErrors(t, together(s, ask{bank: 7}), []error{nil})
		checkBroken(t, s, broken)
	}
}

// failing is a session on which a question fails.
type failing struct {
	session
	text string
	code sqlite.ResultCode
}

// panics is the code of a question on which the library panics.
const panics sqlite.ResultCode = -1

func (f failing) queryRow(ctx context.Context, text string, args ...any) scan {
	if text == f.text && f.code == panics {
		panic("the roof is on fire")
	}
	if text == f.text {
		return func(...any) error { return classifySQLite(f.code.ToError()) }
	}
	return f.session.queryRow(ctx, text, args...)
}

// TestBrokenBeforeCommit has a sync fail before the commit, of which nothing is kept.
func TestBrokenBeforeCommit(t *testing.T) {
	t.Parallel()
	s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 1)
	failed := classifySQLite(sqlite.ResultIOErrFsync.ToError())
	err := s.Update(t.Context(), func(store.Tx) error { return failed })
	if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome) {
		t.Errorf("got the error %v", err)
	}
	checkBroken(t, s, true)
}

// TestLogShrinks lets the log grow beyond its size behind a reader, and looks for it to shrink when
// the reader is gone.
func TestLogShrinks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	const size, pages = 64 << 10, 10
	settings := append(writerSettings[:len(writerSettings):len(writerSettings)],
		"journal_size_limit = 65536")
	s, err := openFile(t.Context(), path, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.logLimit = pages
	bank := 0
	write := func() {
		bank++
		wantErrors(t, together(s, ask{bank: bank}), []error{nil})
	}
	length := func() int64 {
		file, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return file.Size()
	}
	err = s.View(t.Context(), func(r store.Tx) error {
		if _, err := r.Programs().List(); err != nil {
			return err
		}
		for length() < 4*size {
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
	if got := length(); got > size {
		t.Errorf("the log has %d bytes, want at most %d", got, size)
	}
}
