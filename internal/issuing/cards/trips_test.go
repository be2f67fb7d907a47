package cards_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/testkit/issuingtest"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
)

// The number of round trips to a database server that an act may take.
const (
	tripsToRead  = 2
	tripsToWrite = 3
	// tripsToMake is for a new card: its number comes from a block that was read before.
	tripsToMake = 2
	// tripsToTwice is for acts that read before they write: a PIN is unwrapped between two
	// transactions, and an idempotency key is looked up before its act.
	tripsToTwice = 1 + tripsToWrite
	// tripsToTaken is for an order whose tag or nickname is taken: the store rejects it, and a
	// second attempt finds out which of the two it is. Looking them up first would make all
	// concurrent orders conflict.
	tripsToTaken = 2*tripsToWrite + 1
)

// newOnServer returns a service with the sandbox rules on a database server, and a counter of round
// trips.
func newOnServer(t *testing.T) (*issuingtest.World, func() int64) {
	t.Helper()
	address, trips := pgtest.Counted(t, pgtest.URL(t))
	// With one connection every statement is prepared once.
	only := "?pool_max_conns=1"
	if strings.Contains(address, "?") {
		only = "&pool_max_conns=1"
	}
	kept := testworld.ServerWith(t, address+only, postgres.Options{Blocks: true})
	keys := testworld.Keys(t)
	testworld.WriteDemo(t, kept)
	w := &issuingtest.World{TB: t, Store: kept, Vault: keys, Service: acts.New(kept, keys,
		issuing.Settings{
			Mode: card.Sandbox, Ending: issuingtest.Ending, Random: rand.Reader,
		})}
	return w, trips.Load
}

// TestTrips counts the round trips of each act to a database server. They are the cost of an act
// there: a round trip takes longer than the server's work.
func TestTrips(t *testing.T) {
	t.Parallel()
	w, trips := newOnServer(t)
	for _, c := range append(readsToCount(w), writesToCount(w)...) {
		var count int64
		for range 2 { // the first run prepares statements
			act := c.prepare()
			before := trips()
			if err := act(); (err != nil) != c.refused {
				t.Errorf("%s: error %v", c.name, err)
			}
			count = trips() - before
		}
		t.Logf("%s: %d trips", c.name, count)
		if count > c.most {
			t.Errorf("%s makes %d trips to the server, want at most %d", c.name, count, c.most)
		}
	}
}

// counted is an act whose round trips are counted. Its prerequisites are created before, uncounted.
type counted struct {
	name    string
	most    int64
	refused bool
	prepare func() func() error
}

func readsToCount(w *issuingtest.World) []counted {
	ctx := w.TB.Context()
	w.NewCard(func(r *cards.InitiateRequest) { r.Tag = "of older callers" })
	read := func(name string, refused bool, act func() error) counted {
		return counted{name, tripsToRead, refused, func() func() error { return act }}
	}
	get := func(customerID, cardID string) func() error {
		return func() error { _, err := w.Cards.Get(ctx, issuingtest.Caller, customerID, cardID); return err }
	}
	list := func(customerID string) func() error {
		return func() error { _, err := w.Cards.List(ctx, issuingtest.Caller, customerID, nil); return err }
	}
	tag := func(tag string) func() error {
		return func() error { _, err := w.Cards.GetByTag(ctx, issuingtest.Caller, "1001", tag); return err }
	}
	return []counted{
		read("program", false, func() error {
			_, err := w.ProgramSettings(ctx, issuingtest.Caller)
			return err
		}),
		read("get", false, get("1001", "5001")),
		read("get, no card", true, get("1001", "404")),
		read("get, no customer", true, get("404", "5001")),
		read("getbytag", false, tag("demo-5001")),
		read("getbytag, no card", true, tag("nobody's")),
		read("getbytag, as older callers write it", false, tag("of+older+callers")),
		read("getbytag, as older callers write it, no card", true, tag("nobody+else")),
		read("list", false, list("1001")),
		read("list, no cards", false, list("1010")),
		read("list, no customer", true, list("404")),
		read("documents", false, func() error {
			_, err := w.Programs.ListDocuments(ctx, issuingtest.Caller, "en-US", "")
			return err
		}),
		read("document", true, func() error {
			_, err := w.Programs.DownloadDocument(ctx, issuingtest.Caller, "en-US", "404")
			return err
		}),
	}
}

func writesToCount(w *issuingtest.World) []counted {
	ctx := w.TB.Context()
	// write is an act on a card created for it, whose holder is not its creator.
	write := func(
		name string, most int64, status card.Status, act func(issuing.CardRef, card.Card) error,
	) counted {
		return counted{name: name, most: most, prepare: func() func() error {
			c := w.NewCard(func(r *cards.InitiateRequest) { r.CardHolderCustomerID = holds })
			if status != c.Status {
				c = w.InStatus(c, status)
			}
			return func() error { return act(issuing.CardRef{CustomerID: 1001, CardID: c.ID}, c) }
		}}
	}
	order := func(name string, most int64, pin string) counted {
		return counted{name: name, most: most, prepare: func() func() error {
			req := w.NewOrder()
			req.Tag, req.NewPin = fmt.Sprintf("tag %d", w.Spent), pin
			return func() error { _, err := w.Cards.Initiate(ctx, issuingtest.Caller, req); return err }
		}}
	}
	reissue := func(name string, most int64, reason, pin string) counted {
		return write(name, most, card.Verified, func(ref issuing.CardRef, _ card.Card) error {
			_, err := w.Cards.Reissue(ctx, issuingtest.Caller, cards.ReissueRequest{
				CardRef: ref, ReissueReasonTypeCode: reason, NewPin: pin,
			})
			return err
		})
	}
	verify := func(name, lastFour string) counted {
		return write(name, tripsToWrite, card.PendingVerification,
			func(ref issuing.CardRef, c card.Card) error {
				req := issuingtest.Verifying(c, lastFour)
				req.CustomerID = holds
				_, err := w.Cards.Verify(ctx, issuingtest.Caller, req)
				return err
			})
	}
	wrong := verify("verify, wrong", "9999")
	wrong.refused = true
	taken := order("initiate, refused", tripsToTaken, "")
	taken.refused, taken.prepare = true, func() func() error {
		req := w.NewOrder()
		req.Tag = "demo-5001"
		return func() error { _, err := w.Cards.Initiate(ctx, issuingtest.Caller, req); return err }
	}
	return append([]counted{
		order("initiate", tripsToMake, ""), order("initiate with a PIN", tripsToTwice,
			issuingtest.PlainPin("0420")), taken,
		{name: "createdigital", most: tripsToMake, prepare: func() func() error {
			req := w.NewOrder().DigitalRequest
			return func() error { _, err := w.Cards.CreateDigital(ctx, issuingtest.Caller, req); return err }
		}},
		verify("verify", issuingtest.Ending), wrong,
		reissue("reissue, renewed", tripsToWrite, "DMG", ""),
		reissue("reissue, renewed with a PIN", tripsToTwice, "DMG", issuingtest.PlainPin("0420")),
		reissue("reissue, replaced", tripsToWrite, "LST", ""),
		reissue("reissue, replaced with a PIN", tripsToTwice, "LST", issuingtest.PlainPin("0420")),
		write("resetpin", tripsToTwice, card.Verified,
			func(ref issuing.CardRef, _ card.Card) error {
				_, err := w.Cards.ResetPin(ctx, issuingtest.Caller, cards.PinRequest{
					CardRef: ref, NewPin: issuingtest.PlainPin("0420"),
				})
				return err
			}),
	}, changesToCount(w, write)...)
}

func changesToCount(
	w *issuingtest.World,
	write func(string, int64, card.Status, func(issuing.CardRef, card.Card) error) counted,
) []counted {
	ctx := w.TB.Context()
	on := func(name string, act func(issuing.CardRef) error) counted {
		return write(name, tripsToWrite, card.Verified,
			func(ref issuing.CardRef, _ card.Card) error { return act(ref) })
	}
	second := func(ref issuing.CardRef, priority int) cards.PriorityRequest {
		return cards.PriorityRequest{
			AccountRequest: cards.AccountRequest{CardRef: ref, AccountID: 2002},
			CardPriority:   &priority,
		}
	}
	add := func(ref issuing.CardRef) error {
		_, err := w.Cards.AddAccount(ctx, issuingtest.Caller, second(ref, 2))
		return err
	}
	// two is an act on a card with two accounts.
	two := func(name string, act func(issuing.CardRef) error) counted {
		var ref issuing.CardRef
		c := on(name, func(cardRef issuing.CardRef) error { ref = cardRef; return add(cardRef) })
		return counted{name: name, most: tripsToWrite, prepare: func() func() error {
			if err := c.prepare()(); err != nil {
				w.TB.Fatal(err)
			}
			return func() error { return act(ref) }
		}}
	}
	f := &issuingtest.Face{}
	once := on("lock, once", func(ref issuing.CardRef) error {
		keyed := f.Request("body")
		keyed.Key = fmt.Sprint("card ", ref.CardID)
		_, err := w.Serve(ctx, issuingtest.Caller, keyed, w.Locking(ref.CardID))
		return err
	})
	once.most = tripsToTwice
	return []counted{
		on("lock", func(ref issuing.CardRef) error {
			_, err := w.Cards.Lock(ctx, issuingtest.Caller, issuingtest.LockRequest(ref, "TMP"))
			return err
		}),
		once,
		on("unlock", func(ref issuing.CardRef) error {
			_, err := w.Cards.Unlock(ctx, issuingtest.Caller, ref)
			return err
		}),
		on("hotlist", func(ref issuing.CardRef) error {
			_, err := w.Cards.Hotlist(ctx, issuingtest.Caller, issuingtest.LockRequest(ref, "LST"))
			return err
		}),
		on("archive", func(ref issuing.CardRef) error { return w.Cards.Archive(ctx, issuingtest.Caller, ref) }),
		on("addAccount", add),
		two("removeAccount", func(ref issuing.CardRef) error {
			_, err := w.Cards.RemoveAccount(ctx, issuingtest.Caller, second(ref, 2).AccountRequest)
			return err
		}),
		two("reprioritizeAccount", func(ref issuing.CardRef) error {
			_, err := w.Cards.ReprioritizeAccount(ctx, issuingtest.Caller, second(ref, 1))
			return err
		}),
	}
}
