package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/ledger"
)

// readyWithin is the maximum time that the program may take to serve again after it was killed.
// Only make crash enforces it, because it has the machine to itself; other runs only log it.
const readyWithin = 3 * time.Second

// TestCrash kills the program at random times while sixteen callers write, restarts it on the same
// data, and checks what it had answered. Every acknowledged write must be there and stay; a write
// in flight must have happened completely or not at all.
func TestCrash(t *testing.T) {
	t.Parallel()
	const callers = 16
	data := filepath.Join(t.TempDir(), "data")
	answered := new(counter) // writes
	writers := make([]*writer, callers)
	for i := range writers {
		writers[i] = newWriter(i, answered)
	}
	for cycle := range setting(t, "MINTMARK_CRASH_CYCLES", 10) {
		started := time.Now()
		program := sandbox(t, "--data", data)
		// The first time the program is built and the demo data is written.
		if took := time.Since(started); cycle > 0 && took > readyWithin {
			slow := t.Logf
			if os.Getenv("MINTMARK_CRASH_CYCLES") != "" {
				slow = t.Errorf
			}
			slow("cycle %d: the program was ready after %v", cycle, took)
		}
		api := client.New(program.url, "example1", "example1")
		listed := listMade(t, api)
		for _, w := range writers {
			w.api = api
			w.check(t, cycle, listed)
		}
		checkWhole(t, listed, writers)

		var working sync.WaitGroup
		// A caller stops at the first error, which is the crash.
		for _, w := range writers {
			working.Go(func() { w.write(t.Context()) })
		}
		// Without a few answered writes there would be nothing to check.
		answered.awaitMore(t, callers)
		//nolint:forbidigo // The random moment of the kill is the point.
		time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond)
		program.end(syscall.SIGKILL)
		working.Wait()
		checkDatabase(t, data)
		verifyAudit(t, data)
	}
	t.Logf("%d writes were answered", answered.count.Load())
}

// writer is one caller. It sends one request at a time, so at most one request has an unknown
// outcome.
type writer struct {
	name     string
	api      *client.Client
	answered *counter // writes of all callers

	card  int    // that it locks and unlocks; 0 before it was ordered
	lock  string // the last acknowledged one
	maybe string // the one in flight at the kill; empty for none

	cards   map[string]int // acknowledged, by tag
	ordered string         // tag of the order in flight; empty for none
	tags    int            // used so far
}

func newWriter(number int, answered *counter) *writer {
	return &writer{
		name: fmt.Sprintf("writer %d", number), answered: answered, cards: make(map[string]int),
	}
}

// write orders a card, and locks or unlocks another one, until the program is gone.
func (w *writer) write(ctx context.Context) {
	for w.order(ctx) && w.turn(ctx) && w.turn(ctx) {
	}
}

// order orders a card and records it once the order is acknowledged.
func (w *writer) order(ctx context.Context) bool {
	w.tags++
	wanted := newCard(fmt.Sprintf("%s no %d", w.name, w.tags))
	w.ordered = wanted.Tag
	card, err := w.api.CardInitiate(ctx, wanted)
	if err != nil {
		return false
	}
	w.answered.add()
	w.cards[wanted.Tag], w.ordered = card.CardID, ""
	if w.card == 0 {
		w.card, w.lock = card.CardID, "UNL"
	}
	return true
}

// turn locks an unlocked card and unlocks a locked one.
func (w *writer) turn(ctx context.Context) bool {
	var card client.Card
	var err error
	if w.lock == "UNL" {
		w.maybe = "CST"
		card, err = w.api.CardLock(ctx, client.CardLockRequest{
			CustomerID: customer, CardID: w.card, LockReasonTypeCode: "TMP",
		})
	} else {
		w.maybe = "UNL"
		card, err = w.api.CardUnlock(ctx, client.CardRequest{
			CustomerID: customer, CardID: w.card,
		})
	}
	if err != nil {
		return false
	}
	w.answered.add()
	w.lock, w.maybe = card.LockTypeCode, ""
	return true
}

// listMade lists the cards that the writers have ordered, by tag.
func listMade(t *testing.T, api *client.Client) map[string]client.Card {
	t.Helper()
	cards, err := api.CardList(t.Context(), customer)
	if err != nil {
		t.Fatal(err)
	}
	c := make(map[string]client.Card)
	for _, card := range cards {
		if card.CardID > 10000 {
			c[card.Tag] = card
		}
	}
	return c
}

// check checks what was acknowledged before the kill, and determines the outcome of the request in
// flight.
func (w *writer) check(t *testing.T, cycle int, listed map[string]client.Card) {
	t.Helper()
	if card, done := listed[w.ordered]; done {
		w.cards[w.ordered] = card.CardID
	}
	w.ordered = ""
	for tag, id := range w.cards {
		if listedID := listed[tag].CardID; listedID != id {
			t.Errorf("cycle %d: card %d of the tag %q is now %d", cycle, id, tag, listedID)
		}
	}
	if w.card == 0 {
		return
	}
	card, err := w.api.CardGet(t.Context(), customer, w.card)
	if err != nil {
		t.Fatal(err)
	}
	if card.LockTypeCode != w.lock && card.LockTypeCode != w.maybe {
		t.Errorf("cycle %d: card %d is %s; it was last answered to be %s, and %q was on its way",
			cycle, w.card, card.LockTypeCode, w.lock, w.maybe)
	}
	w.lock, w.maybe = card.LockTypeCode, ""
}

// checkWhole checks that the listed cards are those of the writers, each of them complete.
func checkWhole(t *testing.T, listed map[string]client.Card, writers []*writer) {
	t.Helper()
	known := 0
	for _, w := range writers {
		known += len(w.cards)
	}
	same(t, "number of cards", len(listed), known)
	for _, c := range listed {
		lock := c.LockTypeCode + "/" + c.LockReasonTypeCode
		whole := c.Status == "PendingVerification" && c.Tag == "tag of "+c.NickName &&
			len(c.Accounts) == 1 && c.Accounts[0].AccountID == 2001 &&
			c.CardNumberMasked == unverified && (lock == "UNL/UNK" || lock == "CST/TMP")
		if !whole {
			t.Errorf("a card is half there: %+v", c)
		}
	}
}

// checkDatabase checks the database of the killed program directly: it is sound, and each act is in
// it completely.
func checkDatabase(t *testing.T, data string) {
	t.Helper()
	if ledger.On() == ledger.SQLite {
		same(t, "integrity", query(t, data, `PRAGMA integrity_check`), "ok")
		same(t, "foreign keys",
			query(t, data, `SELECT count(*) FROM pragma_foreign_key_check`), "0")
	}
	for statement, want := range map[string]string{
		`SELECT count(*) FROM cards WHERE card_id NOT IN (SELECT card_id FROM card_numbers)`: "0",
		`SELECT count(*) FROM cards WHERE card_id NOT IN (SELECT card_id FROM card_slots)`:   "0",
		`SELECT count(*) FROM cards WHERE card_id > 10000
			AND card_id NOT IN (SELECT card_id FROM orders)`: "0",
		// One audit row per act, and each act on a card increments its revision by one.
		`SELECT count(*) FROM cards WHERE card_id > 10000 AND revision <>
			(SELECT count(*) FROM audit WHERE audit.card_id = cards.card_id)`: "0",
	} {
		if got := query(t, data, statement); got != want {
			t.Errorf("%s gives %s, want %s", statement, got, want)
		}
	}
}
