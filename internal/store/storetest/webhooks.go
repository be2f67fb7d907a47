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
	{"RoundTrip", webhookRoundTrip},
	{"Names", webhookNames},
	{"Revision", webhookRevision},
	{"Deleted", webhookDeleted},
	{"OneNode", webhookOneNode},
	{"NodesAtOnce", webhookNodesAtOnce},
}

// webhook is one with every field filled.
func webhook(name string) subscription.Webhook {
	return subscription.Webhook{
		ProgramID: programID, Name: name, URL: "https://example.com/" + name,
		Types:   event.Filter{"card.*", "order.failed"},
		Secrets: [][]byte{{1, 0, 255}, {2}}, Paused: true, PausedBecause: "410",
		Created: made,
		Earlier: []subscription.Earlier{{Types: event.Filter{"key.*"}, Event: 3, At: made}},
	}
}

// keptWebhook stores a webhook whose endpoint stands at event 7.
func keptWebhook(t *testing.T, s store.Store, name string) subscription.Webhook {
	t.Helper()
	var stored subscription.Webhook
	update(t, s, func(tx store.Tx) error {
		stored = webhook(name)
		return tx.Webhooks().Put(&stored, 7)
	})
	return stored
}

// delivery is one with every field filled, due at a moment.
func delivery(webhookID, sequence, lane int, next time.Time) subscription.Delivery {
	return subscription.Delivery{
		WebhookID: webhookID, Sequence: sequence, Lane: lane, Type: event.CardLocked,
		State: subscription.Waiting, Tries: 2, Next: next, LastError: "no", Since: made,
	}
}

func webhookRoundTrip(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "one")
	other := webhook("other")
	other.ProgramID, other.Types = otherProgram, event.Filter{}
	update(t, s, func(tx store.Tx) error { return tx.Webhooks().Put(&other, 0) })
	if w.ID == 0 || w.Revision != 1 {
		t.Errorf("got number %d and revision %d", w.ID, w.Revision)
	}
	list := func(ofProgram int) []subscription.Webhook {
		return find(t, s, func(r store.Tx) ([]subscription.Webhook, error) {
			return r.Webhooks().List(ofProgram)
		})
	}
	wantSame(t, list(programID), []subscription.Webhook{w})
	wantSame(t, list(0), []subscription.Webhook{w, other})
	w.URL, w.Paused, w.PausedBecause = "https://example.com/changed", false, ""
	w.Types, w.Secrets = event.Filter{"card.locked"}, [][]byte{{9}}
	update(t, s, func(tx store.Tx) error {
		changed := w
		return tx.Webhooks().Put(&changed, 99)
	})
	w.Revision = 2
	wantSame(t, find(t, s, func(r store.Tx) (subscription.Webhook, error) {
		return r.Webhooks().Find(w.ID)
	}), w)
	wantSame(t, endpoints(t, s), []subscription.Endpoint{
		{WebhookID: w.ID, Position: 7}, {WebhookID: other.ID},
	})
	view(t, s, func(r store.Tx) error {
		_, err := r.Webhooks().Find(other.ID + 1)
		wantError(t, "no webhook", err, store.ErrNotFound)
		_, err = r.Deliveries().Find(w.ID, 1)
		wantError(t, "no delivery", err, store.ErrNotFound)
		return nil
	})
}

func endpoints(t *testing.T, s store.Store) []subscription.Endpoint {
	t.Helper()
	return find(t, s, func(r store.Tx) ([]subscription.Endpoint, error) {
		return r.Endpoints().List()
	})
}

func webhookNames(t *testing.T, s store.Store) {
	background(t, s)
	keptWebhook(t, s, "one")
	err := s.Update(context.Background(), func(tx store.Tx) error {
		again := webhook("one")
		return tx.Webhooks().Put(&again, 0)
	})
	wantError(t, "the same name", err, store.ErrExists)
	update(t, s, func(tx store.Tx) error {
		elsewhere := webhook("one")
		elsewhere.ProgramID = otherProgram
		return tx.Webhooks().Put(&elsewhere, 0)
	})
}

func webhookRevision(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "one")
	update(t, s, func(tx store.Tx) error { return tx.Webhooks().Put(new(w), 0) })
	err := s.Update(context.Background(), func(tx store.Tx) error {
		return tx.Webhooks().Put(new(w), 0)
	})
	wantError(t, "an old revision", err, store.ErrLostUpdate)
	err = s.Update(context.Background(), func(tx store.Tx) error {
		return tx.Webhooks().Delete(w)
	})
	wantError(t, "an old revision deleted", err, store.ErrLostUpdate)
}

// webhookDeleted removes a webhook with everything of it, and leaves the other one alone.
func webhookDeleted(t *testing.T, s store.Store) {
	background(t, s)
	one, other := keptWebhook(t, s, "one"), keptWebhook(t, s, "other")
	update(t, s, func(tx store.Tx) error {
		var errs []error
		for _, id := range []int{one.ID, other.ID} {
			errs = append(errs, tx.Deliveries().Put(delivery(id, 1, 1, made)),
				tx.DeliveryAttempts().Put(
					subscription.Attempt{WebhookID: id, Sequence: 1, At: made}),
				tx.Replays().Put(&subscription.Replay{WebhookID: id, Created: made}))
		}
		return firstOf(errs)
	})
	update(t, s, func(tx store.Tx) error { return tx.Webhooks().Delete(one) })
	update(t, s, func(tx store.Tx) error {
		for id, want := range map[int]int{one.ID: 0, other.ID: 1} {
			deliveries, err := tx.Deliveries().List(id, 0, 9)
			attempts, alsoErr := tx.DeliveryAttempts().List(id, 0, 9)
			replays, lastErr := tx.Replays().List(id, 9)
			if len(deliveries) != want || len(attempts) != want || len(replays) != want {
				t.Errorf("of webhook %d remain %v, %v, %v", id, deliveries, attempts, replays)
			}
			if err := firstOf([]error{err, alsoErr, lastErr}); err != nil {
				return err
			}
		}
		return nil
	})
	wantSame(t, endpoints(t, s), []subscription.Endpoint{{WebhookID: other.ID, Position: 7}})
}

// webhookOneNode lets a node take an endpoint as it was read, and move its position as long as it
// has it.
func webhookOneNode(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "one")
	free := endpoints(t, s)[0]
	taken, renewed := free, free
	taken.Node, taken.Until = "a", made
	renewed.Node, renewed.Until = "a", made.Add(time.Minute)
	change := func(before, after subscription.Endpoint) error {
		return s.Update(context.Background(), func(tx store.Tx) error {
			return tx.Endpoints().Change(before, after)
		})
	}
	position := func(node string, to int) error {
		return s.Update(context.Background(), func(tx store.Tx) error {
			return tx.Endpoints().PutPosition(w.ID, node, to)
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

// webhookNodesAtOnce lets nodes take the same endpoints at once. Each endpoint has one node.
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
				all, err := tx.Endpoints().List()
				for _, e := range all {
					if err != nil || !e.Free(tx.Now()) {
						continue
					}
					after := e
					after.Node, after.Until = node, tx.Now().Add(subscription.ClaimLasts)
					err = tx.Endpoints().Change(e, after)
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
		t.Errorf("%d endpoints were taken: %v", len(got), got)
	}
	for _, e := range endpoints(t, s) {
		if e.Node != got[e.WebhookID] {
			t.Errorf("endpoint %d is stored for %s and was taken by %s", e.WebhookID, e.Node,
				got[e.WebhookID])
		}
	}
}
