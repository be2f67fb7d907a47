package issuing_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"mintmark/internal/app/demo"
	"mintmark/internal/base/clock"
	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/processor"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// ending is what every number in the sandbox ends in.
const ending = "1111"

// start is when the clock of a test begins.
var start = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

// filled is a database file with the demo data, and the keys it was sealed with.
type filled struct {
	file []byte
	keys *vault.Vault
}

// demoFile makes the file once: each test works on its own copy.
var demoFile = sync.OnceValues(func() (filled, error) {
	dir, err := os.MkdirTemp("", "issuing")
	if err != nil {
		return filled{}, err
	}
	defer os.RemoveAll(dir)
	keys, err := vault.Open(vault.Settings{PinKeyBits: 2048, AllowPlainPins: true})
	if err != nil {
		return filled{}, err
	}
	data, err := demo.Read()
	if err != nil {
		return filled{}, err
	}
	path := filepath.Join(dir, "demo.db")
	// The demo cards that wait to be verified are made when they are loaded: so late that none
	// expires in a test that moves its clock.
	late := clock.FrozenAt(start.AddDate(10, 0, 0))
	kept, _, err := cached.Open(context.Background(), path, sqlite.Options{Clock: late})
	if err != nil {
		return filled{}, err
	}
	err = kept.Update(context.Background(), func(tx store.Tx) error {
		return data.Write(tx, keys, rand.Reader, ending)
	})
	if err != nil {
		return filled{}, err
	}
	if err := kept.Close(); err != nil {
		return filled{}, err
	}
	file, err := os.ReadFile(path)
	return filled{file, keys}, err
})

// world is a service on a database of its own.
type world struct {
	*acts.Service
	t     testing.TB
	store store.Store
	keys  *vault.Vault
	clock *clock.Clock // the only one that a test moves
	spent int          // names given to cards
}

// edge is a store whose transactions a test looks into, or breaks.
type edge struct {
	store.Store
	tx func(store.Tx) store.Tx
}

func (e edge) Update(ctx context.Context, fn func(store.Tx) error) error {
	return e.Store.Update(ctx, func(tx store.Tx) error { return fn(e.tx(tx)) })
}

// through makes the service work through an edge.
func (w *world) through(tx func(store.Tx) store.Tx) {
	w.Service = acts.New(edge{w.store, tx}, w.keys, w.Settings)
}

// orderBook notes the orders that are put, those done at once among them.
type orderBook struct {
	store.Tx
	put *[]order.Order
}

func (b orderBook) Orders() store.Orders { return bookedOrders{b.Tx.Orders(), b.put} }

type bookedOrders struct {
	store.Orders
	put *[]order.Order
}

func (b bookedOrders) Put(o order.Order) error {
	err := b.Orders.Put(o)
	*b.put = append(*b.put, o)
	return err
}

func (b bookedOrders) PutNumbered(o order.Order) (order.Order, error) {
	o, err := b.Orders.PutNumbered(o)
	*b.put = append(*b.put, o)
	return o, err
}

// orders returns where the orders of the world will be noted.
func (w *world) orders() *[]order.Order {
	var put []order.Order
	w.through(func(tx store.Tx) store.Tx { return orderBook{tx, &put} })
	return &put
}

// newSandbox returns a service by the rule book of the sandbox, with its simulated processor.
func newSandbox(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, issuing.Settings{Mode: card.Sandbox, Ending: ending})
	w.simulate(simulator.NewPort(simulator.New("test", simulator.Instant), time.Now))
	return w
}

// simulate carries the orders of the world's acts out at once, by a port.
func (w *world) simulate(port processor.Port) {
	w.Outbox = dispatch.New(w.Service.Orders, dispatch.Settings{
		Node: "test", Port: port, Log: slog.New(slog.DiscardHandler), AtOnce: true,
	})
}

// newProduction returns a service whose orders wait for the processor.
func newProduction(t *testing.T) *world {
	t.Helper()
	return newWorld(t, issuing.Settings{Mode: card.Production})
}

func newWorld(t testing.TB, settings issuing.Settings) *world {
	t.Helper()
	made, err := demoFile()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, keys: made.keys, clock: clock.FrozenAt(start)}
	path := filepath.Join(t.TempDir(), "mintmark.db")
	if err := os.WriteFile(path, made.file, 0o600); err != nil {
		t.Fatal(err)
	}
	kept, _, err := cached.Open(context.Background(), path, sqlite.Options{Clock: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	settings.Random, settings.Clock = rand.Reader, w.clock
	w.store, w.Service = kept, acts.New(kept, made.keys, settings)
	return w
}

// caller is who asks in the tests.
var caller = issuing.Caller{
	Actor: audit.Actor{
		Kind: audit.APIKey, Name: "example1", Address: "127.0.0.1",
		RequestID: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
	},
	ProgramID: 1, Route: "/card/test",
}

// jobOf is a background job as an entry names it.
func jobOf(name string) audit.Actor { return audit.Actor{Kind: audit.Job, Name: name} }

// order is a request for a card that nothing is wrong with. No two use the same nickname.
func (w *world) order() cards.InitiateRequest {
	w.spent++
	return cards.InitiateRequest{DigitalRequest: cards.DigitalRequest{
		CustomerID: 1001, CardHolderCustomerID: 1001,
		Application: card.Application{
			VendorTypeCode: "VS", PrimaryAccountID: 2001, FirstName: "Ada", LastName: "Example",
			NickName: fmt.Sprintf("Card %d", w.spent),
		},
	}}
}

// newCard orders a card and returns it as it is stored.
func (w *world) newCard(change func(*cards.InitiateRequest)) card.Card {
	w.t.Helper()
	req := w.order()
	if change != nil {
		change(&req)
	}
	made, err := w.Cards.Initiate(w.t.Context(), caller, req)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.stored(made.ID)
}

// inStatus brings a card, for the purposes of a test, into a status.
func (w *world) inStatus(c card.Card, status card.Status) card.Card {
	w.t.Helper()
	before := w.stored(c.ID)
	c.Status = status
	dates := map[card.Status]*time.Time{
		card.Verified: &c.Verified, card.Reissued: &c.Reissued, card.Denied: &c.Denied,
		card.Expired: &c.Expired, card.Archived: &c.Archived,
	}
	if date := dates[status]; date != nil {
		*date = start
	}
	w.update(func(tx store.Tx) error { return tx.Cards().Change(before, &c) })
	return c
}

func (w *world) stored(id int) card.Card {
	w.t.Helper()
	var found card.Card
	w.view(func(r store.Tx) (err error) { found, err = r.Cards().Find(1, id); return err })
	return found
}

func (w *world) view(fn func(store.Tx) error) {
	w.t.Helper()
	if err := w.store.View(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) update(fn func(store.Tx) error) {
	w.t.Helper()
	if err := w.store.Update(context.Background(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// trail returns the rows about a card, oldest first.
func (w *world) trail(cardID int) []audit.Entry {
	w.t.Helper()
	var rows []audit.Entry
	w.view(func(r store.Tx) (err error) { rows, err = r.Audit().List(1, cardID, 100); return err })
	slices.Reverse(rows)
	return rows
}

// configure says which of the BINs 1 and 4, both for VS, are active, and what the one encryption
// key of the bank may be used for.
func (w *world) configure(one, four bool, key program.PciKeyStatus) {
	w.t.Helper()
	w.update(func(tx store.Tx) error {
		configured, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		for _, bin := range configured.Bins {
			switch bin.ID {
			case 1:
				bin.IsActive = one
			case 4:
				bin.IsActive = four
			}
			if err := tx.Programs().PutBin(bin); err != nil {
				return err
			}
		}
		keys := configured.PciKeys
		keys[0].Status = key
		return tx.Banks().PutPciKey(keys[0])
	})
}

// plainPin is a PIN as the algorithm NONE sends it.
func plainPin(digits string) string { return base64.StdEncoding.EncodeToString([]byte(digits)) }

// codesOf returns the codes of the faults that an error holds.
func codesOf(err error) []int {
	var codes []int
	for _, f := range fault.All(err) {
		codes = append(codes, f.Code())
	}
	return codes
}

// wantCodes compares the faults of an error with the codes wanted.
func wantCodes(t testing.TB, err error, want ...int) {
	t.Helper()
	if got := codesOf(err); !slices.Equal(got, want) {
		t.Errorf("the answer is %v (%v), want %v", got, err, want)
	}
}
