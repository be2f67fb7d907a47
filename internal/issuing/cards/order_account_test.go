package cards_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// cardWithFullSlots returns a card of 1001 with all four checking slots taken, held by a customer
// who may not manage accounts, and the same card locked.
func cardWithFullSlots(w *issuingtest.World, t *testing.T) (open, shut card.Card) {
	t.Helper()
	var before, list []card.Card
	for range 2 {
		c := w.NewCard(func(r *cards.InitiateRequest) { r.CardHolderCustomerID = holds })
		before = append(before, c)
		c.Slots.Checking = []int{2001, 2002, 2003, 2004}
		list = append(list, c)
	}
	open, shut = list[0], list[1]
	shut.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
	w.Update(func(tx store.Tx) error {
		if err := tx.Cards().Change(before[0], &open); err != nil {
			return err
		}
		return tx.Cards().Change(before[1], &shut)
	})
	return open, shut
}

func TestOrderOfAddAccount(t *testing.T) {
	t.Parallel()
	type request = cards.PriorityRequest
	w := issuingtest.NewSandbox(t)
	open, shut := cardWithFullSlots(w, t)
	roomy := w.NewCard(nil)
	account := func(id int) func(*request) { return func(r *request) { r.AccountID = id } }
	customer := func(id int) func(*request) { return func(r *request) { r.CustomerID = id } }
	first, nine := 1, 9
	good := request{
		AccountRequest: cards.AccountRequest{
			CardRef: issuing.CardRef{CustomerID: 1001, CardID: open.ID}, AccountID: 2006,
		},
		CardPriority: &first, Priority: &nine, // the first of the two takes precedence
	}
	checkOrder(t, w, good, w.Cards.AddAccount, []stage[request]{
		{code: 60004, spoil: customer(locked)},
		{code: 150601, spoil: customer(stranger)},
		{code: 150403, spoil: customer(holds)},
		{code: 150602, spoil: func(r *request) { r.CardID = shut.ID }},
		{code: 59956, spoil: account(9101)},
		{code: 59956, spoil: account(2110)}, // of another customer
		{code: 150211, spoil: account(2014)},
		{code: 150603, spoil: account(2013)},
		{code: 150605, spoil: account(2011)},
		{code: 150606, spoil: account(2004)},
		{code: 150604, spoil: account(2005)},
		{code: 150607, spoil: func(r *request) { r.CardPriority = &nine }},
	})

	none := good
	none.CardID, none.CardPriority, none.Priority = roomy.ID, nil, nil
	_, err := w.Cards.AddAccount(t.Context(), issuingtest.Caller, none)
	issuingtest.WantCodes(t, err, 150607)
}

func TestOrderOfRemoveAndReprioritize(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	open, _ := cardWithFullSlots(w, t)
	ref := issuing.CardRef{CustomerID: 1001, CardID: open.ID}

	type prioritize = cards.PriorityRequest
	first, nine := 1, 9
	move := prioritize{
		AccountRequest: cards.AccountRequest{CardRef: ref, AccountID: 2003}, Priority: &first,
	}
	checkOrder(t, w, move, w.Cards.ReprioritizeAccount, []stage[prioritize]{
		{code: 60004, spoil: func(r *prioritize) { r.CustomerID = locked }},
		{code: 150801, spoil: func(r *prioritize) { r.CustomerID = stranger }},
		{code: 150801, spoil: func(r *prioritize) { r.CardID = issuingtest.ArchivedCard }},
		{code: 150403, spoil: func(r *prioritize) { r.CustomerID = holds }},
		{code: 59956, spoil: func(r *prioritize) { r.AccountID = 2005 }},
		{code: 150802, spoil: func(r *prioritize) { r.Priority = &nine }},
	})
	if got := w.Stored(open.ID).PrimaryAccount(); got != 2003 {
		t.Errorf("the primary account is %d, want the one that was moved to the top", got)
	}

	type request = cards.AccountRequest
	checkOrder(t, w, request{CardRef: ref, AccountID: 2004}, w.Cards.RemoveAccount, []stage[request]{
		{code: 60004, spoil: func(r *request) { r.CustomerID = locked }},
		{code: 150701, spoil: func(r *request) { r.CustomerID = stranger }},
		{code: 150403, spoil: func(r *request) { r.CustomerID = holds }},
		{code: 59956, spoil: func(r *request) { r.AccountID = 2005 }},
		{code: 150702, spoil: func(r *request) { r.AccountID = 2003 }},
	})
}

func TestOrderOfResetPin(t *testing.T) {
	t.Parallel()
	type request = cards.PinRequest
	w := issuingtest.NewSandbox(t)
	worn := cardAtPinLimit(w, t)
	good := request{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}, NewPin: issuingtest.PlainPin("0001"),
	}
	checkOrder(t, w, good, w.Cards.ResetPin, []stage[request]{
		{code: 150901, spoil: func(r *request) { r.NewPin = "" }},
		{code: 60004, spoil: func(r *request) { r.CustomerID = locked }},
		{code: 150403, spoil: func(r *request) { r.CustomerID = noAccess }},
		{code: 150403, spoil: func(r *request) { r.CustomerID = stranger }},
		{code: 150403, spoil: func(r *request) { r.CardID = issuingtest.ArchivedCard }},
		{code: 50904, world: noKey},
		{code: 50429, spoil: func(r *request) { r.CardID = worn.ID }},
		{code: 150901, spoil: func(r *request) { r.NewPin = "!" }},
		{code: 150903, spoil: func(r *request) { r.NewPin = issuingtest.PlainPin("0000") }},
	})
}

// TestEveryCustomerFault checks that each act checks the customer, and in the same way.
func TestEveryCustomerFault(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	want := map[string]int{
		"1": 60001, "x": 60001, "0": 60001, "-1": 60001, "2147483648": 60001, "9001": 60001,
		"1003": 60003, "1004": 60003, "1005": 60002, "1006": 60004, "1007": 60005, "1011": 60003,
	}
	for customer, code := range want {
		_, err := w.Cards.Get(t.Context(), issuingtest.Caller, customer, "5001")
		issuingtest.WantCodes(t, err, code)
		_, err = w.Cards.GetByTag(t.Context(), issuingtest.Caller, customer, "demo-5001")
		issuingtest.WantCodes(t, err, code)
		_, err = w.Cards.List(t.Context(), issuingtest.Caller, customer, []string{"nonsense"})
		issuingtest.WantCodes(t, err, code)
	}
}

// TestNoAccessType checks that a customer with access type NONE can read its cards but change
// nothing, neither the cards nor their number.
func TestNoAccessType(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	w.Update(func(tx store.Tx) error {
		all, err := tx.Customers().FindMany([]int{1001})
		if err != nil {
			return err
		}
		barred := all[1001]
		barred.AccessType = customer.None
		return tx.Customers().Put(barred)
	})
	ctx, ref := t.Context(), issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
	before := w.Stored(issuingtest.VerifiedCard)
	account := cards.AccountRequest{CardRef: ref, AccountID: 2002}
	lock := cards.LockRequest{CardRef: ref, LockReasonTypeCode: "FRD"}
	for name, act := range map[string]func() (cards.CardDetail, error){
		"verify": func() (cards.CardDetail, error) {
			return w.Cards.Verify(ctx, issuingtest.Caller, cards.VerifyRequest{
				CardRef: ref, BirthDate: issuingtest.Born, CardNumberMasked: "1111"})
		},
		"lock":    func() (cards.CardDetail, error) { return w.Cards.Lock(ctx, issuingtest.Caller, lock) },
		"hotlist": func() (cards.CardDetail, error) { return w.Cards.Hotlist(ctx, issuingtest.Caller, lock) },
		"unlock":  func() (cards.CardDetail, error) { return w.Cards.Unlock(ctx, issuingtest.Caller, ref) },
		"archive": func() (cards.CardDetail, error) {
			return cards.CardDetail{}, w.Cards.Archive(ctx, issuingtest.Caller, ref)
		},
		"reissue": func() (cards.CardDetail, error) {
			return w.Cards.Reissue(ctx, issuingtest.Caller, cards.ReissueRequest{
				CardRef: ref, ReissueReasonTypeCode: "DMG"})
		},
		"add": func() (cards.CardDetail, error) {
			return w.Cards.AddAccount(ctx, issuingtest.Caller, cards.PriorityRequest{AccountRequest: account})
		},
		"remove": func() (cards.CardDetail, error) { return w.Cards.RemoveAccount(ctx, issuingtest.Caller, account) },
		"reprioritize": func() (cards.CardDetail, error) {
			return w.Cards.ReprioritizeAccount(
				ctx, issuingtest.Caller, cards.PriorityRequest{AccountRequest: account})
		},
		"resetpin": func() (cards.CardDetail, error) {
			return w.Cards.ResetPin(ctx, issuingtest.Caller, cards.PinRequest{
				CardRef: ref, NewPin: issuingtest.PlainPin("1234")})
		},
	} {
		_, err := act()
		if got := issuingtest.CodesOf(err); !slices.Equal(got, []int{150403}) {
			t.Errorf("%s: %v (%v)", name, got, err)
		}
	}
	_, err := w.Cards.Initiate(ctx, issuingtest.Caller, w.NewOrder())
	issuingtest.WantCodes(t, err, 150211)
	if diff := cmp.Diff(before, w.Stored(issuingtest.VerifiedCard)); diff != "" {
		t.Errorf("the card (-before +now):\n%s", diff)
	}
	w.Must(w.Cards.Get(ctx, issuingtest.Caller, "1001", "5001"))
}
