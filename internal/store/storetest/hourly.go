package storetest

import (
	"cmp"
	"slices"
	"strconv"
	"testing"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
)

var hourlyTests = []test{
	{"Counts", hourlyCounts},
	{"Marks", hourlyMarks},
	{"Attempts", hourlyAttempts},
	{"Queues", orderQueues},
}

// hourlyCounts adds, raises, lists and deletes counts.
func hourlyCounts(t *testing.T, s store.Store) {
	hour := created.Truncate(time.Hour)
	later := hour.Add(time.Hour)
	count := func(program int, item, label string, at time.Time, n int) store.HourlyCount {
		return store.HourlyCount{
			Chart: "deliveries", ProgramID: program, Item: item, Label: label, Hour: at, Count: n,
		}
	}
	other := count(1, "7", "failed", hour, 50)
	other.Chart = "orders"
	update(t, s, each([]store.HourlyCount{
		count(1, "7", "failed", hour, 1), count(1, "7", "failed", hour, 2),
		count(1, "8", "failed", hour, 4), count(2, "9", "failed", hour, 8),
		count(1, "7", "succeeded", hour, 16), count(1, "7", "failed", later, 32), other,
		count(store.AllPrograms, "7", "failed", later, 64),
	}, func(tx store.Tx, c store.HourlyCount) error { return tx.Hourly().Add(c) }))
	update(t, s, each([]int{60, 55}, func(tx store.Tx, n int) error {
		raised := other
		raised.Count = n
		return tx.Hourly().Raise(raised)
	}))
	want := func(q store.HourlyQuery, want ...store.HourlySum) {
		t.Helper()
		wantFind(t, s, want, func(r store.Tx) ([]store.HourlySum, error) {
			sums, err := r.Hourly().List(q)
			slices.SortFunc(sums, func(a, b store.HourlySum) int {
				return cmp.Or(a.Hour.Compare(b.Hour), cmp.Compare(a.Label, b.Label))
			})
			return sums, err
		})
	}
	want(store.HourlyQuery{Chart: "deliveries", From: hour}, hourlySum(later, "failed", 64, 64))
	want(store.HourlyQuery{Chart: "deliveries", From: hour, Programs: []int{1, 2}},
		hourlySum(hour, "failed", 15, 8), hourlySum(hour, "succeeded", 16, 16),
		hourlySum(later, "failed", 32, 32))
	want(store.HourlyQuery{Chart: "deliveries", From: hour, Programs: []int{2}},
		hourlySum(hour, "failed", 8, 8))
	want(store.HourlyQuery{Chart: "deliveries", From: hour, Programs: []int{}})
	want(store.HourlyQuery{Chart: "deliveries", From: hour, Programs: []int{1}, Item: "7"},
		hourlySum(hour, "failed", 3, 3), hourlySum(hour, "succeeded", 16, 16),
		hourlySum(later, "failed", 32, 32))
	want(store.HourlyQuery{Chart: "deliveries", From: later, Programs: []int{1}},
		hourlySum(later, "failed", 32, 32))
	want(store.HourlyQuery{Chart: "orders", From: hour, Programs: []int{1}}, hourlySum(hour, "failed", 60, 60))

	update(t, s, func(tx store.Tx) error { return tx.Hourly().DeleteBefore(later) })
	want(store.HourlyQuery{Chart: "deliveries", From: hour, Programs: []int{1}},
		hourlySum(later, "failed", 32, 32))
}

func hourlySum(hour time.Time, label string, sum, greatest int) store.HourlySum {
	return store.HourlySum{Hour: hour, Label: label, Sum: sum, Greatest: greatest}
}

// hourlyMarks checks that marks are not deleted with the counts.
func hourlyMarks(t *testing.T, s store.Store) {
	mark := func(source string, want int) {
		t.Helper()
		wantFind(t, s, want, func(r store.Tx) (int, error) { return r.Hourly().FindMark(source) })
	}
	mark("events", 0)
	update(t, s, func(tx store.Tx) error { return tx.Hourly().PutMark("events", 9) })
	update(t, s, func(tx store.Tx) error { return tx.Hourly().PutMark("events", 7) })
	update(t, s, func(tx store.Tx) error { return tx.Hourly().DeleteBefore(created) })
	mark("events", 7)
	mark("deliveries", 0)
}

// hourlyAttempts counts the attempts of a webhook.
func hourlyAttempts(t *testing.T, s store.Store) {
	background(t, s)
	hook := keptWebhook(t, s, "hourly")
	hour := created.Truncate(time.Hour)
	tried := func(at time.Time, failure string) subscription.Attempt {
		return subscription.Attempt{WebhookID: hook.ID, Sequence: 1, At: at, Error: failure}
	}
	update(t, s, each([]subscription.Attempt{
		tried(hour, ""), tried(hour.Add(time.Minute), ""), tried(hour.Add(time.Minute), "reset"),
		tried(hour.Add(-time.Millisecond), ""), tried(hour.Add(2*time.Hour), ""),
	}, func(tx store.Tx, a subscription.Attempt) error { return tx.Deliveries().PutAttempt(a) }))
	item := strconv.Itoa(hook.ID)
	want := []store.HourlyCount{
		{ProgramID: hook.ProgramID, Item: item, Label: store.Failed, Hour: hour, Count: 1},
		{ProgramID: hook.ProgramID, Item: item, Label: store.Succeeded, Hour: hour, Count: 2},
	}
	wantFind(t, s, want, func(r store.Tx) ([]store.HourlyCount, error) {
		list, err := r.Deliveries().CountAttempts(hour, hour.Add(2*time.Hour))
		slices.SortFunc(list, func(a, b store.HourlyCount) int { return cmp.Compare(a.Label, b.Label) })
		return list, err
	})
}

// orderQueues checks that done, failed and held orders are not counted.
func orderQueues(t *testing.T, s store.Store) {
	background(t, s)
	kept := kept(t, s, plain("queue"))
	for i, state := range []order.State{
		order.Waiting, order.Sent, order.Held, order.Failed, order.Done,
	} {
		placed := anOrder(kept.ID, i+1, order.Lock)
		placed.State, placed.Created = state, created.Add(time.Duration(i)*time.Second)
		if state == order.Done {
			placed.Ended = placed.Created
		}
		update(t, s, func(tx store.Tx) error { return tx.Orders().Put(placed) })
	}
	wantFind(t, s, []store.QueueCount{{ProgramID: programID, Count: 2, Oldest: created}},
		func(r store.Tx) ([]store.QueueCount, error) { return r.Orders().CountQueues() })
}
