package sqlite

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// TestGroupMembers lets one Update fail and one panic, in a shared commit and in separate ones. The
// others must not notice, wherever in the group it happens, and must still share a commit.
func TestGroupMembers(t *testing.T) {
	t.Parallel()
	endings := []testUpdate{{end: refuse}, {end: func(db.Session) error { panic(errRefused) }}}
	for shift := range 4 {
		for _, limit := range []int{0, 1} {
			e, path := opened(t, Options{GroupLimit: limit})
			asks := slices.Concat([]testUpdate{{}, {}}, endings)
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
			wantErrors(t, updateTogether(t, e, asks...), want)
			wantBanks(t, e, kept...)
			most := 1
			if limit == 1 || shift == len(endings)+1 { // a leader that panics hands over the lead
				most = 2
			}
			if got := commits(t, path); got > most {
				t.Errorf("shifted by %d, there were %d commits", shift, got)
			}
		}
	}
}

// TestGroupEndedGoroutine lets the closure of one Update end the goroutine that runs the group, as
// FailNow of a test does. Nothing of that Update may be stored or reported as committed.
func TestGroupEndedGoroutine(t *testing.T) {
	t.Parallel()
	e, _ := opened(t, Options{})
	hold, held, got := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		_ = e.Update(context.Background(), func(s db.Session) error {
			close(held)
			<-hold
			return putBank(s, 1)
		})
	}()
	<-held
	go func() {
		got <- e.Update(context.Background(), func(s db.Session) error {
			if err := putBank(s, 2); err != nil {
				return err
			}
			runtime.Goexit()
			return nil
		})
	}()
	awaitQueue(t, e, 1)
	close(hold)
	if err := <-got; err == nil {
		t.Error("an Update that did not end is answered as kept")
	}
	wantBanks(t, e, 1)
}

// TestGroupCommitFirst checks that no Update is answered before the commit, and that all of them
// fail if it does, including those that were refused.
func TestGroupCommitFirst(t *testing.T) {
	t.Parallel()
	e, _ := opened(t, Options{})
	early := make(chan int, 1)
	withWriter(e, func(on *connection) {
		hookStatement(t, on, "COMMIT", func() error {
			time.Sleep(20 * time.Millisecond) //nolint:forbidigo // An early answer would come now.
			early <- len(banks(t, e))
			return sqlite.ResultFull.ToError()
		})
	})
	started := time.Now()
	for i, err := range updateTogether(t, e, testUpdate{bank: 1}, testUpdate{bank: 2, end: refuse}, testUpdate{bank: 3}) {
		if resultCode(err) != sqlite.ResultFull || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("Update %d got the error %v", i, err)
		}
	}
	if time.Since(started) < 20*time.Millisecond {
		t.Error("the answers came before the commit")
	}
	if count := <-early; count != 0 {
		t.Errorf("%d banks can be seen before the commit", count)
	}
	withWriter(e, func(on *connection) { clearHook(on, "COMMIT") })
	wantErrors(t, updateTogether(t, e, testUpdate{bank: 1}), []error{nil})
	wantBanks(t, e, 1)
}

// TestGroupLost lets the database roll back in the middle of a group, as it does when the disk is
// full. Nothing of the group is stored, and the Updates queued after it run in a new transaction.
func TestGroupLost(t *testing.T) {
	t.Parallel()
	for _, end := range []error{nil, errRefused} {
		e, _ := opened(t, Options{})
		rollBack := func(s db.Session) error {
			_, err := s.Exec("ROLLBACK")
			return errors.Join(err, end)
		}
		got := updateTogether(t, e, testUpdate{bank: 1}, testUpdate{bank: 2, end: rollBack}, testUpdate{bank: 3})
		wantErrors(t, got, []error{store.ErrUnavailable, store.ErrUnavailable, nil})
		wantBanks(t, e, 3)
		wantErrors(t, updateTogether(t, e, testUpdate{bank: 4}), []error{nil})
		wantBanks(t, e, 3, 4)
	}
}

// TestGroupLateCaller cancels a caller after its closure was refused and before the commit. The
// caller must get the refusal.
func TestGroupLateCaller(t *testing.T) {
	t.Parallel()
	e, _ := opened(t, Options{})
	brief, cancel := context.WithCancel(t.Context())
	hold, held := make(chan struct{}), make(chan struct{})
	refused := make(chan error, 1)
	var all sync.WaitGroup
	all.Go(func() {
		updateTogether(t, e, testUpdate{bank: 1, end: func(db.Session) error {
			close(held)
			<-hold
			return nil
		}})
	})
	<-held
	all.Go(func() { refused <- e.Update(brief, refuse) })
	awaitQueue(t, e, 1)
	all.Go(func() {
		wantErrors(t, []error{e.Update(t.Context(), func(s db.Session) error {
			cancel()
			time.Sleep(20 * time.Millisecond) //nolint:forbidigo // The caller notices by itself.
			return putBank(s, 2)
		})}, []error{nil})
	})
	awaitQueue(t, e, 2)
	close(hold)
	all.Wait()
	if err := <-refused; !errors.Is(err, errRefused) {
		t.Errorf("got the error %v", err)
	}
	wantBanks(t, e, 1, 2)
}

// TestGroupLimit checks that waiting Updates share commits up to the limit; a limit of 1 gives each
// its own commit.
func TestGroupLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{1: 7, 3: 3, 0: 1} {
		e, path := opened(t, Options{GroupLimit: limit})
		var asks []testUpdate
		for i := range 7 {
			asks = append(asks, testUpdate{bank: i + 1})
		}
		wantErrors(t, updateTogether(t, e, asks...), make([]error, len(asks)))
		if got := commits(t, path); got != want {
			t.Errorf("with a limit of %d: %d commits, want %d", limit, got, want)
		}
		wantBanks(t, e, 1, 2, 3, 4, 5, 6, 7)
	}
}

// TestGroupDeadline lets callers give up while they wait. Their closures never begin, and the
// Update that they wait for commits.
func TestGroupDeadline(t *testing.T) {
	t.Parallel()
	e, _ := opened(t, Options{})
	giveUp := func() {
		brief, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		err := e.Update(brief, func(db.Session) error {
			t.Error("a closure began after its deadline")
			return nil
		})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got the error %v", err)
		}
	}
	wantErrors(t, updateTogether(t, e, testUpdate{bank: 1, end: func(db.Session) error {
		var late sync.WaitGroup
		for range 3 {
			late.Go(giveUp)
		}
		late.Wait() // they do not wait for this Update to end
		return nil
	}}), []error{nil})
	wantBanks(t, e, 1)
}

// TestFailedStatementEndsUpdate lets a closure continue after a statement has failed. What it wrote
// before and after that is rolled back; the others in its group do not notice.
func TestFailedStatementEndsUpdate(t *testing.T) {
	t.Parallel()
	boom := func(row db.Scan) error { return errRefused }
	cases := map[string]struct {
		fail func(db.Session)
		want error
	}{
		"Write": {func(s db.Session) { _ = putBank(s, 1) }, store.ErrExists},
		"Exec": {func(s db.Session) {
			_, _ = s.Exec(`INSERT INTO banks (bank_id, name) VALUES (1, '')`)
		}, store.ErrExists},
		"Insert": {func(s db.Session) {
			_, _ = s.Insert(db.Serial{}, `INSERT INTO banks (bank_id, name) VALUES (1, '')`)
		}, store.ErrExists},
		"Change of no row": {func(s db.Session) {
			_ = s.Change(`UPDATE banks SET name = 'x' WHERE bank_id = 99`)
		}, store.ErrLostUpdate},
		"Change of two rows": {func(s db.Session) {
			_ = s.Change(`UPDATE banks SET name = 'x'`)
		}, store.ErrLostUpdate},
		"Query": {func(s db.Session) {
			_ = s.Query(db.Query{Text: `SELECT 1`, Each: boom})
		}, errRefused},
		"Fail": {func(s db.Session) { _ = s.Fail(errRefused) }, errRefused},
	}
	for name, c := range cases {
		e, _ := opened(t, Options{})
		got := updateTogether(t, e, testUpdate{bank: 1}, testUpdate{bank: 2, end: func(s db.Session) error {
			c.fail(s)
			_ = s.Fail(errors.New("a later failure does not count"))
			return putBank(s, 3)
		}}, testUpdate{bank: 4})
		t.Log(name, got)
		wantErrors(t, got, []error{nil, c.want, nil})
		wantBanks(t, e, 1, 4)
	}
}

// TestQueueRefused checks that refuse answers all Updates up to the given one, leaves those after
// it in the queue, and does nothing for an Update that has left the queue.
func TestQueueRefused(t *testing.T) {
	t.Parallel()
	q := &commitQueue{}
	q.join(&pendingUpdate{}) // leads
	var all []*pendingUpdate
	for range 3 {
		update := &pendingUpdate{ctx: t.Context(), wake: make(chan bool, 1)}
		if q.join(update) {
			t.Fatal("two lead")
		}
		all = append(all, update)
		if len(all) == 2 && q.last() != update {
			t.Error("another one is last")
		}
	}
	q.refuse(all[1], errRefused)
	q.refuse(all[1], errRefused)
	for i, update := range all[:2] {
		select {
		case leads := <-update.wake:
			if leads || !errors.Is(update.err, errRefused) {
				t.Errorf("Update %d leads: %t, error %v", i, leads, update.err)
			}
		default:
			t.Errorf("Update %d waits", i)
		}
	}
	if q.last() != all[2] || q.next() != all[2] || q.last() != nil {
		t.Error("the third Update does not wait")
	}
}
