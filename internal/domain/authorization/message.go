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

// Greatest lengths of what the processor sends, in characters.
const (
	MaxID     = 100   // identifier of an authorization, a posting or a hold
	MaxSealed = 8_000 // card number, encrypted

	MaxMerchantID = 40
	MaxMerchant   = 100 // name and city
)

// Asked is an authorization as the processor asks for it.
type Asked struct {
	ID     string
	CardID int    // 0 when the card is named by its number
	Sealed string // the number, encrypted to the key of this installation
	Transfer
	Decimals int // digits behind the point of the amount, as it was written
	Currency string
	At       time.Time

	Partial     bool      // less may be approved
	HoldUntil   time.Time // zero for HoldLife
	IncrementOf string    // the authorization whose hold grows; empty for a hold of its own
	Original    *Original
	Merchant    *Merchant
}

// Original is what the holder of the card saw.
type Original struct {
	Amount   value.Amount `json:"amount"`
	Currency string       `json:"currency"`
}

// Merchant is where the card was used.
type Merchant struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name"`
	City    string `json:"city,omitempty"`
	Country string `json:"country"`
	MCC     string `json:"mcc"`
}

// ReadAsked reads an authorization out of a body, and notes what is wrong with it.
func ReadAsked(o *strictjson.Object) Asked {
	a := readAsked(o)
	a.Partial = o.Truth("partial")
	o.Check(a)
	return a
}

func readAsked(o *strictjson.Object) Asked {
	a := Asked{
		ID: o.Text("authorizationId"), CardID: o.Number("cardId"), Sealed: o.Text("sealed"),
		At: o.Time("at"),
	}
	a.Kind = Kind(o.Text("kind"))
	a.readRest(o)
	return a
}

// readRest reads what the processor and a sandbox name alike.
func (a *Asked) readRest(o *strictjson.Object) {
	a.Category = card.Category(o.Text("category"))
	a.Amount, a.Decimals = readAmount(o, "amount")
	a.Currency, a.HoldUntil = o.Text("currency"), o.Time("holdUntil")
	a.IncrementOf = o.Text("incrementOf")
	if o.Raw("original") != nil {
		o.Within("original", func(o *strictjson.Object) {
			a.Original = &Original{Currency: o.Text("currency")}
			a.Original.Amount, _ = readAmount(o, "amount")
		})
	}
	a.Merchant = readMerchant(o)
}

// readMerchant reads where the card was used. A card number in its texts is made unreadable.
func readMerchant(o *strictjson.Object) (m *Merchant) {
	if o.Raw("merchant") == nil {
		return nil
	}
	o.Within("merchant", func(o *strictjson.Object) {
		m = &Merchant{
			ID: pan.Conceal(o.Text("id")), Name: pan.Conceal(o.Text("name")),
			City: pan.Conceal(o.Text("city")), Country: o.Text("country"), MCC: o.Text("mcc"),
		}
	})
	return m
}

// ReadTransfer reads what is to be paid out of a body, into an authorization that has the rest, and
// notes what is wrong with it. Without a kind it is a purchase.
func ReadTransfer(o *strictjson.Object, a Asked) Asked {
	a.Kind = cmp.Or(Kind(o.Text("kind")), Purchase)
	a.Partial = o.Truth("partial")
	a.readRest(o)
	o.Check(a)
	return a
}

// ReadIncrement reads by how much a hold grows out of a body, into an authorization that has the
// rest, and notes what is wrong with it.
func ReadIncrement(o *strictjson.Object, a Asked) Asked {
	a.Amount, a.Decimals = readAmount(o, "amount")
	o.Check(a)
	return a
}

// Rules are the rules of each member.
func (a Asked) Rules(r *problem.Rules) {
	r.Text("authorizationId", a.ID, MaxID)
	if (a.CardID == 0) == (a.Sealed == "") {
		r.Add("cardId", "either cardId or sealed is required")
	}
	if a.CardID != 0 {
		r.ID("cardId", a.CardID)
	}
	r.MayText("sealed", a.Sealed, MaxSealed)
	problem.OneOf(r, "kind", a.Kind, Kinds)
	if a.Category != "" {
		problem.OneOf(r, "category", a.Category, card.Categories)
	}
	positive(r, a.Amount)
	if a.Currency != "" {
		currency(r, a.Currency)
	}
	r.MayText("incrementOf", a.IncrementOf, MaxID)
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
	r.MayText("id", m.ID, MaxMerchantID)
	r.Text("name", m.Name, MaxMerchant)
	r.MayText("city", m.City, MaxMerchant)
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

// Advised is a decision that was made elsewhere, as the processor tells of it.
type Advised struct {
	Asked
	Decision string // approved or declined
	By       By
}

// Decisions lists what an advice may say.
var Decisions = []string{"approved", "declined"}

// Approved reports whether the transfer was approved.
func (a Advised) Approved() bool { return a.Decision == Decisions[0] }

// ReadAdvised reads an advice out of a body, and notes what is wrong with it.
func ReadAdvised(o *strictjson.Object) Advised {
	a := Advised{Asked: readAsked(o), Decision: o.Text("decision"), By: By(o.Text("by"))}
	o.Check(a)
	return a
}

// ReadAdvisedTransfer reads an advice out of a body, into one that has the rest, and notes what is
// wrong with it. Without a kind it is a purchase, without a decision it was approved.
func ReadAdvisedTransfer(o *strictjson.Object, a Advised) Advised {
	a.Kind = cmp.Or(Kind(o.Text("kind")), Purchase)
	a.Decision = cmp.Or(o.Text("decision"), Decisions[0])
	a.By = cmp.Or(By(o.Text("by")), StandIn)
	a.ID = cmp.Or(o.Text("authorizationId"), a.ID)
	a.readRest(o)
	o.Check(a)
	return a
}

// Rules are the rules of each member.
func (a Advised) Rules(r *problem.Rules) {
	a.Asked.Rules(r)
	problem.OneOf(r, "decision", a.Decision, Decisions)
	problem.OneOf(r, "by", a.By, Deciders)
}

// Taking asks for an authorization to be taken back.
type Taking struct {
	ID              string
	AuthorizationID string
	Amount          value.Amount // Everything without one
	Decimals        int          // digits behind the point of the amount, as it was written
	At              time.Time
}

// ReadTaking reads a reversal out of a body, and notes what is wrong with it.
func ReadTaking(o *strictjson.Object) Taking {
	return ReadTaken(o, Taking{
		ID: o.Text("reversalId"), AuthorizationID: o.Text("authorizationId"), At: o.Time("at"),
	})
}

// ReadTaken reads the amount of a reversal out of a body, into one that has the rest, and notes what
// is wrong with it.
func ReadTaken(o *strictjson.Object, t Taking) Taking {
	t.Amount = Everything
	if o.Raw("amount") != nil {
		t.Amount, t.Decimals = readAmount(o, "amount")
	}
	o.Check(t)
	return t
}

// Rules are the rules of each member.
func (t Taking) Rules(r *problem.Rules) {
	r.Text("reversalId", t.ID, MaxID)
	r.Text("authorizationId", t.AuthorizationID, MaxID)
	positive(r, t.Amount)
	r.Require("at", !t.At.IsZero())
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Movement is a posting as the processor asks for it.
type Movement struct {
	ID        string
	HoldID    string // empty when it belongs to none
	CardID    int
	AccountID int // 0 when the hold, or the card, says which account
	Kind      Kind
	Amount    value.Amount
	Decimals  int // digits behind the point of the amount, as it was written

	AuthorizationID string // in place of a hold
	NotFinal        bool   // the hold stands for what is left
	Merchant        *Merchant
}

// ReadMovement reads a posting out of a body, and notes what is wrong with it.
func ReadMovement(o *strictjson.Object) Movement {
	m := Movement{
		ID: o.Text("postingId"), HoldID: o.Text("holdId"), CardID: o.Number("cardId"),
		AccountID: o.Number("accountId"), Kind: Kind(o.Text("kind")),
		AuthorizationID: o.Text("authorizationId"), NotFinal: readNotFinal(o),
		Merchant: readMerchant(o),
	}
	m.Amount, m.Decimals = readAmount(o, "amount")
	o.Check(m)
	return m
}

// readNotFinal reads whether a posting is not the last one.
func readNotFinal(o *strictjson.Object) bool { return o.Raw("final") != nil && !o.Truth("final") }

// ReadPosted reads the amount of a posting out of a body, into a posting that has the rest, and
// notes what is wrong with it. Without an amount the posting stays as it is, and given is false.
func ReadPosted(o *strictjson.Object, m Movement) (read Movement, given bool) {
	m.NotFinal = readNotFinal(o)
	if o.Raw("amount") == nil {
		return m, false
	}
	m.Amount, m.Decimals = readAmount(o, "amount")
	o.Check(m)
	return m, true
}

// ReadRefund reads what is paid back out of a body, into a posting that has the rest, and notes what
// is wrong with it.
func ReadRefund(o *strictjson.Object, m Movement) Movement {
	m.Amount, m.Decimals = readAmount(o, "amount")
	m.Merchant = readMerchant(o)
	o.Check(m)
	return m
}

// Rules are the rules of each member.
func (m Movement) Rules(r *problem.Rules) {
	r.Text("postingId", m.ID, MaxID)
	r.MayText("holdId", m.HoldID, MaxID)
	r.ID("cardId", m.CardID)
	if m.AccountID != 0 {
		r.ID("accountId", m.AccountID)
	}
	problem.OneOf(r, "kind", m.Kind, Kinds)
	positive(r, m.Amount)
	r.MayText("authorizationId", m.AuthorizationID, MaxID)
	if m.HoldID != "" && m.AuthorizationID != "" {
		r.Add("authorizationId", "must be absent where holdId is given")
	}
	m.Merchant.rules(r)
}

// Ending asks for a hold to be released.
type Ending struct{ HoldID string }

// ReadEnding reads a release out of a body, and notes what is wrong with it.
func ReadEnding(o *strictjson.Object) Ending {
	e := Ending{o.Text("holdId")}
	o.Check(e)
	return e
}

// Rules are the rules of each member.
func (e Ending) Rules(r *problem.Rules) { r.Text("holdId", e.HoldID, MaxID) }

func positive(r *problem.Rules, amount value.Amount) {
	if amount.TenThousandths <= 0 {
		r.Add("amount", "must be more than zero")
	}
}

// readAmount reads an amount in plain decimal digits, and how many of them stand behind the point.
// The program of the card says later how many may.
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
