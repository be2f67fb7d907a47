package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/base/clock"
	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/testrun"
	"mintmark/internal/vault/signature"
)

// stub is a card processor that performs every order immediately, or blocks them all.
type stub struct {
	testrun.Events
	mu     sync.Mutex
	stuck  chan struct{}  // requests wait until it is closed
	kinds  map[string]int // number of blocked requests by kind
	orders []arrival      // performed, in order of arrival
	came   []time.Time    // times of arrival
	known  map[string]bool
}

func newStub() *stub {
	return &stub{
		stuck: make(chan struct{}), kinds: make(map[string]int), known: make(map[string]bool),
	}
}

// hangs makes the stub block all later requests.
func (s *stub) hangs() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stuck = make(chan struct{})
}

// recovers waits until the blocked requests of the killed node have ended, makes the stub perform
// all later ones, and returns the number of orders performed before.
func (s *stub) recovers(t *testing.T) int {
	t.Helper()
	s.Until(t, "the requests of the killed node have ended",
		func() bool { return s.heldUp("") == 0 })
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.stuck)
	return len(s.orders)
}

// awaitDone waits until the stub has performed the given number of orders.
func (s *stub) awaitDone(t *testing.T, count int) {
	t.Helper()
	s.Until(t, fmt.Sprint(count, " orders are done"), func() bool { return len(s.done()) >= count })
}

// at returns the order after the given number of others, and the time of its arrival.
func (s *stub) at(t *testing.T, behind int) (arrival, time.Time) {
	t.Helper()
	s.awaitDone(t, behind+1)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.orders[behind], s.came[behind]
}

// listen serves the stub at an address.
func (s *stub) listen(t *testing.T, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: s}
	t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
}

// ServeHTTP accepts an order.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var order arrival
	if err := json.Unmarshal(text, &order); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	order.OrderID = r.Header.Get("webhook-id")
	defer s.Happened()
	s.mu.Lock()
	stuck := s.stuck
	s.kinds[order.Kind]++
	s.mu.Unlock()
	s.Happened()
	select {
	case <-stuck:
	case <-r.Context().Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kinds[order.Kind]--
	if r.Context().Err() != nil {
		return
	}
	if !s.known[order.OrderID] {
		s.known[order.OrderID] = true
		s.orders, s.came = append(s.orders, order), append(s.came, time.Now())
	}
	fmt.Fprint(w, `{"result":"done"}`)
}

// heldUp returns the number of blocked requests of a kind, or of all kinds if kind is empty.
func (s *stub) heldUp(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind != "" {
		return s.kinds[kind]
	}
	all := 0
	for _, count := range s.kinds {
		all += count
	}
	return all
}

func (s *stub) done() []arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]arrival(nil), s.orders...)
}

// TestClaimsOfAKilledNode kills one of two nodes while the processor blocks the orders that the
// node has claimed, the last of which reports a card stolen. That one must arrive within 10 seconds
// of the kill, and the other node must deliver all, each once.
func TestClaimsOfAKilledNode(t *testing.T) {
	t.Parallel()
	if ledger.On() == ledger.SQLite {
		return // one node serves from an embedded database
	}
	c := newCircle(t, "http")
	c.simulator.end(syscall.SIGKILL)
	s := newStub()
	s.listen(t, c.simulatorAt)
	close(s.stuck)
	stolen := c.orders("Stolen").CardID
	s.awaitDone(t, 1)
	s.hangs()
	const orders = 10 // the node sends all at the same time
	for i := range orders {
		c.orders(fmt.Sprintf("Claimed %d", i))
	}
	c.hotlists(stolen)
	s.Until(t, "all are on their way", func() bool { return s.heldUp("") == orders+1 })
	other := c.another()
	c.node.end(syscall.SIGKILL)
	killed := time.Now()
	behind := s.recovers(t)
	for i := behind; ; i++ {
		a, at := s.at(t, i)
		if a.Kind != "card.hotlist" {
			continue
		}
		t.Logf("the hotlist arrives %v after the kill", at.Sub(killed))
		if at.Sub(killed) > 10*time.Second {
			t.Errorf("the hotlist arrives %v after the kill", at.Sub(killed))
		}
		break
	}
	s.awaitDone(t, behind+orders+1)
	testrun.Within(t, "every order is done", func() bool {
		for _, o := range c.written() {
			if o.State != "done" {
				return false
			}
		}
		return true
	})
	for _, wrong := range judge(c.written(), s.done()) {
		t.Error(wrong)
	}
	same(t, "exit code", other.end(syscall.SIGTERM), 0)
}

// TestStolenCardFirst kills the only node of an embedded database repeatedly while the processor
// blocks its orders, one of which reports a card stolen. After each restart that order must be the
// first to arrive, within two seconds.
func TestStolenCardFirst(t *testing.T) {
	t.Parallel()
	if ledger.On() == ledger.Postgres {
		return // a node on a server has no earlier claims: its name is new at each start
	}
	c := newCircle(t, "http")
	c.simulator.end(syscall.SIGKILL)
	s := newStub()
	s.listen(t, c.simulatorAt)
	close(s.stuck)
	stolen := c.orders("Stolen").CardID
	s.awaitDone(t, 1)
	const orders = 50
	for kill := range setting(t, "MINTMARK_STOLEN_KILLS", 10) {
		s.hangs()
		next := 0
		for i := range orders {
			next = c.orders(fmt.Sprintf("Under way %d of %d", i, kill)).CardID
		}
		c.hotlists(stolen)
		s.Until(t, "the hotlist and others are on their way", func() bool {
			return s.heldUp("card.hotlist") == 1 && s.heldUp("card.make") > 0
		})
		c.node.end(syscall.SIGKILL)
		behind := s.recovers(t)
		c.startNode()
		ready := time.Now()
		first, at := s.at(t, behind)
		t.Logf("kill %d: %s %v after the start", kill+1, first.Kind, at.Sub(ready))
		if first.Kind != "card.hotlist" || at.Sub(ready) > 2*time.Second {
			t.Errorf("after kill %d the first to arrive is %+v, after %v", kill+1, first,
				at.Sub(ready))
		}
		s.awaitDone(t, behind+orders+1)
		stolen = next
	}
	for _, wrong := range misplaced(s.done()) {
		t.Error(wrong)
	}
	same(t, "exit code", c.node.end(syscall.SIGTERM), 0)
}

// another starts a second node on the same database.
func (c *circle) another() *process {
	c.Helper()
	text, err := os.ReadFile(c.config)
	if err != nil {
		c.Fatal(err)
	}
	config := filepath.Join(c.dir, "another.yaml")
	moved := strings.Replace(string(text), "adminListen: "+c.adminAt, "adminListen: 127.0.0.1:0", 1)
	if err := os.WriteFile(config, []byte(moved), 0o600); err != nil {
		c.Fatal(err)
	}
	return serve(c.T, command(c.T, "serve", "--config", config), "serves on")
}

// hotlists hotlists a card.
func (c *circle) hotlists(cardID int) {
	c.Helper()
	_, err := c.api.CardHotlist(c.Context(), client.CardLockRequest{
		CustomerID: customer, CardID: cardID, LockReasonTypeCode: "STL",
	})
	if err != nil {
		c.Fatal(err)
	}
}

// inside serves the installation from the process of the test, with a separate clock.
func (c *circle) inside(by *clock.Clock) {
	c.Helper()
	text, err := os.ReadFile(filepath.Join(c.dir, "keys", "secrets"))
	if err != nil {
		c.Fatal(err)
	}
	secret, err := signature.ParseSecret(strings.TrimSpace(string(text)))
	if err != nil {
		c.Fatal(err)
	}
	running, err := app.Start(c.Context(), app.Settings{
		Listen: "127.0.0.1:0", AdminListen: c.adminAt, Data: c.production.data,
		PublicURL: "https://cards.example.com", Clock: by,
		Database: installation.Database{URL: ledger.Database(c.T, c.production.data).URL},
		Processor: app.Processor{
			Kind: app.OverHTTP, URL: "http://" + c.simulatorAt,
			JWKS:    filepath.Join(c.dir, "keys", "processor.jwks"),
			Secrets: []signature.Secret{secret},
		},
	})
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		if err := running.Close(context.Background()); err != nil {
			c.Error(err)
		}
	})
	c.api = client.New(running.URL(), "example1", "example1")
}

// count returns the number of orders that meet a condition.
func (c *circle) count(condition string) string {
	c.Helper()
	var count string
	row := c.database().QueryRowContext(c.Context(),
		`SELECT count(*) FROM orders WHERE `+condition)
	if err := row.Scan(&count); err != nil {
		c.Fatal(err)
	}
	return count
}

// TestFirstWhenItIsBack keeps the processor down for an hour of program time while a thousand
// orders accumulate, and reports a card stolen at the end. When the processor is back, that order
// must arrive first.
func TestFirstWhenItIsBack(t *testing.T) {
	t.Parallel()
	c := newCircle(t, "http")
	c.node.end(syscall.SIGTERM)
	by := clock.New(clock.Setting{})
	c.inside(by)
	stolen := c.orders("Stolen in the outage")
	c.gets(stolen.CardID, "card.make")
	c.settles() // else the hotlist waits for the order to make the card, not for the processor
	c.simulator.end(syscall.SIGKILL)

	var ordering sync.WaitGroup
	waiting := setting(t, "MINTMARK_WAITING_ORDERS", 1000)
	for worker := range 16 {
		ordering.Go(func() {
			for i := worker; i < waiting; i += 16 {
				_, err := c.api.CardInitiate(t.Context(), newCard(fmt.Sprintf("Waiting %d", i)))
				if err != nil {
					t.Errorf("order %d: %v", i, err)
					return
				}
			}
		})
	}
	ordering.Wait()
	c.hotlists(stolen.CardID)
	// After its first failure no other order is claimed. By its third, those that were on their way
	// have failed.
	testrun.Within(t, "the processor is found to be down", func() bool {
		return c.count(`kind = 'card.hotlist' AND attempts > 2`) == "1"
	}, func() any {
		var order string
		err := c.database().QueryRowContext(t.Context(), `SELECT state || ' ' || attempts || ' ' ||
			claimed_by || ' ' || last_error FROM orders WHERE kind = 'card.hotlist'`).Scan(&order)
		return fmt.Sprint(order, err)
	})
	testrun.Within(t, "no other order is claimed", func() bool {
		return c.count(`state = 'waiting' AND NOT urgent AND claimed_by <> ''`) == "0"
	})
	for range 60 {
		by.Advance(time.Minute)
	}
	c.startSimulator("--mode", "instant")
	var arrived []arrival
	testrun.Within(t, "orders arrive", func() bool {
		arrived = c.arrived(0)
		return len(arrived) > 1
	})
	if first := arrived[1]; first.Kind != "card.hotlist" || first.CardID != stolen.CardID {
		t.Errorf("the first order to arrive is %+v", first)
	}
	testrun.Within(t, "every order arrives", func() bool {
		by.Advance(time.Minute)
		//nolint:forbidigo // An order on its way must not outlive its claim by the clock that is moved.
		time.Sleep(200 * time.Millisecond)
		return len(c.arrived(0)) >= waiting+2
	}, func() any { return len(c.arrived(0)) })
	for _, wrong := range misplaced(c.arrived(0)) {
		t.Error(wrong)
	}
}
