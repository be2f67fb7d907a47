package cards_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/issuing/overview"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestListCardsRefuses checks that invalid filters are rejected.
func TestListCardsRefuses(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	for _, filter := range []cards.CardFilter{
		{Status: "verifed"}, {Lock: "sys"}, {Lock: "SYS/"}, {Lock: "SYS/XXX"}, {LastFour: "123"},
		{LastFour: "12a4"},
	} {
		_, _, err := w.Cards.ListCards(t.Context(), issuingtest.Clerk, filter, issuing.Page{Limit: 5})
		if filter.Lock == "SYS/" {
			if err != nil {
				t.Errorf("%+v: %v", filter, err)
			}
			continue
		}
		wantInvalid(t, err, "")
	}
	for _, text := range []string{"411111111111", "41111111111111111111", "ada", "5001"} {
		_, _, err := w.Cards.ListCards(
			t.Context(), issuingtest.Clerk, cards.CardFilter{Text: text}, issuing.Page{Limit: 5})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, _, err := w.Cards.ListCards(t.Context(), issuingtest.Clerk, cards.CardFilter{},
		issuing.Page{Limit: 5, After: "x"})
	wantInvalid(t, err, "")
}

// TestFindCardsByNumber finds a card by its full number, within scope only. Neither the number nor
// an unsuccessful search term is in an audit entry.
func TestFindCardsByNumber(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	var whole string
	w.View(func(r store.Tx) error {
		sealed, err := r.CardNumbers().Find(1, c.ID)
		if err != nil {
			return err
		}
		number, err := w.Vault.OpenNumber(sealed.Sealed, c.ID)
		whole = number.Reveal()
		return err
	})
	for _, written := range []string{whole, whole[:4] + " " + whole[4:8] + "-" + whole[8:]} {
		summaries, err := w.Cards.FindCardsByNumber(t.Context(), issuingtest.Clerk, written)
		if err != nil || len(summaries) != 1 || summaries[0].ID != c.ID {
			t.Errorf("found %+v, %v", summaries, err)
		}
	}
	for _, test := range []struct {
		who    issuing.Operator
		number string
	}{{outsider, whole}, {issuingtest.Clerk, "4111111111111111"}, {issuingtest.Clerk, "4111111111111"}} {
		summaries, err := w.Cards.FindCardsByNumber(t.Context(), test.who, test.number)
		if err != nil || len(summaries) != 0 {
			t.Errorf("found %+v, %v", summaries, err)
		}
	}
	_, err := w.Cards.FindCardsByNumber(t.Context(), issuingtest.Clerk, "41111111x1111111")
	wantInvalid(t, err, "number")
	entries := w.Trail(c.ID)
	w.View(func(r store.Tx) error {
		others, err := r.Audit().List(0, 0, 100)
		entries = append(entries, others...)
		return err
	})
	outcomes := map[string]int{}
	for _, e := range entries {
		if strings.Contains(fmt.Sprint(e), whole) {
			t.Errorf("an entry has the whole number")
		}
		if e.Act == "find card by number" {
			outcomes[e.Outcome]++
		}
	}
	if outcomes["read"] != 2 || outcomes["not found"] != 3 {
		t.Errorf("the audit has %v", outcomes)
	}
}

// TestReadsAreEntries checks that an operator who reads a card or a customer leaves an entry, and
// only one for a long history.
func TestReadsAreEntries(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	before := len(w.Trail(c.ID))
	if _, err := w.Cards.ReadCard(t.Context(), issuingtest.Clerk, c.ID); err != nil {
		t.Fatal(err)
	}
	page := issuing.Page{Limit: 1}
	var acts []string
	for {
		entries, last, err := w.Cards.ListHistory(t.Context(), issuingtest.Clerk, c.ID, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			acts = append(acts, e.Act)
		}
		if last == "" {
			break
		}
		page.After = last
	}
	if len(acts) != before+1 || acts[0] != "read card" {
		t.Errorf("the history is %v", acts)
	}
	if got := w.Trail(c.ID); len(got) != before+2 || got[before+1].Act != "read card history" {
		t.Errorf("the audit has %+v", got)
	}
	if _, err := w.Customers.ReadCustomer(t.Context(), issuingtest.Clerk, 1001); err != nil {
		t.Fatal(err)
	}
	w.View(func(r store.Tx) error {
		entries, err := r.Audit().List(1, 0, 1)
		if len(entries) != 1 || entries[0].Act != "read customer" ||
			entries[0].Subject != audit.Of(audit.Customer, 1001) {
			t.Errorf("the audit has %+v", entries)
		}
		return err
	})
}

// TestActOnOrder holds, releases, retries and drops an order as an operator. Each act leaves an
// entry.
func TestActOnOrder(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.NewCard(nil)
	listed, _, err := w.Orders.ListOrders(t.Context(), issuingtest.Clerk, orders.OrderFilter{
		CardID: c.ID, State: "waiting",
	}, issuing.Page{Limit: 5})
	if err != nil || len(listed) != 1 || listed[0].CardID != c.ID {
		t.Fatalf("orders %+v, %v", listed, err)
	}
	id, revision := listed[0].PublicID(), listed[0].Revision
	w.Clock.Advance(time.Hour)
	file := store.File{
		Direction: store.OrderFiles, Sequence: 1, Count: 1, Created: w.Clock.Now(),
		Text: []byte(`{"orderId":"` + id + `"}`),
	}
	w.Update(func(tx store.Tx) error { return tx.Files().Put(file) })
	for _, act := range []string{"hold", "drop"} {
		refused := (*issuing.RefusedError)(nil)
		_, err := w.Orders.ActOnOrder(t.Context(), issuingtest.Clerk, id, revision, act)
		if !errors.As(err, &refused) {
			t.Errorf("%s an order in a file that is not written: %v", act, err)
		}
	}
	file.Text = nil
	w.Update(func(tx store.Tx) error { return tx.Files().Change(file) })
	for _, step := range []struct {
		act   string
		want  order.State
		err   error
		entry string
	}{
		{"release", "", order.ErrState, ""},
		{"hold", order.Held, nil, "order held"},
		{"hold", "", order.ErrState, ""},
		{"retry", "", order.ErrState, ""},
		{"release", order.Waiting, nil, "order released"},
		{"retry", order.Waiting, nil, "order retried"},
		{"drop", order.Failed, nil, "order dropped"},
		{"retry", "", order.ErrState, ""},
	} {
		rows := len(w.Trail(c.ID))
		changed, err := w.Orders.ActOnOrder(t.Context(), issuingtest.Clerk, id, revision, step.act)
		if !errors.Is(err, step.err) {
			t.Fatalf("%s: error %v, want %v", step.act, err, step.err)
		}
		trail := w.Trail(c.ID)[rows:]
		if err != nil {
			if len(trail) > 0 {
				t.Errorf("a refused act leaves %+v", trail)
			}
			continue
		}
		stored := w.OrdersOf(c.ID)[0]
		if diff := cmp.Diff(changed, stored); diff != "" || stored.State != step.want {
			t.Errorf("%s: %s (-answered +stored):\n%s", step.act, stored.State, diff)
		}
		if len(trail) != 1 || trail[0].Outcome != step.entry || trail[0].Actor != issuingtest.Clerk.Actor ||
			trail[0].After != stored.Shown() {
			t.Errorf("%s: the trail is %+v", step.act, trail)
		}
		_, err = w.Orders.ActOnOrder(t.Context(), issuingtest.Clerk, id, revision, step.act)
		if !errors.Is(err, store.ErrLostUpdate) {
			t.Errorf("%s at an older revision: %v", step.act, err)
		}
		revision = changed.Revision
	}
	for state, want := range map[string]int{"dropped": 1, "failed": 0} {
		for _, cardID := range []int{0, c.ID} {
			listed, _, err := w.Orders.ListOrders(t.Context(), issuingtest.Clerk,
				orders.OrderFilter{CardID: cardID, State: state}, issuing.Page{Limit: 5})
			if err != nil || len(listed) != want {
				t.Errorf("card %d has the %s orders %+v, %v", cardID, state, listed, err)
			}
		}
	}
	_, err = w.Orders.ActOnOrder(t.Context(), outsider, id, 0, "hold")
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an order of another bank is held: %v", err)
	}
	for _, unknown := range []string{"0", "x", id + "x", "999999-abc"} {
		if _, err := w.Orders.FindOrder(t.Context(), issuingtest.Clerk, unknown); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("order %s: %v", unknown, err)
		}
	}
	if _, err := w.Orders.FindOrder(t.Context(), outsider, id); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an order of another bank: %v", err)
	}
	none, _, err := w.Orders.ListOrders(t.Context(), outsider, orders.OrderFilter{CardID: c.ID},
		issuing.Page{Limit: 5})
	if err != nil || len(none) != 0 {
		t.Errorf("an outsider sees %+v, %v", none, err)
	}
}

// TestPutAccess grants, changes and revokes a customer's access to an account.
func TestPutAccess(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	ctx := t.Context()
	put := func(who issuing.Operator, revision int, access string) (int, error) {
		stored, err := w.Customers.PutAccess(ctx, who, 2001, 1005, revision, access)
		return stored.Revision, err
	}
	if err := w.Customers.DeleteAccess(ctx, issuingtest.Clerk, 2001, 1005, 0); err != nil &&
		!errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	first, err := put(issuingtest.Clerk, 0, "RDONLY")
	if err != nil || first != 1 {
		t.Fatalf("revision %d, %v", first, err)
	}
	second, err := put(issuingtest.Clerk, first, "FULL")
	if err != nil || second != 2 {
		t.Errorf("revision %d, %v", second, err)
	}
	if _, err := put(issuingtest.Clerk, first, "NONE"); !errors.Is(err, store.ErrLostUpdate) {
		t.Errorf("an older revision: %v", err)
	}
	if _, err := put(outsider, 0, "NONE"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an outsider: %v", err)
	}
	_, err = put(issuingtest.Clerk, 0, "READ")
	wantInvalid(t, err, "access")
	_, err = w.Customers.PutAccess(ctx, issuingtest.Clerk, 2001, 999_999, 0, "FULL")
	wantInvalid(t, err, "")
	a, err := w.Customers.FindAccess(ctx, issuingtest.Clerk, 2001, 1005)
	if err != nil || a.Type != "FULL" || a.Revision != 2 {
		t.Errorf("the access is %+v, %v", a, err)
	}
	if err := w.Customers.DeleteAccess(ctx, issuingtest.Clerk, 2001, 1005, 2); err != nil {
		t.Error(err)
	}
	if _, err := w.Customers.FindAccess(ctx, issuingtest.Clerk, 2001, 1005); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the access is not gone: %v", err)
	}
}

// TestOverview counts the objects of all banks, and of one.
func TestOverview(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	c := w.InStatus(w.NewCard(nil), card.Verified)
	if _, err := w.Cards.LockCard(t.Context(), issuingtest.Clerk, c.ID, 0, "PIN"); err != nil {
		t.Fatal(err)
	}
	all, err := w.Overview.Overview(t.Context(), issuingtest.Clerk,
		operator.Identity{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	o, err := w.Overview.Overview(t.Context(), outsider, operator.Identity{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	total := func(o overview.Overview) (cards, acts int) {
		for _, count := range o.Cards.ByStatus {
			cards += count
		}
		for _, hour := range o.Hours {
			acts += hour.Count
		}
		return cards, acts
	}
	cards, acts := total(all)
	fewer, fewerActs := total(o)
	if fewer >= cards || fewerActs >= acts || acts < 2 || all.Cards.Locked <= o.Cards.Locked {
		t.Errorf("%d cards and %d acts of all banks, %d and %d of one", cards, acts, fewer,
			fewerActs)
	}
	if len(all.Orders) == 0 || all.Orders[0].Oldest.IsZero() || len(o.Orders) != 0 {
		t.Errorf("orders: %+v of all banks, %+v of one", all.Orders, o.Orders)
	}
}

// TestPackCards checks that the job terminates, also when nothing is left to pack.
func TestPackCards(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	for range 2 {
		if err := w.Cards.PackCards(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
