package sandbox_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/clock"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/face/sandbox"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
)

// TestYear advances a year in one call, in odd steps and, in a full run, in daily steps, and
// compares everything that happens, in order.
func TestYear(t *testing.T) {
	t.Parallel()
	file, setting := yearFile(t, 12)
	at := setting.Frozen
	whole := again(t, file, setting)
	before := len(whole.log())
	whole.advance("365d")
	want := whole.log()
	wantInOrder(t, want[before:], at)
	steps := map[string]string{"odd": "61h13m0.005s"}
	if testrun.Full() {
		steps["daily"] = "24h"
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := again(t, file, setting)
			end := at.Add(365 * 24 * time.Hour)
			for {
				by, err := time.ParseDuration(step)
				w.must(err)
				if w.clock.Now().Add(by).After(end) {
					break
				}
				w.advance(step)
			}
			w.move(wire.ClockChange{Now: &end})
			if diff := cmp.Diff(want, w.log()); diff != "" {
				t.Errorf("the log of small steps (+) is another one than that of one (-):\n%s",
					diff)
			}
			if diff := cmp.Diff(whole.orders(), w.orders()); diff != "" {
				t.Errorf("the orders differ:\n%s", diff)
			}
		})
	}
}

// orders returns all stored orders, without what differs between runs.
func (w *timeWorld) orders() []order.Order {
	w.t.Helper()
	var all []order.Order
	w.view(func(r store.Tx) (err error) {
		all, err = r.Orders().List(store.OrderQuery{Limit: 1_000_000})
		return err
	})
	for i := range all {
		all[i].Token, all[i].Revision = "", 0
	}
	return all
}

// wantInOrder checks that the entries of a year are ordered by time, and that every job made some
// of them.
func wantInOrder(t *testing.T, entries []audit.Entry, from time.Time) {
	t.Helper()
	last, seen := from, map[string]int{}
	for _, e := range entries {
		if e.At.Before(last) {
			t.Errorf("%s at %s stands behind an entry of %s", e.Act, e.At, last)
		}
		last = e.At
		seen[e.Name]++
	}
	for _, name := range []string{
		issuing.ExpireJob, issuing.ExpirePinsJob, issuing.EndHoldsJob, issuing.RenewJob,
		issuing.DocumentsJob, issuing.KeysJob, issuing.PurgeAnswersJob, orders.DeliverJob,
	} {
		if seen[name] == 0 {
			t.Errorf("%q has done nothing: %v", name, seen)
		}
	}
}

// TestMoments checks the time at which each thing happens during a jump over all of them.
func TestMoments(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"embedded": "", "server": onServer} {
		t.Run(name, func(t *testing.T) { t.Parallel(); testMoments(t, path) })
	}
}

func testMoments(t *testing.T, path string) {
	w := newTimeWorld(t, path, clock.Setting{Frozen: timeStart})
	pending, renewed := w.order(""), w.order("")
	w.verified(renewed, 2026, 9)
	w.hold("a-hold")
	w.keepAnswer("an answer")
	w.update(w.putDates)
	w.advance("P120D")
	day := 24 * time.Hour
	newYork, err := time.LoadLocation("America/New_York")
	w.must(err)
	want := map[string]time.Time{
		issuing.ExpireJob:       timeStart.Add(90*day + time.Millisecond),
		issuing.EndHoldsJob:     timeStart.Add(7 * day),
		issuing.RenewJob:        time.Date(2026, time.August, 17, 0, 0, 0, 0, newYork).UTC(),
		issuing.KeysJob:         timeStart.Add(86 * day),
		issuing.PurgeAnswersJob: timeStart.Add(day + time.Millisecond),
	}
	for _, e := range w.log() {
		if moment, there := want[e.Name]; there && e.At.After(timeStart) {
			if e.Subject == audit.Of(audit.Card, pending) || e.Name != issuing.ExpireJob {
				if !e.At.Equal(moment) {
					t.Errorf("%q has acted at %s, want %s", e.Name, e.At, moment)
				}
				delete(want, e.Name)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("these have not happened: %v", want)
	}
	var got card.Card
	w.view(func(r store.Tx) (err error) { got, err = r.Cards().Find(1, pending); return err })
	if got.Status != card.Expired || !got.Expired.Equal(timeStart.Add(90*day+time.Millisecond)) {
		t.Errorf("the card is %s since %s", got.Status, got.Expired)
	}
	if now := w.clock.Now(); !now.Equal(timeStart.Add(120*day)) || !w.clock.Frozen() {
		t.Errorf("the clock stands at %s", now)
	}
}

// TestRunningClock has a card expire while the clock runs: the job runs later, but the card expires
// as of the end of its window.
func TestRunningClock(t *testing.T) {
	t.Parallel()
	w := newTimeWorld(t, "", clock.Setting{Frozen: timeStart})
	id := w.order("")
	yes, no := true, false
	w.move(wire.ClockChange{Advance: "90d", Frozen: &no})
	if w.clock.Frozen() {
		t.Fatal("the clock stands still")
	}
	w.clock.Advance(time.Hour) // as a running clock does
	w.must(w.Time.CatchUp(context.Background()))
	late := timeStart.Add(90*24*time.Hour + time.Millisecond)
	w.view(func(r store.Tx) error {
		c, err := r.Cards().Find(1, id)
		if c.Status != card.Expired || !c.Expired.Equal(late) {
			t.Errorf("the card is %s since %s", c.Status, c.Expired)
		}
		return err
	})
	w.advance("1h")
	if now := w.clock.Now(); now.Before(late.Add(2*time.Hour-time.Second)) || w.clock.Frozen() {
		t.Errorf("the clock says %s", now)
	}
	w.move(wire.ClockChange{Frozen: &yes})
	if first := w.clock.Now(); !w.clock.Now().Equal(first) {
		t.Error("the clock runs on")
	}
}

// TestRun lets the clock run past the end of a window. The card expires without a request.
func TestRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testRun)
}

func testRun(t *testing.T) {
	w := newTimeWorld(t, "", clock.Setting{Frozen: timeStart})
	id := w.order("")
	no := false
	w.move(wire.ClockChange{Advance: "2159h59m59.5s", Frozen: &no})
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { w.Time.Run(ctx) })
	defer running.Wait()
	defer stop()
	testrun.Pass(time.Second)
	var got card.Card
	w.view(func(r store.Tx) (err error) { got, err = r.Cards().Find(1, id); return err })
	if late := timeStart.Add(90*24*time.Hour + time.Millisecond); !got.Expired.Equal(late) {
		t.Errorf("the card is %s since %s, want %s", got.Status, got.Expired, late)
	}
}

// TestBegin stops a sandbox while a window is open, and starts it again long after the window's
// end.
func TestBegin(t *testing.T) {
	t.Parallel()
	path := demoPath(t)
	w := newTimeWorld(t, path, clock.Setting{Frozen: timeStart})
	id := w.order("")
	w.update(func(tx store.Tx) error {
		return tx.Jobs().Put(store.JobState{
			Name: issuing.ExpireJob, Began: tx.Now(), Next: tx.Now().Add(time.Minute),
		})
	})
	w.must(w.store.Close())
	w = newTimeWorld(t, path, clock.Setting{Frozen: timeStart.AddDate(1, 0, 0)})
	w.view(func(r store.Tx) error {
		c, err := r.Cards().Find(1, id)
		if late := timeStart.Add(90*24*time.Hour + time.Millisecond); !c.Expired.Equal(late) {
			t.Errorf("the card is %s since %s, want %s", c.Status, c.Expired, late)
		}
		return err
	})
}

// TestFrozenStaysFrozen checks that jobs do nothing on their own while the clock is frozen.
func TestFrozenStaysFrozen(t *testing.T) {
	t.Parallel()
	w := newTimeWorld(t, "", clock.Setting{Frozen: timeStart})
	id := w.order("")
	w.verified(id, 2026, 6) // due for renewal
	before := len(w.log())
	w.must(w.Time.CatchUp(context.Background()))
	if after := len(w.log()); after != before {
		t.Errorf("%d entries were made", after-before)
	}
	w.advance("0s")
	if after := len(w.log()); after == before {
		t.Error("the move of the clock has not renewed the card")
	}
}

// TestRefusedMoves checks which moves are refused, and that they change nothing.
func TestRefusedMoves(t *testing.T) {
	t.Parallel()
	w := newTimeWorld(t, "", clock.Setting{Frozen: timeStart})
	past, far := timeStart.Add(-time.Millisecond), time.Date(2200, 12, 31, 0, 0, 0, 0, time.UTC)
	beyond := far.AddDate(0, 0, 1)
	for name, row := range map[string]struct {
		change wire.ClockChange
		status int
	}{
		"back":         {wire.ClockChange{Now: &past}, http.StatusConflict},
		"back by":      {wire.ClockChange{Advance: "-1h"}, http.StatusConflict},
		"back by days": {wire.ClockChange{Advance: "-P1D"}, http.StatusConflict},
		"nothing":      {wire.ClockChange{}, http.StatusUnprocessableEntity},
		"no duration":  {wire.ClockChange{Advance: "soon"}, http.StatusUnprocessableEntity},
		"too far":      {wire.ClockChange{Advance: "P9000Y"}, http.StatusUnprocessableEntity},
		"beyond":       {wire.ClockChange{Now: &beyond}, http.StatusUnprocessableEntity},
		"beyond by":    {wire.ClockChange{Advance: "P175Y"}, http.StatusUnprocessableEntity},
	} {
		problem := (*web.Problem)(nil)
		err := w.MoveClock(context.Background(), row.change)
		if !errors.As(err, &problem) || problem.Status != row.status {
			t.Errorf("%s: %v, want %d", name, err, row.status)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.MoveClock(ended, wire.ClockChange{Now: &far}); err == nil {
		t.Error("a request that is over moves the clock")
	}
	if now := w.clock.Now(); !now.Equal(timeStart) || !w.clock.Frozen() {
		t.Errorf("the clock says %s", now)
	}
}

// TestKeepClock checks that the setting is stored after each change.
func TestKeepClock(t *testing.T) {
	t.Parallel()
	w := newTimeWorld(t, "", clock.Setting{Frozen: timeStart})
	var kept []clock.Setting
	w.KeepClock = func(_ context.Context, s clock.Setting) error {
		kept = append(kept, s)
		return nil
	}
	w.advance("1h")
	no := false
	w.move(wire.ClockChange{Frozen: &no})
	if len(kept) != 2 || !kept[0].Frozen.Equal(timeStart.Add(time.Hour)) ||
		!kept[1].Frozen.IsZero() || kept[1] != w.clock.Setting() {
		t.Errorf("kept are %+v", kept)
	}
}

// TestTimeGoesOnBeforeAMove checks that moving the clock never sets time back, even if time passes
// after the move has read the clock.
func TestTimeGoesOnBeforeAMove(t *testing.T) {
	t.Parallel()
	w := newTimeWorld(t, "", clock.Setting{Frozen: timeStart})
	var running time.Duration
	of := clock.Follow(clock.NewMachine(func() (time.Time, time.Duration) {
		return timeStart.Add(running), running
	}))
	acted, seen := time.Time{}, time.Time{}
	keeper := sandbox.NewTimekeeper(w.Service, of, slog.New(slog.DiscardHandler),
		func(context.Context) error {
			if seen.IsZero() {
				seen = of.Now()
			}
			return nil
		})
	for _, by := range []time.Duration{0, time.Minute} {
		err := keeper.Move(t.Context(), nil, func(now time.Time) (time.Time, error) {
			running += time.Second
			acted, seen = of.Now(), time.Time{}
			return now.Add(by), nil
		})
		if err != nil || seen.Before(acted) || of.Now().Before(acted) {
			t.Errorf("moved by %v: acts at %v, then at %v, in the end at %v, %v", by, acted, seen,
				of.Now(), err)
		}
	}
}

// manyCards returns a world in memory with cards that await verification, each since a different
// time.
func manyCards(t testing.TB, count int) *timeWorld {
	w := newTimeWorld(t, "", clock.Setting{Frozen: timeStart})
	for range count {
		w.order("")
		w.clock.Advance(11 * time.Minute)
	}
	return w
}

// TestManyCards checks that the work of a year is linear in the number of cards, not quadratic. It
// is not parallel, because it measures the CPU time of the process.
func TestManyCards(t *testing.T) {
	few := 40
	if testrun.Full() {
		few = 200
	}
	year := func(cards int) time.Duration {
		w := manyCards(t, cards)
		before := len(w.log())
		began := processorTime(t)
		w.advance("P1Y")
		took := processorTime(t) - began
		if entries := len(w.log()) - before; entries < cards {
			t.Errorf("%d entries for %d cards", entries, cards)
		}
		return took
	}
	const more = 5
	short, long := year(few), year(few*more)
	if long > 3*more*short {
		t.Errorf("a year with %d cards takes %s, one with %d takes %s", few, short, few*more, long)
	}
}

// processorTime returns the CPU time of this process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkYear advances a year with a thousand cards in one call.
func BenchmarkYear(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		w := manyCards(b, 1000)
		b.StartTimer()
		w.advance("P1Y")
	}
}
