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
	"mintmark/internal/clock"
	"mintmark/internal/signature"
)

// stub is a card processor that does every order at once, or holds them all up.
type stub struct {
	mu      sync.Mutex
	stuck   chan struct{} // requests wait until it is closed
	waiting int           // requests that are held up
	orders  []arrival     // done, as they came
	known   map[string]bool
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

// ServeHTTP takes an order.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	stuck := s.stuck
	s.waiting++
	s.mu.Unlock()
	select {
	case <-stuck:
	case <-r.Context().Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	if r.Context().Err() != nil {
		return
	}
	var order arrival
	if err := json.Unmarshal(text, &order); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	order.OrderID = r.Header.Get("webhook-id")
	if !s.known[order.OrderID] {
		s.known[order.OrderID] = true
		s.orders = append(s.orders, order)
	}
	fmt.Fprint(w, `{"result":"done"}`)
}

func (s *stub) heldUp() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

func (s *stub) done() []arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]arrival(nil), s.orders...)
}

// TestClaimsOfAKilledNode kills one of two nodes while the processor holds up the orders that the
// node has claimed. The other delivers them within a minute, each once.
func TestClaimsOfAKilledNode(t *testing.T) {
	t.Parallel()
	if ledger.On() == ledger.SQLite {
		return // one node serves from an embedded database
	}
	c := newCircle(t, "http")
	c.simulator.end(syscall.SIGKILL)
	s := &stub{stuck: make(chan struct{}), known: make(map[string]bool)}
	s.listen(t, c.simulatorAt)
	var made []int
	for i := range 20 {
		made = append(made, c.orders(fmt.Sprintf("Claimed %d", i)).CardID)
	}
	within(t, "the node has orders on their way", func() bool { return s.heldUp() > 0 })
	other := c.another()
	c.node.end(syscall.SIGKILL)
	killed := time.Now()
	close(s.stuck)
	for {
		reached := make(map[int]bool)
		for _, one := range s.done() {
			reached[one.CardID] = true
		}
		if len(reached) == len(made) {
			break
		}
		if time.Since(killed) > time.Minute {
			t.Fatalf("after a minute %d of %d orders have arrived", len(reached), len(made))
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Logf("all orders have arrived after %v", time.Since(killed))
	within(t, "every order is done", func() bool {
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

// inside serves the installation from the process of the test, with a clock of its own.
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
		Database: app.Database{URL: ledger.Database(c.T, c.production.data).URL},
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

// count counts the orders that fulfil a condition.
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

// TestFirstWhenItIsBack keeps the processor down for an hour of program time, while a thousand
// orders come together, and reports a card stolen at the end. When the processor is back, it hears
// of that first.
func TestFirstWhenItIsBack(t *testing.T) {
	t.Parallel()
	c := newCircle(t, "http")
	c.node.end(syscall.SIGTERM)
	by := clock.New(clock.Setting{})
	c.inside(by)
	stolen := c.orders("Stolen in the outage")
	c.gets(stolen.CardID, "card.make")
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
	// From its first failure on no other order is claimed. Those that were on their way then have
	// failed by its third.
	within(t, "the processor is found to be down", func() bool {
		return c.count(`kind = 'card.hotlist' AND attempts > 2`) == "1" &&
			c.count(`state = 'waiting' AND NOT urgent AND claimed_by <> ''`) == "0"
	})
	for range 60 {
		by.Advance(time.Minute)
	}
	c.startSimulator("--mode", "instant")
	var arrived []arrival
	for end := time.Now().Add(time.Minute); len(arrived) < 2; time.Sleep(5 * time.Millisecond) {
		arrived = c.arrived(0)
		if time.Now().After(end) {
			t.Fatal("nothing has arrived in a minute")
		}
	}
	if first := arrived[1]; first.Kind != "card.hotlist" || first.CardID != stolen.CardID {
		t.Errorf("the first order to arrive is %+v", first)
	}
	for end := time.Now().Add(5 * time.Minute); len(c.arrived(0)) < waiting+2; {
		if time.Now().After(end) {
			t.Fatalf("%d orders have arrived", len(c.arrived(0)))
		}
		by.Advance(time.Minute)
		time.Sleep(200 * time.Millisecond)
	}
	for _, wrong := range misplaced(c.arrived(0)) {
		t.Error(wrong)
	}
}
