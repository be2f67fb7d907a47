package cards_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

func TestGet(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	for _, row := range []struct {
		customer, card string
		code           int // 0 if the card exists
	}{
		{"1001", "5001", 0},
		{"1001", "5008", 0}, // archived cards are readable
		{"1001", "1", 154101},
		{"1001", "0", 154101},
		{"1001", "-5001", 154101},
		{"1001", "+5001", 154101},
		{"1001", "5001x", 154101},
		{"1001", "4294972297", 154101}, // 5001 in the lower 32 bits
		{"1010", "5001", 154101},
		{"x", "x", 60001},
	} {
		got, err := w.Cards.Get(t.Context(), issuingtest.Caller, row.customer, row.card)
		if row.code != 0 {
			issuingtest.WantCodes(t, err, row.code)
			continue
		}
		if err != nil || len(got.Accounts) != 1 || got.Accounts[0].ID != 2001 {
			t.Errorf("%s: %+v (%v)", row.card, got.Accounts, err)
		}
	}
	// The error quotes whatever was sent.
	_, err := w.Cards.Get(t.Context(), issuingtest.Caller, "1001", "five")
	if err == nil || !strings.Contains(err.Error(), "CardId five or CustomerId 1001") {
		t.Errorf("the message is %v", err)
	}
}

// TestProgramsDoNotSeeEachOther checks that an object of another program is answered like one that
// does not exist.
func TestProgramsDoNotSeeEachOther(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	other := issuing.Caller{
		Actor: audit.Actor{Kind: audit.APIKey, Name: "other1"}, ProgramID: 2, Route: "/card/test",
	}
	_, err := w.Cards.Get(t.Context(), other, "9001", "5001")
	issuingtest.WantCodes(t, err, 154101)
	_, err = w.Cards.GetByTag(t.Context(), other, "9001", "demo-5001")
	issuingtest.WantCodes(t, err, 154002)
	_, err = w.Cards.Get(t.Context(), other, "1001", "5001")
	issuingtest.WantCodes(t, err, 60001)
	_, err = w.Cards.Lock(t.Context(), other, cards.LockRequest{
		CardRef: issuing.CardRef{CustomerID: 9001, CardID: 5001}, LockReasonTypeCode: "TMP",
	})
	issuingtest.WantCodes(t, err, 150403)
	_, err = w.Cards.Unlock(t.Context(), other, issuing.CardRef{CustomerID: 9001, CardID: 5001})
	issuingtest.WantCodes(t, err, 150501)
}

func TestGetByTag(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	tagged := func(tag string) int {
		return w.NewCard(func(r *cards.InitiateRequest) { r.Tag = tag }).ID
	}
	spaced, plus, slash := tagged("a b"), tagged("a+b"), tagged("a/b")
	onlySpaced := tagged("c d")
	w.NewCard(nil) // without a tag
	for tag, want := range map[string]int{
		"a b": spaced, "a+b": plus, "a/b": slash, "c+d": onlySpaced,
		"": 0, "A b": 0, "a": 0, "demo-5001 ": 0,
	} {
		got, err := w.Cards.GetByTag(t.Context(), issuingtest.Caller, "1001", tag)
		if want == 0 {
			issuingtest.WantCodes(t, err, 154002)
			continue
		}
		if err != nil || got.ID != want {
			t.Errorf("the tag %q finds card %d (%v), want %d", tag, got.ID, err, want)
		}
	}
	_, err := w.Cards.GetByTag(t.Context(), issuingtest.Caller, "1010", "a b")
	issuingtest.WantCodes(t, err, 154002)
}

func TestList(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	held := w.NewCard(func(r *cards.InitiateRequest) { r.CardHolderCustomerID = holds })
	demoCards := []int{5001, 5002, 5003, 5004, 5005, 5006, 5007, 5008}
	for _, row := range []struct {
		customer string
		statuses []string
		want     []int
	}{
		{"1001", nil, append(demoCards, held.ID)},
		{"1001", []string{""}, append(demoCards, held.ID)},
		{"1001", []string{"all"}, append(demoCards, held.ID)},
		{"1001", []string{"Default"}, []int{5001, 5002, 5003, 5006, 5007, held.ID}},
		{"1001", []string{"hotlisted"}, []int{5006}},
		{"1001", []string{"Pending"}, []int{5007}},
		{"1001", []string{"VERIFIED"}, []int{5001, 5002, 5003, 5006}},
		{"1001", []string{"ReissuedPendingVerification"}, []int{}},
		{"1002", nil, []int{held.ID}},
		{"1010", nil, []int{}},
	} {
		got, err := w.Cards.List(t.Context(), issuingtest.Caller, row.customer, row.statuses)
		if err != nil || got == nil {
			t.Errorf("%v: %v (%v)", row.statuses, got, err)
		}
		ids := []int{}
		for c := range got.All() {
			ids = append(ids, c.ID)
		}
		got.Done()
		if diff := cmp.Diff(row.want, ids); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", row.customer, row.statuses, diff)
		}
	}
	for _, statuses := range [][]string{{"Shipped"}, {"All", "All"}, {"Verified", ""}} {
		_, err := w.Cards.List(t.Context(), issuingtest.Caller, "1001", statuses)
		issuingtest.WantCodes(t, err, 59956)
	}
}

// TestAnswerToAnOrder checks that the sandbox answers with the card as ordered and with the way to
// verify it, while the next request sees it shipped.
func TestAnswerToAnOrder(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	detail, err := w.Cards.Initiate(t.Context(), issuingtest.Caller, w.NewOrder())
	if err != nil {
		t.Fatal(err)
	}
	if detail.Status != card.Initiated || detail.NumberMasked != issuingtest.Ending {
		t.Errorf("the answer is %s with number %q", detail.Status, detail.NumberMasked)
	}
	next, err := w.Cards.Get(t.Context(), issuingtest.Caller, "1001", strconv.Itoa(detail.ID))
	if err != nil {
		t.Fatal(err)
	}
	if next.Status != card.PendingVerification || next.NumberMasked != strings.Repeat("*", 16) {
		t.Errorf("then it is %s with number %q", next.Status, next.NumberMasked)
	}
	if !next.Requested.Equal(issuingtest.Start) {
		t.Errorf("requestedDate is %s, want the time of the order", next.Requested)
	}

	p := issuingtest.NewProduction(t)
	detail, err = p.Cards.Initiate(t.Context(), issuingtest.Caller, p.NewOrder())
	if err != nil {
		t.Fatal(err)
	}
	stored := p.Stored(detail.ID)
	if stored.Status != card.Initiated || detail.NumberMasked != strings.Repeat("*", 16) ||
		!stored.Requested.IsZero() {
		t.Errorf("in production it is %s with number %q", stored.Status, detail.NumberMasked)
	}
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	for _, row := range []struct {
		culture, documentType string
		want                  int
	}{
		{"en-US", "", 11}, {"es-US", "", 11}, {"fr-FR", "", 0}, {"", "", 0},
		{"en-US", "FeeDisclosure", 1}, {"en-US", "NoSuchType", 0}, {"EN-us", "", 11},
	} {
		got, err := w.Programs.ListDocuments(t.Context(), issuingtest.Caller, row.culture, row.documentType)
		if err != nil || len(got.Documents) != row.want {
			t.Errorf("%s %s: %d documents (%v), want %d", row.culture, row.documentType,
				len(got.Documents), err, row.want)
		}
	}
	w.Update(func(tx store.Tx) error {
		d, err := tx.Documents().Find(1, 90)
		if err != nil {
			return err
		}
		d.Expires = issuingtest.Start
		return tx.Documents().Put(d)
	})
	w.Update(func(tx store.Tx) error {
		d, err := tx.Documents().Find(1, 89)
		if err != nil {
			return err
		}
		d.Effective = issuingtest.Start.AddDate(0, 0, 1)
		return tx.Documents().Put(d)
	})
	got, err := w.Programs.ListDocuments(t.Context(), issuingtest.Caller, "en-US", "FeeDisclosure")
	if err != nil || len(got.Documents) != 0 {
		t.Errorf("a document that has expired is listed: %v (%v)", got.Documents, err)
	}
	for _, row := range []struct {
		culture, document string
		code              int
	}{
		{"", "", 68301}, {"en-US", "", 68301}, {"en-US", "x", 68302}, {"en-US", "0", 68302},
		{"en-US", "99999", 68304}, {"es-US", "90", 68304}, {"en-US", "90", 68303},
		{"en-US", "89", 68304}, {"EN-US", "90", 68303},
	} {
		_, err := w.Programs.DownloadDocument(t.Context(), issuingtest.Caller, row.culture, row.document)
		issuingtest.WantCodes(t, err, row.code)
	}
}
