package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor"
	"mintmark/internal/store"
)

// TestNothingLost performs random acts while two nodes claim, send, fail and die in random turns.
// After recovery each order has arrived, once for each identifier, in order by card.
func TestNothingLost(t *testing.T) {
	t.Parallel()
	onBoth(t, 2, func(t *testing.T, w *world) {
		rapid.Check(t, func(r *rapid.T) { randomLife(r, w) })
	})
}

// life is a random course of events.
type life struct {
	*world
	stand *testProcessor
	cards []int
	held  [2][]orders.ClaimedOrder // claimed and not settled, by node
}

func randomLife(r *rapid.T, w *world) {
	own := *w
	own.TB = r
	l := &life{world: &own, stand: newStand(nil)}
	defer func() { w.spent = own.spent }()
	for range 2 {
		l.cards = append(l.cards, l.initiate("0001").ID)
	}
	for range rapid.IntRange(10, 30).Draw(r, "steps") {
		l.step(r)
	}
	l.recover()
	orders := l.own()
	for _, o := range orders {
		if o.State != order.Done {
			r.Errorf("order %d, %s of card %d, is %s: %s", o.ID, o.Kind, o.CardID, o.State,
				o.LastError)
		}
	}
	l.stand.checkArrivals(r, orders)
}

// own returns the orders of this run, oldest first.
func (l *life) own() []order.Order {
	var all []order.Order
	for _, cardID := range l.cards {
		all = append(all, l.list(store.OrderQuery{CardID: cardID, Limit: 1000})...)
	}
	return all
}

func (l *life) step(r *rapid.T) {
	cardID := rapid.SampledFrom(l.cards).Draw(r, "card")
	node := rapid.IntRange(0, 1).Draw(r, "node")
	ctx := context.Background()
	s := l.nodes[node]
	switch step := rapid.SampledFrom([]string{
		"initiate", "lock", "unlock", "hotlist", "resetpin", "add", "reissue", "archive",
		"claim", "claim", "claim urgent", "settle", "settle", "settle", "settle", "die", "time",
		"hold", "release", "retry",
	}).Draw(r, "step"); step {
	case "initiate":
		l.cards = append(l.cards, l.initiate("0002").ID)
	case "lock":
		_, err := s.Cards.Lock(ctx, caller, locking(cardID, "TMP"))
		l.allowed(err)
	case "unlock":
		_, err := s.Cards.Unlock(ctx, caller, ref(cardID))
		l.allowed(err)
	case "hotlist":
		_, err := s.Cards.Hotlist(ctx, caller, locking(cardID, "LST"))
		l.allowed(err)
	case "resetpin":
		_, err := s.Cards.ResetPin(ctx, caller, cards.PinRequest{
			CardRef: ref(cardID), NewPin: plain("0003"),
		})
		l.allowed(err)
	case "add":
		_, err := s.Cards.AddAccount(ctx, caller, cards.PriorityRequest{
			AccountRequest: cards.AccountRequest{CardRef: ref(cardID), AccountID: second},
			CardPriority:   &secondPriority,
		})
		l.allowed(err)
	case "reissue":
		reason := rapid.SampledFrom([]string{"DMG", "LST"}).Draw(r, "reason")
		detail, err := s.Cards.Reissue(ctx, caller, cards.ReissueRequest{
			CardRef: ref(cardID), ReissueReasonTypeCode: reason,
		})
		l.allowed(err)
		if err == nil && !slices.Contains(l.cards, detail.ID) {
			l.cards = append(l.cards, detail.ID)
		}
	case "archive":
		l.allowed(s.Cards.Archive(ctx, caller, ref(cardID)))
	case "claim", "claim urgent":
		claimed, err := s.Orders.ClaimOrders(ctx, fmt.Sprint("node ", node), step == "claim urgent", 4)
		l.fine(err)
		l.held[node] = append(l.held[node], claimed...)
	case "settle":
		l.settleOne(r, node)
	case "die":
		l.held[node] = nil
	case "time":
		seconds := rapid.SampledFrom([]int{1, 20, 31, 1000}).Draw(r, "seconds")
		l.clock.Advance(time.Duration(seconds) * time.Second)
	case "hold", "release", "retry":
		l.operate(r, step)
	}
}

// settleOne sends an order that a node has claimed, possibly long ago. The processor may be
// unreachable, the answer may be lost, and the node may die before it stores the answer.
func (l *life) settleOne(r *rapid.T, node int) {
	if len(l.held[node]) == 0 {
		return
	}
	i := rapid.IntRange(0, len(l.held[node])-1).Draw(r, "which")
	claim := l.held[node][i]
	l.held[node] = slices.Delete(l.held[node], i, i+1)
	if l.clock.Now().After(claim.Order.NextTry) {
		return // a node gives up an attempt before its lease expires
	}
	var answer processor.Answer
	var failure error
	switch rapid.SampledFrom([]string{"", "", "", "away", "lost", "error", "accepted", "dies"}).
		Draw(r, "answer") {
	case "away":
		failure = fmt.Errorf("%w: away", processor.ErrUnreachable)
	case "lost":
		l.stand.take(claim.Message)
		failure = errors.New("no answer")
	case "error":
		failure = errors.New("500")
	case "dies":
		l.stand.take(claim.Message)
		return
	default:
		l.stand.take(claim.Message)
		answer.Outcome = processor.Done
	}
	l.fine(l.nodes[node].Orders.SettleOrder(context.Background(), claim, answer, failure))
}

// operate performs an operator's act on a random order.
func (l *life) operate(r *rapid.T, step string) {
	o := rapid.SampledFrom(l.own()).Draw(r, "order")
	if step == "retry" && o.ClaimedBy != "" {
		return // a second attempt beside the first may be overtaken by it
	}
	_, err := l.nodes[0].Orders.ActOnOrder(context.Background(), clerk, o.PublicID(), 0, step)
	if !errors.Is(err, order.ErrState) {
		l.fine(err)
	}
}

// recover releases the held orders, and delivers everything.
func (l *life) recover() {
	for _, o := range l.list(store.OrderQuery{State: order.Held, Limit: 1000}) {
		_, err := l.nodes[0].Orders.ActOnOrder(context.Background(), clerk, o.PublicID(), 0, "release")
		l.fine(err)
	}
	for range 100 {
		l.clock.Advance(time.Hour)
		for l.deliver(0, l.stand)+l.deliver(1, l.stand) > 0 {
		}
		if len(l.list(store.OrderQuery{State: order.Waiting, Limit: 1})) == 0 {
			return
		}
	}
	l.Error("some orders are never delivered")
}

// allowed fails unless an act was performed or refused.
func (l *life) allowed(err error) {
	if err != nil && len(fault.All(err)) == 0 {
		l.Fatal(err)
	}
}

func (l *life) fine(err error) {
	if err != nil {
		l.Fatal(err)
	}
}
