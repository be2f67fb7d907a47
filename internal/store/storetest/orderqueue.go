package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

// Tests of what is stored of orders, and of which orders a dispatcher claims.
var orderQueue = []test{
	{"RoundTrip", queueRoundTrip},
	{"Lists", queueLists},
	{"Files", queueFiles},
	{"Counts", queueCounts},
	{"OpenLocks", queueOpenLocks},
	{"OldPins", queueOldPins},
	{"InOrder", queueInOrder},
	{"Urgent", queueUrgent},
	{"Unreached", queueUnreached},
	{"ClaimsEnd", queueClaimsEnd},
	{"ClaimsRenewed", queueClaimsRenewed},
	{"ClaimsFreed", queueClaimsFreed},
	{"Crowded", queueCrowded},
	{"SideBySide", queueSideBySide},
	{"EndTogether", queueEndTogether},
	{"DroppedMeanwhile", queueDroppedMeanwhile},
	{"LostUpdate", queueLostUpdate},
}

// longestOrder returns an order with a value in every field.
func longestOrder(cardID int) order.Order {
	o := anOrder(cardID, 1, order.Make)
	o.Snapshot = order.Snapshot{
		Status: "Initiated", LockTypeCode: "UNL", LockReasonTypeCode: "UNK", TypeCode: "DBT",
		VendorTypeCode: "VS", BinID: binID, CustomerID: creatorID, HolderID: holderID,
		NameOnCard: longest(22), QualifierCode: "A1", DigitalOnly: true, LastFour: "1111",
		ShipTo: &order.Recipient{
			FirstName: "É\"", LastName: longest(50), Address: customer.Address{City: "Zürich"},
		},
		Accounts: &order.Accounts{PrimaryAccountID: 201, Checking: []int{201, 202}},
	}
	o.SealedPin, o.Attempts, o.LastError, o.Unreachable = []byte{0, 1}, 3, "é", true
	o.NextTry, o.ClaimedBy, o.File = created.Add(time.Hour), "node", 7
	o.Tries = []order.Attempt{{At: created, Node: "node", Outcome: order.TryFailed, Answer: "é"}}
	return o
}

func queueRoundTrip(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("order"))
	put := longestOrder(c.ID)
	update(t, s, func(tx store.Tx) error { return tx.Orders().Put(put) })
	stored := ordersOf(t, s, c.ID)[0]
	put.ID, put.Revision = stored.ID, 1
	wantSame(t, stored, put)

	// An order that was changed before it is stored has its next revision.
	changed := longestOrder(kept(t, s, plain("numbered")).ID)
	changed.Token, changed.Revision = "numbered", 4
	var numbered order.Order
	update(t, s, func(tx store.Tx) (err error) {
		numbered, err = tx.Orders().Insert(changed)
		return err
	})
	if numbered.ID <= put.ID || numbered.Revision != 5 {
		t.Errorf("got order %d of revision %d", numbered.ID, numbered.Revision)
	}
	wantSame(t, ordersOf(t, s, changed.CardID), []order.Order{numbered})

	// Everything that may change changes.
	after := put
	after.Token, after.Sequence, after.State = "other", 2, order.Failed
	after.Snapshot, after.ExpireMonth, after.ExpireYear = order.Snapshot{Status: "x"}, 3, 2031
	after.SealedPin, after.PinExpired = nil, created.Add(time.Minute)
	after.Attempts, after.LastError, after.Unreachable = 4, "", false
	after.NextTry, after.ClaimedBy, after.File = time.Time{}, "", 8
	after.Tries = nil
	after.Ended, after.Dropped = created.Add(time.Hour), created.Add(2*time.Hour)
	after.Begun = created.Add(3 * time.Hour)
	update(t, s, func(tx store.Tx) error { return tx.Orders().Change(put, &after) })
	if after.Revision != 2 {
		t.Errorf("got revision %d, want 2", after.Revision)
	}
	wantSame(t, ordersOf(t, s, c.ID), []order.Order{after})
	everyWay(t, s, func(tx store.Tx) error {
		o, err := tx.Orders().Find(after.ID)
		wantSame(t, o, after)
		return err
	})
	dispatch(t, s, func(o store.OrderQueue) error {
		match, err := o.Find(after.ID)
		wantSame(t, match, after)
		return err
	})
}

// queueLists lists the orders of a card, of a program, in a state, and those without a sequence.
func queueLists(t *testing.T, s store.Store) {
	background(t, s)
	orders := putOrders(t, s, "one", order.Make, order.Lock, order.Unlock, order.SetPin)
	two := putOrders(t, s, "two", order.Make, order.Close)
	orders[0] = settle(t, s, orders[0].ID, done)
	orders[1] = settle(t, s, orders[1].ID, func(o *order.Order) {
		o.State, o.Ended = order.Failed, created
	})
	orders[2] = settle(t, s, orders[2].ID, func(o *order.Order) { o.State = order.Held })
	orders[3] = settle(t, s, orders[3].ID, func(o *order.Order) { o.Sequence = 0 })
	two[1] = settle(t, s, two[1].ID, func(o *order.Order) {
		o.State, o.Ended, o.Dropped = order.Failed, created, created
	})
	for _, row := range []struct {
		of   store.OrderQuery
		want []order.Order
	}{
		{store.OrderQuery{CardID: orders[0].CardID}, []order.Order{orders[3], orders[2], orders[1], orders[0]}},
		{store.OrderQuery{CardID: orders[0].CardID, Unnumbered: true}, []order.Order{orders[3]}},
		{store.OrderQuery{CardID: orders[0].CardID, ProgramID: otherProgram}, nil},
		{store.OrderQuery{ProgramID: programID, Limit: 3}, []order.Order{two[1], two[0], orders[3]}},
		{store.OrderQuery{Before: orders[2].ID}, []order.Order{orders[1], orders[0]}},
		{store.OrderQuery{From: orders[2].ID, Before: two[0].ID}, []order.Order{orders[3], orders[2]}},
		{store.OrderQuery{ProgramID: otherProgram}, nil},
		{store.OrderQuery{State: order.Waiting}, []order.Order{two[0], orders[3]}},
		{store.OrderQuery{State: order.Waiting, ProgramID: otherProgram}, nil},
		{store.OrderQuery{State: order.Held}, []order.Order{orders[2]}},
		{store.OrderQuery{State: order.Failed}, []order.Order{orders[1]}},
		{store.OrderQuery{State: order.Done}, []order.Order{orders[0]}},
		{store.OrderQuery{State: order.Sent}, nil},
		{store.OrderQuery{Dropped: true}, []order.Order{two[1]}},
		{store.OrderQuery{Dropped: true, Before: two[1].ID}, nil},
		{store.OrderQuery{Dropped: true, ProgramID: otherProgram}, nil},
	} {
		if row.of.Limit == 0 {
			row.of.Limit = 9
		}
		wantFind(t, s, row.want, func(r store.Tx) ([]order.Order, error) {
			return r.Orders().List(row.of)
		})
	}
}

// queueFiles lists the files that hold sent orders, and the orders in one file.
func queueFiles(t *testing.T, s store.Store) {
	background(t, s)
	orders := putOrders(t, s, "in files", order.Make, order.Lock, order.Unlock, order.Close,
		order.SetPin)
	for i, file := range []int{8, 7, 8, 6} {
		orders[i] = settle(t, s, orders[i].ID, func(o *order.Order) {
			o.State, o.File, o.NextTry = order.Sent, file, time.Time{}
		})
	}
	settle(t, s, orders[3].ID, done) // by the previous version, which does not know files
	wantSame(t, find(t, s, func(r store.Tx) ([]int, error) { return r.Orders().ListFiles() }),
		[]int{7, 8})
	list := func(of store.OrderQuery) []order.Order {
		of.Limit = 9
		return find(t, s, func(r store.Tx) ([]order.Order, error) { return r.Orders().List(of) })
	}
	wantSame(t, list(store.OrderQuery{File: 8}), []order.Order{orders[2], orders[0]})
	wantSame(t, list(store.OrderQuery{File: 8, Before: orders[2].ID}), orders[:1])
	wantSame(t, list(store.OrderQuery{File: 6}), []order.Order(nil))
	claims(t, s, orders[4]) // no order of the card waits for one in a file
}

func queueCounts(t *testing.T, s store.Store) {
	background(t, s)
	orders := putOrders(t, s, "counted", order.Make, order.Lock, order.Unlock, order.Close)
	settle(t, s, orders[0].ID, done)
	settle(t, s, orders[1].ID, func(o *order.Order) { o.State, o.Ended = order.Failed, created })
	settle(t, s, orders[3].ID, func(o *order.Order) { o.Unreachable = true })
	later := anOrder(orders[0].CardID, 5, order.Hotlist)
	later.State, later.Created, later.File = order.Sent, created.Add(time.Hour), 7
	update(t, s, func(tx store.Tx) error { return tx.Orders().Put(later) })
	want := []store.OrderCount{
		{State: order.Failed, Count: 1, Oldest: created, OldestUrgent: created},
		{
			State: order.Sent, Count: 1, Oldest: later.Created, OldestUrgent: later.Created,
			OldestInFile: later.Created,
		},
		{State: order.Waiting, Count: 2, Oldest: created, OldestOther: created, Unreachable: 1},
	}
	foreign := plain("foreign")
	foreign.ProgramID, foreign.CustomerID, foreign.HolderID = otherProgram, foreignID, foreignID
	foreign.BinID, foreign.Slots = otherBin, card.Slots{}
	waits := anOrder(kept(t, s, foreign).ID, 1, order.Make)
	waits.Created = created.Add(-time.Hour)
	update(t, s, func(tx store.Tx) error { return tx.Orders().Put(waits) })
	both := slices.Clone(want)
	both[2].Count, both[2].Oldest, both[2].OldestOther = 3, waits.Created, waits.Created
	for _, row := range []struct {
		programs []int
		want     []store.OrderCount
	}{
		{nil, both}, {[]int{programID, otherProgram}, both}, {[]int{programID}, want}, {[]int{}, nil},
	} {
		wantSame(t, find(t, s, func(r store.Tx) ([]store.OrderCount, error) {
			return r.Orders().Count(row.programs)
		}), row.want)
	}
}

// queueOpenLocks counts locked cards whose lock order has failed or was sent too long ago.
func queueOpenLocks(t *testing.T, s store.Store) {
	background(t, s)
	put := func(name string, lock card.LockType, state order.State, age time.Duration, file int) {
		t.Helper()
		c := plain(name)
		c.Lock = card.Lock{Type: lock, Reason: card.Unknown}
		stored := kept(t, s, c)
		update(t, s, func(tx store.Tx) error {
			for i, kind := range []order.Kind{order.Lock, order.Hotlist} {
				o := anOrder(stored.ID, i+1, kind)
				o.State, o.Created, o.File = state, created.Add(-age), file
				if state == order.Failed {
					o.Ended = created
				}
				if err := tx.Orders().Put(o); err != nil {
					return err
				}
			}
			return nil
		})
	}
	put("failed", card.Customer, order.Failed, time.Minute, 0)
	put("unlocked", card.Unlocked, order.Failed, time.Hour, 0)
	put("sent", card.Customer, order.Sent, 10*time.Minute, 0)
	put("just sent", card.Customer, order.Sent, time.Minute, 0)
	put("in a file", card.Customer, order.Sent, 20*time.Minute, 7)
	put("in an old file", card.System, order.Sent, 3*time.Hour, 6)
	put("waits", card.Customer, order.Waiting, 5*time.Hour, 0)
	for _, row := range []struct {
		programs []int
		want     store.UnconfirmedLocks
	}{
		{nil, store.UnconfirmedLocks{Cards: 3, Failed: 2, Oldest: created.Add(-3 * time.Hour)}},
		{[]int{programID}, store.UnconfirmedLocks{Cards: 3, Failed: 2, Oldest: created.Add(-3 * time.Hour)}},
		{[]int{otherProgram}, store.UnconfirmedLocks{}},
	} {
		wantFind(t, s, row.want, func(r store.Tx) (store.UnconfirmedLocks, error) {
			return r.Orders().CountUnconfirmedLocks(row.programs, created.Add(-2*time.Hour),
				created.Add(-5*time.Minute))
		})
	}
}

func queueOldPins(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("pins"))
	var stored []order.Order
	update(t, s, func(tx store.Tx) error {
		for i, at := range []time.Time{created, created.Add(time.Minute), created} {
			o := anOrder(c.ID, i+1, order.SetPin)
			o.Created = at
			if i < 2 {
				o.SealedPin = []byte{1}
			}
			if err := tx.Orders().Put(o); err != nil {
				return err
			}
		}
		return nil
	})
	stored = ordersOf(t, s, c.ID)
	for _, want := range []struct {
		programID, limit int
		before           time.Time
		found            []order.Order
	}{
		{programID, 9, created, nil},
		{programID, 9, created.Add(time.Millisecond), stored[:1]},
		{programID, 9, created.Add(time.Hour), stored[:2]},
		{programID, 1, created.Add(time.Hour), stored[:1]},
		{otherProgram, 9, created.Add(time.Hour), nil},
	} {
		wantFind(t, s, want.found, func(r store.Tx) ([]order.Order, error) {
			return r.Orders().ListOldPins(want.programID, want.before, want.limit)
		})
	}
}

// queueInOrder claims the orders of two cards: of each card the earliest, until it is sent, done or
// failed. A held order blocks those behind it.
func queueInOrder(t *testing.T, s store.Store) {
	background(t, s)
	orders := putOrders(t, s, "one", order.Make, order.SetAccounts, order.Close, order.SetPin,
		order.Unlock)
	two := putOrders(t, s, "two", order.Make)
	got := claims(t, s, orders[0], two[0])
	if first := got[0]; first.ClaimedBy != "node" || !first.NextTry.After(created) {
		t.Errorf("got order claimed by %q until %s", first.ClaimedBy, first.NextTry)
	}
	wantSame(t, got[0], ordersOf(t, s, got[0].CardID)[0])
	claims(t, s)
	settle(t, s, orders[0].ID, done)
	claims(t, s, orders[1])
	settle(t, s, orders[1].ID, again)
	claims(t, s, orders[1])
	settle(t, s, orders[1].ID, func(o *order.Order) { o.State = order.Sent })
	claims(t, s, orders[2])
	settle(t, s, orders[2].ID, func(o *order.Order) { o.State, o.Ended = order.Failed, created })
	claims(t, s, orders[3])
	settle(t, s, orders[3].ID, func(o *order.Order) { o.State = order.Held })
	claims(t, s)
	settle(t, s, orders[3].ID, func(o *order.Order) { o.State, o.NextTry = order.Waiting, created })
	claims(t, s, orders[3])
	settle(t, s, orders[3].ID, done)
	claims(t, s, orders[4])
}

// queueUrgent checks that urgent orders wait only for the order that creates their card.
func queueUrgent(t *testing.T, s store.Store) {
	background(t, s)
	waits := putOrders(t, s, "waits", order.Make, order.SetAccounts, order.Lock, order.Hotlist)
	passes := putOrders(t, s, "passes", order.Remake, order.Unlock, order.Lock, order.Hotlist)
	dispatch(t, s, func(o store.OrderQueue) error {
		orders, err := o.Claim(store.OrderClaim{Node: "node", Until: o.Now(), Limit: 9})
		if len(orders) > 0 {
			t.Errorf("claimed while urgent orders wait: %v", orders)
		}
		return err
	})
	claims(t, s, passes[2], passes[3], waits[0], passes[0])
	settle(t, s, waits[0].ID, func(o *order.Order) { o.State = order.Sent })
	claims(t, s, waits[1], waits[2], waits[3])
	// An order that is not urgent waits for an urgent order before it.
	behind := putOrders(t, s, "behind", order.Lock, order.Unlock)
	claims(t, s, behind[0])
	claims(t, s)
	settle(t, s, behind[0].ID, done)
	claims(t, s, behind[1])
}

// queueUnreached checks that an urgent order that has not reached the processor goes before all
// others, unless it waits for one of them or the processor has answered others since.
func queueUnreached(t *testing.T, s store.Store) {
	background(t, s)
	later := func(o *order.Order) { o.NextTry, o.Unreachable = o.NextTry.Add(time.Hour), true }
	lock := putOrders(t, s, "lock", order.Lock)
	claims(t, s, lock[0])
	settle(t, s, lock[0].ID, later)
	putOrders(t, s, "other", order.Close)
	other := putOrders(t, s, "another", order.Hotlist)
	claims(t, s, other[0])
	settle(t, s, other[0].ID, done)
	claims(t, s)
	for answered, count := range map[time.Duration]int{store.ReachableAfter: 0, store.ReachableAfter + 1e6: 1} {
		dispatch(t, s, func(o store.OrderQueue) error {
			got, err := o.Claim(store.OrderClaim{
				Node: "node", Until: o.Now(), Limit: 9, Answered: created.Add(answered),
			})
			if len(got) != count {
				t.Errorf("answer %s after the lock: got %d claimed orders, want %d", answered,
					len(got), count)
			}
			return err
		})
	}
	settle(t, s, lock[0].ID, func(o *order.Order) { o.Unreachable = false })
	if got := claimed(t, s, 9); len(got) != 1 || got[0].Kind != order.Close {
		t.Errorf("got claimed orders %v", got)
	}
	// The order to create the card is retried by hand after the lock has failed.
	both := putOrders(t, s, "both", order.Make, order.Lock)
	settle(t, s, both[1].ID, later)
	claims(t, s, both[0])
}

// queueClaimsEnd checks that an order that its node does not settle is claimed by another node.
func queueClaimsEnd(t *testing.T, s store.Store) {
	background(t, s)
	orders := putOrders(t, s, "taken over", order.Make, order.Lock)
	for at, want := range map[time.Time]bool{created: true, created.Add(-time.Millisecond): false} {
		has := find(t, s, func(r store.Tx) (bool, error) { return r.Orders().HasDue(at) })
		if has != want {
			t.Errorf("orders due at %s: got %t", at, has)
		}
	}
	var first []order.Order
	dispatch(t, s, func(o store.OrderQueue) (err error) {
		first, err = o.Claim(store.OrderClaim{Node: "dead", Until: o.Now(), Limit: 9})
		return err
	})
	if len(first) != 1 || first[0].ID != orders[0].ID {
		t.Fatalf("got claimed orders %v", first)
	}
	second := claims(t, s, orders[0])
	if second[0].ClaimedBy != "node" {
		t.Errorf("claimed by %q", second[0].ClaimedBy)
	}
	err := s.Dispatch(context.Background(), func(o store.OrderQueue) error {
		after := first[0]
		done(&after)
		return o.Change(first[0], &after)
	})
	wantError(t, "the change of a claim that was taken over", err, store.ErrLostUpdate)
}

// queueClaimsRenewed checks that renewing a claim only moves its end, and that no node can renew
// the claim of another.
func queueClaimsRenewed(t *testing.T, s store.Store) {
	background(t, s)
	orders := putOrders(t, s, "renewed", order.Make, order.Lock)
	first := claims(t, s, orders[0])[0]
	renew := func(node string, at time.Time) {
		dispatch(t, s, func(o store.OrderQueue) error {
			return o.Renew(node, at, []int{orders[0].ID, orders[1].ID})
		})
	}
	renew("another", created.Add(time.Hour))
	wantSame(t, ordersOf(t, s, first.CardID)[0], first)
	renew("node", created.Add(2*time.Hour))
	renewed := first
	renewed.NextTry = created.Add(2 * time.Hour)
	wantSame(t, ordersOf(t, s, first.CardID)[0], renewed)
	settle(t, s, first.ID, done)
	claims(t, s, orders[1])
}

// queueClaimsFreed checks that a starting node immediately gets the orders that its name had
// claimed, and urgent orders that wait for their next attempt.
func queueClaimsFreed(t *testing.T, s store.Store) {
	background(t, s)
	mine := putOrders(t, s, "mine", order.Make)[0]
	claims(t, s, mine)
	var foreign []order.Order
	for _, kind := range []order.Kind{order.Make, order.Hotlist} {
		foreign = append(foreign, putOrders(t, s, "foreign "+string(kind), kind)...)
	}
	dispatch(t, s, func(o store.OrderQueue) error {
		for _, urgent := range []bool{true, false} {
			_, err := o.Claim(store.OrderClaim{
				Node: "another", Until: o.Now().Add(time.Minute), Urgent: urgent, Limit: 9,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	later := func(o *order.Order) { o.NextTry = time.Now().Add(time.Hour) }
	lock := settle(t, s, putOrders(t, s, "lock", order.Lock)[0].ID, later)
	settle(t, s, putOrders(t, s, "close", order.Close)[0].ID, later)
	claims(t, s)
	dispatch(t, s, func(o store.OrderQueue) error { return o.Free("node") })
	claims(t, s, mine, lock)
	for _, o := range foreign {
		if kept := ordersOf(t, s, o.CardID)[0]; kept.ClaimedBy != "another" {
			t.Errorf("%s: got claimed by %q", o.Kind, kept.ClaimedBy)
		}
	}
}

// queueCrowded puts more orders behind one order than a claim examines.
func queueCrowded(t *testing.T, s store.Store) {
	background(t, s)
	kinds := []order.Kind{order.Make}
	for range 1200 {
		kinds = append(kinds, order.SetAccounts)
	}
	crowd := putOrders(t, s, "crowd", kinds...)
	claims(t, s, crowd[0])
	other := putOrders(t, s, "other", order.Make)
	update(t, s, func(tx store.Tx) error { // due after the whole crowd
		after := other[0]
		after.NextTry = created.Add(time.Minute)
		return tx.Orders().Change(other[0], &after)
	})
	claims(t, s, other[0])
	settle(t, s, crowd[0].ID, done)
	claims(t, s, crowd[1])
	if has := find(t, s, func(r store.Tx) (bool, error) {
		return r.Orders().HasDue(created.Add(time.Hour))
	}); has {
		t.Error("got due orders, want none while they wait for another")
	}
}

// queueSideBySide has several dispatchers claim concurrently. Each order must be claimed once.
func queueSideBySide(t *testing.T, s store.Store) {
	background(t, s)
	const cards, nodes = 24, 4
	for i := range cards {
		putOrders(t, s, fmt.Sprint("card ", i), order.Make, order.SetAccounts)
	}
	match := make(chan []order.Order, nodes)
	for range nodes {
		go func() {
			var mine []order.Order
			for range cards {
				mine = append(mine, claimed(t, s, 2)...)
			}
			match <- mine
		}()
	}
	times := make(map[int]int)
	for range nodes {
		for _, o := range <-match {
			times[o.ID]++
			if o.Kind != order.Make || times[o.ID] > 1 {
				t.Errorf("%s of card %d was claimed %d times", o.Kind, o.CardID, times[o.ID])
			}
		}
	}
	if len(times) != cards {
		t.Errorf("got %d claimed orders, want %d", len(times), cards)
	}
}

// queueLostUpdate changes an order that has changed since it was read.
func queueLostUpdate(t *testing.T, s store.Store) {
	background(t, s)
	o := putOrders(t, s, "lost", order.Make)[0]
	newer := settle(t, s, o.ID, again)
	wantUpdate(t, s, "a change of an older order", store.ErrLostUpdate, func(tx store.Tx) error {
		after := o
		after.LastError = "older"
		return tx.Orders().Change(o, &after)
	})
	wantSame(t, ordersOf(t, s, o.CardID), []order.Order{newer})
	wantSame(t, findCard(t, s, o.CardID).Status, card.Initiated)
}
