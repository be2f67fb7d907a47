package moving

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"mintmark/internal/auditlog"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/secret"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/importer"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
	"mintmark/internal/vault"
)

const programID = 1

var (
	alice  = audit.Actor{Kind: audit.CommandLine, Name: "alice"}
	placed = time.Date(2026, time.November, 26, 9, 30, 0, 123e6, time.UTC)
)

// TestMain sets a page size at which a kind of a small program fills several pages.
func TestMain(m *testing.M) {
	page = 3
	os.Exit(m.Run())
}

// newVault returns the keys of another installation.
func newVault(t *testing.T) *vault.Vault {
	t.Helper()
	keys, err := vault.Open(vault.Settings{PinKeyBits: 2048, AllowPlainPins: true})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func update(t *testing.T, kept store.Store, fns ...func(store.Tx) error) {
	t.Helper()
	for _, fn := range fns {
		if err := kept.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
}

func find[T any](t *testing.T, kept store.Store, fn func(store.Tx) (T, error)) T {
	t.Helper()
	var record T
	err := kept.View(t.Context(), func(r store.Tx) (err error) { record, err = fn(r); return err })
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// claim assigns a store to an environment.
func claim(environment store.Environment) func(store.Tx) error {
	return func(tx store.Tx) error {
		return tx.Installation().Put(store.InstallationRecord{
			Environment: environment, Keyset: "keys", PinKey: "pin", Made: tx.Now(),
		})
	}
}

func amount(tenThousandths int64) value.Amount {
	return value.Amount{TenThousandths: tenThousandths}
}

// fill puts the demo data into a store, and an object of each kind that they lack.
func fill(t *testing.T, kept store.Store) {
	t.Helper()
	testworld.WriteDemo(t, kept)
	until := placed.AddDate(0, 1, 0)
	cards := find(t, kept, func(r store.Tx) ([]card.Card, error) {
		return r.Cards().ListOfProgram(programID, 0, 2)
	})
	first, second := cards[0], cards[1]
	a := authorization.Authorization{
		ID: "auth 1", Digest: []byte("digest"), ProgramID: programID, CustomerID: first.CustomerID,
		CardID: first.ID, Currency: "USD", At: placed, Decided: placed,
		Transfer: authorization.Transfer{Kind: authorization.Purchase, Amount: amount(125500)},
		Decision: authorization.Decision{
			Reason: "approved", AccountID: first.Slots.All()[0], Amount: amount(125500),
		},
		Details: authorization.Details{HoldUntil: &until, Merchant: &authorization.Merchant{
			Name: "Shop & Sons", Country: "US", MCC: "5411",
		}},
		Advice: authorization.Advice{
			Digest: []byte("advice"), By: authorization.StandIn, Approved: true, Amount: amount(75),
		},
		Book: authorization.Book{Reversed: amount(5)},
	}
	more := a
	more.ID, more.Root, more.Decided = "auth 2", a.ID, placed.Add(time.Hour)
	hold := a.Hold(a.CustomerID, 20261126)
	hold.Placed, hold.Ends, hold.Amount = placed, until, amount(70)
	hold.Later = []authorization.Part{{Day: 20261127, TenThousandths: 3}}
	sealed, err := testworld.Keys(t).SealWebhookSecret(
		secret.New("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), programID)
	if err != nil {
		t.Fatal(err)
	}
	webhook := subscription.Webhook{
		ProgramID: programID, Name: "events", URL: "https://hooks.example.com/cards",
		Types: event.Filter{"card.*"}, Secrets: [][]byte{sealed}, Created: placed,
	}
	usage := authorization.Usage{
		ProgramID: programID, CustomerID: a.CustomerID, Direction: authorization.Withdraws,
		Day: 20261126, OfDay: amount(70), OfMonth: amount(12345),
	}
	all := usage
	all.CustomerID, all.OfMonth = 0, amount(0)
	update(t, kept,
		claim(store.Sandbox),
		// Numbers are allocated in blocks: the newer card may have the lower one.
		func(tx store.Tx) error {
			before := first
			first.Replaces = second.ID
			return tx.Cards().Change(before, &first)
		},
		func(tx store.Tx) error {
			before := second
			second.ReplacedBy = first.ID
			return tx.Cards().Change(before, &second)
		},
		func(tx store.Tx) error { return tx.Authorizations().Put(a) },
		func(tx store.Tx) error { return tx.Authorizations().Put(more) },
		func(tx store.Tx) error { return tx.Holds().Put(hold) },
		func(tx store.Tx) error {
			ended := hold
			ended.ID, ended.AuthorizationID = authorization.HoldIDOf(first.ID, "auth 0"), "auth 0"
			end := ended.EndedBy(authorization.Posted, "posting 1", placed)
			end.Emptied = true
			return tx.Holds().PutEnd(end)
		},
		func(tx store.Tx) error { return tx.Usages().Put(usage) },
		func(tx store.Tx) error { return tx.Usages().Put(all) },
		func(tx store.Tx) error { return tx.Webhooks().Put(&webhook, 0) },
		func(tx store.Tx) error {
			return tx.Feeds().Put(store.Feed{
				ProgramID: programID, Source: "core", Sequence: 7, Digest: "ab",
				Report: []byte(`{"counts":{}}`), Changed: placed,
			})
		},
		func(tx store.Tx) error {
			return tx.Audit().Put(audit.Entry{
				At: tx.Now(), Actor: alice, Act: "lock", ProgramID: programID,
				Subject: audit.Of(audit.Card, first.ID), Outcome: "changed", After: `{"a":"<&>"}`,
			})
		},
	)
	sealer := auditlog.New(kept, auditlog.Settings{
		Keys: testworld.Keys(t), Node: "test", Log: slog.New(slog.DiscardHandler),
	})
	if _, err := sealer.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func export(t *testing.T, kept store.Store, keys Vault) (text string, tallies Tallies) {
	t.Helper()
	var to bytes.Buffer
	tallies, err := Export(t.Context(), kept, keys, programID, &to)
	if err != nil {
		t.Fatal(err)
	}
	return to.String(), tallies
}

// importText imports a text.
func importText(t *testing.T, kept store.Store, keys Vault, text string, o Options) (*Report, error) {
	t.Helper()
	file, err := importer.SpoolRows("program.age", t.TempDir(), strings.NewReader(text), -1)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	o.Actor, o.Reach = alice, subscription.Reach{Sandbox: true}
	return Import(t.Context(), kept, keys, file, o)
}

// TestMove moves a program from a database server to an embedded database under other keys, and
// back: exporting it again yields the same, and every kind has a record.
func TestMove(t *testing.T) {
	t.Parallel()
	server := testworld.Server(t, pgtest.URL(t), nil)
	fill(t, server)
	text, before := export(t, server, testworld.Keys(t))
	for _, name := range names() {
		if before[name].Count == 0 {
			t.Errorf("the file has no %s", name)
		}
	}
	embedded, keys := testworld.Memory(t, nil), newVault(t)
	update(t, embedded, claim(store.Sandbox))
	if _, err := importText(t, embedded, keys, text, Options{DryRun: true}); err != nil {
		t.Fatal(err)
	}
	if ids := find(t, embedded, func(r store.Tx) ([]int, error) {
		return r.Programs().List()
	}); len(ids) > 0 {
		t.Fatalf("a dry run has made the programs %v", ids)
	}
	var log bytes.Buffer
	full := errors.New("the disk is full")
	_, err := importText(t, embedded, keys, text, Options{KeepAudit: func(write func(io.Writer) error) error {
		return errors.Join(write(io.Discard), full)
	}})
	if !errors.Is(err, full) {
		t.Fatalf("the audit is not kept: %v", err)
	}
	// It fails when the program already exists.
	_, err = importText(t, embedded, keys, text, Options{KeepAudit: func(write func(io.Writer) error) error {
		return write(&log)
	}})
	if err != nil {
		t.Fatal(err)
	}
	again, after := export(t, embedded, keys)
	delete(before, auditKind)
	delete(after, auditKind)
	if !maps.Equal(before, after) {
		for name := range before {
			if before[name] != after[name] {
				t.Errorf("%s: %v, before %v", name, after[name], before[name])
			}
		}
	}
	other := testworld.Server(t, pgtest.URL(t), nil)
	update(t, other, claim(store.Sandbox))
	if _, err := importText(t, other, testworld.Keys(t), again, Options{}); err != nil {
		t.Fatal(err)
	}
	report, err := auditlog.VerifyExport(testworld.Keys(t).LogVerifier(), nil, &log)
	if err != nil || report.Err() != nil || report.Entries == 0 {
		t.Errorf("the audit of the other installation: %+v, %v", report, err)
	}
	wantSameCards(t, server, embedded)
	wantSameCards(t, server, other)
}

// wantSameCards compares on two stores what callers read of each card.
func wantSameCards(t *testing.T, before, after store.Store) {
	t.Helper()
	views := func(kept store.Store) []store.CustomerCards {
		return find(t, kept, func(r store.Tx) ([]store.CustomerCards, error) {
			ids, err := r.Customers().List(store.CustomerQuery{
				Programs: []int{programID}, Limit: page,
			})
			var all []store.CustomerCards
			for _, id := range ids {
				cards, failed := r.Cards().ListByCustomer(programID, id, store.NoLimit)
				err = errors.Join(err, failed)
				for i := range cards.Cards {
					cards.Cards[i].Revision = 0
				}
				for id, a := range cards.Accounts {
					a.Revision = 0
					cards.Accounts[id] = a
				}
				all = append(all, cards)
			}
			return all, err
		})
	}
	if old, moved := views(before), views(after); !reflect.DeepEqual(old, moved) {
		t.Errorf("the cards are %+v, before %+v", moved, old)
	}
}

// TestListsHoldExport checks that a program is not exported while a list of its compromised numbers
// is open; a waiting list is open as long as its approval. A finished list, or one of another
// program, does not prevent the export.
func TestListsHoldExport(t *testing.T) {
	t.Parallel()
	running := clock.FrozenAt(time.Date(2031, time.March, 1, 0, 0, 0, 0, time.UTC))
	kept := testworld.Memory(t, running)
	fill(t, kept)
	list := compromise.List{
		Name: "shop", Act: compromise.Replace, Digest: "a", Numbers: 9, Cards: 9,
		Outcomes: map[compromise.Outcome]int{compromise.Handled: 2},
	}
	put := func(program int, state compromise.State) {
		list.ProgramID, list.State = program, state
		update(t, kept, func(tx store.Tx) error {
			list.Changed = tx.Now()
			l := list
			err := tx.Compromises().Put(&l)
			list.ID, list.Revision = l.ID, l.Revision
			return err
		})
	}
	put(2, compromise.Running)
	export(t, kept, testworld.Keys(t))
	list.ID, list.Revision = 0, 0
	for _, state := range []compromise.State{compromise.Running, compromise.Paused, compromise.Waiting} {
		put(programID, state)
		var to bytes.Buffer
		_, err := Export(t.Context(), kept, testworld.Keys(t), programID, &to)
		want := fmt.Sprintf("compromise 2 (shop) is %s, with 7 cards left, ", state)
		if err == nil || !strings.HasPrefix(err.Error(), want) || to.Len() > 0 {
			t.Errorf("a list is %s: %v, and %d bytes are written", state, err, to.Len())
		}
	}
	running.Advance(24 * time.Hour)
	export(t, kept, testworld.Keys(t))
	put(programID, compromise.Done)
	export(t, kept, testworld.Keys(t))
}

// TestFence checks that a program is fenced once, that the age of the fence is measured by the
// database's clock, that the fence can be lifted, that a moved program has none, and that the audit
// records each act.
func TestFence(t *testing.T) {
	t.Parallel()
	running := clock.FrozenAt(time.Date(2031, time.March, 1, 0, 0, 0, 0, time.UTC))
	kept := testworld.Memory(t, running)
	fill(t, kept)
	for _, want := range []time.Duration{0, 20 * time.Second} {
		running.Advance(want)
		fenced, err := Fence(t.Context(), kept, alice, programID)
		if err != nil || fenced != want {
			t.Fatalf("fenced for %v, %v, want %v", fenced, err, want)
		}
	}
	text, _ := export(t, kept, testworld.Keys(t))
	other := testworld.Memory(t, nil)
	update(t, other, claim(store.Sandbox))
	if _, err := importText(t, other, testworld.Keys(t), text, Options{}); err != nil {
		t.Fatal(err)
	}
	if fenced := find(t, other, func(r store.Tx) ([]int, error) {
		return r.Programs().ListFenced()
	}); len(fenced) > 0 {
		t.Errorf("in the other installation are fenced %v", fenced)
	}
	for _, want := range []bool{true, false} {
		lifted, err := Lift(t.Context(), kept, alice, programID)
		if err != nil || lifted != want {
			t.Errorf("a fence was lifted: %t, %v, want %t", lifted, err, want)
		}
	}
	if _, err := Fence(t.Context(), kept, alice, 99); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a program that is not there: %v", err)
	}
	var acts []string
	for _, e := range find(t, kept, func(r store.Tx) ([]audit.Entry, error) {
		return r.Audit().List(programID, 0, 9)
	}) {
		if e.Actor == alice {
			acts = append(acts, e.Act)
		}
	}
	if got := strings.Join(acts, ", "); got != liftAct+", "+fenceAct {
		t.Errorf("the audit has %s", got)
	}
}
