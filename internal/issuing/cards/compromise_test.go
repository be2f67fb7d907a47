package cards_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// newList returns a list of the demo program.
func newList(act compromise.Act, perDay int) compromise.List {
	return compromise.List{ProgramID: 1, Name: "breach", Act: act, PerDay: perDay}
}

// numbersOf returns the numbers of cards, one of them twice, and one that belongs to no card.
func numbersOf(w *issuingtest.World, all []card.Card) []pan.Number {
	w.TB.Helper()
	digits := []string{"4111111111111111"}
	for _, c := range append(slices.Clone(all), all[0]) {
		digits = append(digits, w.Number(c.ID))
	}
	var numbers []pan.Number
	for _, text := range digits {
		number, err := pan.Parse(text)
		if err != nil {
			w.TB.Fatal(err)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

// someCards returns Verified cards.
func someCards(w *issuingtest.World, count int) []card.Card {
	var all []card.Card
	for range count {
		all = append(all, w.InStatus(w.NewCard(nil), card.Verified))
	}
	return all
}

func report(
	w *issuingtest.World, who issuing.Operator, l compromise.List, numbers []pan.Number,
) (compromise.List, bool) {
	w.TB.Helper()
	kept, repeated, err := w.Cards.ReportCompromise(w.TB.Context(), who, l, numbers)
	if err != nil {
		w.TB.Fatal(err)
	}
	return kept, repeated
}

// handle runs the job and checks how many cards it handled.
func handle(w *issuingtest.World, want int) {
	w.TB.Helper()
	got, err := w.Cards.HandleCompromises(w.TB.Context())
	if err != nil || got != want {
		w.TB.Errorf("%d cards handled (%v), want %d", got, err, want)
	}
}

// wantList compares the progress of a list: waiting, done, left, refused.
func wantList(w *issuingtest.World, id int, state compromise.State, want ...int) {
	w.TB.Helper()
	l, err := w.Cards.FindCompromise(w.TB.Context(), issuingtest.Clerk, id)
	got := []int{l.Cards - l.Next(), l.Outcomes[compromise.Handled], l.Outcomes[compromise.Left],
		l.Outcomes[compromise.Refused]}
	if err != nil || l.State != state || !slices.Equal(got, want) {
		w.TB.Errorf("the list is %s with %v (%v), want %s with %v", l.State, got, err, state, want)
	}
}

// TestLockCompromised locks more cards than fit in a batch, except those whose numbers are dead. A
// job killed in the middle of a batch neither loses nor repeats a card, and reporting the same
// numbers again yields the same list.
func TestLockCompromised(t *testing.T) {
	t.Parallel()
	issuingtest.OnBothStores(t, func(t *testing.T, w *issuingtest.World) {
		all := someCards(w, compromise.Batch+8)
		lost := all[0]
		lost.Lock = card.Lock{Type: card.Customer, Reason: card.Lost}
		all[0] = w.InStatus(lost, card.Verified)
		all[1] = w.InStatus(all[1], card.Reissued)
		all[2] = w.InStatus(all[2], card.Archived)
		numbers := numbersOf(w, all)

		dry := issuingtest.Clerk
		dry.DryRun = true
		tried, _ := report(w, dry, newList(compromise.Lock, 0), numbers)
		if tried.ID != 0 || tried.Cards != len(all) || tried.Numbers != len(all)+1 ||
			tried.Statuses["Verified"] != len(all)-2 || tried.Statuses["Reissued"] != 1 {
			t.Errorf("a dry run: %+v", tried)
		}
		handle(w, 0)

		l, repeated := report(w, issuingtest.Clerk, newList(compromise.Lock, 0), numbers)
		if repeated || l.State != compromise.Running {
			t.Errorf("repeated %v: %+v", repeated, l)
		}
		batches, killed := 0, errors.New("killed")
		w.Through(func(tx store.Tx) store.Tx {
			batches++
			if batches == 2 { // after all acts on its cards
				return brokenBatch{tx, killed}
			}
			return tx
		})
		if _, err := w.Cards.HandleCompromises(t.Context()); !errors.Is(err, killed) {
			t.Errorf("the killed job: %v", err)
		}
		wantList(w, l.ID, compromise.Running, 8, compromise.Batch-3, 2, 1)
		handle(w, 8)
		handle(w, 0)
		wantList(w, l.ID, compromise.Done, 0, len(all)-3, 2, 1)

		for _, c := range all[3:] {
			got := w.Stored(c.ID)
			if got.Lock != (card.Lock{Type: card.System, Reason: card.SuspectedFraud}) ||
				got.Revision != c.Revision+1 {
				t.Errorf("card %d is %+v", c.ID, got)
			}
			trail := w.Trail(c.ID)
			last := trail[len(trail)-1]
			if last.Act != "lock card" || last.Name != "clerk" ||
				!strings.Contains(last.Reason, "the branch asks (compromise 1, breach)") {
				t.Errorf("the audit of card %d ends with %+v", c.ID, last)
			}
		}
		slices.Reverse(numbers)
		again, repeated := report(w, issuingtest.Clerk, newList(compromise.Lock, 0), numbers)
		if !repeated || again.ID != l.ID || again.State != compromise.Done {
			t.Errorf("the same numbers again: %v, %+v", repeated, again)
		}
		handle(w, 0)
		shown, err := w.Cards.CompromisedCards(t.Context(), issuingtest.Clerk, l.ID)
		if err != nil || len(shown) != len(all) || !slices.Contains(shown, compromise.Card{
			ID: all[2].ID, Outcome: compromise.Refused, Why: "An archived card cannot be locked.",
		}) {
			t.Errorf("%d cards: %v, %+v", len(shown), err, shown)
		}
	})
}

// brokenBatch is a transaction that fails to store the results of a batch.
type brokenBatch struct {
	store.Tx
	err error
}

func (b brokenBatch) Compromises() store.Compromises {
	return brokenPut{b.Tx.Compromises(), b.err}
}

type brokenPut struct {
	store.Compromises
	err error
}

func (b brokenPut) Put(*compromise.List) error { return b.err }

// TestReplaceCompromised replaces cards in waves by the clock, those first whose creator paid most
// recently, and none while the list is paused.
func TestReplaceCompromised(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	all := someCards(w, 6)
	recent := w.InStatus(w.NewCard(func(r *cards.InitiateRequest) {
		r.CustomerID, r.CardHolderCustomerID, r.PrimaryAccountID = 1013, 1013, 2113
	}), card.Verified)
	w.Update(func(tx store.Tx) error {
		return tx.Usages().Put(authorization.Usage{
			ProgramID: 1, CustomerID: 1013, Direction: authorization.Withdraws, Day: 20260131,
		})
	})
	numbers := numbersOf(w, append(all, recent))
	locked, _ := report(w, issuingtest.Clerk, newList(compromise.Lock, 0), numbers)
	handle(w, 7)
	l, repeated := report(w, issuingtest.Clerk, newList(compromise.Replace, 3), numbers)
	if repeated || l.ID == locked.ID {
		t.Errorf("another act is the list %d, repeated %v", l.ID, repeated)
	}
	handle(w, 3)
	handle(w, 0)
	first := w.Stored(recent.ID)
	if first.Status != card.Reissued || w.Stored(first.ReplacedBy).Lock.Type != card.Unlocked {
		t.Errorf("the card in use is %s, replaced by %d", first.Status, first.ReplacedBy)
	}
	if _, err := w.Cards.ReissueCard(t.Context(), issuingtest.Clerk, all[3].ID, 0, "LST"); err != nil {
		t.Fatal(err) // meanwhile, manually
	}
	w.Clock.Advance(24 * time.Hour)
	ctx := t.Context()
	if _, err := w.Cards.PauseCompromise(ctx, issuingtest.Clerk, l.ID); err != nil {
		t.Fatal(err)
	}
	handle(w, 0)
	wantList(w, l.ID, compromise.Paused, 4, 3, 0, 0)
	if _, err := w.Cards.ResumeCompromise(ctx, issuingtest.Clerk, l.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Cards.ResumeCompromise(ctx, issuingtest.Clerk, l.ID); err == nil {
		t.Error("a list that runs is resumed")
	}
	handle(w, 4) // a card that is already replaced does not use up the day's quota
	wantList(w, l.ID, compromise.Done, 0, 6, 1, 0)
	shown, err := w.Cards.CompromisedCards(ctx, issuingtest.Clerk, l.ID)
	if err != nil || shown[0].ID != recent.ID || shown[0].Replacement != first.ReplacedBy {
		t.Errorf("the first card: %v, %+v", err, shown[0])
	}
	if _, err := w.Cards.FindCompromise(ctx, outsider, l.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an operator of another bank reads the list: %v", err)
	}
}

// changeBin changes a BIN of the demo program.
func changeBin(w *issuingtest.World, id int, change func(*program.Bin)) (changed program.Bin) {
	w.Update(func(tx store.Tx) error {
		p, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		changed = p.Bins[slices.IndexFunc(p.Bins, func(b program.Bin) bool { return b.ID == id })]
		change(&changed)
		return tx.Programs().PutBin(changed)
	})
	return changed
}

func leaveOneNumber(b *program.Bin) { b.LastBody = b.FirstBody }

// TestReplaceWithoutBin replaces the cards around one whose vendor has no active BIN and one whose
// BIN is exhausted: these two are refused and locked, and do not hold up the others.
func TestReplaceWithoutBin(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	all := someCards(w, 4)
	for i, bin := range []int{2, 4} {
		if bin == 4 {
			changeBin(w, bin, leaveOneNumber)
		}
		all[i+1] = w.InStatus(w.NewCard(func(r *cards.InitiateRequest) {
			r.BinID = &bin
			if bin == 2 {
				r.VendorTypeCode = "MC"
			}
		}), card.Verified)
	}
	changeBin(w, 2, func(b *program.Bin) { b.IsActive = false })
	l, _ := report(w, issuingtest.Clerk, newList(compromise.Replace, 0), numbersOf(w, all))
	handle(w, 4)
	wantList(w, l.ID, compromise.Done, 0, 2, 0, 2)
	wantUnreplaced(w, l.ID, all[1], "ProgramId 1 does not have a BIN mapped to it. The card is locked.",
		fraudLock)
	wantUnreplaced(w, l.ID, all[2],
		"All card numbers are already allocated for Program 1. The card is locked.", fraudLock)
}

var fraudLock = card.Lock{Type: card.System, Reason: card.SuspectedFraud}

// wantUnreplaced compares the reason why a card of a list is not replaced, and the card's lock.
func wantUnreplaced(w *issuingtest.World, id int, of card.Card, why string, lock card.Lock) {
	w.TB.Helper()
	shown, err := w.Cards.CompromisedCards(w.TB.Context(), issuingtest.Clerk, id)
	want := compromise.Card{ID: of.ID, Outcome: compromise.Refused, Why: why}
	if err != nil || !slices.Contains(shown, want) {
		w.TB.Errorf("the cards are %+v (%v), without %+v", shown, err, want)
	}
	if c := w.Stored(of.ID); c.Lock != lock {
		w.TB.Errorf("card %d is %s, and locked as %+v, want %+v", c.ID, c.Status, c.Lock, lock)
	}
}

// TestUnreplaced checks that a card that cannot be replaced is locked permanently, whatever the
// obstacle: it may disappear later, and the number is compromised. Archived and dead cards are left
// unchanged.
func TestUnreplaced(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	open := card.Lock{Type: card.Unlocked, Reason: card.Unknown}
	lost := card.Lock{Type: card.Customer, Reason: card.Lost}
	rows := []struct {
		status  card.Status
		lock    card.Lock
		ownerID int
		why     string
		want    card.Lock
	}{
		{card.Verified, card.Lock{Type: card.System, Reason: card.PinRetries}, 0,
			"The system has locked the card. Clear the lock first. The card is locked.", fraudLock},
		{card.Verified, card.Lock{Type: card.System, Reason: card.Administrative}, 0,
			"The system has locked the card. Clear the lock first. The card is locked.", fraudLock},
		{card.Initiated, open, 0,
			"A card that is Initiated cannot be reissued. The card is locked.", fraudLock},
		{card.Verified, open, 1013,
			"Customer 1013 is inactive: no card is made. The card is locked.", fraudLock},
		{card.Initiated, lost, 0, "A card that is Initiated cannot be reissued.", lost},
		{card.Archived, open, 0, "A card that is Archived cannot be reissued.", open},
	}
	var all []card.Card
	for _, row := range rows {
		c := w.NewCard(func(r *cards.InitiateRequest) {
			if row.ownerID != 0 {
				r.CustomerID, r.CardHolderCustomerID, r.PrimaryAccountID = row.ownerID, row.ownerID, 2113
			}
		})
		c.Lock = row.lock
		all = append(all, w.InStatus(c, row.status))
	}
	l, _ := report(w, issuingtest.Clerk, newList(compromise.Replace, 0), numbersOf(w, all))
	changeCustomer(w, 1013, func(c *customer.Customer) { c.IsActive = false })
	handle(w, len(rows))
	wantList(w, l.ID, compromise.Done, 0, 0, 0, len(rows))
	for i, row := range rows {
		wantUnreplaced(w, l.ID, all[i], row.why, row.want)
	}
}

// demandTwo makes the demo program require a second operator.
func demandTwo(w *issuingtest.World) {
	w.Update(func(tx store.Tx) error {
		p, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		p.FourEyes = true
		return tx.Programs().Put(p)
	})
}

// laterCard returns a number, and a function that orders the card that gets it.
func laterCard(w *issuingtest.World) (pan.Number, func()) {
	w.TB.Helper()
	bin := changeBin(w, 4, leaveOneNumber)
	space, err := bin.Numbers("")
	if err != nil {
		w.TB.Fatal(err)
	}
	return space.Number(0), func() {
		w.InStatus(w.NewCard(func(r *cards.InitiateRequest) { r.BinID = &bin.ID }), card.Verified)
	}
}

// TestSupersededCompromise reports the same numbers again while their list waits for a second
// operator: with another pace, with another name, and after one of them was assigned to a card.
// Each report replaces the list, and approving an earlier one starts nothing.
func TestSupersededCompromise(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	later, order := laterCard(w)
	numbers := append(numbersOf(w, someCards(w, 2)), later)
	demandTwo(w)
	named := newList(compromise.Replace, 1000)
	named.Name = "the shop"
	var ids []int
	for _, list := range []compromise.List{
		newList(compromise.Replace, 1), newList(compromise.Replace, 1000), named, named, named,
	} {
		if len(ids) == 4 {
			order()
		}
		kept, _, err := w.Cards.ReportCompromise(t.Context(), issuingtest.Clerk, list, numbers)
		if !errors.Is(err, issuing.ErrNeedsApproval) {
			t.Fatal(err)
		}
		ids = append(ids, kept.ID)
	}
	if want := []int{1, 2, 3, 3, 4}; !slices.Equal(ids, want) {
		t.Errorf("the lists are %v, want %v", ids, want)
	}
	wantList(w, 4, compromise.Waiting, 3, 0, 0, 0)
	free := issuingtest.Clerk
	free.Unguarded = true
	for _, id := range ids[:4] {
		_, err := w.Cards.BeginCompromise(t.Context(), free, id)
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the list %d, which is replaced, begins: %v", id, err)
		}
	}
	l, err := w.Cards.BeginCompromise(t.Context(), free, 4)
	if err != nil || l.PerDay != 1000 || l.Name != "the shop" {
		t.Errorf("begun as %+v: %v", l, err)
	}
}

// TestCardsSinceCompromise reports the same numbers again after one of them was assigned to a card:
// the conflict names the list and its cards, and a report of that number alone creates another
// list.
func TestCardsSinceCompromise(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	later, order := laterCard(w)
	numbers := append(numbersOf(w, someCards(w, 2)), later)
	l, _ := report(w, issuingtest.Clerk, newList(compromise.Lock, 0), numbers)
	handle(w, 2)
	order()
	_, _, err := w.Cards.ReportCompromise(t.Context(), issuingtest.Clerk,
		newList(compromise.Lock, 0), numbers)
	if refused := (*issuing.RefusedError)(nil); !errors.As(err, &refused) || refused.Detail !=
		"List 1 has 2 cards with these numbers, and there are 3 now. Report the numbers of the others alone." {
		t.Errorf("the same numbers with another card: %v", err)
	}
	wantList(w, l.ID, compromise.Done, 0, 2, 0, 0)
	report(w, issuingtest.Clerk, newList(compromise.Lock, 0), []pan.Number{later})
	handle(w, 1)
}

// TestGuardedPause pauses running lists where the program requires a second operator: pausing a
// list that locks needs one, a list that replaces is paused immediately.
func TestGuardedPause(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	numbers := numbersOf(w, someCards(w, 2))
	locks, _ := report(w, issuingtest.Clerk, newList(compromise.Lock, 0), numbers)
	replaces, _ := report(w, issuingtest.Clerk, newList(compromise.Replace, 0), numbers)
	demandTwo(w)
	_, err := w.Cards.PauseCompromise(t.Context(), issuingtest.Clerk, locks.ID)
	if !errors.Is(err, issuing.ErrNeedsApproval) {
		t.Errorf("a list that locks is paused: %v", err)
	}
	wantList(w, locks.ID, compromise.Running, 2, 0, 0, 0)
	if _, err := w.Cards.PauseCompromise(t.Context(), issuingtest.Clerk, replaces.ID); err != nil {
		t.Error(err)
	}
	wantList(w, replaces.ID, compromise.Paused, 2, 0, 0, 0)
}

// TestGuardedCompromise checks that a list waits for a second operator where the program requires
// one, with its cards and without a number, and that the approval starts it.
func TestGuardedCompromise(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	numbers := numbersOf(w, someCards(w, 2))
	demandTwo(w)
	var l compromise.List
	for range 2 { // the second approval lapses an hour later
		var err error
		w.Clock.Advance(time.Hour)
		l, _, err = w.Cards.ReportCompromise(t.Context(), issuingtest.Clerk,
			newList(compromise.Lock, 0), numbers)
		if !errors.Is(err, issuing.ErrNeedsApproval) || l.ID != 1 || !l.Changed.Equal(w.Clock.Now()) {
			t.Fatalf("the list %d, changed at %v: %v", l.ID, l.Changed, err)
		}
	}
	handle(w, 0)
	wantList(w, l.ID, compromise.Waiting, 2, 0, 0, 0)
	free := issuingtest.Clerk
	free.Actor.Reason, free.Unguarded = "confirmed by ada", true
	if _, err := w.Cards.BeginCompromise(t.Context(), free, l.ID); err != nil {
		t.Fatal(err)
	}
	handle(w, 2)
	wantList(w, l.ID, compromise.Done, 0, 2, 0, 0)
	if _, err := w.Cards.BeginCompromise(t.Context(), free, l.ID); err == nil {
		t.Error("a list is begun twice")
	}
	if kept, _ := w.Cards.FindCompromise(t.Context(), free, l.ID); kept.Actor.Reason != "confirmed by ada" ||
		kept.Actor.Kind != audit.Operator {
		t.Errorf("the list is handled for %+v", kept.Actor)
	}
}
