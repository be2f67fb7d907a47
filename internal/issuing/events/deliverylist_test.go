package events_test

import (
	"context"
	"slices"
	"testing"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// findWatch counts the deliveries that views look up.
type findWatch struct {
	store.Store
	count *int
}

func (w findWatch) View(ctx context.Context, fn func(store.Tx) error) error {
	return w.Store.View(ctx, func(tx store.Tx) error { return fn(findWatchTx{tx, w.count}) })
}

type findWatchTx struct {
	store.Tx
	count *int
}

func (w findWatchTx) Deliveries() store.Deliveries {
	return watchedFinds{w.Tx.Deliveries(), w.count}
}

type watchedFinds struct {
	store.Deliveries
	count *int
}

func (w watchedFinds) Find(webhookID, sequence int) (subscription.Delivery, error) {
	*w.count++
	return w.Deliveries.Find(webhookID, sequence)
}

// TestDeliveriesOfState lists the few deliveries of a state after many delivered ones, page by
// page, and reads no others.
func TestDeliveriesOfState(t *testing.T) {
	t.Parallel()
	const taken = 400
	w := issuingtest.NewSandbox(t)
	hook := subscription.Webhook{
		ProgramID: 1, Name: "a", URL: "https://a.example", Created: w.Clock.Now(),
	}
	w.Update(func(tx store.Tx) error {
		err := tx.Webhooks().Put(&hook, 0)
		for sequence := 1; sequence <= taken && err == nil; sequence++ {
			err = tx.Deliveries().PutAttempt(subscription.Attempt{
				WebhookID: hook.ID, Sequence: sequence, At: tx.Now(), Status: 204,
			})
		}
		return err
	})
	put := func(state subscription.State, sequences ...int) {
		w.Update(func(tx store.Tx) error {
			for _, sequence := range sequences {
				err := tx.Deliveries().Put(subscription.Delivery{
					WebhookID: hook.ID, Sequence: sequence, Lane: sequence, State: state,
					Since: tx.Now(),
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	put(subscription.Dead, 3, 4, 5)
	put(subscription.Waiting, 2, 6, taken+1)
	finds := 0
	w.Service = acts.New(findWatch{w.Store, &finds}, w.Vault, w.Settings)
	list := func(state subscription.State, after string) (sequences []int, last string) {
		t.Helper()
		finds = 0
		items, last, err := w.Events.DeliveryList(t.Context(), issuingtest.Ada, hook.ID, state,
			issuing.Page{After: after, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			sequences = append(sequences, item.Sequence)
		}
		if finds > 4 {
			t.Errorf("a page of two that are %s looks at %d deliveries", state, finds)
		}
		return sequences, last
	}
	for state, want := range map[subscription.State][2][]int{
		subscription.Dead:    {{5, 4}, {3}},
		subscription.Waiting: {{taken + 1, 6}, {2}},
		events.Delivered:     {{taken, taken - 1}, {taken - 2, taken - 3}},
		"":                   {{taken + 1, taken}, {taken - 1, taken - 2}},
	} {
		first, last := list(state, "")
		second, _ := list(state, last)
		if got := [2][]int{first, second}; !slices.EqualFunc(got[:], want[:], slices.Equal[[]int]) {
			t.Errorf("of state %q are listed %v, want %v", state, got, want)
		}
	}
}
