package storetest

import (
	"testing"
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
)

var deliveries = []test{
	{"Lanes", webhookLanes},
	{"Waiting", webhookWaiting},
	{"Dead", webhookDead},
	{"Attempts", webhookAttempts},
	{"Failing", webhookFailing},
	{"Replays", webhookReplays},
}

// laneRows are the deliveries of two webhooks: three lanes, two of them due.
type laneRows struct {
	w, other                     subscription.Webhook
	first, behind, second, alone subscription.Delivery
	foreign, dead                subscription.Delivery
}

var later = created.Add(time.Minute)

func putLanes(t *testing.T, s store.Store) laneRows {
	t.Helper()
	background(t, s)
	w, other := keptWebhook(t, s, "one"), keptWebhook(t, s, "other")
	l := laneRows{
		w: w, other: other,
		first: delivery(w.ID, 10, 5001, created), behind: delivery(w.ID, 12, 5001, time.Time{}),
		second: delivery(w.ID, 11, 5002, later), alone: delivery(w.ID, 13, -13, later),
		foreign: delivery(other.ID, 10, 5001, later), dead: delivery(w.ID, 9, 5009, time.Time{}),
	}
	l.dead.State = subscription.Dead
	putDeliveries(t, s, l.first, l.behind, l.second, l.alone, l.foreign, l.dead)
	return l
}

func putDeliveries(t *testing.T, s store.Store, all ...subscription.Delivery) {
	t.Helper()
	update(t, s, each(all, func(tx store.Tx, d subscription.Delivery) error {
		return tx.Deliveries().Put(d)
	}))
}

func wantDeliveries(
	t *testing.T, s store.Store, fn func(store.Tx) ([]subscription.Delivery, error),
	want ...subscription.Delivery,
) {
	t.Helper()
	wantSame(t, find(t, s, fn), want)
}

// webhookLanes lists due deliveries, and waiting deliveries of a lane.
func webhookLanes(t *testing.T, s store.Store) {
	l := putLanes(t, s)
	type list = []subscription.Delivery
	due := func(at time.Time, limit int) func(store.Tx) (list, error) {
		return func(r store.Tx) (list, error) { return r.Deliveries().ListDue(l.w.ID, at, limit) }
	}
	wantDeliveries(t, s, due(created, 9), l.first)
	wantDeliveries(t, s, due(later, 9), l.first, l.second, l.alone)
	wantDeliveries(t, s, due(later, 1), l.first)
	wantDeliveries(t, s, func(r store.Tx) (list, error) {
		return r.Deliveries().ListOfLane(l.w.ID, 5001, 9)
	}, l.first, l.behind)
	wantDeliveries(t, s, func(r store.Tx) (list, error) {
		return r.Deliveries().List(l.w.ID, "", 0, 9)
	}, l.alone, l.behind, l.second, l.first, l.dead)
	wantDeliveries(t, s, func(r store.Tx) (list, error) {
		return r.Deliveries().List(l.w.ID, "", 12, 2)
	}, l.second, l.first)
	wantDeliveries(t, s, func(r store.Tx) (list, error) {
		return r.Deliveries().List(l.w.ID, subscription.Dead, 0, 9)
	}, l.dead)
	wantDeliveries(t, s, func(r store.Tx) (list, error) {
		return r.Deliveries().List(l.w.ID, subscription.Waiting, 13, 2)
	}, l.behind, l.second)
	view(t, s, func(r store.Tx) error {
		counted, err := r.Deliveries().Count(l.w.ID)
		want := store.DeliveryCount{
			Waiting: 4, Dead: 1, OldestWaiting: l.first.Since, OldestDead: l.dead.Since,
		}
		if counted != want {
			t.Errorf("got counts %+v, want %+v", counted, want)
		}
		return err
	})
	for moment, want := range map[time.Time][]int{
		created.Add(-1): nil, created: {l.w.ID}, later: {l.w.ID, l.other.ID},
	} {
		wantFind(t, s, want, func(r store.Tx) ([]int, error) {
			return r.Deliveries().ListEndpointsDue(moment)
		})
	}
}

// webhookWaiting lists the waiting lanes while it changes and removes deliveries of a lane.
func webhookWaiting(t *testing.T, s store.Store) {
	l := putLanes(t, s)
	waiting := func(id int, lanes ...int) []int {
		return find(t, s, func(r store.Tx) ([]int, error) {
			return r.Deliveries().ListWaiting(id, lanes)
		})
	}
	wantSame(t, waiting(l.w.ID, 5002, 5009, 1, -13), []int{5002, -13})
	wantSame(t, waiting(l.other.ID, 5002, 5009), []int(nil))
	changed := l.second.Resend(created)
	changed.LastError = ""
	update(t, s,
		func(tx store.Tx) error { return tx.Deliveries().Put(changed) },
		func(tx store.Tx) error { return tx.Deliveries().Delete(l.w.ID, 10) },
		func(tx store.Tx) error { return tx.Deliveries().Delete(l.w.ID, 777) },
	)
	wantFind(t, s, changed, func(r store.Tx) (subscription.Delivery, error) {
		return r.Deliveries().Find(l.w.ID, 11)
	})
	wantDeliveries(t, s, func(r store.Tx) ([]subscription.Delivery, error) {
		return r.Deliveries().ListOfLane(l.w.ID, 5001, 9)
	}, l.behind)
}

func webhookDead(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "one")
	for i := range 4 {
		d := delivery(w.ID, i+1, i+1, time.Time{})
		d.Since = created.Add(time.Duration(i) * time.Hour)
		if i != 1 {
			d.State = subscription.Dead
		}
		putDeliveries(t, s, d)
	}
	wantCounts(t, s, []int{1, 1, 0}, func(tx store.Tx) (int, error) {
		return tx.Deliveries().DeleteDead(created.Add(3*time.Hour), 1)
	})
	left := find(t, s, func(r store.Tx) ([]subscription.Delivery, error) {
		return r.Deliveries().List(w.ID, "", 0, 9)
	})
	if len(left) != 2 || left[0].Sequence != 4 || left[1].Sequence != 2 {
		t.Errorf("got remaining deliveries %+v, want 4 and 2", left)
	}
}

func webhookAttempts(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "one")
	var all []subscription.Attempt
	for i := range 3 {
		all = append(all, subscription.Attempt{
			WebhookID: w.ID, Sequence: 1 + i/2, At: created.Add(time.Duration(i) * time.Hour),
			Status: 500 + i, Duration: 1234 * time.Millisecond, Error: "no",
			Answer: "oops\x00\xff é",
		})
	}
	update(t, s, each(all, func(tx store.Tx, a subscription.Attempt) error {
		return tx.Deliveries().PutAttempt(a)
	}))
	list := func(sequence, limit int) []subscription.Attempt {
		return find(t, s, func(r store.Tx) ([]subscription.Attempt, error) {
			return r.Deliveries().ListAttempts(w.ID, sequence, limit)
		})
	}
	wantSame(t, list(0, 9), []subscription.Attempt{all[2], all[1], all[0]})
	wantSame(t, list(1, 9), []subscription.Attempt{all[1], all[0]})
	wantSame(t, list(1, 1), all[1:2])
	for _, c := range []struct {
		below, limit int
		want         []int
	}{{0, 9, []int{2, 1}}, {0, 1, []int{2}}, {2, 9, []int{1}}, {1, 9, nil}} {
		wantFind(t, s, c.want, func(r store.Tx) ([]int, error) {
			return r.Deliveries().ListAttemptedEvents(w.ID, c.below, c.limit)
		})
	}
	success := func(r store.Tx) (subscription.Attempt, error) {
		return r.Deliveries().FindSuccess(w.ID)
	}
	wantNone(t, s, "no success", success)
	good := subscription.Attempt{WebhookID: w.ID, Sequence: 1, At: all[2].At, Status: 200}
	update(t, s, func(tx store.Tx) error { return tx.Deliveries().PutAttempt(good) })
	wantSame(t, find(t, s, success), good)
	wantCounts(t, s, []int{1, 1, 0}, func(tx store.Tx) (int, error) {
		return tx.Deliveries().DeleteAttemptsBefore(all[2].At, 1)
	})
	wantSame(t, list(0, 9), []subscription.Attempt{good, all[2]})
}

// webhookFailing counts a new webhook as failing after two failed attempts, another after three.
func webhookFailing(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "one")
	update(t, s, func(tx store.Tx) error {
		w.Paused, w.PausedBecause = false, ""
		return tx.Webhooks().Put(&w, 0)
	})
	putDeliveries(t, s, delivery(w.ID, 1, 1, created))
	for i, c := range []struct {
		failure string
		failing bool
	}{{"no", false}, {"no", true}, {"", false}, {"no", false}, {"no", false}, {"no", true}} {
		update(t, s, func(tx store.Tx) error {
			return tx.Deliveries().PutAttempt(subscription.Attempt{
				WebhookID: w.ID, Sequence: 1, At: created, Error: c.failure,
			})
		})
		all := find(t, s, func(r store.Tx) ([]store.ProblemCount, error) {
			return r.Webhooks().CountProblems(created)
		})
		if failing := len(all) == 1 && all[0].Webhooks == 1; failing != c.failing {
			t.Errorf("attempt %d: got counts %+v", i+1, all)
		}
	}
}

func webhookReplays(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "one")
	ended := subscription.Replay{WebhookID: w.ID, Last: 9, Created: created, Ended: created}
	open := subscription.Replay{WebhookID: w.ID, Last: 9, Created: created}
	update(t, s, func(tx store.Tx) error {
		ended.ID, open.ID = 0, 0
		if err := tx.Deliveries().PutReplay(&ended); err != nil {
			return err
		}
		return tx.Deliveries().PutReplay(&open)
	})
	for of, want := range map[int][]subscription.Replay{w.ID: {open}, 0: {open}, w.ID + 1: nil} {
		wantFind(t, s, want, func(r store.Tx) ([]subscription.Replay, error) {
			return r.Deliveries().ListOpenReplays(of)
		})
	}
}
