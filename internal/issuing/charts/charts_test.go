package charts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/charts"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestCounts reads each chart before the job has counted, after it, and after it has counted again
// on two nodes at the same time: every act is counted once.
func TestCounts(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		trade(t, w)
		w.Clock.Advance(time.Hour)
		trade(t, w)
		want := map[string]string{
			"authorizations": "approved 0 1 1, limit 0 0 0, locked 0 1 1, insufficientFunds 0 1 1",
			"cards":          "ordered 0 1 1",
			"deliveries":     "succeeded 0 1 1, failed 0 2 2",
			"orders":         "waiting 0 0 2",
			"orderAge":       "seconds 0 0 3600",
		}
		check := func(when string) {
			t.Helper()
			for name, want := range want {
				if got := read(t, w, name, want); got != want {
					t.Errorf("%s %s: got %q, want %q", when, name, got, want)
				}
			}
		}
		check("before the job")
		for range 2 {
			if err := w.Charts.Count(t.Context()); err != nil {
				t.Fatal(err)
			}
			check("after the job")
		}
		w.Clock.Advance(2 * time.Minute) // the attempts are old enough
		failures := make(chan error)
		for range 2 {
			go func() { failures <- w.Charts.Count(t.Context()) }()
		}
		for range 2 {
			if err := <-failures; err != nil {
				t.Error(err)
			}
		}
		want["orderAge"] = "seconds 0 0 3720"
		check("after two nodes")
		trade(t, w)
		want["authorizations"] = "approved 0 1 2, limit 0 0 0, locked 0 1 2, insufficientFunds 0 1 2"
		want["cards"], want["orders"] = "ordered 0 1 2", "waiting 0 0 3"
		want["deliveries"] = "succeeded 0 1 2, failed 0 2 4"
		check("in the same hour again")

		w.Clock.Advance(40 * 24 * time.Hour)
		if err := w.Charts.Count(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.View(func(r store.Tx) error {
			kept, err := r.Hourly().List(store.HourlyQuery{Chart: "authorizations"})
			if len(kept) > 0 {
				t.Errorf("after 40 days %v", kept)
			}
			return err
		})
	})
}

// trade has one authorization approved and two declined, a card ordered, and three deliveries
// attempted.
func trade(t *testing.T, w *issuingtest.World) {
	t.Helper()
	w.Spent++
	w.Spendable(10_000)
	for i, amount := range []int64{1, 999_999} {
		a := issuingtest.PurchaseRequest(fmt.Sprintf("a%d-%d", w.Spent, i), amount)
		if _, err := w.Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, a); err != nil {
			t.Fatal(err)
		}
	}
	locked := issuingtest.PurchaseRequest(fmt.Sprintf("l%d", w.Spent), 1)
	locked.CardID = issuingtest.SystemLocked
	if _, err := w.Transfers.Authorize(t.Context(), issuingtest.ProcessorActor, locked); err != nil {
		t.Fatal(err)
	}
	caller := issuingtest.Caller
	caller.Route = "/card/initiate"
	w.Must(w.Cards.Initiate(t.Context(), caller, w.NewOrder()))
	w.SealAll()
	w.Update(func(tx store.Tx) error {
		hooks, err := tx.Webhooks().List(0)
		if err != nil {
			return err
		}
		if len(hooks) == 0 {
			hook := subscription.Webhook{
				ProgramID: 1, Name: "core", URL: "https://example.com", Created: tx.Now(),
			}
			if err := tx.Webhooks().Put(&hook, 0); err != nil {
				return err
			}
			hooks = append(hooks, hook)
		}
		for _, failure := range []string{"", "reset", "reset"} {
			err := tx.Deliveries().PutAttempt(subscription.Attempt{
				WebhookID: hooks[0].ID, Sequence: 1, At: tx.Now(), Error: failure,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// read formats the wanted series of the last three hours.
func read(t *testing.T, w *issuingtest.World, name, want string) string {
	t.Helper()
	chart, _ := charts.Find(name)
	q := charts.Query{Chart: chart, Hours: 3, ProgramID: 1}
	picture, err := w.Charts.Read(t.Context(), all, q)
	if err != nil {
		t.Fatal(err)
	}
	for id, same := range map[int]charts.Query{0: q, 1: q} {
		same.ProgramID = id
		if id != 0 && chart.Of != "" {
			same.Item = "1"
		}
		again, err := w.Charts.Read(t.Context(), all, same)
		if err != nil || sum(again) != sum(picture) {
			t.Errorf("%s of program %d, item %q: %v (%v)", name, id, same.Item, again.Counts, err)
		}
	}
	q.ProgramID = 2
	if other, err := w.Charts.Read(t.Context(), all, q); err != nil || sum(other) != 0 {
		t.Errorf("%s of another program: %v (%v)", name, other.Counts, err)
	}
	var got []string
	for series := range strings.SplitSeq(want, ", ") {
		label, _, _ := strings.Cut(series, " ")
		counts := picture.Counts[slices.Index(chart.Series, label)]
		got = append(got, label+" "+strings.Trim(fmt.Sprint(counts), "[]"))
	}
	return strings.Join(got, ", ")
}

var all = issuing.Operator{Scope: operator.Scope{All: true}}

func sum(p charts.Data) (sum int) {
	for _, counts := range p.Counts {
		for _, count := range counts {
			sum += count
		}
	}
	return sum
}
