package e2e

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/testrun"
)

// TestRollingRestart replaces the nodes of one database one by one with the next version, and then
// with this one again, while callers write and read without a pause. A caller that retries on the
// next node must notice nothing else: nothing that was acknowledged is lost, and nothing is done
// twice. Data that only the next version knows must survive.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	count := 3
	if ledger.On() == ledger.SQLite {
		count = 1 // the embedded database has one node, and its callers wait for it
	}
	programs := versions(t)
	this := programs[len(programs)-2]
	data := filepath.Join(t.TempDir(), "data")
	nodes := make([]*node, count)
	for i := range nodes {
		nodes[i] = &node{T: t, data: data}
		nodes[i].start(programs[0])
	}
	crew := embark(t, nodes)
	roll := func(program string) {
		for _, n := range nodes {
			crew.work()
			n.restart(program)
		}
		crew.work()
	}
	for _, program := range programs[1:] {
		roll(program)
	}
	db := ledger.Open(t, data)
	if !testrun.Full() { // the next version has done so already
		if _, err := db.ExecContext(t.Context(), nextMigration); err != nil {
			t.Fatal(err)
		}
	}
	for _, statement := range []string{
		`UPDATE cards SET next_note = 'noted' WHERE nickname LIKE 'Rolling %'`,
		`INSERT INTO next_things SELECT card_id, 'thing' FROM cards WHERE next_note = 'noted'`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	noted := query(t, data, `SELECT count(*) FROM next_things`)
	roll(this)
	crew.disembark(data)
	same(t, "notes", query(t, data, `SELECT count(*) FROM cards WHERE next_note = 'noted'`), noted)
}

// node is a place where the program runs, one version after another.
type node struct {
	*testing.T
	data    string
	process *process
	api     atomic.Pointer[client.Client]
	moves   atomic.Int64 // odd while the node is away
}

func (n *node) start(program string) {
	n.Helper()
	n.process = serveSandbox(n.T, exec.Command(program), "--data", n.data)
	n.api.Store(client.New(n.process.url, "example1", "example1"))
}

func (n *node) restart(program string) {
	n.Helper()
	n.moves.Add(1)
	if code := n.process.end(syscall.SIGTERM); code != 0 {
		n.Errorf("a node ends with %d", code)
	}
	n.start(program)
	n.moves.Add(1)
}

// crew is a group of callers that move between nodes.
type crew struct {
	*testing.T
	callers []*traveller
	done    counter // acts
	stop    chan struct{}
	working sync.WaitGroup
}

// embark starts a few callers. They test the restarts of nodes; other tests cover contention
// between many callers.
func embark(t *testing.T, nodes []*node) *crew {
	t.Helper()
	const callers = 6
	c := &crew{T: t, stop: make(chan struct{})}
	for i := range callers {
		caller := &traveller{
			T: t, crew: c, nodes: nodes, at: i, cards: make(map[string]int),
			name: fmt.Sprintf("Rolling %d", i),
		}
		c.callers = append(c.callers, caller)
		c.working.Go(caller.travel)
	}
	t.Cleanup(func() {
		// Also if the test has failed in between.
		if len(c.callers) > 0 {
			close(c.stop)
			c.working.Wait()
		}
	})
	return c
}

// work waits until many acts are done.
func (c *crew) work() {
	c.Helper()
	const much = 10
	c.done.awaitMore(c.T, much*len(c.callers))
}

// disembark stops the callers and compares the cards with their acknowledged acts.
func (c *crew) disembark(data string) {
	c.Helper()
	close(c.stop)
	c.working.Wait()
	cards, again, refused := 0, 0, 0
	for _, t := range c.callers {
		for tag, id := range t.cards {
			var card client.Card
			t.ask("find", func(ctx context.Context, api *client.Client) (err error) {
				card, err = api.CardGetByTag(ctx, customer, tag)
				return err
			})
			if card.CardID != id {
				c.Errorf("%s was answered to be card %d and is %d", tag, id, card.CardID)
			}
		}
		cards += len(t.cards)
		again += t.again
		refused += t.refused
	}
	c.callers = nil
	same(c.T, "number of cards", query(c.T, data,
		`SELECT count(*) FROM cards WHERE nickname LIKE 'Rolling %'`), fmt.Sprint(cards))
	same(c.T, "number of cards with another number of acts than were done", query(c.T, data,
		`SELECT count(*) FROM cards WHERE nickname LIKE 'Rolling %' AND revision <>
			(SELECT count(*) FROM audit WHERE audit.card_id = cards.card_id)`), "0")
	c.Logf("%d acts, %d cards, %d tries on another node, %d of them after 50503",
		c.done.count.Load(), cards, again, refused)
}

// traveller is a caller that moves to the next node if one does not answer.
type traveller struct {
	*testing.T
	crew    *crew
	nodes   []*node
	at      int // index of the node in use
	name    string
	keys    int // idempotency keys used so far
	again   int // attempts on another node
	refused int // those of them after 50503

	first int            // card to lock and unlock
	cards map[string]int // acknowledged, by tag
}

// travel repeatedly locks and unlocks the first card, and sometimes orders another, until the crew
// is stopped.
func (c *traveller) travel() {
	const turnsAnOrder = 4
	for number := 0; ; number++ {
		select {
		case <-c.crew.stop:
			return
		default:
		}
		if number%turnsAnOrder == 0 && !c.order(number) {
			return
		}
		if !c.turn("CST") || !c.turn("UNL") {
			return
		}
	}
}

func (c *traveller) order(number int) bool {
	order := newCard(fmt.Sprintf("%s.%d", c.name, number))
	return c.ask("order", func(ctx context.Context, api *client.Client) error {
		card, err := api.CardInitiate(ctx, order)
		if err != nil {
			return err
		}
		c.cards[order.Tag] = card.CardID
		if c.first == 0 {
			c.first = card.CardID
		}
		return nil
	})
}

// turn locks or unlocks the first card, and reads it on another node.
func (c *traveller) turn(lock string) bool {
	turned := c.ask("turn", func(ctx context.Context, api *client.Client) (err error) {
		if lock == "UNL" {
			_, err = api.CardUnlock(ctx, client.CardRequest{CustomerID: customer, CardID: c.first})
			return err
		}
		_, err = api.CardLock(ctx, client.CardLockRequest{
			CustomerID: customer, CardID: c.first, LockReasonTypeCode: "TMP",
		})
		return err
	})
	c.at++
	var card client.Card
	read := turned && c.ask("read", func(ctx context.Context, api *client.Client) (err error) {
		card, err = api.CardGet(ctx, customer, c.first)
		return err
	})
	if read && card.LockTypeCode != lock {
		c.Errorf("%s was answered to be %s and is read as %s", c.name, lock, card.LockTypeCode)
	}
	return read
}

// unavailable is the code that tells a caller to retry.
const unavailable = 50503

// ask performs an act on one node after another until it succeeds. Only a node that is away may
// leave a request without an answer, and every answer must be 200 or 50503.
func (c *traveller) ask(what string, act func(context.Context, *client.Client) error) bool {
	c.keys++
	key := strings.ReplaceAll(fmt.Sprintf("%s/%d", c.name, c.keys), " ", "-")
	ctx := client.WithIdempotencyKey(c.Context(), key)
	for {
		n := c.nodes[c.at%len(c.nodes)]
		before := n.moves.Load()
		err := act(ctx, n.api.Load())
		if err == nil {
			c.crew.done.add()
			return true
		}
		if ctx.Err() != nil {
			return false // the test has failed
		}
		away := before%2 == 1 || n.moves.Load() != before
		refusal := new(client.Failure)
		switch answered := errors.As(err, &refusal); {
		case answered && refusal.Has(unavailable):
			// On a busy machine, a serving node may also give up a request that has blocked others
			// for ten seconds. It leaves no changes.
			c.refused++
		case answered || !away:
			c.Errorf("%s: %s: %v (node away: %t)", c.name, what, err, away)
			return false
		}
		c.at++
		c.again++
	}
}
