package transfers_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// entry is one authorization in the processor's book, in cents.
type entry struct {
	decided  int64 // the approved amount, in the end
	reversed int64
	posted   int64 // by postings that were not final
	ended    bool  // ended by a final posting
	growths  []*entry
	stands   bool // no pending message declines or approves it
	refused  bool // nothing of it is stored
}

// everything is a reversal larger than any hold.
const everything = 1 << 40

// held returns the amount that the processor believes to be held.
func (e *entry) held() int64 {
	if e.ended {
		return 0
	}
	sum := e.decided
	for _, growth := range e.growths {
		if grows := growth.decided - growth.reversed; grows > 0 {
			sum += grows - growth.posted
		}
	}
	return max(0, sum-e.reversed-e.posted)
}

// network carries messages to the service. It loses, repeats and reorders them; eventually each
// arrives.
type network struct {
	w    *issuingtest.World
	dice *rand.Rand
	bag  []func() error
}

func (n *network) send(message func() error) { n.bag = append(n.bag, message) }

// deliver delivers some of the pending messages, in any order. A message that is too early is sent
// again later, and any may be repeated.
func (n *network) deliver(share float64) {
	for range int(share*float64(len(n.bag)) + 0.5) {
		at := n.dice.IntN(len(n.bag))
		message := n.bag[at]
		n.bag[at] = n.bag[len(n.bag)-1]
		n.bag = n.bag[:len(n.bag)-1]
		err := message()
		var wrong *transfers.TransferError
		switch {
		case errors.As(err, &wrong) && wrong.Missing:
			n.send(message)
		case err != nil:
			n.w.TB.Errorf("a message is refused: %v", err)
		case n.dice.IntN(5) == 0:
			n.send(message)
		}
	}
}

// settle delivers until everything has arrived.
func (n *network) settle() {
	for round := 0; len(n.bag) > 0; round++ {
		if round == 200 {
			n.w.TB.Fatalf("%d messages never arrive", len(n.bag))
		}
		n.deliver(1)
	}
}

// lossyProcessor keeps its own book, and decides alone when a response is lost.
type lossyProcessor struct {
	network
	run   string
	book  map[string]*entry // by the authorization that has the hold
	paid  int64             // by postings
	count int
}

func (p *lossyProcessor) id(kind string) string {
	p.count++
	return fmt.Sprintf("%s-%s-%d", p.run, kind, p.count)
}

func (p *lossyProcessor) amount(most int64) int64 { return 1 + p.dice.Int64N(most) }

// decide has the service decide an authorization, or the processor if the response is lost.
func (p *lossyProcessor) decide(id, incrementOf string, e *entry) {
	most := int64(4000)
	if p.dice.IntN(4) == 0 {
		most = 60_000 // three times the balance, so that some requests are declined
	}
	a := issuingtest.PurchaseRequest(id, p.amount(most))
	a.IncrementOf = incrementOf
	a.Partial = p.dice.IntN(3) == 0
	ask := func() error {
		_, err := p.w.Transfers.Authorize(p.w.TB.Context(), issuingtest.ProcessorActor, a)
		var wrong *transfers.TransferError
		if errors.As(err, &wrong) && !wrong.Missing && wrong.Detail == "The hold has ended." {
			return nil // a refusal
		}
		return err
	}
	switch p.dice.IntN(4) {
	case 0, 1: // the response arrives
		got, err := p.w.Transfers.Authorize(p.w.TB.Context(), issuingtest.ProcessorActor, a)
		e.stands, e.refused = err == nil, err != nil
		if err == nil && got.Approved() {
			e.decided = got.Decision.Amount.TenThousandths / 100
		}
		if err == nil && p.dice.IntN(3) == 0 {
			p.send(ask) // and the request is repeated
		}
		return
	case 2: // the response is lost, and the processor reverses the authorization
		e.reversed = everything
		p.send(func() error { return p.reverse(id+" undone", id, 0) })
	case 3: // the processor stands in
		advice := authorization.AdviceRequest{Request: a, Decision: "declined", By: authorization.StandIn}
		advice.Partial = false
		advice.Amount = issuingtest.Cents(p.amount(4000))
		if p.dice.IntN(3) > 0 {
			advice.Decision, e.stands = "approved", true
			e.decided = advice.Amount.TenThousandths / 100
		}
		p.send(func() error {
			_, err := p.w.Transfers.Advise(p.w.TB.Context(), issuingtest.ProcessorActor, advice)
			return err
		})
	}
	if p.dice.IntN(3) > 0 {
		p.send(ask) // it was not lost, or arrives late
	}
}

// reverse reverses an amount in cents, or everything.
func (p *lossyProcessor) reverse(id, authorizationID string, amount int64) error {
	taking := authorization.ReversalRequest{
		ID: id, AuthorizationID: authorizationID, Amount: authorization.Everything,
		At: issuingtest.Start,
	}
	if amount > 0 {
		taking.Amount = issuingtest.Cents(amount)
	}
	_, err := p.w.Transfers.Reverse(p.w.TB.Context(), issuingtest.ProcessorActor, taking)
	return err
}

// followUp performs what happens to an authorization after its decision.
func (p *lossyProcessor) followUp(id string, e *entry) {
	if e.decided == 0 {
		return // nothing was bought
	}
	for range p.dice.IntN(4) {
		switch p.dice.IntN(4) {
		case 0:
			growth, incrementID := &entry{}, p.id("increment")
			p.decide(incrementID, id, growth)
			e.growths = append(e.growths, growth)
			switch of := p.dice.IntN(3); {
			case of == 0:
				p.reversePart(incrementID, growth)
			case of == 1 && !growth.refused:
				p.postGrowth(incrementID, e, growth)
			}
		case 1:
			p.reversePart(id, e)
		case 2:
			p.post(id, e, false)
		case 3:
			p.post(id, e, true)
		}
		p.deliver(0.3)
	}
}

// reversePart reverses a part of an authorization.
func (p *lossyProcessor) reversePart(id string, e *entry) {
	amount, reversalID := p.amount(1500), p.id("reversal")
	e.reversed += amount
	p.send(func() error { return p.reverse(reversalID, id, amount) })
}

func (p *lossyProcessor) post(id string, e *entry, final bool) {
	amount := p.amount(3000)
	posting := authorization.PostingRequest{
		ID: p.id("posting"), AuthorizationID: id, CardID: 5001, AccountID: 0,
		Kind: authorization.Purchase, Amount: issuingtest.Cents(amount), NotFinal: !final,
	}
	p.paid += amount
	if final {
		e.ended = true
	} else {
		e.posted += amount
	}
	p.send(func() error {
		_, err := p.w.Transfers.Post(p.w.TB.Context(), issuingtest.ProcessorActor, posting)
		return err
	})
}

// postGrowth posts an increment. A final posting ends the hold that the increment raises, so it is
// sent after the decision.
func (p *lossyProcessor) postGrowth(id string, e, growth *entry) {
	final := p.dice.IntN(2) == 0 && growth.stands
	if final && growth.decided > 0 {
		p.post(id, e, true)
		return
	}
	p.post(id, growth, final)
}

// TestTwoBooks has a processor lose responses, repeat, reorder, stand in and reverse. Once
// everything has arrived the two books agree: each hold, and the balance of the account.
func TestTwoBooks(t *testing.T) {
	t.Parallel()
	runs := times(t, "MINTMARK_LOSSY_RUNS", 40)
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(20_000)
		for run := range runs {
			refill(w, 20_000)
			p := &lossyProcessor{
				network: network{w: w, dice: rand.New(rand.NewPCG(33, uint64(run)))},
				run:     fmt.Sprint("run", run), book: make(map[string]*entry),
			}
			for range 1 + p.dice.IntN(4) {
				id, e := p.id("authorization"), &entry{}
				p.book[id] = e
				p.decide(id, "", e)
				p.deliver(0.5)
				p.followUp(id, e)
			}
			p.settle()
			if p.check(); t.Failed() {
				t.Fatalf("run %d", run)
			}
			p.clear()
		}
	})
}

// TestIncrementBeforeAdvice reverses and posts an increment while nothing is held: its
// authorization was declined here, and the advice that it was approved arrives last.
func TestIncrementBeforeAdvice(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		w.Spendable(20_000)
		ctx, from := t.Context(), issuingtest.ProcessorActor
		first := issuingtest.PurchaseRequest("first", 30_000)
		if got, err := w.Transfers.Authorize(ctx, from, first); err != nil || got.Approved() {
			t.Fatalf("more than is there is answered %v, %v", got.Reason, err)
		}
		advise := func(a authorization.Request) {
			t.Helper()
			_, err := w.Transfers.Advise(ctx, from, authorization.AdviceRequest{
				Request: a, Decision: "approved", By: authorization.StandIn,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		more := issuingtest.PurchaseRequest("more", 1000)
		more.IncrementOf = "first"
		advise(more)
		back, err := w.Transfers.Reverse(ctx, from, authorization.ReversalRequest{
			ID: "back", AuthorizationID: "more", Amount: issuingtest.Cents(400),
			At: issuingtest.Start,
		})
		if err != nil || back.Result != authorization.NothingHeld {
			t.Fatalf("the increment is taken back: %v, %v", back.Result, err)
		}
		_, err = w.Transfers.Post(ctx, from, authorization.PostingRequest{
			ID: "paid", AuthorizationID: "more", CardID: 5001, Kind: authorization.Purchase,
			Amount: issuingtest.Cents(300), NotFinal: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		advise(first)
		wantBalances(w, 2001, 20_000-300, 20_000-300-(30_000+1000-400-300))
	})
}

// TestIncrementEndsLater sends increments that extend a hold, before and after the advice of its
// authorization. A reversal leaves the end of the hold unchanged.
func TestIncrementEndsLater(t *testing.T) {
	t.Parallel()
	ctx, from := t.Context(), issuingtest.ProcessorActor
	until := issuingtest.Start.Add(4 * authorization.HoldLife)
	for name, order := range map[string]string{
		"the increment is advised first": "aiv", "the increment is advised last": "avi",
		"the increment is asked": "av+", "nothing is held at first": "riv",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := issuingtest.NewProduction(t)
			w.Spendable(20_000)
			first, more := issuingtest.PurchaseRequest("first", 1000), issuingtest.PurchaseRequest("more", 500)
			refused := first
			refused.Amount = issuingtest.Cents(30_000)
			more.IncrementOf, more.HoldUntil = "first", until
			advise := func(a authorization.Request) {
				_, err := w.Transfers.Advise(ctx, from, authorization.AdviceRequest{
					Request: a, Decision: "approved", By: authorization.StandIn,
				})
				if err != nil {
					t.Error(err)
				}
			}
			for _, step := range order {
				map[rune]func(){
					'a': func() { authorize(w, first, authorization.Approved) },
					'r': func() { authorize(w, refused, authorization.InsufficientFunds) },
					'v': func() { advise(first) },
					'i': func() { advise(more) },
					'+': func() { authorize(w, more, authorization.Approved) },
				}[step]()
				w.Clock.Advance(24 * time.Hour)
			}
			_, err := w.Transfers.Reverse(ctx, from, authorization.ReversalRequest{
				ID: "back", AuthorizationID: "first", Amount: issuingtest.Cents(1),
				At: issuingtest.Start,
			})
			if stand := holds(w); err != nil || len(stand) != 1 || !stand[0].Ends.Equal(until) ||
				stand[0].Amount != issuingtest.Cents(1499) {
				t.Errorf("%v, %+v", err, stand)
			}
		})
	}
}

// check compares the two books.
func (p *lossyProcessor) check() {
	p.w.TB.Helper()
	want, sum := make(map[string]int64), int64(0)
	for id, e := range p.book {
		if held := e.held(); held > 0 {
			want[id] = held
			sum += held
		}
	}
	got := make(map[string]int64)
	for _, h := range holds(p.w) {
		got[h.AuthorizationID] = h.Amount.TenThousandths / 100
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.w.TB.Errorf("holds (-the processor's +ours):\n%s", diff)
	}
	wantBalances(p.w, 2001, 20_000-p.paid, 20_000-p.paid-sum)
}

// clear releases all open holds.
func (p *lossyProcessor) clear() {
	for _, h := range holds(p.w) {
		release(p.w, h.ID, authorization.Released)
	}
}

// refill gives account 2001 a balance in cents, with no hold.
func refill(w *issuingtest.World, balance int64) {
	w.TB.Helper()
	w.Update(func(tx store.Tx) error {
		a, err := tx.Balances().Find(2001)
		if err != nil {
			return err
		}
		a.Balance, a.Available = issuingtest.Cents(balance), issuingtest.Cents(balance)
		return tx.Balances().Change(a)
	})
}

func holds(w *issuingtest.World) (all []authorization.Hold) {
	w.TB.Helper()
	w.View(func(r store.Tx) (err error) {
		all, err = r.Holds().List(5001)
		return err
	})
	return all
}

// steps are the possible events of one authorization, each with its effect on the processor's book.
// A step returns false when the message is too early and will be sent again.
var steps = map[byte]func(*interleaving) bool{
	'a': (*interleaving).ask,
	'v': (*interleaving).advise,
	'r': func(i *interleaving) bool { return i.reverse(30) },
	'w': func(i *interleaving) bool { return i.reverse(0) },
	'p': func(i *interleaving) bool { return i.post(true) },
	'q': func(i *interleaving) bool { return i.post(false) },
	'e': (*interleaving).expire,
	'=': func(i *interleaving) bool { return i.last == nil || i.last() == nil },
}

// interleaving is one authorization whose events happen in some order. A lost response and a late
// request are requests like any other: only the processor treats them differently.
type interleaving struct {
	*lossyProcessor
	entry
	id             string
	answers, stand bool      // whether the service would approve; whether the processor does
	until          time.Time // the end of the processor's approval; zero for the lifetime of a hold
	asked, advised bool
	ends           time.Time // of the hold
	last           func() error
}

func (i *interleaving) do(message func() error) bool {
	i.w.TB.Helper()
	i.last = message
	err := message()
	var wrong *transfers.TransferError
	if errors.As(err, &wrong) && wrong.Missing {
		return false
	}
	if err != nil {
		i.w.TB.Errorf("refused: %v", err)
	}
	return true
}

func (i *interleaving) transfer() authorization.Request {
	a := issuingtest.PurchaseRequest(i.id, 100)
	if !i.answers {
		a.Kind = authorization.Withdrawal // more than the account has
		a.Amount = issuingtest.Cents(90_000_000)
	}
	return a
}

func (i *interleaving) ask() bool {
	a := i.transfer()
	if !i.asked && !i.advised && i.reversed == 0 && i.answers {
		i.decided, i.ends = 100, i.w.Clock.Now().Add(authorization.HoldLife)
	}
	i.asked = true
	return i.do(func() error {
		_, err := i.w.Transfers.Authorize(i.w.TB.Context(), issuingtest.ProcessorActor, a)
		return err
	})
}

func (i *interleaving) advise() bool {
	advice := authorization.AdviceRequest{Request: i.transfer(), Decision: "declined", By: authorization.StandIn}
	advice.Amount, advice.HoldUntil = issuingtest.Cents(120), i.until
	if !i.advised {
		i.decided, i.ends = 0, i.until
		if i.stand {
			i.decided = 120
		}
		if i.until.IsZero() {
			i.ends = i.w.Clock.Now().Add(authorization.HoldLife)
		}
	}
	if i.stand {
		advice.Decision = "approved"
	}
	i.advised = true
	return i.do(func() error {
		_, err := i.w.Transfers.Advise(i.w.TB.Context(), issuingtest.ProcessorActor, advice)
		return err
	})
}

func (i *interleaving) reverse(amount int64) bool {
	taken := amount
	if taken == 0 {
		taken = everything
	}
	i.reversed += taken
	id := i.lossyProcessor.id("reversal")
	return i.do(func() error { return i.lossyProcessor.reverse(id, i.id, amount) })
}

func (i *interleaving) post(final bool) bool {
	posting := authorization.PostingRequest{
		ID: i.lossyProcessor.id("posting"), AuthorizationID: i.id, CardID: 5001,
		Kind: i.transfer().Kind, Amount: issuingtest.Cents(20), NotFinal: !final,
	}
	done := i.do(func() error {
		_, err := i.w.Transfers.Post(i.w.TB.Context(), issuingtest.ProcessorActor, posting)
		return err
	})
	switch {
	case !done:
		i.last = nil
	case final:
		i.paid, i.ended = i.paid+20, true
	default:
		i.paid, i.posted = i.paid+20, i.posted+20
	}
	return done
}

// expire lets the hold run for its whole lifetime. It then expires, and not before.
func (i *interleaving) expire() bool {
	life, due := authorization.HoldLife, 0
	if i.held() > 0 {
		life, due, i.ended = i.ends.Sub(i.w.Clock.Now()), 1, true
	}
	i.w.Clock.Advance(life - time.Millisecond)
	early, err := i.w.Transfers.EndHolds(i.w.TB.Context(), 1)
	i.w.Clock.Advance(time.Millisecond)
	ended, errThen := i.w.Transfers.EndHolds(i.w.TB.Context(), 1)
	i.w.Clock.Advance(-life)
	if early != 0 || ended != due {
		i.w.TB.Errorf("%d holds end early, %d then, want none and %d", early, ended, due)
	}
	return i.do(func() error { return errors.Join(err, errThen) })
}

// TestInterleavings tries every order of the events of one authorization, up to a length. The books
// are compared after each step, so a shorter order is the beginning of a longer one.
func TestInterleavings(t *testing.T) {
	t.Parallel()
	length := times(t, "MINTMARK_INTERLEAVED", 3)
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		length := length
		if strings.HasSuffix(t.Name(), "postgresql") {
			length-- // each act takes several times as long
		}
		run := 0
		w.Spendable(1_000_000)
		for order := range sequences(length) {
			for variant := range 6 {
				answers, stand, until := variant&1 == 0, variant < 4, time.Time{}
				if !answers && !strings.Contains(order, "a") || variant > 1 && !strings.Contains(order, "v") {
					continue // repeated: it is not decided again
				}
				if variant&2 != 0 {
					until = issuingtest.Start.Add(4 * authorization.HoldLife)
				}
				run++
				refill(w, 1_000_000)
				i := &interleaving{
					lossyProcessor: &lossyProcessor{network: network{w: w}, run: fmt.Sprint("order", run)},
					id:             fmt.Sprint("interleaved-", run),
					answers:        answers, stand: stand, until: until,
				}
				for at, step := range []byte(order) {
					w.Clock.Advance(time.Hour)
					steps[step](i)
					wantBalances(w, 2001, 1_000_000-i.paid, 1_000_000-i.paid-i.held())
					if t.Failed() {
						t.Fatalf("the order is %s, the service approves: %t, the processor: %t until %s",
							order[:at+1], answers, stand, until)
					}
				}
				i.clear()
				w.Clock.Advance(time.Duration(-length) * time.Hour)
			}
		}
	})
}

// sequences yields all sequences of steps of a length. None begins with a repetition, because
// nothing precedes it.
func sequences(length int) iter.Seq[string] {
	return func(yield func(string) bool) {
		var extend func(string) bool
		extend = func(begun string) bool {
			if len(begun) == length {
				return yield(begun)
			}
			for _, step := range []byte("avrwpqe=") {
				if begun == "" && step == '=' {
					continue
				}
				if !extend(begun + string(step)) {
					return false
				}
			}
			return true
		}
		extend("")
	}
}
