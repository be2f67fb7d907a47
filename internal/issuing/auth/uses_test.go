package auth

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
)

// TestUsesAreKept holds that the store learns when a key was used, and is not told twice. What was
// only tried is no use.
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

// TestUsesOutliveTheDatabase holds that a use is told later when the store cannot be reached.
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
