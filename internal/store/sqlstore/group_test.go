package sqlstore

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"

	"mintmark/internal/store"
)

// watched is a session that notes what begins and ends a transaction, and can be made to wait or
// to fail there.
type watched struct {
	session
	mu     sync.Mutex
	noted  []string
	before func(text string) error // nil: nothing
}

func (w *watched) exec(ctx context.Context, text string, args ...any) (int64, error) {
	if len(args) > 0 {
		return w.session.exec(ctx, text, args...)
	}
	w.mu.Lock()
	w.noted = append(w.noted, text)
	w.mu.Unlock()
	if w.before != nil {
		if err := w.before(text); err != nil {
			return 0, err
		}
	}
	return w.session.exec(ctx, text, args...)
}

func (w *watched) count(text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	count := 0
	for _, noted := range w.noted {
		if noted == text {
			count++
		}
	}
	return count
}

// watch puts a watched session in the place of the writing one.
func watch(s *Store) *watched {
	w := &watched{session: <-s.writers}
	s.writers <- w
	return w
}

// length is how many wait.
func (l *waitingLine) length() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

// ask is one Update of a test, for a bank of its own.
type ask struct {
	bank int
	end  func() error // how the closure ends after it wrote; nil: well
}

var errRefused = errors.New("refused")

// together runs Updates that have to wait for each other, in the order of the list, and returns
// what became of each. What a closure panics with comes back as an error.
func together(s *Store, asks ...ask) []error {
	errs := make([]error, len(asks))
	var all sync.WaitGroup
	hold, held := make(chan struct{}), make(chan struct{})
	for i, a := range asks {
		all.Go(func() {
			defer func() {
				if cause := recover(); cause != nil {
					errs[i] = cause.(error)
				}
			}()
			errs[i] = s.Update(context.Background(), func(tx store.Tx) error {
				if i == 0 {
					close(held)
					<-hold
				}
				if err := tx.Banks().Put(store.Bank{ID: a.bank}); err != nil {
					return err
				}
				if a.end == nil {
					return nil
				}
				return a.end()
			})
		})
		<-held
		if s.groupLimit > 0 {
			awaitLine(s, i)
		}
	}
	close(hold)
	all.Wait()
	return errs
}

// banks returns the numbers of the banks that are stored.
func banks(t *testing.T, s *Store) []int {
	t.Helper()
	one := <-s.readers
	defer func() { s.readers <- one }()
	var found []int
	err := one.query(t.Context(), func(row scan) error {
		var id int
		err := row(&id)
		found = append(found, id)
		return err
	}, `SELECT bank_id FROM banks ORDER BY bank_id`)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func wantErrors(t *testing.T, got, want []error) {
	t.Helper()
	for i, err := range got {
		if !errors.Is(err, want[i]) {
			t.Errorf("Update %d: got the error %v, want %v", i, err, want[i])
		}
	}
}

// TestGroupMembers has one fail and one panic among Updates that share a transaction. Nobody else
// may notice, wherever in the group it happens.
func TestGroupMembers(t *testing.T) {
	t.Parallel()
	endings := []ask{
		{end: func() error { return errRefused }},
		{end: func() error { panic(errRefused) }},
	}
	for shift := range 4 {
		s := openedFile(t)
		w := watch(s)
		asks := slices.Concat([]ask{{}, {}}, endings)
		asks = slices.Concat(asks[shift:], asks[:shift])
		var kept []int
		want := make([]error, len(asks))
		for i := range asks {
			asks[i].bank = i + 1
			if asks[i].end == nil {
				kept = append(kept, i+1)
			} else {
				want[i] = errRefused
			}
		}
		got := together(s, asks...)
		wantErrors(t, got, want)
		if diff := cmp.Diff(kept, banks(t, s)); diff != "" {
			t.Errorf("shifted by %d, other banks are kept (-want +got):\n%s", shift, diff)
		}
		// Who leads and panics leads no longer.
		if commits := w.count("COMMIT"); commits > 2 || commits > 1 && shift != len(endings)+1 {
			t.Errorf("shifted by %d, there were %d commits", shift, commits)
		}
	}
}

// TestGroupCommitFirst holds that nobody is answered before the commit, and that all fail when it
// does, those who were refused among them.
func TestGroupCommitFirst(t *testing.T) {
	t.Parallel()
	s := openedFile(t)
	w := watch(s)
	errDisk := sqlite.ResultFull.ToError()
	early := make(chan int, 1)
	w.before = func(text string) error {
		if text != "COMMIT" {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
		early <- len(banks(t, s))
		return errDisk
	}
	refusing := ask{bank: 2, end: func() error { return errRefused }}
	started := time.Now()
	got := together(s, ask{bank: 1}, refusing, ask{bank: 3})
	if time.Since(started) < 20*time.Millisecond {
		t.Error("the answers came before the commit")
	}
	wantErrors(t, got, []error{errDisk, errDisk, errDisk})
	if found := <-early; found != 0 {
		t.Errorf("%d banks can be seen before the commit", found)
	}
	w.before = nil
	wantErrors(t, together(s, ask{bank: 1}), []error{nil})
	if diff := cmp.Diff([]int{1}, banks(t, s)); diff != "" {
		t.Errorf("other banks are kept (-want +got):\n%s", diff)
	}
}

// TestGroupLost takes the transaction away under a group, as a full disk does.
func TestGroupLost(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"RELEASE one", "ROLLBACK TO one"} {
		s := openedFile(t)
		w := watch(s)
		w.before = func(text string) error {
			if text != at {
				return nil
			}
			_, err := w.session.exec(t.Context(), "ROLLBACK")
			return err
		}
		end := func() error { return nil }
		if at == "ROLLBACK TO one" {
			end = func() error { return errRefused }
		}
		got := together(s, ask{bank: 1}, ask{bank: 2, end: end})
		for _, err := range got {
			if !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("%s: got the error %v", at, err)
			}
		}
		w.before = nil
		wantErrors(t, together(s, ask{bank: 3}), []error{nil})
		if diff := cmp.Diff([]int{3}, banks(t, s)); diff != "" {
			t.Errorf("%s: other banks are kept (-want +got):\n%s", at, diff)
		}
	}
}

// TestGroupLateCaller has the time of a caller end after its closure was refused, and before the
// commit. The refusal is what it is told.
func TestGroupLateCaller(t *testing.T) {
	t.Parallel()
	s := openedFile(t)
	brief, cancel := context.WithCancel(t.Context())
	hold, held := make(chan struct{}), make(chan struct{})
	refused := make(chan error, 1)
	var all sync.WaitGroup
	all.Go(func() {
		together(s, ask{bank: 1, end: func() error {
			close(held)
			<-hold
			return nil
		}})
	})
	<-held
	all.Go(func() {
		refused <- s.Update(brief, func(store.Tx) error { return errRefused })
	})
	awaitLine(s, 1)
	all.Go(func() {
		together(s, ask{bank: 2, end: func() error {
			cancel()
			time.Sleep(20 * time.Millisecond) // for the caller to notice
			return nil
		}})
	})
	awaitLine(s, 2)
	close(hold)
	all.Wait()
	if err := <-refused; !errors.Is(err, errRefused) {
		t.Errorf("got the error %v", err)
	}
}

// TestGroupAfterLoss takes the transaction away in the middle of a group. Those behind have one of
// their own, and nobody sees what is gone.
func TestGroupAfterLoss(t *testing.T) {
	t.Parallel()
	s := stocked(t, filepath.Join(t.TempDir(), "mintmark.db"), 2)
	before := standing(t, s, 1).Card.ExpireYear
	w := watch(s)
	w.before = func(text string) error {
		if text != "ROLLBACK TO one" {
			return nil
		}
		_, err := w.session.exec(t.Context(), "ROLLBACK")
		return err
	}
	hold, held := make(chan struct{}), make(chan struct{})
	errs := make([]error, 3)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			errs[i] = s.Update(context.Background(), func(tx store.Tx) error {
				switch i {
				case 0:
					close(held)
					<-hold
				case 1:
					return errRefused
				}
				found, err := tx.Cards().FindView(
					stockedProgram, stockedCustomer, store.CardKey{ID: 1})
				if err != nil {
					return err
				}
				found.Card.ExpireYear++
				return tx.Cards().Put(&found.Card)
			})
		})
		if <-held; i > 0 {
			awaitLine(s, i)
		}
	}
	close(hold)
	all.Wait()
	want := []error{store.ErrUnavailable, store.ErrUnavailable, nil}
	wantErrors(t, errs, want)
	for range 2 {
		if year := standing(t, s, 1).Card.ExpireYear; year != before+1 {
			t.Errorf("the year is %d, want %d", year, before+1)
		}
	}
}

// awaitLine waits until so many wait.
func awaitLine(s *Store, many int) {
	for s.line.length() < many {
		time.Sleep(time.Millisecond)
	}
}

// TestGroupLimit counts how many share a transaction.
func TestGroupLimit(t *testing.T) {
	t.Parallel()
	for limit, commits := range map[int]int{0: 7, 3: 3, groupLimit: 1} {
		s := openedFile(t)
		s.groupLimit = limit
		if limit == 0 {
			s.groupLimit = groupLimit
			WithOneCommitPerUpdate()(s)
		}
		w := watch(s)
		var asks []ask
		for i := range 7 {
			asks = append(asks, ask{bank: i + 1})
		}
		wantErrors(t, together(s, asks...), make([]error, len(asks)))
		if got := w.count("COMMIT"); got != commits {
			t.Errorf("with at most %d in a group: %d commits, want %d", limit, got, commits)
		}
		if got := len(banks(t, s)); got != len(asks) {
			t.Errorf("with at most %d in a group: %d banks kept", limit, got)
		}
	}
}

// TestGroupDeadline has callers give up while they wait. Their closures never begin.
func TestGroupDeadline(t *testing.T) {
	t.Parallel()
	s := openedFile(t)
	w := watch(s)
	var late sync.WaitGroup
	const alone = "BEGIN IMMEDIATE, SAVEPOINT one, RELEASE one, COMMIT"
	wantErrors(t, together(s, ask{bank: 1, end: func() error {
		for range 3 {
			late.Go(func() {
				brief, cancel := context.WithTimeout(context.Background(), time.Millisecond)
				defer cancel()
				err := s.Update(brief, func(store.Tx) error {
					t.Error("a closure began after its deadline")
					return nil
				})
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got the error %v", err)
				}
			})
		}
		late.Wait()
		return nil
	}}), []error{nil})
	if noted := strings.Join(w.noted, ", "); noted != alone {
		t.Errorf("the transaction was %s", noted)
	}
}
