package auth

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
)

// TestUsesAreKept checks that the time of a key's use is written to the store, and only once. A
// rejected attempt is not a use.
func TestUsesAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil, apikey.Key{Name: "a", Secrets: []apikey.Secret{secretOf("b",
			time.Time{})}}, apikey.Key{Name: "idle"})
		running(t, w)
		want := func(want map[string]time.Time) {
			t.Helper()
			var kept map[string]time.Time
			err := w.store.View(t.Context(), func(r store.Tx) (err error) {
				kept, err = r.Keys().ListUses()
				return err
			})
			if err != nil || len(kept) != len(want) || !kept["a"].Equal(want["a"]) {
				t.Errorf("the store has %v (%v), want %v", kept, err, want)
			}
		}
		w.matches("a", "wrong")
		w.matches("nobody", "b")
		testrun.Pass(2 * keepEvery)
		want(nil)
		w.matches("a", "b")
		w.clock.Advance(time.Minute)
		w.matches("a", "b")
		want(nil) // a request writes nothing
		testrun.Pass(keepEvery)
		want(map[string]time.Time{"a": start.Add(time.Minute)})
	})
}

// TestUsesOutliveTheDatabase checks that a use is written later when the store is unreachable.
func TestUsesOutliveTheDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, apikey.Key{Name: "a", Secrets: []apikey.Secret{secretOf("b",
		time.Time{})}})
	w.matches("a", "b")
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	w.keepUses(t.Context(), slog.New(slog.DiscardHandler))
	value, known := w.uses.byName.Load("a")
	if !known || value.(*use).kept.Load() != 0 {
		t.Error("the use is taken for kept")
	}
}

// TestRequestsAreCounted checks that the counts of two nodes add up, by key, hour and outcome, that
// a node reports no request twice, and that it reports those that the store missed.
func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, apikey.Key{Name: "a", ProgramID: 1}, apikey.Key{Name: "b", ProgramID: 1})
	other, err := Open(t.Context(), w.store, hasher{}, Settings{Clock: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	silent := slog.New(slog.DiscardHandler)
	for range 3 {
		w.CountRequest("a", Succeeded)
	}
	w.CountRequest("gone", Failed)
	other.CountRequest("a", Refused)
	other.CountRequest("b", Failed)
	ended, end := context.WithCancel(t.Context())
	end()
	w.keepUses(ended, silent) // the store is unreachable
	w.clock.Advance(time.Hour)
	w.CountRequest("a", Succeeded)
	for range 2 {
		w.keepUses(t.Context(), silent)
		other.keepUses(t.Context(), silent)
	}
	for _, test := range []struct {
		item    string
		program int
		want    string
	}{
		{"a", 1, "12 refused 1, 12 succeeded 3, 13 succeeded 1"}, {"b", 1, "12 failed 1"},
		{"", store.AllPrograms, "12 failed 1, 12 refused 1, 12 succeeded 3, 13 succeeded 1"},
	} {
		var got []string
		err := w.store.View(t.Context(), func(r store.Tx) error {
			sums, err := r.Hourly().List(store.HourlyQuery{
				Chart: store.Requests, Programs: []int{test.program}, Item: test.item,
			})
			for _, sum := range sums {
				got = append(got, fmt.Sprintf("%d %s %d", sum.Hour.Hour(), sum.Label, sum.Sum))
			}
			return err
		})
		slices.Sort(got)
		if got := strings.Join(got, ", "); err != nil || got != test.want {
			t.Errorf("key %q: %s (%v), want %s", test.item, got, err, test.want)
		}
	}
}
