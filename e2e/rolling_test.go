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

// TestRollingRestart replaces the nodes of one database one after the other by those of the next
// version, and then by this one's again, while callers write and read without a pause. A caller
// that tries again on the next node notices nothing else: nothing that was answered is lost, and
// nothing is done twice. What only the next version knows stays as it is.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	count := 3
	if ledger.On() == ledger.SQLite {
		count = 1 // the embedded database has one node, and its callers wait for that
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
	if !testrun.Full() { // then the next version has done so
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

// node is a place where the program runs, in one version after the other.
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

// crew are the callers, on their way over the nodes.
type crew struct {
	*testing.T
	callers []*traveller
	done    counter // acts
	stop    chan struct{}
	working sync.WaitGroup
}

// embark lets a few callers loose. They are to meet nodes that come and go: what many callers at
// once do to each other is the business of other tests.
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
		// Also when the test has given up in between.
		if len(c.callers) > 0 {
			close(c.stop)
			c.working.Wait()
		}
	})
	return c
}

// work waits until much was done.
func (c *crew) work() {
	c.Helper()
	const much = 10
	c.done.awaitMore(c.T, much*len(c.callers))
}

// disembark ends the callers and looks for what they were answered, and for nothing else.
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

// traveller is a caller that goes on to the next node when one does not answer.
type traveller struct {
	*testing.T
	crew    *crew
	nodes   []*node
	at      int // the node that it asks
	name    string
	keys    int // used so far, for requests to be done once
	again   int // tries on another node
	refused int // of them, after 50503

	first int            // the card that it locks and unlocks
	cards map[string]int // ordered and answered, by tag
}

// travel orders a card now and then, and locks and unlocks the first, until the crew is stopped.
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

// unavailable is the code that asks a caller to send its request again.
const unavailable = 50503

// ask acts on the nodes, one after the other, until one does it. Only a node that is away may leave
// a request without an answer, and no answer may be anything but 200 or 50503.
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
			return false // the test has given up
		}
		away := before%2 == 1 || n.moves.Load() != before
		refusal := new(client.Failure)
		switch answered := errors.As(err, &refusal); {
		case answered && refusal.Has(unavailable):
			// On a machine with too much to do a node that serves may give up, too, what got in the
			// way of others for ten seconds. Nothing of it was kept.
			c.refused++
		case answered || !away:
			c.Errorf("%s: %s: %v (node away: %t)", c.name, what, err, away)
			return false
		}
		c.at++
		c.again++
	}
}
