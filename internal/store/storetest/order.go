package storetest

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

var inOrder = []test{
	{"NumbersByHand", orderNumbersByHand},
	{"Unverified", orderUnverified},
	{"OrdersAndAudit", orderOrdersAndAudit},
}

// mixed are IDs in an order that no list should return: neither ascending nor descending.
var mixed = []int{30, 10, 40, 20}

// sorted are the IDs of mixed as lists should return them.
var sorted = []int{10, 20, 30, 40}

func cardID(c card.Card) int { return c.ID }

// orderNumbersByHand checks that the store numbers cards from 10001, and continues after the
// greatest ID that a caller assigned.
func orderNumbersByHand(t *testing.T, s store.Store) {
	background(t, s)
	for i, step := range []struct{ byHand, want int }{
		{0, 10001}, {5001, 5001}, {0, 10002}, {20000, 20000}, {15000, 15000}, {0, 20001},
	} {
		c := plain("step " + strconv.Itoa(i))
		c.ID = step.byHand
		if stored := kept(t, s, c); stored.ID != step.want {
			t.Errorf("step %d: got card ID %d, want %d", i, stored.ID, step.want)
		}
	}
}

// orderUnverified lists the cards that wait to be verified.
func orderUnverified(t *testing.T, s store.Store) {
	background(t, s)
	// Two were created at the same time, one was reissued long after it was created, and two were
	// shipped later than that.
	days := map[int]int{10: 1, 20: 2, 30: 2, 40: 3, 50: 4, 60: 5}
	shipped := []int{50, 60}
	for _, id := range slices.Concat(shipped, mixed) {
		c := plain(strconv.Itoa(id))
		c.ID, c.Status = id, card.PendingVerification
		c.Created = created.AddDate(0, 0, days[id])
		c.Modified = c.Created
		if slices.Contains(shipped, id) {
			c.Created, c.Shipped = created, c.Created
		}
		if id == 60 {
			c.Status, c.Reissued = card.ReissuePendingVerification, created.AddDate(0, 0, 1)
		}
		if id == 40 {
			c.Status = card.ReissuePendingVerification
			c.Created, c.Reissued = created, c.Created
		}
		kept(t, s, c)
	}
	usable := plain("usable")
	usable.Status = card.Verified
	kept(t, s, possible(usable))

	cases := []struct {
		before time.Time
		limit  int
		want   []int
	}{
		{created.AddDate(0, 0, 9), 9, slices.Concat(sorted, shipped)},
		{created.AddDate(0, 0, 5), 9, []int{10, 20, 30, 40, 50}},
		{created.AddDate(0, 0, 4), 9, sorted},
		{created.AddDate(0, 0, 9), 2, sorted[:2]},
		{created.AddDate(0, 0, 3), 9, sorted[:3]},
		{created.AddDate(0, 0, 2), 9, sorted[:1]},
		{created.AddDate(0, 0, 1), 9, nil},
	}
	for _, row := range cases {
		cards := find(t, s, func(r store.Tx) ([]card.Card, error) {
			return r.Cards().ListUnverified(programID, row.before, row.limit)
		})
		wantSame(t, idsOf(cardID, cards), row.want)
		for _, c := range cards {
			wantSame(t, c, findCard(t, s, c.ID))
		}
	}
}

// orderOrdersAndAudit checks that orders and the trail are listed newest first, even if all have
// the same time.
func orderOrdersAndAudit(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("orders"))
	update(t, s, each([]int{0, 1, 2, 3}, func(tx store.Tx, i int) error {
		if err := tx.Orders().Put(anOrder(c.ID, i+1, order.SetPin)); err != nil {
			return err
		}
		return tx.Audit().Put(audit.Entry{
			At: created, ProgramID: programID, Subject: audit.Of(audit.Card, c.ID),
			Outcome: fmt.Sprint(i),
		})
	}))
	view(t, s, func(r store.Tx) error {
		orders, err := r.Orders().List(store.OrderQuery{Limit: 3})
		if err != nil {
			return err
		}
		sequence := func(o order.Order) int { return o.Sequence }
		wantSame(t, idsOf(sequence, orders), []int{4, 3, 2})
		rows, err := r.Audit().List(programID, c.ID, 3)
		var outcomes string
		for _, row := range rows {
			outcomes += row.Outcome
		}
		if outcomes != "321" {
			t.Errorf("got rows %s, want 321", outcomes)
		}
		return err
	})
}
