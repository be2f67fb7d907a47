package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
)

var webhooks = []test{
	{"Lists", webhookLists},
	{"Stale", webhookStale},
	{"Deleted", webhookDeleted},
	{"OneNode", webhookOneNode},
	{"NodesAtOnce", webhookNodesAtOnce},
}

// webhook returns a webhook with a value in every field.
func webhook(name string) subscription.Webhook {
	return subscription.Webhook{
		ProgramID: programID, Name: name, URL: "https://example.com/" + name,
		Types:   event.Filter{"card.*", "order.failed"},
		Secrets: [][]byte{{1, 0, 255}, {2}}, Paused: true, PausedBecause: "410",
		Created: created,
		Earlier: []subscription.Earlier{{Types: event.Filter{"key.*"}, Event: 3, At: created}},
	}
}

// keptWebhook stores a webhook whose endpoint is at event 7.
func keptWebhook(t *testing.T, s store.Store, name string) subscription.Webhook {
	t.Helper()
	var stored subscription.Webhook
	update(t, s, func(tx store.Tx) error {
		stored = webhook(name)
		return tx.Webhooks().Put(&stored, 7)
	})
	return stored
}

// delivery returns a delivery with a value in every field, due at a time.
func delivery(webhookID, sequence, lane int, next time.Time) subscription.Delivery {
	return subscription.Delivery{
		WebhookID: webhookID, Sequence: sequence, Lane: lane, Type: event.CardLocked,
		State: subscription.Waiting, Tries: 2, Next: next, LastError: "no", Since: created,
	}
}

func endpoints(t *testing.T, s store.Store) []subscription.Endpoint {
	t.Helper()
	return find(t, s, func(r store.Tx) ([]subscription.Endpoint, error) {
		return r.Webhooks().ListEndpoints()
	})
}

// webhookLists lists the webhooks of a program, or of all. A change does not affect the endpoint.
// The same name in another program is another webhook.
func webhookLists(t *testing.T, s store.Store) {
	background(t, s)
	w, other := keptWebhook(t, s, "one"), webhook("one")
	other.ProgramID, other.Types = otherProgram, event.Filter{}
	update(t, s, func(tx store.Tx) error {
		other.ID, other.Revision = 0, 0
		return tx.Webhooks().Put(&other, 0)
	})
	update(t, s, func(tx store.Tx) error { return tx.Webhooks().Put(new(w), 99) })
	w.Revision++
	for ofProgram, want := range map[int][]subscription.Webhook{
		programID: {w}, otherProgram: {other}, 0: {w, other}, 404: nil,
	} {
		wantFind(t, s, want, func(r store.Tx) ([]subscription.Webhook, error) {
			return r.Webhooks().List(ofProgram)
		})
	}
	wantSame(t, endpoints(t, s), []subscription.Endpoint{
		{WebhookID: w.ID, Position: 7}, {WebhookID: other.ID},
	})
}

func webhookStale(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "one")
	update(t, s, func(tx store.Tx) error { return tx.Webhooks().Put(new(w), 0) })
	wantUpdate(t, s, "an old revision deleted", store.ErrLostUpdate, func(tx store.Tx) error {
		return tx.Webhooks().Delete(w)
	})
}

// webhookDeleted deletes a webhook, whose name can then be used again. Its deliveries and attempts
// are removed a few at a time, and those of the other webhook stay.
func webhookDeleted(t *testing.T, s store.Store) {
	background(t, s)
	hook, other := keptWebhook(t, s, "one"), keptWebhook(t, s, "other")
	for _, id := range []int{hook.ID, other.ID} {
		for event := 1; event <= 3; event++ {
			putDeliveries(t, s, delivery(id, event, event, created))
		}
		for range 5 {
			update(t, s, func(tx store.Tx) error {
				return tx.Deliveries().PutAttempt(
					subscription.Attempt{WebhookID: id, Sequence: 1, At: created})
			})
		}
		update(t, s, func(tx store.Tx) error {
			return tx.Deliveries().PutReplay(&subscription.Replay{WebhookID: id, Created: created})
		})
	}
	left := func(id int) (counts [3]int) {
		view(t, s, func(r store.Tx) error {
			deliveries, err := r.Deliveries().List(id, "", 0, 9)
			attempts, alsoErr := r.Deliveries().ListAttempts(id, 0, 9)
			replays, lastErr := r.Deliveries().ListReplays(id, 9)
			counts = [3]int{len(deliveries), len(attempts), len(replays)}
			return errors.Join(err, alsoErr, lastErr)
		})
		return counts
	}
	remains := func(tx store.Tx) (int, error) { return tx.Webhooks().DeleteRemains(3) }
	wantCounts(t, s, []int{0}, remains)
	update(t, s, func(tx store.Tx) error { return tx.Webhooks().Delete(hook) })
	wantNone(t, s, "a deleted webhook", func(r store.Tx) (subscription.Webhook, error) {
		return r.Webhooks().Find(hook.ID)
	})
	wantFind(t, s, []subscription.Webhook{other},
		func(r store.Tx) ([]subscription.Webhook, error) { return r.Webhooks().List(0) })
	wantSame(t, endpoints(t, s), []subscription.Endpoint{{WebhookID: other.ID, Position: 7}})
	hook.Revision++
	for what, again := range map[string]func(store.Tx) error{
		"deleted again": func(tx store.Tx) error { return tx.Webhooks().Delete(hook) },
		"changed":       func(tx store.Tx) error { return tx.Webhooks().Put(new(hook), 0) },
	} {
		wantUpdate(t, s, "a deleted webhook "+what, store.ErrLostUpdate, again)
	}
	keptWebhook(t, s, "one")
	wantSame(t, left(hook.ID), [3]int{3, 5, 0})
	wantCounts(t, s, []int{3}, remains)
	wantSame(t, left(hook.ID), [3]int{0, 2, 0})
	wantCounts(t, s, []int{2, 0}, remains)
	wantSame(t, left(hook.ID), [3]int{})
	wantSame(t, left(other.ID), [3]int{3, 5, 1})
}

// webhookOneNode has a node claim an endpoint as it was read, and move its position while it has
// the claim.
func webhookOneNode(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "one")
	free := endpoints(t, s)[0]
	taken, renewed := free, free
	taken.Node, taken.Until = "a", created
	renewed.Node, renewed.Until = "a", created.Add(time.Minute)
	change := func(before, after subscription.Endpoint) error {
		return s.Update(context.Background(), func(tx store.Tx) error {
			return tx.Webhooks().ChangeEndpoint(before, after)
		})
	}
	position := func(node string, to int) error {
		return s.Update(context.Background(), func(tx store.Tx) error {
			return tx.Webhooks().PutPosition(w.ID, node, to)
		})
	}
	wantError(t, "not taken yet", position("a", 8), store.ErrLostUpdate)
	wantError(t, "taken", change(free, taken), nil)
	wantError(t, "taken twice", change(free, taken), store.ErrLostUpdate)
	wantError(t, "moved", position("a", 8), nil)
	wantError(t, "moved to where it is", position("a", 8), nil)
	wantError(t, "moved back", position("a", 7), store.ErrLostUpdate)
	wantError(t, "moved by another", position("b", 9), store.ErrLostUpdate)
	wantError(t, "renewed", change(taken, renewed), nil)
	wantError(t, "taken over as it was", change(taken, renewed), store.ErrLostUpdate)
	renewed.Position = 8
	wantSame(t, endpoints(t, s), []subscription.Endpoint{renewed})
	wantError(t, "given back", change(renewed, subscription.Endpoint{}), nil)
	wantSame(t, endpoints(t, s), []subscription.Endpoint{{WebhookID: w.ID, Position: 8}})
}

// webhookNodesAtOnce has nodes claim the same endpoints concurrently. Each endpoint must get one
// node.
func webhookNodesAtOnce(t *testing.T, s store.Store) {
	background(t, s)
	const count, nodes = 5, 4
	for i := range count {
		keptWebhook(t, s, fmt.Sprint(i))
	}
	var mu sync.Mutex
	got := make(map[int]string)
	var running sync.WaitGroup
	for i := range nodes {
		node := fmt.Sprint("node ", i)
		running.Go(func() {
			var taken []int
			err := s.Update(context.Background(), func(tx store.Tx) error {
				taken = nil
				all, err := tx.Webhooks().ListEndpoints()
				for _, e := range all {
					if err != nil || !e.Free(tx.Now()) {
						continue
					}
					after := e
					after.Node, after.Until = node, tx.Now().Add(subscription.ClaimLifetime)
					err = tx.Webhooks().ChangeEndpoint(e, after)
					taken = append(taken, e.WebhookID)
				}
				return err
			})
			if err != nil && !errors.Is(err, store.ErrLostUpdate) {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, id := range taken {
				if err == nil && got[id] != "" {
					t.Errorf("endpoint %d was taken by %s and %s", id, got[id], node)
				}
				if err == nil {
					got[id] = node
				}
			}
		})
	}
	running.Wait()
	if len(got) != count {
		t.Errorf("got %d taken endpoints: %v", len(got), got)
	}
	for _, e := range endpoints(t, s) {
		if e.Node != got[e.WebhookID] {
			t.Errorf("endpoint %d is stored for %s and was taken by %s", e.WebhookID, e.Node,
				got[e.WebhookID])
		}
	}
}
