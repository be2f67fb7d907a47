package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/testrun"
)

// kept is an order in the database.
type kept struct {
	PublicID string
	Sequence int
	Kind     string
	CardID   int
	State    string
}

// urgent reports whether orders of a kind overtake older ones.
func urgent(kind string) bool { return kind == "card.lock" || kind == "card.hotlist" }

// judge compares the orders of the database with those that have reached the processor, and returns
// what is wrong: an order that is lost or unknown, one that was done twice, a gap in the sequence
// of a card, or orders of a card in the wrong order.
func judge(orders []kept, arrived []arrival) []string {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	reached := make(map[string]int)
	for _, a := range arrived {
		reached[a.OrderID]++
	}
	sequences := make(map[int][]int)
	for _, o := range orders {
		sequences[o.CardID] = append(sequences[o.CardID], o.Sequence)
		switch {
		case o.State != "done" && (o.State != "sent" || o.Kind == "card.lock"):
			say("order %s (%s) is %s", o.PublicID, o.Kind, o.State)
		case reached[o.PublicID] == 0:
			say("order %s (%s) is %s and was lost", o.PublicID, o.Kind, o.State)
		case reached[o.PublicID] > 1:
			say("order %s (%s) was done %d times", o.PublicID, o.Kind, reached[o.PublicID])
		}
		delete(reached, o.PublicID)
	}
	for id := range reached {
		say("order %s has reached the processor, and nobody has written it", id)
	}
	for cardID, all := range sequences {
		slices.Sort(all)
		for i, sequence := range all {
			if sequence != i+1 {
				say("the orders of card %d have the sequences %v", cardID, all)
				break
			}
		}
	}
	return append(wrong, misplaced(arrived)...)
}

// misplaced returns the orders that have reached the processor before an older order of their card
// that they must not overtake. An urgent order overtakes all except the one to make the card.
func misplaced(arrived []arrival) []string {
	var wrong []string
	latest := make(map[int]arrival) // non-urgent orders, by card
	created := make(map[int]bool)
	for _, a := range arrived {
		created[a.CardID] = created[a.CardID] || a.Kind == "card.make"
		if urgent(a.Kind) {
			// Cards that were loaded have no order to make them.
			if a.CardID > 10000 && !created[a.CardID] {
				wrong = append(wrong, fmt.Sprintf("card %d was to be locked before it was to be "+
					"made", a.CardID))
			}
			continue
		}
		if before := latest[a.CardID]; before.Sequence >= a.Sequence {
			wrong = append(wrong, fmt.Sprintf("order %d of card %d came after order %d",
				a.Sequence, a.CardID, before.Sequence))
		}
		latest[a.CardID] = a
	}
	return wrong
}

// TestJudge is the control of the checks below: judge detects each fault.
func TestJudge(t *testing.T) {
	t.Parallel()
	orders := []kept{
		{"1-a", 1, "card.make", 10001, "done"}, {"2-b", 2, "card.accounts", 10001, "done"},
		{"3-c", 3, "card.lock", 10001, "done"}, {"4-d", 1, "card.make", 10002, "sent"},
	}
	good := []arrival{
		{OrderID: "1-a", Sequence: 1, Kind: "card.make", CardID: 10001},
		{OrderID: "3-c", Sequence: 3, Kind: "card.lock", CardID: 10001},
		{OrderID: "2-b", Sequence: 2, Kind: "card.accounts", CardID: 10001},
		{OrderID: "4-d", Sequence: 1, Kind: "card.make", CardID: 10002},
	}
	if wrong := judge(orders, good); len(wrong) > 0 {
		t.Errorf("nothing is wrong, and found is %q", wrong)
	}
	waiting, gap := slices.Clone(orders), slices.Clone(orders)
	waiting[3].State, gap[2].Sequence = "waiting", 4
	swapped, tooSoon := slices.Clone(good), slices.Clone(good)
	swapped[0], swapped[2] = swapped[2], swapped[0]
	tooSoon[0], tooSoon[1] = tooSoon[1], tooSoon[0]
	for name, test := range map[string]struct {
		orders  []kept
		arrived []arrival
		want    string
	}{
		"lost":      {orders, good[1:], "1-a (card.make) is done and was lost"},
		"twice":     {orders, append(slices.Clone(good), good[3]), "was done 2 times"},
		"unknown":   {orders[:3], good, "4-d has reached the processor"},
		"left over": {waiting, good, "4-d (card.make) is waiting"},
		"gap":       {gap, good, "the orders of card 10001 have the sequences [1 2 4]"},
		"swapped":   {orders, swapped, "order 1 of card 10001 came after order 2"},
		"too soon":  {orders, tooSoon, "card 10001 was to be locked before it was to be made"},
	} {
		wrong := judge(test.orders, test.arrived)
		if !strings.Contains(strings.Join(wrong, "\n"), test.want) {
			t.Errorf("%s: found is %q, want %q", name, wrong, test.want)
		}
	}
}

// database returns a connection beside the server, the same for the whole test.
func (c *circle) database() *sql.DB {
	c.Helper()
	if c.db == nil {
		c.db = ledger.Open(c.T, c.production.data)
		c.db.SetMaxOpenConns(1)
	}
	return c.db
}

// written returns the orders of the database.
func (c *circle) written() []kept {
	c.Helper()
	rows, err := c.database().QueryContext(c.Context(), `SELECT order_id, COALESCE(token, ''),
		COALESCE(sequence, 0), kind, card_id, state FROM orders ORDER BY order_id`)
	if err != nil {
		c.Fatal(err)
	}
	defer rows.Close()
	var all []kept
	for rows.Next() {
		var o kept
		var id int
		var token string
		if err := rows.Scan(&id, &token, &o.Sequence, &o.Kind, &o.CardID, &o.State); err != nil {
			c.Fatal(err)
		}
		o.PublicID = strconv.Itoa(id) + "-" + token
		all = append(all, o)
	}
	if err := rows.Err(); err != nil {
		c.Fatal(err)
	}
	return all
}

// settles waits until no order is waiting to be sent, and no report to be delivered.
func (c *circle) settles() {
	c.Helper()
	const patience = 2 * time.Minute // without any progress
	least, end := math.MaxInt, time.Now().Add(patience)
	//nolint:forbidigo // What waits is counted by asking both sides.
	for ; ; time.Sleep(100 * time.Millisecond) {
		var waiting []kept
		for _, o := range c.written() {
			if o.State == "waiting" {
				waiting = append(waiting, o)
			}
		}
		var state struct{ ReportsWaiting int }
		c.ask("GET", "/simulator", nil, &state)
		left := len(waiting) + state.ReportsWaiting
		if left == 0 {
			return
		}
		if left < least {
			least, end = left, time.Now().Add(patience)
		}
		if time.Now().After(end) {
			for _, o := range waiting[:min(5, len(waiting))] {
				id, _, _ := strings.Cut(o.PublicID, "-")
				c.Logf("%+v: %s", o, query(c.T, c.production.data, `SELECT attempts || ' tries, '
					|| unreachable || ', next ' || next_try_at || ', by ' || claimed_by || ', '
					|| last_error FROM orders WHERE order_id = `+id))
			}
			c.Fatalf("no progress in two minutes, at %d: %d orders and %d reports wait",
				time.Now().UnixMilli(), len(waiting), state.ReportsWaiting)
		}
	}
}

// busy is a caller who works for a limited time, or until the server is gone.
type busy struct {
	circle *circle
	name   string
	number int
	api    *client.Client
}

// The work of a caller in a cycle is limited: at its start, the processor repeats all orders in its
// journal, which takes longer with each cycle.
const (
	cardsOfCycle     = 12
	restBetweenCards = 40 * time.Millisecond
)

// work orders cards, and performs acts on each that write orders.
func (b *busy) work(ctx context.Context) {
	//nolint:forbidigo // The rest of a caller, so that the kill falls among its acts.
	for ; b.number < cardsOfCycle; time.Sleep(restBetweenCards) {
		b.number++
		card, err := b.api.CardInitiate(ctx, newCard(fmt.Sprintf("%s no %d", b.name, b.number)))
		if err != nil {
			return
		}
		lock := client.CardLockRequest{
			CustomerID: customer, CardID: card.CardID, LockReasonTypeCode: "TMP",
		}
		account := client.CardAccountRequest{
			CustomerID: customer, CardID: card.CardID, AccountID: 2002, CardPriority: 2,
		}
		cardRequest := client.CardRequest{CustomerID: customer, CardID: card.CardID}
		for _, act := range []func() error{
			func() error { _, err := b.api.CardAddAccount(ctx, account); return err },
			func() error { _, err := b.api.CardLock(ctx, lock); return err },
			func() error { _, err := b.api.CardUnlock(ctx, cardRequest); return err },
			func() error {
				lock.LockReasonTypeCode = "LST"
				_, err := b.api.CardHotlist(ctx, lock)
				return err
			},
		} {
			if act() != nil {
				return
			}
		}
	}
}

// cycle lets callers work, kills one side at a time that depends on the cycle, and restarts it.
func (c *circle) cycle(number int) {
	c.Helper()
	ctx, stop := context.WithCancel(c.Context())
	defer stop()
	ended := make(chan struct{})
	for i := range 2 {
		b := &busy{circle: c, name: fmt.Sprintf("Cycle %d, %d", number, i), api: c.api}
		go func() {
			b.work(ctx)
			ended <- struct{}{}
		}()
	}
	//nolint:forbidigo // The random moment of the kill is the point.
	time.Sleep(time.Duration(20+rand.IntN(400)) * time.Millisecond)
	if number%2 == 0 {
		c.node.end(syscall.SIGKILL)
		<-ended
		<-ended
		c.startNode()
		return
	}
	c.simulator.end(syscall.SIGKILL)
	// Between any two of its steps: one step later each time, counted from its start. If the step
	// is not reached in time, the watchdog kills it.
	c.startSimulator("--crash-at", strconv.Itoa(1+number/2))
	c.diesWithin(2 * time.Second)
	stop()
	<-ended
	<-ended
	c.startSimulator()
}

// diesWithin waits for the simulator to kill itself, and kills it after d.
func (c *circle) diesWithin(d time.Duration) {
	c.Helper()
	watchdog := time.AfterFunc(d, func() { _ = c.simulator.command.Process.Kill() })
	defer watchdog.Stop()
	c.simulator.wait()
}

// TestProcessorCrash kills the server and the card processor alternately, at any time and between
// any two steps of the processor, while callers act on cards. In the end every order must have
// reached the processor, must be done once, and in the order of its card; and the processor and the
// server must agree about each card.
func TestProcessorCrash(t *testing.T) {
	t.Parallel()
	for _, carrier := range carriers {
		t.Run(carrier, func(t *testing.T) {
			t.Parallel()
			c := newCircle(t, carrier)
			c.instant()
			for number := range setting(t, "MINTMARK_PROCESSOR_CRASHES", 6) {
				c.cycle(number)
			}
			c.settles()
			var orders []kept
			var wrong []string
			// The last orders may be in a file that the processor has not collected yet.
			testrun.Within(t, "what has arrived is what was written", func() bool {
				orders = c.written()
				wrong = judge(orders, c.arrived(0))
				return len(wrong) == 0
			}, func() any { return strings.Join(wrong, "\n") })
			c.agrees(orders)
			t.Logf("%d orders", len(orders))
			c.endsWell()
		})
	}
}

// instant makes the processor report immediately.
func (c *circle) instant() {
	c.Helper()
	var state any
	c.ask("POST", "/simulator/mode", map[string]string{"mode": "instant"}, &state)
}

// agrees compares the locks of both sides, and checks that each report was applied once.
func (c *circle) agrees(orders []kept) {
	c.Helper()
	seen := make(map[int]bool)
	for _, o := range orders {
		if seen[o.CardID] {
			continue
		}
		seen[o.CardID] = true
		var there struct{ Lock string }
		c.ask("GET", fmt.Sprintf("/simulator/cards/%d", o.CardID), nil, &there)
		// Files are collected by a job, whose lease must expire first if its node was killed.
		card := c.becomes(o.CardID, "shipped", hasStatus("PendingVerification"))
		want := map[string]string{"UNK": "", "TMP": "locked", "LST": "hotlisted"}
		if there.Lock != want[card.LockReasonTypeCode] {
			c.Errorf("card %d is %q for the processor, and %s here", o.CardID, there.Lock,
				card.LockReasonTypeCode)
		}
	}
	same(c.T, "cards with more than one entry for being shipped", query(c.T, c.production.data,
		`SELECT count(*) FROM (SELECT card_id FROM audit WHERE route = 'report shipped'
			AND outcome = 'changed' GROUP BY card_id HAVING count(*) > 1) AS twice`), "0")
}

// TestProcessorCrashIsNoticed is the control: a processor without persistence loses acknowledged
// orders in a crash, which the checks above must detect.
func TestProcessorCrashIsNoticed(t *testing.T) {
	t.Parallel()
	c := newCircle(t, "http")
	c.simulator.end(syscall.SIGKILL)
	c.forgetful = true
	c.startSimulator("--mode", "instant")
	card := c.orders("Forgotten")
	c.gets(card.CardID, "card.make")
	c.settles()
	c.simulator.end(syscall.SIGKILL)
	c.startSimulator("--mode", "instant")
	wrong := strings.Join(judge(c.written(), c.arrived(0)), "\n")
	if !strings.Contains(wrong, "was lost") {
		t.Errorf("an order is lost, and found is %q", wrong)
	}
}
