package sandbox_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/value"
	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/face/sandbox"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
)

// timeStart is the initial time of a test's clock.
var timeStart = testworld.Start

// timeWorld is a sandbox without its faces, whose clock is moved by the tests.
type timeWorld struct {
	*acts.Service
	*sandbox.Controls
	t     testing.TB
	store store.Store
	clock *clock.Clock
	port  *simulator.Port
	cards []int
}

// newTimeWorld opens a world in the file at path, in memory if path is empty, or on a server if it
// is onServer.
func newTimeWorld(t testing.TB, path string, setting clock.Setting) *timeWorld {
	t.Helper()
	w := &timeWorld{t: t, clock: clock.New(setting)}
	kept := w.open(path)
	w.store = kept
	w.Service = acts.New(kept, testworld.Keys(t), issuing.Settings{
		Mode: card.Sandbox, Ending: "1111", Random: rand.Reader, Clock: w.clock,
	})
	w.port = simulator.NewPort(simulator.New("test", simulator.Instant), w.clock.Now)
	log := slog.New(slog.DiscardHandler)
	orders := dispatch.New(w.Service.Orders, dispatch.Settings{
		Node: "test", Port: w.port, Log: log, Synchronous: true,
	})
	w.Dispatcher = orders
	keeper := sandbox.NewTimekeeper(w.Service, w.clock, log, orders.DeliverDue)
	orders.Turn = keeper.Share
	w.Controls = &sandbox.Controls{
		Service: w.Service, Store: kept, Clock: w.clock, Time: keeper, Processor: w.port,
	}
	if path == "" || path == onServer {
		testworld.WriteDemo(t, kept)
	}
	w.must(keeper.Begin(context.Background()))
	return w
}

// onServer is the path that stands for a database on a server.
const onServer = "postgresql"

func (w *timeWorld) open(path string) store.Store {
	w.t.Helper()
	switch path {
	case onServer:
		return testworld.Server(w.t, pgtest.URL(w.t), w.clock)
	case "":
		return testworld.Memory(w.t, w.clock)
	}
	return testworld.File(w.t, path, w.clock)
}

func (w *timeWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *timeWorld) update(fn func(store.Tx) error) {
	w.t.Helper()
	w.must(w.store.Update(context.Background(), fn))
}

func (w *timeWorld) view(fn func(store.Tx) error) {
	w.t.Helper()
	w.must(w.store.View(context.Background(), fn))
}

// timeCaller is the caller of the tests.
var timeCaller = issuing.Caller{
	Actor:     audit.Actor{Kind: audit.APIKey, Name: "example1", RequestID: "r"},
	ProgramID: 1, Route: "/card/test",
}

// order orders a card, with a PIN unless it is empty.
func (w *timeWorld) order(pin string) int {
	w.t.Helper()
	request := cards.InitiateRequest{DigitalRequest: cards.DigitalRequest{
		CustomerID: 1001, CardHolderCustomerID: 1001,
		Application: card.Application{
			VendorTypeCode: "VS", PrimaryAccountID: 2001, FirstName: "Ada", LastName: "Example",
			NickName: fmt.Sprintf("Time %d", len(w.cards)),
		},
	}}
	if pin != "" {
		request.NewPin = base64.StdEncoding.EncodeToString([]byte(pin))
	}
	detail, err := w.Cards.Initiate(context.Background(), timeCaller, request)
	w.must(err)
	w.cards = append(w.cards, detail.ID)
	return detail.ID
}

// verified makes a card Verified and sets the month in which it expires.
func (w *timeWorld) verified(id, year, month int) {
	w.t.Helper()
	w.update(func(tx store.Tx) error {
		before, err := tx.Cards().Find(1, id)
		if err != nil {
			return err
		}
		after := before
		after.Status, after.Verified = card.Verified, tx.Now()
		after.ExpireYear, after.ExpireMonth = year, month
		return tx.Cards().Change(before, &after)
	})
}

// hold places a hold on the account of card 5001.
func (w *timeWorld) hold(id string) {
	w.t.Helper()
	authorized, err := w.Transfers.Authorize(context.Background(),
		audit.Actor{Kind: audit.Processor, Name: orders.ProcessorName},
		authorization.Request{
			ID: id, CardID: 5001, At: w.clock.Now(), Decimals: 2,
			Transfer: authorization.Transfer{
				Kind: authorization.Purchase, Amount: value.Amount{TenThousandths: 50_000},
			},
		})
	if err != nil || !authorized.Approved() {
		w.t.Fatalf("%s is answered %+v, %v", id, authorized, err)
	}
}

// move changes the clock like PUT /clock.
func (w *timeWorld) move(change wire.ClockChange) {
	w.t.Helper()
	w.must(w.MoveClock(context.Background(), change))
}

func (w *timeWorld) advance(by string) { w.t.Helper(); w.move(wire.ClockChange{Advance: by}) }

// fillYear adds things of all kinds that fall due within a year, many of them at different times,
// among them count cards, some due for renewal.
func (w *timeWorld) fillYear(count int) {
	w.t.Helper()
	usable := 0
	for i := range count {
		id := w.order("")
		if i%6 == 0 {
			month := 6 + i/6
			w.verified(id, 2026+month/12, month%12+1)
			usable = id
		}
		w.advance("37m")
	}
	for i := range 12 {
		w.hold(fmt.Sprintf("hold-%d", i))
		w.keepAnswer(fmt.Sprintf("answer-%d", i))
		w.advance("5h")
	}
	w.update(func(tx store.Tx) error { return w.putDates(tx) })
	// Waiting orders are retried for three days, and PINs are destroyed after one.
	w.must(w.port.SetMode(simulator.Down))
	w.order("")
	w.order("0420")
	w.advance("1h")
	w.order("0421")
	_, err := w.Cards.ResetPin(context.Background(), timeCaller, cards.PinRequest{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: usable},
		NewPin:  base64.StdEncoding.EncodeToString([]byte("0422")),
	})
	w.must(err)
}

// keepAnswer stores the response to a request with an idempotency key.
func (w *timeWorld) keepAnswer(key string) {
	w.t.Helper()
	w.update(func(tx store.Tx) error {
		return tx.CallerAnswers().Put(store.IdempotencyRecord{
			IdempotencyScope: store.IdempotencyScope{
				APIKey: "example1", Route: "/card/lock", Key: key,
			},
			BodyDigest: make([]byte, 32), HTTP: 200, Answer: []byte("{}"), At: tx.Now(),
		})
	})
}

// putDates adds a document that comes into force and expires, and an expiry date to the secret of a
// key.
func (w *timeWorld) putDates(tx store.Tx) error {
	now := tx.Now()
	err := tx.Documents().Put(bankdoc.Document{
		ID: 900, BankID: 1, Culture: "en-US", Type: "FeeSchedule", Title: "T", HTML: "h",
		Effective: now.Add(40 * 24 * time.Hour), Expires: now.Add(200*24*time.Hour + time.Minute),
	})
	if err != nil {
		return err
	}
	all, err := tx.Keys().List()
	if err != nil {
		return err
	}
	var key apikey.Key
	for _, k := range all {
		if k.Name == "example2" {
			key = k
		}
	}
	key.Secrets[0].Expires = now.Add(100 * 24 * time.Hour)
	return tx.Keys().Put(key)
}

// orderToken matches the random part of an order's identifier.
var orderToken = regexp.MustCompile(`("orderId":"\d+-)[a-p]+`)

// log returns all audit entries, in the order of creation.
func (w *timeWorld) log() []audit.Entry {
	w.t.Helper()
	var entries []audit.Entry
	w.view(func(r store.Tx) error {
		unsealed, err := r.AuditLog().ListUnsealed(store.UnsealedQuery{Limit: 1_000_000})
		entries = nil
		for _, e := range unsealed.Entries {
			e.Before = orderToken.ReplaceAllString(e.Before, "$1")
			e.After = orderToken.ReplaceAllString(e.After, "$1")
			entries = append(entries, e.Entry)
		}
		return err
	})
	return entries
}

// demoPath returns the path of a new file with the demo data.
func demoPath(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "demo.db")
	w := &timeWorld{t: t}
	kept, _, err := cached.Open(context.Background(), path, sqlite.Options{})
	w.must(err)
	w.store = kept
	testworld.WriteDemo(t, kept)
	w.must(kept.Close())
	return path
}

// yearFile returns a database file that fillYear has filled, and the setting of its clock.
func yearFile(t testing.TB, count int) (file []byte, setting clock.Setting) {
	t.Helper()
	path := demoPath(t)
	w := newTimeWorld(t, path, clock.Setting{Frozen: timeStart})
	w.fillYear(count)
	w.must(w.store.Close())
	file, err := os.ReadFile(path)
	w.must(err)
	return file, w.clock.Setting()
}

// again returns another world from the same file.
func again(t testing.TB, file []byte, setting clock.Setting) *timeWorld {
	t.Helper()
	path := filepath.Join(t.TempDir(), "again.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	w := newTimeWorld(t, path, setting)
	w.must(w.port.SetMode(simulator.Down))
	return w
}
