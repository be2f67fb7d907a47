package cards_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/processor"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// stage is one fault in a request. The stages of an act are listed in the order in which the act
// must check them.
type stage[R any] struct {
	code  int
	spoil func(*R)
	world func(*issuingtest.World) // the fault in the store; nil for none
}

// checkOrder checks the order of an act's checks. For each pair of stages it causes both faults and
// expects only that of the earlier; a request without a fault must succeed.
func checkOrder[R any](
	t *testing.T, w *issuingtest.World, good R,
	do func(context.Context, issuing.Caller, R) (cards.CardDetail, error), stages []stage[R],
) {
	t.Helper()
	for i, earlier := range stages {
		for _, later := range stages[i:] {
			w.Configure(true, true, program.EncryptAndDecrypt)
			req := good
			// The earlier stage spoils last, because two stages may spoil the same member.
			for _, s := range []stage[R]{later, earlier} {
				if s.spoil != nil {
					s.spoil(&req)
				}
				if s.world != nil {
					s.world(w)
				}
			}
			_, err := do(t.Context(), issuingtest.Caller, req)
			if got := issuingtest.CodesOf(err); !slices.Equal(got, []int{earlier.code}) {
				t.Errorf("%d and %d wrong: the answer is %v (%v), want %[1]d",
					earlier.code, later.code, got, err)
			}
		}
	}
	w.Configure(true, true, program.EncryptAndDecrypt)
	if _, err := do(t.Context(), issuingtest.Caller, good); err != nil {
		t.Errorf("with nothing wrong: %v", err)
	}
}

// Customers of the demo data, by their defect.
const (
	holds    = 1002 // access type CARD
	locked   = 1006
	noPhone  = 1008
	noPost   = 1009
	stranger = 1010 // Verified, unrelated to the cards of 1001
	denied   = 1011
	noAccess = 1012
)

// The members of a request cannot select faults in the store: each of these also causes those of
// the later stages, so that the earlier must take precedence.

// noBin leaves no BIN to choose from.
func noBin(w *issuingtest.World) { w.Configure(false, false, program.DecryptOnly) }

// noKey removes the encryption key.
func noKey(w *issuingtest.World) { w.Configure(false, true, program.DecryptOnly) }

// usedUp leaves only the BIN whose single sandbox number is in use.
func usedUp(w *issuingtest.World) { w.Configure(false, true, program.EncryptAndDecrypt) }

func TestOrderOfInitiate(t *testing.T) {
	t.Parallel()
	type request = cards.InitiateRequest
	bin := func(id int) func(*request) { return func(r *request) { r.BinID = &id } }
	account := func(id int) func(*request) { return func(r *request) { r.PrimaryAccountID = id } }
	holder := func(id int) func(*request) {
		return func(r *request) { r.CardHolderCustomerID = id }
	}
	by := func(customer, account int) func(*request) {
		return func(r *request) { r.CustomerID, r.PrimaryAccountID = customer, account }
	}
	stages := []stage[request]{
		{code: 150202, spoil: func(r *request) { r.VendorTypeCode = "XX" }},
		{code: 60001, spoil: func(r *request) { r.CustomerID = 0 }},
		{code: 60004, spoil: func(r *request) { r.CustomerID = locked }},
		{code: 150211, spoil: func(r *request) { r.CustomerID = noAccess }},
		{code: 150205, spoil: holder(0)},
		{code: 150205, spoil: holder(9001)}, // of another program
		{code: 150206, spoil: holder(denied)},
		{code: 150207, spoil: holder(noAccess)},
		{code: 150231, spoil: by(noPhone, 2108)},
		{code: 150232, spoil: by(noPost, 2109)},
		{code: 150212, spoil: account(0)},
		{code: 150208, spoil: account(9101)}, // of another program
		{code: 150211, spoil: account(2014)},
		{code: 150210, spoil: account(2013)},
		{code: 150209, spoil: account(2012)},
		{code: 50902, world: noBin},
		{code: 150243, spoil: bin(3)},
		{code: 50904, world: noKey},
		{code: 59956, spoil: func(r *request) { r.NewPin = issuingtest.PlainPin("12345") }},
		{code: 150204, spoil: func(r *request) { r.Tag = "demo-5001" }},
		{code: 150230, spoil: func(r *request) { r.NickName = "dEMO 5001" }},
		{code: 59103, world: usedUp},
	}
	// The two names of a card belong to one stage, which the test below checks.
	w := issuingtest.NewSandbox(t)
	good := w.NewOrder()
	for _, left := range []int{150204, 150230} {
		chain := slices.DeleteFunc(slices.Clone(stages), func(s stage[request]) bool {
			return s.code == left
		})
		good.NickName = w.NewOrder().NickName
		checkOrder(t, w, good, w.Cards.Initiate, chain)
	}

	both := w.NewOrder()
	both.Tag, both.NickName = "demo-5001", "Demo 5001"
	_, err := w.Cards.Initiate(t.Context(), issuingtest.Caller, both)
	issuingtest.WantCodes(t, err, 150204, 150230)

	// A range too narrow for any number is exhausted without a query of the store.
	w.Update(func(tx store.Tx) error {
		return tx.Programs().PutBin(program.Bin{
			ID: 5, ProgramID: 1, Vendor: "VS", IsActive: true, ValidMonths: 48,
			FirstBody: "400554000000000", LastBody: "400554000000039",
		})
	})
	five := 5
	both.BinID = &five
	_, err = w.Cards.Initiate(t.Context(), issuingtest.Caller, both)
	issuingtest.WantCodes(t, err, 150204, 150230)
	free := w.NewOrder()
	free.BinID = &five
	_, err = w.Cards.Initiate(t.Context(), issuingtest.Caller, free)
	issuingtest.WantCodes(t, err, 59103)
}

func TestOrderOfCreateDigital(t *testing.T) {
	t.Parallel()
	type request = cards.DigitalRequest
	w := issuingtest.NewSandbox(t)
	checkOrder(t, w, w.NewOrder().DigitalRequest, w.Cards.CreateDigital, []stage[request]{
		{code: 150202, spoil: func(r *request) { r.VendorTypeCode = "XX" }},
		{code: 60004, spoil: func(r *request) { r.CustomerID = locked }},
		{code: 150211, spoil: func(r *request) { r.CustomerID = noAccess }},
		{code: 150205, spoil: func(r *request) { r.CardHolderCustomerID = 1 }},
		{code: 150209, spoil: func(r *request) { r.PrimaryAccountID = 2012 }},
		{code: 50902, world: noBin},
		{code: 50904, world: noKey},
		{code: 150204, spoil: func(r *request) { r.Tag = "demo-5001" }},
		{code: 59103, world: usedUp},
	})
}

func TestOrderOfVerify(t *testing.T) {
	t.Parallel()
	type request = cards.VerifyRequest
	w := issuingtest.NewSandbox(t)
	good := request{
		CardRef: issuing.CardRef{CustomerID: 1001, CardID: w.NewCard(nil).ID},
		// The calendar date counts as written, whatever the offset.
		BirthDate: issuingtest.Born, CardNumberMasked: "************1111",
	}
	checkOrder(t, w, good, w.Cards.Verify, []stage[request]{
		{code: 59956, spoil: func(r *request) { r.CardNumberMasked = "" }},
		{code: 60004, spoil: func(r *request) { r.CustomerID = locked }},
		{code: 150403, spoil: func(r *request) { r.CustomerID = noAccess }},
		{code: 150301, spoil: func(r *request) { r.CustomerID = stranger }},
		{code: 150302, spoil: func(r *request) { r.CardID = issuingtest.VerifiedCard }},
		{code: 150303, spoil: func(r *request) { r.CardNumberMasked = "1112" }},
	})
	_, err := w.Cards.Verify(t.Context(), issuingtest.Caller, request{})
	issuingtest.WantCodes(t, err, 59956, 59956)
}

func TestOrderOfLocks(t *testing.T) {
	t.Parallel()
	type request = cards.LockRequest
	w := issuingtest.NewSandbox(t)
	stages := func(reason string, code int) []stage[request] {
		return []stage[request]{
			{code: code, spoil: func(r *request) { r.LockReasonTypeCode = reason }},
			{code: 60004, spoil: func(r *request) { r.CustomerID = locked }},
			{code: 150403, spoil: func(r *request) { r.CustomerID = noAccess }},
			{code: 150403, spoil: func(r *request) { r.CustomerID = stranger }},
			{code: 150403, spoil: func(r *request) { r.CardID = 1 }},
			{code: 150402, spoil: func(r *request) { r.CardID = issuingtest.SystemLocked }},
		}
	}
	good := func(reason string) request {
		return request{
			CardRef: issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard}, LockReasonTypeCode: reason,
		}
	}
	checkOrder(t, w, good("tmp"), w.Cards.Lock, stages("LST", 150404))
	checkOrder(t, w, good("tmp"), w.Cards.Lock, stages("ABC", 150401))
	checkOrder(t, w, good("tmp"), w.Cards.Lock, stages("", 150405))
	checkOrder(t, w, good("frd"), w.Cards.Hotlist, stages("TMP", 150801))
	checkOrder(t, w, good("LST"), w.Cards.Hotlist, stages("ABC", 150401))
}

func TestOrderOfUnlockAndArchive(t *testing.T) {
	t.Parallel()
	type request = issuing.CardRef
	w := issuingtest.NewSandbox(t)
	good := request{CustomerID: 1001, CardID: issuingtest.VerifiedCard}
	lockedOut := stage[request]{code: 60004, spoil: func(r *request) { r.CustomerID = locked }}
	without := stage[request]{code: 150403, spoil: func(r *request) { r.CustomerID = noAccess }}
	strange := func(code int) stage[request] {
		return stage[request]{code: code, spoil: func(r *request) { r.CustomerID = stranger }}
	}
	card := func(code, id int) stage[request] {
		return stage[request]{code: code, spoil: func(r *request) { r.CardID = id }}
	}
	checkOrder(t, w, good, w.Cards.Unlock, []stage[request]{
		// The card that the system has marked as lost already has two faults.
		lockedOut, without, strange(150501), card(150501, issuingtest.ArchivedCard), card(150503, issuingtest.SystemLost),
		card(150502, issuingtest.SystemLocked),
	})
	archive := func(
		ctx context.Context, who issuing.Caller, r request,
	) (cards.CardDetail, error) {
		return cards.CardDetail{}, w.Cards.Archive(ctx, who, r)
	}
	checkOrder(t, w, good, archive, []stage[request]{
		lockedOut, without, strange(153101), card(153102, issuingtest.ArchivedCard),
	})
}

func TestOrderOfReissue(t *testing.T) {
	t.Parallel()
	type request = cards.ReissueRequest
	w := issuingtest.NewSandbox(t)
	worn := cardAtPinLimit(w, t)
	held := w.NewCard(func(r *cards.InitiateRequest) { r.CardHolderCustomerID = holds })
	byHolder := issuing.CardRef{CustomerID: holds, CardID: held.ID}
	good := request{
		CardRef:               issuing.CardRef{CustomerID: 1001, CardID: issuingtest.VerifiedCard},
		ReissueReasonTypeCode: "lst", NewPin: issuingtest.PlainPin("0420"),
	}
	checkOrder(t, w, good, w.Cards.Reissue, []stage[request]{
		{code: 153001, spoil: func(r *request) { r.ReissueReasonTypeCode = "TMP" }},
		{code: 60004, spoil: func(r *request) { r.CustomerID = locked }},
		{code: 150403, spoil: func(r *request) { r.CustomerID = noAccess }},
		{code: 153002, spoil: func(r *request) { r.CustomerID = stranger }},
		{code: 153002, spoil: func(r *request) { r.CardRef = byHolder }},
		{code: 153003, spoil: func(r *request) { r.CardID = issuingtest.DeniedCard }},
		{code: 150402, spoil: func(r *request) { r.CardID = issuingtest.SystemLocked }},
		{code: 50902, world: noBin},
		{code: 50904, world: noKey},
		{code: 50429, spoil: func(r *request) { r.CardID = worn.ID }},
		{code: 59956, spoil: func(r *request) { r.NewPin = "!" }},
		{code: 59103, world: usedUp},
	})
	both := good
	both.ReissueReasonTypeCode, both.QualifierCode = "", "long"
	_, err := w.Cards.Reissue(t.Context(), issuingtest.Caller, both)
	issuingtest.WantCodes(t, err, 153001, 59956)
}

// cardAtPinLimit returns a verified card that has used up its five PINs of the hour.
func cardAtPinLimit(w *issuingtest.World, t *testing.T) card.Card {
	t.Helper()
	worn := w.InStatus(w.NewCard(nil), card.Verified)
	for range card.MaxPins {
		req := cards.PinRequest{
			CardRef: issuing.CardRef{CustomerID: 1001, CardID: worn.ID}, NewPin: issuingtest.PlainPin("1234"),
		}
		if _, err := w.Cards.ResetPin(t.Context(), issuingtest.Caller, req); err != nil {
			t.Fatal(err)
		}
	}
	return worn
}

// refusing is a processor that refuses orders to produce a card.
type refusing struct{}

func (refusing) Submit(_ context.Context, m processor.Message) (processor.Answer, error) {
	if m.Kind == order.Make {
		return processor.Answer{Outcome: processor.Refused, Reason: "no such design"}, nil
	}
	return processor.Answer{Outcome: processor.Done}, nil
}

// TestRefusedCard checks that a card that the processor refuses to produce is Denied, that its
// nickname becomes free, and that the processor is ordered to close it.
func TestRefusedCard(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	w.Simulate(refusing{})
	req := w.NewOrder()
	req.NickName = "Free"
	c := w.Must(w.Cards.Initiate(t.Context(), issuingtest.Caller, req))
	if c.Status != card.Initiated {
		t.Errorf("the answer is %s", c.Status)
	}
	denied := w.Stored(c.ID)
	if denied.Status != card.Denied || denied.Denied.IsZero() || denied.Orders != 2 {
		t.Errorf("the card is %s, denied at %s, %d orders", denied.Status, denied.Denied,
			denied.Orders)
	}
	w.WantOrders(denied.ID, "card.make failed no such design", "card.close done ")
	var outcomes []string
	for _, row := range w.Trail(denied.ID) {
		outcomes = append(outcomes, string(row.Kind)+" "+row.Outcome)
	}
	want := []string{"key created", "processor order failed", "processor changed"}
	if diff := cmp.Diff(want, outcomes); diff != "" {
		t.Errorf("trail (-want +got):\n%s", diff)
	}
	again := w.NewOrder()
	again.NickName = "Free"
	w.Must(w.Cards.Initiate(t.Context(), issuingtest.Caller, again))
}
