package e2e

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/google/uuid"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/internal/app/demo"
	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/face/api"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/operate/installation"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// TestLinearizable lets sixteen callers act concurrently on eight cards, and checks that the acts
// could have happened one after another in some order with the same answers.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	acts, histories := 0, setting(t, "MINTMARK_HISTORIES", 2)
	for range histories {
		history := record(t, func(s store.Store) store.Store { return s })
		result := porcupine.CheckOperationsTimeout(oneAfterTheOther, history, time.Minute)
		if result != porcupine.Ok {
			t.Errorf("a history of %d acts is %s", len(history), result)
		}
		acts += len(history)
	}
	t.Logf("%d histories of %d acts in all", histories, acts)
}

// TestNotLinearizable is the control: the check detects a store that loses updates, and one with a
// stale cache.
func TestNotLinearizable(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(store.Store) store.Store{
		"a lost update": func(s store.Store) store.Store { return forgetful{s} },
		"a stale cache": func(s store.Store) store.Store {
			return &stale{Store: s, found: make(map[store.CardKey]remembered)}
		},
	} {
		const attempts = 10
		caught := false
		for attempt := 1; attempt <= attempts && !caught; attempt++ {
			history := record(t, breaks)
			result := porcupine.CheckOperationsTimeout(oneAfterTheOther, history, time.Minute)
			caught = result == porcupine.Illegal
			t.Logf("%s: history %d is %s", name, attempt, result)
		}
		if !caught {
			t.Errorf("%s was not noticed in %d histories", name, attempts)
		}
	}
}

// record runs the callers on a sandbox whose store may be tampered with.
func record(t *testing.T, tamper func(store.Store) store.Store) []porcupine.Operation {
	t.Helper()
	const callers, cards, acts = 16, 8, 25
	nodes, ids := sandboxOver(t, tamper, cards)

	started := time.Now()
	histories := make([][]porcupine.Operation, callers)
	var all sync.WaitGroup
	for i := range histories {
		node := nodes[i%len(nodes)]
		all.Go(func() {
			for range acts {
				did := draw(cards)
				called := time.Since(started)
				saw, err := node.perform(t.Context(), ids[did.card], did)
				if err != nil {
					t.Errorf("%+v: %v", did, err)
					return
				}
				histories[i] = append(histories[i], porcupine.Operation{
					ClientId: i, Input: did, Call: int64(called),
					Output: saw, Return: int64(time.Since(started)),
				})
			}
		})
	}
	all.Wait()
	var history []porcupine.Operation
	for _, part := range histories {
		history = append(history, part...)
	}
	return history
}

// draw returns a random act. Acts that end the use of a card are rare.
func draw(cards int) act {
	names := []string{"hotlist", "archive", "verify", "verify"}
	for range 6 {
		names = append(names, "get", "get", "get", "lock", "unlock", "addAccount",
			"removeAccount", "reprioritizeAccount", "authorize", "authorize")
	}
	return act{
		card: mathrand.IntN(cards), name: names[mathrand.IntN(len(names))],
		account: 2001 + mathrand.IntN(4), priority: 1 + mathrand.IntN(3),
	}
}

// linearNode is a node with its interfaces for callers and for the card processor. Only the store
// behind the callers' interface is tampered with.
type linearNode struct {
	callers   *client.Client
	processor *acts.Service
}

// authorize requests the authorization of a transfer, as the card processor does.
func (n linearNode) authorize(ctx context.Context, id int) (seen, error) {
	answer, err := n.processor.Transfers.Authorize(ctx, audit.Actor{Kind: audit.Processor},
		authorization.Request{
			ID: uuid.NewString(), CardID: id, Transfer: deposit, Currency: "USD", Decimals: 2,
			At: time.Now(),
		})
	return seen{decided: answer.Decision}, err
}

// perform performs an act and returns what its answer shows.
func (n linearNode) perform(ctx context.Context, id int, a act) (seen, error) {
	api := n.callers
	lock := client.CardLockRequest{CustomerID: customer, CardID: id, LockReasonTypeCode: "TMP"}
	cardRequest := client.CardRequest{CustomerID: customer, CardID: id}
	account := client.CardAccountRequest{CustomerID: customer, CardID: id, AccountID: a.account}
	var shown client.Card
	var err error
	switch a.name {
	case "authorize":
		return n.authorize(ctx, id)
	case "get":
		shown, err = api.CardGet(ctx, customer, id)
	case "lock":
		shown, err = api.CardLock(ctx, lock)
	case "unlock":
		shown, err = api.CardUnlock(ctx, cardRequest)
	case "hotlist":
		lock.LockReasonTypeCode = "STL"
		shown, err = api.CardHotlist(ctx, lock)
	case "archive":
		err = api.CardArchive(ctx, cardRequest)
	case "verify":
		shown, err = api.CardVerify(ctx, client.CardVerifyRequest{
			CustomerID: customer, CardID: id, BirthDate: birthDate, CardNumberMasked: "1111",
		})
	case "addAccount":
		account.CardPriority = a.priority
		shown, err = api.CardAddAccount(ctx, account)
	case "removeAccount":
		shown, err = api.CardRemoveAccount(ctx, account)
	case "reprioritizeAccount":
		account.CardPriority = a.priority
		shown, err = api.CardReprioritizeAccount(ctx, account)
	}
	if failure := (*client.Failure)(nil); errors.As(err, &failure) && failure.HTTP < 500 {
		return seen{code: failure.Errors[0].Code}, nil
	}
	if err != nil || a.name == "archive" {
		return seen{}, err
	}
	return seen{state: faceShown(shown)}, nil
}

// sandboxOver serves a sandbox over HTTP on a store that may be tampered with, and returns the ids
// of some fresh cards in it. Where several nodes may share a database there are two, which do not
// know each other.
func sandboxOver(
	t *testing.T, tamper func(store.Store) store.Store, cards int,
) (nodes []linearNode, ids []int) {
	t.Helper()
	keys, err := vault.Open(vault.Settings{PinKeyBits: 2048, AllowPlainPins: true})
	if err != nil {
		t.Fatal(err)
	}
	count := 2
	if ledger.On() == ledger.SQLite {
		count = 1
	}
	data := t.TempDir()
	for node := range count {
		kept, err := installation.OpenStore(t.Context(), data, ledger.Database(t, data))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = kept.Close() })
		if node == 0 {
			ids = fillFresh(t, kept, keys, cards)
		}
		nodes = append(nodes, linearNode{
			client.New(faceOver(t, tamper(kept), keys), "example1", "example1"),
			sandboxService(kept, keys),
		})
	}
	return nodes, ids
}

// sandboxService returns the service of a sandbox.
func sandboxService(kept store.Store, keys *vault.Vault) *acts.Service {
	return acts.New(kept, keys, issuing.Settings{
		Mode: card.Sandbox, Ending: "1111", Random: rand.Reader,
	})
}

// faceOver serves a store over HTTP and returns the address.
func faceOver(t *testing.T, kept store.Store, keys *vault.Vault) string {
	t.Helper()
	callers, err := auth.Open(t.Context(), kept, keys, auth.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	service := sandboxService(kept, keys)
	service.Dispatcher = dispatch.New(service.Orders, dispatch.Settings{
		Port: simulator.NewPort(simulator.New("test", simulator.Instant), time.Now),
		Log:  slog.New(slog.DiscardHandler), Synchronous: true,
	})
	host := web.NewHost(slog.New(slog.DiscardHandler), uuid.NewString, web.Settings{})
	served := httptest.NewServer(api.New(service, callers, host).Handler())
	t.Cleanup(served.Close)
	return served.URL
}

// fillFresh writes the demo data and some fresh cards, and returns the ids of the cards.
func fillFresh(t *testing.T, kept store.Store, keys *vault.Vault, cards int) (ids []int) {
	t.Helper()
	data, err := demo.Read()
	if err != nil {
		t.Fatal(err)
	}
	err = kept.Update(t.Context(), func(tx store.Tx) error {
		if err := data.Write(tx, keys, rand.Reader, "1111"); err != nil {
			return err
		}
		ids, err = putFresh(tx, cards)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// putFresh stores cards in the initial state of the model, and returns their ids.
func putFresh(tx store.Tx, cards int) ([]int, error) {
	var ids []int
	for i := range cards {
		c := fresh
		c.ID, c.ProgramID, c.BinID, c.Type, c.Vendor = 0, 1, 1, "DBT", "VS"
		c.NickName, c.ExpireMonth, c.ExpireYear = fmt.Sprint("linear ", i), 12, 2099
		c.Created, c.Modified = tx.Now(), tx.Now()
		if err := tx.Cards().Put(&c); err != nil {
			return nil, err
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}
