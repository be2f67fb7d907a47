package transfers_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// fullDay is a day of a program near its limit, in cents, with a card for each caller.
type fullDay struct {
	nodes []*issuingtest.World
	cards []int
	most  int64
	least int64 // 0 for none
	used  atomic.Int64
	count atomic.Int64
}

// TestProgramLimitInShares has many callers on two nodes authorize, reverse and post near the limit
// of a program: it is never exceeded, not even by a cent. Then messages follow one after the other,
// on any node and with any card: each is answered as if the sum was one number.
func TestProgramLimitInShares(t *testing.T) {
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		fillDays(t, []*issuingtest.World{issuingtest.NewProduction(t)})
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		fillDays(t, issuingtest.NewServed(t, times(t, "MINTMARK_NODES", 2)))
	})
}

func fillDays(t *testing.T, nodes []*issuingtest.World) {
	d := &fullDay{nodes: nodes, most: 5000}
	nodes[0].Spendable(1_000_000_000)
	for i := range 8 {
		d.cards = append(d.cards, cardOfAnother(nodes[0], i))
	}
	const perRound = 160
	for round := range max(2, times(t, "MINTMARK_AUTHORIZATIONS", 640)/perRound) {
		d.limit(int64(2000+round%5*1000), int64(round%3*100))
		var running sync.WaitGroup
		for i := range d.cards {
			dice := rand.New(rand.NewPCG(uint64(round), uint64(i)))
			running.Go(func() {
				for range perRound / 2 / len(d.cards) {
					d.spend(dice, i)
				}
			})
		}
		running.Wait()
		d.oneByOne(rand.New(rand.NewPCG(uint64(round), 99)), perRound/2)
		if t.Failed() {
			return
		}
		if round%4 == 3 {
			nodes[0].Clock.Advance(24 * time.Hour)
			d.used.Store(0)
		}
	}
}

// cardOfAnother creates a card on a new account of a user who has no other card.
func cardOfAnother(w *issuingtest.World, n int) int {
	w.TB.Helper()
	id := 0
	w.Update(func(tx store.Tx) error {
		user, err := tx.Customers().Find(1, 1001)
		if err != nil {
			return err
		}
		user.ID, user.Revision = 90_001+n, 0
		if err := tx.Customers().Put(user); err != nil {
			return err
		}
		accounts, err := tx.Accounts().FindMany([]int{2001})
		if err != nil {
			return err
		}
		account := accounts[2001]
		account.ID, account.CustomerID, account.Revision = 90_001+n, user.ID, 0
		if err := tx.Accounts().Put(account); err != nil {
			return err
		}
		c, err := tx.Cards().Find(1, 5001)
		if err != nil {
			return err
		}
		c.ID, c.Revision, c.Tag, c.CustomerID, c.HolderID = 0, 0, "", user.ID, user.ID
		c.Slots = card.Slots{Checking: []int{account.ID}}
		err = tx.Cards().Put(&c)
		id = c.ID
		return err
	})
	return id
}

func (d *fullDay) limit(most, least int64) {
	d.most, d.least = most, least
	greatest, smallest := issuingtest.Cents(most), issuingtest.Cents(least)
	d.nodes[0].SetLimits(func(s *program.Settings) {
		s.PerProgramDailyWithdrawLimit = &program.Limit{MaximumAmount: &greatest}
		if least > 0 {
			s.PerProgramDailyWithdrawLimit.MinimumAmount = &smallest
		}
	})
}

// purchase is a purchase with one of the cards, on any node.
func (d *fullDay) purchase(
	dice *rand.Rand, which int, amount int64,
) (*issuingtest.World, authorization.Request) {
	a := issuingtest.PurchaseRequest(fmt.Sprint("day ", d.count.Add(1)), amount)
	a.CardID = d.cards[which]
	return d.nodes[dice.IntN(len(d.nodes))], a
}

// spend authorizes, and mostly reverses what was approved. The amount counted here never exceeds
// the sum.
func (d *fullDay) spend(dice *rand.Rand, which int) {
	w, a := d.purchase(dice, which, 1+dice.Int64N(600))
	got, err := w.Transfers.Authorize(w.TB.Context(), issuingtest.ProcessorActor, a)
	if err != nil {
		w.TB.Errorf("%s: %v", a.ID, err)
	}
	if err != nil || !got.Approved() {
		return
	}
	amount := a.Amount.TenThousandths / 100
	if sum := d.used.Add(amount); sum > d.most {
		w.TB.Errorf("%d was approved under a limit of %d", sum, d.most)
	}
	w = d.nodes[dice.IntN(len(d.nodes))]
	back := amount
	switch dice.IntN(4) {
	case 0: // it stays approved
	case 1:
		d.used.Add(-amount)
		release(w, got.HoldID, authorization.Released)
	case 2:
		back = 1 + dice.Int64N(amount)
		fallthrough
	default:
		d.used.Add(-back)
		d.reverse(w, a.ID, back)
	}
}

func (d *fullDay) reverse(w *issuingtest.World, id string, amount int64) {
	_, err := w.Transfers.Reverse(w.TB.Context(), issuingtest.ProcessorActor, authorization.ReversalRequest{
		ID: id + " back", AuthorizationID: id, Amount: issuingtest.Cents(amount), At: issuingtest.Start,
	})
	if err != nil {
		w.TB.Errorf("the reversal of %s: %v", id, err)
	}
}

// oneByOne sends messages one after the other, and predicts each response.
func (d *fullDay) oneByOne(dice *rand.Rand, times int) {
	for range times {
		left := d.most - d.used.Load()
		amount := 1 + dice.Int64N(600)
		switch dice.IntN(8) {
		case 0, 1:
			amount = max(1, left) // all of it
		case 2:
			amount = max(1, left+1)
		case 3:
			d.limit(int64(1000+dice.IntN(6000)), d.least)
		}
		w, a := d.purchase(dice, dice.IntN(len(d.cards)), amount)
		want, sum := authorization.OverLimit, d.used.Load()+amount
		if sum <= d.most && sum >= d.least {
			want = authorization.Approved
		}
		got := authorize(w, a, want)
		if w.TB.Failed() {
			w.TB.Logf("%d more than %d, limit %d to %d", amount, d.used.Load(), d.least, d.most)
			return
		}
		if got.Approved() {
			d.used.Add(amount)
			d.follow(dice, a, got.HoldID)
		}
	}
}

// follow does one of the things that can follow an approval.
func (d *fullDay) follow(dice *rand.Rand, a authorization.Request, holdID string) {
	w, amount := d.nodes[dice.IntN(len(d.nodes))], a.Amount.TenThousandths/100
	switch dice.IntN(6) {
	case 0:
		release(w, holdID, authorization.Released)
		d.used.Add(-amount)
	case 1:
		d.reverse(w, a.ID, amount)
		d.used.Add(-amount)
	case 2: // with another amount, which may exceed the limit
		moved := max(1, amount-100+dice.Int64N(200))
		post(w, authorization.PostingRequest{
			ID: a.ID, HoldID: holdID, CardID: a.CardID, Amount: issuingtest.Cents(moved),
		})
		d.used.Add(moved - amount)
	case 3:
		w, a := d.purchase(dice, dice.IntN(len(d.cards)), 1+dice.Int64N(300))
		advice := authorization.AdviceRequest{Request: a, Decision: "approved", By: authorization.StandIn}
		if _, err := w.Transfers.Advise(w.TB.Context(), issuingtest.ProcessorActor, advice); err != nil {
			w.TB.Errorf("%s: %v", a.ID, err)
		}
		d.used.Add(a.Amount.TenThousandths / 100)
	}
}
