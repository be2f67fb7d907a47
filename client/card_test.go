package client_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"mintmark/client"
)

// The arguments of the operations below, with every member set, and two bodies that several of
// them share.
var (
	order = client.CardInitiateRequest{
		CustomerID: 1, CardHolderCustomerID: 2, VendorTypeCode: "VS", TypeCode: "DBT",
		PrimaryAccountID: 3, FirstName: "Ann", MiddleName: "B", LastName: "Lee", NickName: "Mine",
		Tag: "t/1", NewPin: "cGlu", QualifierCode: "A1", BinID: 4,
	}
	verify = client.CardVerifyRequest{
		CustomerID: 1, CardID: 2, CardNumberMasked: "1111",
		BirthDate: time.Date(1985, 3, 14, 0, 0, 0, 0, time.UTC),
	}
	card    = client.CardRequest{CustomerID: 1, CardID: 2}
	lock    = client.CardLockRequest{CustomerID: 1, CardID: 2, LockReasonTypeCode: "TMP"}
	reissue = client.CardReissueRequest{
		CustomerID: 1, CardID: 2, ReissueReasonTypeCode: "DMG", NewPin: "cGlu", QualifierCode: "A1",
	}
	account = client.CardAccountRequest{CustomerID: 1, CardID: 2, AccountID: 3, CardPriority: 4}
	pin     = client.CardResetPinRequest{CustomerID: 1, CardID: 2, NewPin: "cGlu"}
)

const (
	orderBody = `{"customerId":1,"cardHolderCustomerId":2,"vendorTypeCode":"VS",` +
		`"typeCode":"DBT","primaryAccountId":3,"firstName":"Ann","middleName":"B",` +
		`"lastName":"Lee","nickName":"Mine","tag":"t/1",`
	lockBody    = `{"customerId":1,"cardId":2,"lockReasonTypeCode":"TMP"}`
	accountBody = `{"customerId":1,"cardId":2,"accountId":3,"cardPriority":4}`
)

// TestOperations checks the method, path and body of every operation.
func TestOperations(t *testing.T) {
	cases := []struct {
		target string
		body   string
		call   func(context.Context, *client.Client) error
	}{
		{"POST /card/initiate", orderBody + `"newPin":"cGlu","qualifierCode":"A1","binId":4}`,
			with((*client.Client).CardInitiate, order)},
		{"POST /card/createdigital", orderBody + `"qualifierCode":"A1","binId":4}`,
			with((*client.Client).CardCreateDigital, order)},
		{"POST /card/verify", `{"customerId":1,"cardId":2,"cardNumberMasked":"1111",` +
			`"birthDate":"1985-03-14T00:00:00.000+00:00"}`,
			with((*client.Client).CardVerify, verify)},
		{"POST /card/lock", lockBody, with((*client.Client).CardLock, lock)},
		{"POST /card/hotlist", lockBody, with((*client.Client).CardHotlist, lock)},
		{"POST /card/lostOrStolen", lockBody, with((*client.Client).CardLostOrStolen, lock)},
		{"POST /card/unlock", `{"customerId":1,"cardId":2}`,
			with((*client.Client).CardUnlock, card)},
		{"POST /card/archive", `{"customerId":1,"cardId":2}`,
			func(ctx context.Context, c *client.Client) error { return c.CardArchive(ctx, card) }},
		{"POST /card/reissue", `{"customerId":1,"cardId":2,"reissueReasonTypeCode":"DMG",` +
			`"newPin":"cGlu","qualifierCode":"A1"}`, with((*client.Client).CardReissue, reissue)},
		{"POST /card/addAccount", accountBody, with((*client.Client).CardAddAccount, account)},
		{"POST /card/removeAccount", accountBody,
			with((*client.Client).CardRemoveAccount, account)},
		{"POST /card/reprioritizeAccount", accountBody,
			with((*client.Client).CardReprioritizeAccount, account)},
		{"POST /card/resetpin", `{"customerId":1,"cardId":2,"newPin":"cGlu"}`,
			with((*client.Client).CardResetPin, pin)},
		// A request without values is an empty object; the service reports what is missing.
		{"POST /card/lock", `{}`, with((*client.Client).CardLock, client.CardLockRequest{})},
		{"POST /card/verify", `{}`, with((*client.Client).CardVerify, client.CardVerifyRequest{})},
		{"GET /card/get/1001/5001", "", func(ctx context.Context, c *client.Client) error {
			_, err := c.CardGet(ctx, 1001, 5001)
			return err
		}},
		{"GET /program/get", "", func(ctx context.Context, c *client.Client) error {
			_, err := c.ProgramGet(ctx)
			return err
		}},
	}
	for _, test := range cases {
		t.Run(test.target, func(t *testing.T) {
			s, c := succeeds(t, `{}`)
			err := test.call(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.request.Method + " " + s.request.RequestURI; got != test.target {
				t.Errorf("the client called %s", got)
			}
			if s.body != test.body {
				t.Errorf("the client sent\n%s\nwant\n%s", s.body, test.body)
			}
		})
	}
}

// with binds a method that takes one request to that request.
func with[R, A any](
	method func(*client.Client, context.Context, R) (A, error), request R,
) func(context.Context, *client.Client) error {
	return func(ctx context.Context, c *client.Client) error {
		_, err := method(c, ctx, request)
		return err
	}
}

func TestArchiveNeedsNoData(t *testing.T) {
	_, c := answers(t, 200, `{"errors":[],"requestId":"r-1","status":200}`)
	err := c.CardArchive(t.Context(), client.CardRequest{CustomerID: 1, CardID: 2})
	if err != nil {
		t.Error(err)
	}
}

func TestTagIsEscaped(t *testing.T) {
	for tag, want := range map[string]string{
		"plain-1":   "/card/getbytag/7/plain-1",
		"a/b":       "/card/getbytag/7/a%2Fb",
		"a+b":       "/card/getbytag/7/a%2Bb",
		"50%":       "/card/getbytag/7/50%25",
		"a%2Fb":     "/card/getbytag/7/a%252Fb",
		"my card":   "/card/getbytag/7/my%20card",
		"q?x=1#top": "/card/getbytag/7/q%3Fx%3D1%23top",
		"né":        "/card/getbytag/7/n%C3%A9",
		"../..":     "/card/getbytag/7/..%2F..",
		"..":        "/card/getbytag/7/?tag=..",
		".":         "/card/getbytag/7/?tag=.",
		"":          "/card/getbytag/7/?tag=",
	} {
		s, c := succeeds(t, `{}`)
		_, err := c.CardGetByTag(t.Context(), 7, tag)
		if err != nil {
			t.Fatal(err)
		}
		if s.request.RequestURI != want {
			t.Errorf("tag %q is asked for at %s, want %s", tag, s.request.RequestURI, want)
		}
	}
}

func TestListSendsTheStatusGiven(t *testing.T) {
	cases := []struct {
		status []string
		want   string
	}{
		{nil, "/card/list/1001"},
		{[]string{"Verified"}, "/card/list/1001?status=Verified"},
		{[]string{"a&b"}, "/card/list/1001?status=a%26b"},
		{[]string{"All", "Pending"}, "/card/list/1001?status=All&status=Pending"},
	}
	for _, test := range cases {
		s, c := succeeds(t, `[{"cardId":1},{"cardId":2}]`)
		cards, err := c.CardList(t.Context(), 1001, test.status...)
		if err != nil {
			t.Fatal(err)
		}
		if s.request.RequestURI != test.want || len(cards) != 2 || cards[1].CardID != 2 {
			t.Errorf("%q: called %s, got %v", test.status, s.request.RequestURI, cards)
		}
	}
}

const wholeCard = `{"cardId":10001,"customerId":1001,"cardHolderCustomerId":1002,"typeCode":"DBT",
"vendorTypeCode":"VS","status":"Verified","cardNumberMasked":"************1111","tag":"t/1",
"firstName":"ANN","middleName":"B","lastName":"LEE","nameOnCard":"ANN B LEE","nickName":"Mine",
"expireMonth":7,"expireYear":2030,"primaryAccountId":2001,"lockTypeCode":"CST",
"lockReasonTypeCode":"TMP","createdDate":"2026-01-15T10:20:30.456-06:00",
"lastModifiedDate":"2026-07-15T10:20:30.000-05:00","accounts":[{"accountId":2001,
"accountNumberMasked":"****2001","accountBalance":90071992547409.93,"availableBalance":0.10,
"pendingBalance":-1.50,"name":"Main","status":"Open","tag":"a","type":"Checking","priority":1}],
"qualifierCode":"A1","binId":1,"isDigitalOnly":true,"limits":[],"added":"by a later version"}`

func TestCardIsDecoded(t *testing.T) {
	_, c := succeeds(t, wholeCard)
	card, err := c.CardGet(t.Context(), 1001, 10001)
	if err != nil {
		t.Fatal(err)
	}
	want := client.Card{
		CardID: 10001, CustomerID: 1001, CardHolderCustomerID: 1002, TypeCode: "DBT",
		VendorTypeCode: "VS", Status: "Verified", CardNumberMasked: "************1111", Tag: "t/1",
		FirstName: "ANN", MiddleName: "B", LastName: "LEE", NameOnCard: "ANN B LEE",
		NickName: "Mine", ExpireMonth: 7, ExpireYear: 2030, PrimaryAccountID: 2001,
		LockTypeCode: "CST", LockReasonTypeCode: "TMP",
		CreatedDate:      time.Date(2026, 1, 15, 16, 20, 30, 456e6, time.UTC),
		LastModifiedDate: time.Date(2026, 7, 15, 15, 20, 30, 0, time.UTC),
		Accounts: []client.Account{{
			AccountID: 2001, AccountNumberMasked: "****2001",
			AccountBalance:   decimal.RequireFromString("90071992547409.93"),
			AvailableBalance: decimal.RequireFromString("0.10"),
			PendingBalance:   decimal.RequireFromString("-1.50"),
			Name:             "Main", Status: "Open", Tag: "a", Type: "Checking", Priority: 1,
		}},
		QualifierCode: "A1", BinID: 1, IsDigitalOnly: true, Limits: []json.RawMessage{},
	}
	if diff := cmp.Diff(want, card); diff != "" {
		t.Error(diff)
	}
	_, offset := card.CreatedDate.Zone()
	if offset != -6*3600 {
		t.Errorf("the offset is %d seconds, want the six hours that were sent", offset)
	}
	if !card.VerifiedDate.IsZero() {
		t.Errorf("a date that is absent is %v", card.VerifiedDate)
	}
}

func TestEitherNameOfPriorityAndLock(t *testing.T) {
	_, c := succeeds(t, `{"lockType":"UNL","lockReasonType":"UNK","accounts":[{
		"accountId":1,"cardPriority":3,"customerId":1001,
		"balanceLastModifiedDate":"2026-01-15T00:00:00.000+01:00",
		"lastModifiedDate":"2026-01-16T00:00:00.000+01:00"}]}`)
	card, err := c.CardAddAccount(t.Context(), client.CardAccountRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if card.LockTypeCode != "UNL" || card.LockReasonTypeCode != "UNK" {
		t.Errorf("lock %s/%s, want UNL/UNK", card.LockTypeCode, card.LockReasonTypeCode)
	}
	want := []client.Account{{
		AccountID: 1, Priority: 3, CustomerID: 1001,
		BalanceLastModifiedDate: time.Date(2026, 1, 14, 23, 0, 0, 0, time.UTC),
		LastModifiedDate:        time.Date(2026, 1, 15, 23, 0, 0, 0, time.UTC),
	}}
	if diff := cmp.Diff(want, card.Accounts); diff != "" {
		t.Error(diff)
	}
}

// TestCardSurvivesBeingWritten checks that encoding and decoding a card loses nothing, for programs
// that store what they read.
func TestCardSurvivesBeingWritten(t *testing.T) {
	var card, again client.Card
	err := json.Unmarshal([]byte(wholeCard), &card)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(card)
	if err != nil {
		t.Fatal(err)
	}
	err = json.Unmarshal(text, &again)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(card, again); diff != "" {
		t.Error(diff)
	}
}

func TestBirthDateIsTheDateInItsOwnLocation(t *testing.T) {
	east := time.FixedZone("", 13*3600)
	text, err := json.Marshal(client.CardVerifyRequest{
		BirthDate: time.Date(1985, 3, 14, 1, 0, 0, 0, east),
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"birthDate":"1985-03-14T01:00:00.000+13:00"}`; string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
