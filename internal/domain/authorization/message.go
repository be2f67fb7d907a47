package authorization

import (
	"cmp"
	"strings"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
)

// Greatest lengths of what the processor sends, in characters.
const (
	MaxID     = 100   // identifier of an authorization, a posting or a hold
	MaxSealed = 8_000 // card number, encrypted
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
}

// ReadAsked reads an authorization out of a body, and notes what is wrong with it.
func ReadAsked(o *strictjson.Object) Asked {
	a := Asked{
		ID: o.Text("authorizationId"), CardID: o.Number("cardId"), Sealed: o.Text("sealed"),
		Currency: o.Text("currency"), At: o.Time("at"),
	}
	a.Kind, a.Category = Kind(o.Text("kind")), card.Category(o.Text("category"))
	a.Amount, a.Decimals = readAmount(o)
	o.Check(a)
	return a
}

// ReadTransfer reads what is to be paid out of a body, into an authorization that has the rest, and
// notes what is wrong with it. Without a kind it is a purchase.
func ReadTransfer(o *strictjson.Object, a Asked) Asked {
	a.Kind = cmp.Or(Kind(o.Text("kind")), Purchase)
	a.Category = card.Category(o.Text("category"))
	a.Amount, a.Decimals = readAmount(o)
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
	if a.Currency != "" && (len(a.Currency) != 3 || strings.Trim(a.Currency, letters) != "") {
		r.Add("currency", "must be three capital letters, such as USD")
	}
	r.Require("at", !a.At.IsZero())
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
}

// ReadMovement reads a posting out of a body, and notes what is wrong with it.
func ReadMovement(o *strictjson.Object) Movement {
	m := Movement{
		ID: o.Text("postingId"), HoldID: o.Text("holdId"), CardID: o.Number("cardId"),
		AccountID: o.Number("accountId"), Kind: Kind(o.Text("kind")),
	}
	m.Amount, m.Decimals = readAmount(o)
	o.Check(m)
	return m
}

// ReadPosted reads the amount of a posting out of a body, into a posting that has the rest, and
// notes what is wrong with it. Without an amount the posting stays as it is, and given is false.
func ReadPosted(o *strictjson.Object, m Movement) (read Movement, given bool) {
	if o.Raw("amount") == nil {
		return m, false
	}
	m.Amount, m.Decimals = readAmount(o)
	o.Check(m)
	return m, true
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
func readAmount(o *strictjson.Object) (amount value.Amount, decimals int) {
	raw := string(o.Raw("amount"))
	if raw == "" {
		o.Reject("amount", "a value is required")
		return value.Amount{}, 0
	}
	if strings.Trim(raw, "-.0123456789") != "" {
		o.Reject("amount", "must be a number in plain decimal digits, such as 12.50")
		return value.Amount{}, 0
	}
	amount, err := value.ParseAmount(raw)
	if err != nil {
		o.Reject("amount", strings.TrimPrefix(err.Error(), `"`+raw+`" `))
		return value.Amount{}, 0
	}
	_, fraction, _ := strings.Cut(raw, ".")
	return amount, len(fraction)
}
