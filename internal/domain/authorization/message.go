package authorization

import (
	"cmp"
	"strings"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
)

// Maximum lengths of what the processor sends, in characters.
const (
	MaxID     = 100   // identifier of an authorization, a posting or a hold
	MaxSealed = 8_000 // card number, encrypted

	MaxMerchantID = 40
	MaxMerchant   = 100 // name and city
)

// Request is an authorization that the processor requests.
type Request struct {
	ID     string
	CardID int    // 0 if the request has the card number instead
	Sealed string // card number (PAN), encrypted to the key of this installation
	Transfer
	Decimals int // digits after the decimal point of the amount, as sent
	Currency string
	At       time.Time

	Partial     bool      // a smaller amount may be approved
	HoldUntil   time.Time // zero for HoldLife
	IncrementOf string    // the authorization whose hold grows; empty for a separate hold
	Original    *Original
	Merchant    *Merchant
}

// Original is the amount that the holder of the card saw.
type Original struct {
	Amount   value.Amount `json:"amount"`
	Currency string       `json:"currency"`
}

// Merchant describes where the card was used.
type Merchant struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name"`
	City    string `json:"city,omitempty"`
	Country string `json:"country"`
	MCC     string `json:"mcc"`
}

// ReadRequest reads an authorization from a body and records its problems.
func ReadRequest(o *strictjson.Object) Request {
	a := readRequest(o)
	a.Partial = o.Bool("partial")
	o.Check(a)
	return a
}

func readRequest(o *strictjson.Object) Request {
	a := Request{
		ID: o.String("authorizationId"), CardID: o.Int("cardId"), Sealed: o.String("sealed"),
		At: o.Time("at"),
	}
	a.Kind = Kind(o.String("kind"))
	a.readRest(o)
	return a
}

// readRest reads the members that have the same names for the processor and the sandbox.
func (a *Request) readRest(o *strictjson.Object) {
	a.Category = card.Category(o.String("category"))
	a.Amount, a.Decimals = readAmount(o, "amount")
	a.Currency, a.HoldUntil = o.String("currency"), o.Time("holdUntil")
	a.IncrementOf = o.String("incrementOf")
	if o.Raw("original") != nil {
		o.Nested("original", func(o *strictjson.Object) {
			a.Original = &Original{Currency: o.String("currency")}
			a.Original.Amount, _ = readAmount(o, "amount")
		})
	}
	a.Merchant = readMerchant(o)
}

// readMerchant reads where the card was used. It conceals card numbers in the strings.
func readMerchant(o *strictjson.Object) (m *Merchant) {
	if o.Raw("merchant") == nil {
		return nil
	}
	o.Nested("merchant", func(o *strictjson.Object) {
		m = &Merchant{
			ID: pan.Conceal(o.String("id")), Name: pan.Conceal(o.String("name")),
			City: pan.Conceal(o.String("city")), Country: o.String("country"), MCC: o.String("mcc"),
		}
	})
	return m
}

// ReadTransfer reads the transfer from a body into a request that has the rest, and records its
// problems. The kind defaults to a purchase.
func ReadTransfer(o *strictjson.Object, a Request) Request {
	a.Kind = cmp.Or(Kind(o.String("kind")), Purchase)
	a.Partial = o.Bool("partial")
	a.readRest(o)
	o.Check(a)
	return a
}

// ReadIncrement reads from a body the amount by which a hold grows into a request that has the
// rest, and records its problems.
func ReadIncrement(o *strictjson.Object, a Request) Request {
	a.Amount, a.Decimals = readAmount(o, "amount")
	o.Check(a)
	return a
}

// Rules checks each member.
func (a Request) Rules(r *problem.Rules) {
	r.Text("authorizationId", a.ID, MaxID)
	if (a.CardID == 0) == (a.Sealed == "") {
		r.Add("cardId", "either cardId or sealed is required")
	}
	if a.CardID != 0 {
		r.ID("cardId", a.CardID)
	}
	r.OptionalText("sealed", a.Sealed, MaxSealed)
	problem.OneOf(r, "kind", a.Kind, Kinds)
	if a.Category != "" {
		problem.OneOf(r, "category", a.Category, card.Categories)
	}
	positive(r, a.Amount)
	if a.Currency != "" {
		currency(r, a.Currency)
	}
	r.OptionalText("incrementOf", a.IncrementOf, MaxID)
	if a.Original != nil {
		positive(r.In("original"), a.Original.Amount)
		currency(r.In("original"), a.Original.Currency)
	}
	a.Merchant.rules(r)
	r.Require("at", !a.At.IsZero())
}

func (m *Merchant) rules(r *problem.Rules) {
	if m == nil {
		return
	}
	r = r.In("merchant")
	r.OptionalText("id", m.ID, MaxMerchantID)
	r.Text("name", m.Name, MaxMerchant)
	r.OptionalText("city", m.City, MaxMerchant)
	if n := len(m.Country); n < 2 || n > 3 || strings.Trim(m.Country, letters) != "" {
		r.Add("country", "must be two or three capital letters, such as US")
	}
	if len(m.MCC) != 4 || strings.Trim(m.MCC, "0123456789") != "" {
		r.Add("mcc", "must be four digits, such as 5411")
	}
}

func currency(r *problem.Rules, code string) {
	if !program.IsCurrency(code) {
		r.Add("currency", "must be three capital letters, such as USD")
	}
}

// AdviceRequest is a decision that was made elsewhere, as the processor reports it.
type AdviceRequest struct {
	Request
	Decision string // approved or declined
	By       Decider
}

// Decisions lists the decisions that an advice can report.
var Decisions = []string{"approved", "declined"}

// Approved reports whether the transfer was approved elsewhere.
func (a AdviceRequest) Approved() bool { return a.Decision == Decisions[0] }

// ReadAdvice reads an advice from a body and records its problems.
func ReadAdvice(o *strictjson.Object) AdviceRequest {
	a := AdviceRequest{
		Request: readRequest(o), Decision: o.String("decision"), By: Decider(o.String("by")),
	}
	o.Check(a)
	return a
}

// ReadAdviceBody reads an advice from a body into one that has the rest, and records its problems.
// The kind defaults to a purchase, the decision to approved, the decider to StandIn.
func ReadAdviceBody(o *strictjson.Object, a AdviceRequest) AdviceRequest {
	a.Kind = cmp.Or(Kind(o.String("kind")), Purchase)
	a.Decision = cmp.Or(o.String("decision"), Decisions[0])
	a.By = cmp.Or(Decider(o.String("by")), StandIn)
	a.ID = cmp.Or(o.String("authorizationId"), a.ID)
	a.readRest(o)
	o.Check(a)
	return a
}

// Rules checks each member.
func (a AdviceRequest) Rules(r *problem.Rules) {
	a.Request.Rules(r)
	problem.OneOf(r, "decision", a.Decision, Decisions)
	problem.OneOf(r, "by", a.By, Deciders)
}

// ReversalRequest requests the reversal of an authorization.
type ReversalRequest struct {
	ID              string
	AuthorizationID string
	Amount          value.Amount // defaults to Everything
	Decimals        int          // digits after the decimal point of the amount, as sent
	At              time.Time
}

// ReadReversal reads a reversal from a body and records its problems.
func ReadReversal(o *strictjson.Object) ReversalRequest {
	return ReadReversalBody(o, ReversalRequest{
		ID: o.String("reversalId"), AuthorizationID: o.String("authorizationId"), At: o.Time("at"),
	})
}

// ReadReversalBody reads the amount of a reversal from a body into one that has the rest, and
// records its problems.
func ReadReversalBody(o *strictjson.Object, t ReversalRequest) ReversalRequest {
	t.Amount = Everything
	if o.Raw("amount") != nil {
		t.Amount, t.Decimals = readAmount(o, "amount")
	}
	o.Check(t)
	return t
}

// Rules checks each member.
func (t ReversalRequest) Rules(r *problem.Rules) {
	r.Text("reversalId", t.ID, MaxID)
	r.Text("authorizationId", t.AuthorizationID, MaxID)
	positive(r, t.Amount)
	r.Require("at", !t.At.IsZero())
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// PostingRequest is a posting that the processor requests.
type PostingRequest struct {
	ID        string
	HoldID    string // empty if it belongs to none
	CardID    int
	AccountID int // 0 if the hold or the card determines the account
	Kind      Kind
	Amount    value.Amount
	Decimals  int // digits after the decimal point of the amount, as sent

	AuthorizationID string // instead of HoldID
	NotFinal        bool   // the hold remains for the rest
	Merchant        *Merchant
}

// ReadPosting reads a posting from a body and records its problems.
func ReadPosting(o *strictjson.Object) PostingRequest {
	m := PostingRequest{
		ID: o.String("postingId"), HoldID: o.String("holdId"), CardID: o.Int("cardId"),
		AccountID: o.Int("accountId"), Kind: Kind(o.String("kind")),
		AuthorizationID: o.String("authorizationId"), NotFinal: readNotFinal(o),
		Merchant: readMerchant(o),
	}
	m.Amount, m.Decimals = readAmount(o, "amount")
	o.Check(m)
	return m
}

// readNotFinal reports whether the body says that a posting is not the last one.
func readNotFinal(o *strictjson.Object) bool { return o.Raw("final") != nil && !o.Bool("final") }

// ReadPostingBody reads the amount of a posting from a body into a posting that has the rest, and
// records its problems. Without an amount, given is false and the posting keeps the one it has.
func ReadPostingBody(o *strictjson.Object, m PostingRequest) (read PostingRequest, given bool) {
	m.NotFinal = readNotFinal(o)
	if o.Raw("amount") == nil {
		return m, false
	}
	m.Amount, m.Decimals = readAmount(o, "amount")
	o.Check(m)
	return m, true
}

// ReadRefund reads a refund from a body into a posting that has the rest, and records its problems.
func ReadRefund(o *strictjson.Object, m PostingRequest) PostingRequest {
	m.Amount, m.Decimals = readAmount(o, "amount")
	m.Merchant = readMerchant(o)
	o.Check(m)
	return m
}

// Rules checks each member.
func (m PostingRequest) Rules(r *problem.Rules) {
	r.Text("postingId", m.ID, MaxID)
	r.OptionalText("holdId", m.HoldID, MaxID)
	r.ID("cardId", m.CardID)
	if m.AccountID != 0 {
		r.ID("accountId", m.AccountID)
	}
	problem.OneOf(r, "kind", m.Kind, Kinds)
	positive(r, m.Amount)
	r.OptionalText("authorizationId", m.AuthorizationID, MaxID)
	if m.HoldID != "" && m.AuthorizationID != "" {
		r.Add("authorizationId", "must be absent where holdId is given")
	}
	m.Merchant.rules(r)
}

// ReleaseRequest requests the release of a hold.
type ReleaseRequest struct{ HoldID string }

// ReadRelease reads a release from a body and records its problems.
func ReadRelease(o *strictjson.Object) ReleaseRequest {
	e := ReleaseRequest{o.String("holdId")}
	o.Check(e)
	return e
}

// Rules checks each member.
func (e ReleaseRequest) Rules(r *problem.Rules) { r.Text("holdId", e.HoldID, MaxID) }

func positive(r *problem.Rules, amount value.Amount) {
	if amount.TenThousandths <= 0 {
		r.Add("amount", "must be more than zero")
	}
}

// readAmount reads an amount in plain decimal digits, and returns how many of them follow the
// decimal point. The program of the card later limits their number.
func readAmount(o *strictjson.Object, name string) (amount value.Amount, decimals int) {
	raw := string(o.Raw(name))
	if raw == "" {
		o.Reject(name, "a value is required")
		return value.Amount{}, 0
	}
	if strings.Trim(raw, "-.0123456789") != "" {
		o.Reject(name, "must be a number in plain decimal digits, such as 12.50")
		return value.Amount{}, 0
	}
	amount, err := value.ParseAmount(raw)
	if err != nil {
		o.Reject(name, strings.TrimPrefix(err.Error(), `"`+raw+`" `))
		return value.Amount{}, 0
	}
	_, fraction, _ := strings.Cut(raw, ".")
	return amount, len(fraction)
}
