package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"mintmark/internal/base/clock"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/program"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
	"mintmark/internal/testkit/testworld"
)

// start is the time at which the clock of a test starts.
var start = testworld.Start

// world is a service with two programs on its own database.
type world struct {
	*acts.Service
	t     testing.TB
	store store.Store
	clock *clock.Clock
	// events counts deliveries that a receiver has answered or a node has settled, and polls of
	// nodes.
	events testrun.Events
	sent   map[int][]int // the events of each card of program 1, in order
	count  int           // stored entries
}

// ada may act in every bank, ben only in a bank other than that of the programs.
var (
	ada = issuing.Operator{
		Actor: audit.Actor{Kind: audit.Operator, Name: "ada"}, Scope: operator.Scope{All: true},
	}
	ben = issuing.Operator{
		Actor: audit.Actor{Kind: audit.Operator, Name: "ben"},
		Scope: operator.Scope{Banks: []int{2}},
	}
)

// inBoth runs a test on both databases.
func inBoth(t *testing.T, test func(t *testing.T, w *world)) {
	t.Run("embedded", func(t *testing.T) { t.Parallel(); test(t, newWorld(t, openFile)) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); test(t, newWorld(t, openPostgres)) })
}

func openFile(t testing.TB, by *clock.Clock) store.Store {
	return testworld.File(t, filepath.Join(t.TempDir(), "mintmark.db"), by)
}

func openPostgres(t testing.TB, by *clock.Clock) store.Store {
	return testworld.Server(t, pgtest.URL(t), by)
}

func newWorld(t testing.TB, open func(testing.TB, *clock.Clock) store.Store) *world {
	t.Helper()
	w := &world{t: t, clock: clock.FrozenAt(start), sent: make(map[int][]int)}
	w.store = open(t, w.clock)
	w.Service = acts.New(w.store, testworld.Keys(t), issuing.Settings{
		Mode: card.Production, Random: rand.Reader, Clock: w.clock,
		WebhooksAllow: func() []netip.Prefix { return loopback },
	})
	w.update(func(tx store.Tx) error {
		err := tx.Banks().Put(store.Bank{ID: 1, Name: "Bank"})
		for id := 1; id <= 2 && err == nil; id++ {
			err = tx.Programs().Put(program.Program{
				Issuing:  program.Issuing{ID: id, BankID: 1},
				Settings: program.Settings{TimeZone: "UTC"},
			})
		}
		return err
	})
	return w
}

func (w *world) update(fn func(store.Tx) error) {
	w.t.Helper()
	if err := w.store.Update(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// lock stores the audit entry of a card lock, which becomes an event when it is sealed.
func (w *world) lock(programID, cardID int) {
	w.t.Helper()
	w.count++
	number := w.count
	w.update(func(tx store.Tx) error {
		return tx.Audit().Put(audit.Entry{
			At: tx.Now(), Actor: audit.Actor{Kind: audit.APIKey, Name: "example1"},
			Act: "/card/lock", ProgramID: programID, CustomerID: 1001,
			Subject: audit.Of(audit.Card, cardID), Outcome: "changed",
			After: fmt.Sprintf(`{"lockReasonTypeCode":"TMP","customerId":%d}`, number),
		})
	})
	if programID == 1 {
		w.sent[cardID] = append(w.sent[cardID], number)
	}
}

// seal seals the stored entries, as the sealing job does.
func (w *world) seal() {
	w.t.Helper()
	w.update(func(tx store.Tx) error {
		head, err := tx.AuditLog().FindHead()
		next := store.Batch{First: 1, FirstEvent: 1, At: tx.Now(), Note: "test"}
		if err == nil {
			next.First, next.FirstEvent = head.Size()+1, head.Events()+1
		}
		unsealed, err := tx.AuditLog().ListUnsealed(
			store.UnsealedQuery{Above: head.NewestRow, Limit: 100_000})
		if err != nil || len(unsealed.Entries) == 0 {
			return err
		}
		for _, e := range unsealed.Entries {
			_, ok := event.TypeOf(e.Entry)
			next.Rows = append(next.Rows, store.SealedRow{Row: e.Row, IsEvent: ok})
			next.NewestRow = max(next.NewestRow, e.Row)
		}
		next.SettledRow = next.NewestRow
		return tx.AuditLog().PutBatch(next, nil)
	})
	w.Events.NoteSealed()
}

// subscribe creates a webhook for program 1.
func (w *world) subscribe(url string, change func(*events.WebhookSpec)) events.WebhookDetail {
	w.t.Helper()
	spec := events.WebhookSpec{Name: fmt.Sprint("hook ", w.count), URL: url}
	if change != nil {
		change(&spec)
	}
	detail, err := w.Events.CreateWebhook(context.Background(), ada, 1, spec)
	if err != nil {
		w.t.Fatal(err)
	}
	w.count++
	return detail
}

// deliver starts a node, and returns a function that stops it.
func (w *world) deliver(
	node string, sender *Sender, change ...func(*Settings),
) (stop func()) {
	settings := Settings{
		Node: node, Sender: sender, Poll: 20 * time.Millisecond,
		Log: slog.New(slog.DiscardHandler),
		Ran: func(context.Context, error) { w.events.Happened() },
	}
	for _, apply := range change {
		apply(&settings)
	}
	d := New(settling{w.Events, &w.events}, settings)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { d.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	w.t.Cleanup(stop)
	return stop
}

// loopback is allowed, because receivers of tests are there.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// production is a sender under the production rules.
func production() *Sender {
	return NewSender(func() subscription.Reach { return subscription.Reach{Allow: loopback} }, nil)
}

// settling is a service that notifies the test of each delivery that a node settles.
type settling struct {
	*events.Service
	settled *testrun.Events
}

func (s settling) SettleDeliveries(ctx context.Context, of events.Settlement) error {
	defer s.settled.Happened()
	return s.Service.SettleDeliveries(ctx, of)
}

// until waits until a condition holds.
func (w *world) until(what string, holds func() bool) {
	w.t.Helper()
	w.events.Until(w.t, what, holds)
}

// waiting returns the deliveries to a webhook that have not succeeded, oldest first.
func (w *world) waiting(id int) []subscription.Delivery {
	w.t.Helper()
	var deliveries []subscription.Delivery
	err := w.store.View(context.Background(), func(r store.Tx) error {
		var err error
		deliveries, err = r.Deliveries().List(id, "", 0, 10_000)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	slices.Reverse(deliveries)
	return deliveries
}

// got is an event accepted by a receiver.
type got struct {
	id     string
	event  event.Event
	number int // of the entry
}

// receiver is an HTTP server that accepts events, and verifies them with the library's verifier.
type receiver struct {
	*httptest.Server
	world   *world
	mu      sync.Mutex
	secrets []secret.Text
	// first handles a request instead; it returns false to have it accepted.
	first func(r *receiver, out http.ResponseWriter, e event.Event) bool
	got   []got
	tries map[string]int // by event identifier
	over  chan struct{}  // closed when the test ends
}

func (w *world) receive(
	first func(*receiver, http.ResponseWriter, event.Event) bool,
) *receiver {
	r := &receiver{
		world: w, first: first, tries: make(map[string]int), over: make(chan struct{}),
	}
	r.Server = httptest.NewServer(r)
	w.t.Cleanup(func() { close(r.over); r.CloseClientConnections(); r.Close() })
	return r
}

// RoundTrip serves requests to the receiver in memory, for tests in a bubble: synctest does not
// support sockets.
func (r *receiver) RoundTrip(request *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	served := make(chan struct{})
	go func() {
		defer close(served)
		r.ServeHTTP(answer, request)
	}()
	select {
	case <-served:
		return answer.Result(), nil
	case <-request.Context().Done():
		return nil, request.Context().Err()
	}
}

func (r *receiver) ServeHTTP(out http.ResponseWriter, request *http.Request) {
	defer r.world.events.Happened()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	secrets := r.secrets
	r.mu.Unlock()
	for _, text := range secrets {
		verifier, err := standardwebhooks.NewWebhook(text.Reveal())
		if err == nil {
			err = verifier.Verify(body, request.Header)
		}
		if err != nil {
			r.world.t.Errorf("the signature: %v", err)
		}
	}
	var e event.Event
	var data struct {
		Data struct {
			After struct {
				Number int `json:"customerId"`
			} `json:"after"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		r.world.t.Errorf("the body %s: %v", body, err)
	}
	_ = json.Unmarshal(body, &data)
	if id := request.Header.Get("webhook-id"); id != e.ID || request.Method != http.MethodPost ||
		request.Header.Get("Content-Type") != "application/json" {
		r.world.t.Errorf("%s with %v and the event %s", request.Method, request.Header, e.ID)
	}
	r.mu.Lock()
	r.tries[e.ID]++
	r.mu.Unlock()
	if r.first != nil && r.first(r, out, e) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, got{e.ID, e, data.Data.After.Number})
}

// triesOf returns how often an event has arrived, this time included.
func (r *receiver) triesOf(e event.Event) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tries[e.ID]
}

func (r *receiver) taken() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// complete reports whether each event was accepted at least once.
func (r *receiver) complete(w *world) bool {
	have := make(map[int]bool)
	for _, request := range r.taken() {
		have[request.number] = true
	}
	for _, numbers := range w.sent {
		for _, number := range numbers {
			if !have[number] {
				return false
			}
		}
	}
	return true
}

// inOrder checks that each event of a card was first accepted after all earlier ones.
func (r *receiver) inOrder(w *world) {
	r.world.t.Helper()
	first := make(map[int][]int)
	ids := make(map[string]int)
	for _, request := range r.taken() {
		if number, again := ids[request.id]; again && number != request.number {
			r.world.t.Errorf("%s stands for two events", request.id)
		}
		ids[request.id] = request.number
		if !slices.Contains(first[request.event.CardID], request.number) {
			first[request.event.CardID] = append(first[request.event.CardID], request.number)
		}
	}
	if !maps.EqualFunc(first, w.sent, slices.Equal) {
		r.world.t.Errorf("taken in the order %v, want %v", first, w.sent)
	}
}
