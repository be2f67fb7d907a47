package dispatch_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"mintmark/internal/base/clock"
	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
	"mintmark/internal/testkit/testworld"
)

// A property test runs many transactions.
func TestMain(m *testing.M) { testrun.Main(m, 15) }

// start is the time at which the clock of a test starts.
var start = testworld.Start

const (
	creator = 1001 // of the demo data
	account = 2001
	second  = 2002
)

var secondPriority = 2

// clerk is an operator who sees all banks.
var clerk = issuing.Operator{
	Actor: audit.Actor{Kind: audit.Operator, Name: "clerk"}, Scope: operator.Scope{All: true},
}

var caller = issuing.Caller{
	Actor: audit.Actor{Kind: audit.APIKey, Name: "example1"}, ProgramID: 1, Route: "/card/test",
}

// world is a production service with a clock that a test moves, and one or two nodes on its
// database.
type world struct {
	rapid.TB
	test   testing.TB // the whole test, of which rapid may run many
	clock  *clock.Clock
	stores []store.Store
	nodes  []*acts.Service
	spent  int // names given to cards so far
	// events counts the orders that dispatchers have settled.
	events *testrun.Events
}

// settling is a service that notifies the test of each order that a node settles.
type settling struct {
	*orders.Service
	events *testrun.Events
}

func (s settling) SettleOrder(
	ctx context.Context, sent orders.ClaimedOrder, answer processor.Answer, failure error,
) error {
	defer s.events.Happened()
	return s.Service.SettleOrder(ctx, sent, answer, failure)
}

// dispatcher returns a dispatcher of a node that is notified of new orders.
func (w *world) dispatcher(node int, settings dispatch.Settings) *dispatch.Dispatcher {
	settings.Node = fmt.Sprint("node ", node)
	d := dispatch.New(settling{w.nodes[node].Orders, w.events}, settings)
	w.nodes[node].Dispatcher = d
	return d
}

// engines open the stores of several nodes on one new database.
var engines = map[string]func(t testing.TB, by *clock.Clock, nodes int) []store.Store{
	"embedded": func(t testing.TB, by *clock.Clock, nodes int) []store.Store {
		return slices.Repeat([]store.Store{testworld.Memory(t, by)}, nodes)
	},
	"postgresql": func(t testing.TB, by *clock.Clock, nodes int) []store.Store {
		url := pgtest.URL(t)
		var all []store.Store
		for range nodes {
			all = append(all, testworld.Server(t, url, by))
		}
		return all
	},
}

func newWorld(t testing.TB, database string, nodes int) *world {
	t.Helper()
	w := &world{TB: t, test: t, clock: clock.FrozenAt(start), events: new(testrun.Events)}
	w.stores = engines[database](t, w.clock, nodes)
	testworld.WriteDemo(t, w.stores[0])
	for _, kept := range w.stores {
		w.nodes = append(w.nodes, acts.New(kept, testworld.Keys(t), issuing.Settings{
			Mode: card.Production, Random: rand.Reader, Clock: w.clock,
		}))
	}
	return w
}

// onBoth runs a test on both databases.
func onBoth(t *testing.T, nodes int, test func(t *testing.T, w *world)) {
	t.Helper()
	for database := range engines {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, database, nodes))
		})
	}
}

// run runs a dispatcher of a node in the background. Stopping it twice is allowed.
func (w *world) run(node int, port processor.Port) (stop func()) {
	w.Helper()
	var logged bytes.Buffer
	d := w.dispatcher(node, dispatch.Settings{
		Port: port, Log: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Run(ctx)
	}()
	stop = func() { cancel(); <-ended }
	w.test.Cleanup(func() {
		stop()
		if logged.Len() > 0 {
			w.Errorf("the log of node %d holds %s", node, logged.String())
		}
	})
	return stop
}

// must returns the card of an act that must succeed.
func (w *world) must(detail cards.CardDetail, err error) card.Card {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
	return detail.Card
}

// initiate orders a card.
func (w *world) initiate(pin string) card.Card {
	w.Helper()
	w.spent++
	return w.must(w.nodes[0].Cards.Initiate(context.Background(), caller, cards.InitiateRequest{
		NewPin: plain(pin),
		DigitalRequest: cards.DigitalRequest{
			CustomerID: creator, CardHolderCustomerID: creator,
			Application: card.Application{
				VendorTypeCode: "VS", PrimaryAccountID: account, FirstName: "Ada",
				LastName: "Example", NickName: fmt.Sprintf("Card %d", w.spent),
			},
		},
	}))
}

// plain returns a PIN in the encoding of the algorithm NONE.
func plain(pin string) string { return base64.StdEncoding.EncodeToString([]byte(pin)) }

func ref(cardID int) issuing.CardRef {
	return issuing.CardRef{CustomerID: creator, CardID: cardID}
}

func locking(cardID int, reason string) cards.LockRequest {
	return cards.LockRequest{CardRef: ref(cardID), LockReasonTypeCode: reason}
}

func (w *world) lock(cardID int, reason string) {
	w.Helper()
	w.must(w.nodes[0].Cards.Lock(context.Background(), caller, locking(cardID, reason)))
}

func (w *world) unlock(cardID int) {
	w.Helper()
	w.must(w.nodes[0].Cards.Unlock(context.Background(), caller, ref(cardID)))
}

func (w *world) hotlist(cardID int) {
	w.Helper()
	w.must(w.nodes[0].Cards.Hotlist(context.Background(), caller, locking(cardID, "STL")))
}

// orders returns the orders of all cards, oldest first.
func (w *world) orders() []order.Order {
	w.Helper()
	return w.list(store.OrderQuery{Limit: 100_000})
}

func (w *world) list(of store.OrderQuery) []order.Order {
	w.Helper()
	var list []order.Order
	err := w.stores[0].View(context.Background(), func(r store.Tx) (err error) {
		list, err = r.Orders().List(of)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	slices.SortFunc(list, func(a, b order.Order) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// stored returns the stored card.
func (w *world) stored(cardID int) (c card.Card) {
	w.Helper()
	err := w.stores[0].View(context.Background(), func(r store.Tx) (err error) {
		c, err = r.Cards().Find(1, cardID)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// settled waits until no order is waiting, and returns all.
func (w *world) settled() []order.Order {
	w.Helper()
	w.events.Until(w.test, "no order is waiting", func() bool {
		return len(w.list(store.OrderQuery{State: order.Waiting, Limit: 1})) == 0
	})
	return w.orders()
}

// testProcessor is a test processor. It carries out each order once, and records their sequence.
type testProcessor struct {
	answer func(processor.Message) (processor.Answer, error) // nil for done

	mu      sync.Mutex
	arrived []processor.Message // each once, in the order of first arrival
	times   map[string]int      // arrivals by the identifier of the order
	events  testrun.Events      // arrivals
}

func newStand(answer func(processor.Message) (processor.Answer, error)) *testProcessor {
	return &testProcessor{answer: answer, times: make(map[string]int)}
}

// Submit accepts an order.
func (s *testProcessor) Submit(_ context.Context, m processor.Message) (processor.Answer, error) {
	answer, err := processor.Answer{Outcome: processor.Done}, error(nil)
	if s.answer != nil {
		answer, err = s.answer(m)
	}
	if err == nil {
		s.take(m)
	}
	return answer, err
}

func (s *testProcessor) take(m processor.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.times[m.OrderID] == 0 {
		s.arrived = append(s.arrived, m)
		s.events.Happened()
	}
	s.times[m.OrderID]++
}

// await waits until count orders have arrived, and returns them.
func (s *testProcessor) await(t testing.TB, count int) []processor.Message {
	t.Helper()
	s.events.Until(t, fmt.Sprint(count, " orders have arrived"), func() bool {
		return s.count() >= count
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.arrived)
}

func (s *testProcessor) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.arrived)
}

// checkArrivals checks that each order has arrived, once for each identifier, in order by card: a
// non-urgent order after all earlier ones, an urgent one after the order to produce its card.
func (s *testProcessor) checkArrivals(t rapid.TB, orders []order.Order) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	place := make(map[string]int)
	for i, m := range s.arrived {
		if _, twice := place[m.OrderID]; twice {
			t.Errorf("order %s is done twice", m.OrderID)
		}
		place[m.OrderID] = i + 1
	}
	if len(place) != len(orders) {
		t.Errorf("%d orders have arrived, and %d were written", len(place), len(orders))
	}
	byCard := make(map[int][]order.Order)
	for _, o := range orders {
		earlier := byCard[o.CardID]
		if o.Sequence != len(earlier)+1 {
			t.Errorf("order %s of card %d has the sequence %d", o.PublicID(), o.CardID, o.Sequence)
		}
		if place[o.PublicID()] == 0 {
			t.Errorf("order %s, %s, is lost", o.PublicID(), o.Kind)
		}
		for _, before := range earlier {
			waits := !o.Kind.Urgent() || before.Kind == order.Make
			if waits && place[before.PublicID()] > place[o.PublicID()] {
				t.Errorf("%s (%d) of card %d has overtaken %s (%d)", o.Kind, o.Sequence, o.CardID,
					before.Kind, before.Sequence)
			}
		}
		byCard[o.CardID] = append(earlier, o)
	}
}
