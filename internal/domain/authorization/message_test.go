package authorization

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/strictjson"
)

func read(body string) (Request, string) {
	var a Request
	wrong := strictjson.Read([]byte(body), func(o *strictjson.Object) { a = ReadRequest(o) })
	return a, wrong.String()
}

func TestReadAsked(t *testing.T) {
	got, wrong := read(`{"authorizationId":"a1","cardId":5001,"category":"Savings","amount":12.50,
		"currency":"USD","kind":"withdrawal","at":"2026-06-01T12:00:00Z"}`)
	want := Request{
		ID: "a1", CardID: 5001, Currency: "USD", Decimals: 2,
		Transfer: Transfer{Kind: Withdrawal, Category: "Savings"},
		At:       time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC),
	}
	if got.Amount.TenThousandths != 125000 {
		t.Errorf("the amount is %s", got.Amount)
	}
	got.Amount = want.Amount
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(want.Amount)); diff != "" || wrong != "" {
		t.Errorf("%s (-want +got):\n%s", wrong, diff)
	}
	if got, wrong := read(`{"authorizationId":"a1","sealed":"x","amount":3,"kind":"deposit",
		"at":"2026-06-01T12:00:00Z"}`); wrong != "" || got.Decimals != 0 || got.Sealed != "x" {
		t.Errorf("%+v: %s", got, wrong)
	}
}

// TestWrongMessages checks that all problems are reported together.
func TestWrongMessages(t *testing.T) {
	_, wrong := read(`{"amount":"12","cardId":1,"sealed":"x","category":"Gold","currency":"usd",
		"kind":"gift","more":1}`)
	const want = `amount: must be a number in plain decimal digits, such as 12.50
authorizationId: a value is required
cardId: either cardId or sealed is required
kind: "gift" is not one of: purchase, withdrawal, deposit
category: "Gold" is not one of: Checking, Savings
currency: must be three capital letters, such as USD
at: a value is required
more: is not a known member`
	if diff := cmp.Diff(want, wrong); diff != "" {
		t.Errorf("authorization (-want +got):\n%s", diff)
	}
	for amount, want := range map[string]string{
		"0": "must be more than zero", "-1": "must be more than zero",
		"0.00001": "more than 4 decimal digits", "1e2": "plain decimal digits",
		"99999999999999999999": "too large", "null": "a value is required",
		"[]": "plain decimal digits", "0.0000": "must be more than zero",
	} {
		var texts []string
		list := strictjson.Read([]byte(`{"postingId":"p","cardId":1,"kind":"purchase","amount":`+
			amount+`}`), func(o *strictjson.Object) { ReadPosting(o) })
		for _, p := range list {
			texts = append(texts, p.Path+" "+p.Text)
		}
		if len(texts) != 1 || !strings.HasPrefix(texts[0], "amount ") ||
			!strings.Contains(texts[0], want) {
			t.Errorf("%s: %q, want %q", amount, texts, want)
		}
	}
	list := strictjson.Read([]byte(`{"postingId":"","holdId":7,"cardId":0,"accountId":-1,
		"amount":1,"kind":""}`), func(o *strictjson.Object) { ReadPosting(o) })
	if len(list) != 5 {
		t.Errorf("posting: %s", list)
	}
	list = strictjson.Read([]byte(`{}`), func(o *strictjson.Object) { ReadRelease(o) })
	if list.String() != "holdId: a value is required" {
		t.Errorf("release: %s", list)
	}
}
