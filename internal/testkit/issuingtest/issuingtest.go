// Package issuingtest provides a World to the tests of issuing: a service on a database with the
// demo data, and requests to it.
package issuingtest

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

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
	"mintmark/internal/testkit/testworld"
	"mintmark/internal/vault"
)

// Ending is the ending of every card number in the sandbox.
const Ending = card.SandboxEnding

// Start is the initial time of a test's clock.
var Start = testworld.Start

// World is a service on a database of its own.
type World struct {
	*acts.Service
	TB    testing.TB
	Store store.Store
	Vault *vault.Vault
	Clock *clock.Clock // the only clock that a test moves
	Spent int          // names given to cards so far
}

// edge is a store whose transactions a test observes or breaks.
type edge struct {
	store.Store
	tx func(store.Tx) store.Tx
}

func (e edge) Update(ctx context.Context, fn func(store.Tx) error) error {
	return e.Store.Update(ctx, func(tx store.Tx) error { return fn(e.tx(tx)) })
}

// Through makes the service use transactions wrapped by tx.
func (w *World) Through(tx func(store.Tx) store.Tx) {
	w.Service = acts.New(edge{w.Store, tx}, w.Vault, w.Settings)
}

// OrderBook records the orders that are put, including those carried out immediately.
type OrderBook struct {
	store.Tx
	Put *[]order.Order
}

// Orders returns orders that record each put.
func (b OrderBook) Orders() store.Orders { return bookedOrders{b.Tx.Orders(), b.Put} }

type bookedOrders struct {
	store.Orders
	put *[]order.Order
}

func (b bookedOrders) Put(o order.Order) error {
	err := b.Orders.Put(o)
	*b.put = append(*b.put, o)
	return err
}

func (b bookedOrders) Insert(o order.Order) (order.Order, error) {
	o, err := b.Orders.Insert(o)
	*b.put = append(*b.put, o)
	return o, err
}

// BookOrders records the orders of the world from now on in the returned slice.
func (w *World) BookOrders() *[]order.Order {
	var put []order.Order
	w.Through(func(tx store.Tx) store.Tx { return OrderBook{Tx: tx, Put: &put} })
	return &put
}

// NewSandbox returns a service with the rules of the sandbox and its simulated processor.
func NewSandbox(t *testing.T) *World {
	t.Helper()
	w := NewWorld(t, issuing.Settings{Mode: card.Sandbox, Ending: Ending})
	w.Simulate(simulator.NewPort(simulator.New("test", simulator.Instant), time.Now))
	return w
}

// Simulate makes a port carry out the orders of acts immediately.
func (w *World) Simulate(port processor.Port) {
	w.Dispatcher = dispatch.New(w.Service.Orders, dispatch.Settings{
		Node: "test", Port: port, Log: slog.New(slog.DiscardHandler), Synchronous: true,
	})
}

// NewProduction returns a service whose orders wait for the processor.
func NewProduction(t *testing.T) *World {
	t.Helper()
	return NewWorld(t, issuing.Settings{Mode: card.Production})
}

// NewWorld returns a service on a copy of the demo data.
func NewWorld(t testing.TB, settings issuing.Settings) *World {
	t.Helper()
	keys, frozen := testworld.Keys(t), clock.FrozenAt(Start)
	kept := testworld.File(t, testworld.DemoFile(t), frozen)
	settings.Random, settings.Clock = rand.Reader, frozen
	return &World{
		TB: t, Store: kept, Vault: keys, Clock: frozen, Service: acts.New(kept, keys, settings),
	}
}

// Caller is the caller in the tests.
var Caller = issuing.Caller{
	Actor: audit.Actor{
		Kind: audit.APIKey, Name: "example1", Address: "127.0.0.1",
		RequestID: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
	},
	ProgramID: 1, Route: "/card/test",
}

// JobOf returns a background job as the actor of an audit entry.
func JobOf(name string) audit.Actor { return audit.Actor{Kind: audit.Job, Name: name} }

// NewOrder returns a valid request for a card. Each request has a different nickname.
func (w *World) NewOrder() cards.InitiateRequest {
	w.Spent++
	return cards.InitiateRequest{DigitalRequest: cards.DigitalRequest{
		CustomerID: 1001, CardHolderCustomerID: 1001,
		Application: card.Application{
			VendorTypeCode: "VS", PrimaryAccountID: 2001, FirstName: "Ada", LastName: "Example",
			NickName: fmt.Sprintf("Card %d", w.Spent),
		},
	}}
}

// NewCard orders a card and returns it as stored.
func (w *World) NewCard(change func(*cards.InitiateRequest)) card.Card {
	w.TB.Helper()
	req := w.NewOrder()
	if change != nil {
		change(&req)
	}
	detail, err := w.Cards.Initiate(w.TB.Context(), Caller, req)
	if err != nil {
		w.TB.Fatal(err)
	}
	return w.Stored(detail.ID)
}

// InStatus sets the status of a stored card directly, without an act.
func (w *World) InStatus(c card.Card, status card.Status) card.Card {
	w.TB.Helper()
	before := w.Stored(c.ID)
	c.Status = status
	dates := map[card.Status]*time.Time{
		card.Verified: &c.Verified, card.Reissued: &c.Reissued, card.Denied: &c.Denied,
		card.Expired: &c.Expired, card.Archived: &c.Archived,
	}
	if date := dates[status]; date != nil {
		*date = Start
	}
	w.Update(func(tx store.Tx) error { return tx.Cards().Change(before, &c) })
	return c
}

// Stored returns a card as stored.
func (w *World) Stored(id int) card.Card {
	w.TB.Helper()
	var c card.Card
	w.View(func(r store.Tx) (err error) { c, err = r.Cards().Find(1, id); return err })
	return c
}

// View reads the store.
func (w *World) View(fn func(store.Tx) error) {
	w.TB.Helper()
	if err := w.Store.View(context.Background(), fn); err != nil {
		w.TB.Fatal(err)
	}
}

// Update changes the store directly, without an act.
func (w *World) Update(fn func(store.Tx) error) {
	w.TB.Helper()
	if err := w.Store.Update(context.Background(), fn); err != nil {
		w.TB.Fatal(err)
	}
}

// Trail returns the audit entries about a card, oldest first.
func (w *World) Trail(cardID int) []audit.Entry {
	w.TB.Helper()
	var rows []audit.Entry
	w.View(func(r store.Tx) (err error) { rows, err = r.Audit().List(1, cardID, 100); return err })
	slices.Reverse(rows)
	return rows
}

// Configure sets which of the BINs 1 and 4, both for VS, are active, and the status of the bank's
// only encryption key.
func (w *World) Configure(first, fourth bool, key program.PciKeyStatus) {
	w.TB.Helper()
	w.Update(func(tx store.Tx) error {
		configured, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		for _, bin := range configured.Bins {
			switch bin.ID {
			case 1:
				bin.IsActive = first
			case 4:
				bin.IsActive = fourth
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

// PlainPin returns a PIN as the algorithm NONE sends it.
func PlainPin(digits string) string { return base64.StdEncoding.EncodeToString([]byte(digits)) }

// CodesOf returns the codes of the faults in an error.
func CodesOf(err error) []int {
	var codes []int
	for _, f := range fault.All(err) {
		codes = append(codes, f.Code())
	}
	return codes
}

// WantCodes compares the codes of the faults in an error with the expected ones.
func WantCodes(t testing.TB, err error, want ...int) {
	t.Helper()
	if got := CodesOf(err); !slices.Equal(got, want) {
		t.Errorf("the answer is %v (%v), want %v", got, err, want)
	}
}
