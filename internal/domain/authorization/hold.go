package authorization

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/value"
)

// HoldLife is how long a hold stands when it is neither posted nor released.
const HoldLife = 7 * 24 * time.Hour

// MaxHoldLife is how long a hold may stand when the processor says until when.
const MaxHoldLife = 60 * 24 * time.Hour

// MarkLife is how long the mark of a reversal is kept whose authorization has not come.
const MarkLife = 60 * 24 * time.Hour

// Authorization collects the messages under one identifier of the processor: the request with its
// answer, the advice, the reversals and the postings. One that was only reversed is a mark: the
// request that arrives later is declined.
type Authorization struct {
	ID     string // chosen by the processor
	Digest []byte // of the request, empty before it arrives; the same ID with another digest is refused
	Transfer
	Decision // the answer

	ProgramID  int // 0 when the card is unknown
	CustomerID int // the creator of the card
	CardID     int // of the card found; for an unknown card, the number in the request
	Currency   string
	At         time.Time // when the processor says it happened; zero when it does not say
	Decided    time.Time
	Details

	Root   string // the authorization whose hold this one makes grow; empty when it has its own
	Advice Advice
	Book
}

// ListKey is the position of an authorization or a hold in a list: its moment, then its identifier.
type ListKey struct {
	At time.Time // zero for the beginning of the list
	ID string
}

// ListKey of the authorization, by when it was decided.
func (a Authorization) ListKey() ListKey { return ListKey{a.Decided, a.ID} }

// ListKey of the hold, by when it ends.
func (h Hold) ListKey() ListKey { return ListKey{h.Ends, h.ID} }

// Compare orders places, the latest first.
func (p ListKey) Compare(other ListKey) int {
	return cmp.Or(other.At.Compare(p.At), strings.Compare(other.ID, p.ID))
}

// Details are what else was asked, and why the answer was given.
type Details struct {
	Partial   bool       `json:"partial,omitempty"`
	HoldUntil *time.Time `json:"holdUntil,omitempty"`
	// Ends is the end of the hold, once an advice or an increment has set it.
	Ends *time.Time `json:"ends,omitempty"`
	// IncrementOf is the authorization that was named as the one whose hold grows.
	IncrementOf string    `json:"incrementOf,omitempty"`
	Original    *Original `json:"original,omitempty"`
	Merchant    *Merchant `json:"merchant,omitempty"`
	Booked      bool      `json:"booked,omitempty"` // the advice has found or placed a hold
	Why
}

// Advice is a decision that was made elsewhere.
type Advice struct {
	Digest    []byte  // of what was advised
	By        Decider // empty without an advice
	Approved  bool
	Amount    value.Amount
	WouldHave Reason // the answer that the request would have had
}

// Decider says who has decided in place of Mintmark.
type Decider string

// The parties that decide in place of Mintmark.
const (
	StandIn Decider = "standIn" // the processor itself
	Network Decider = "network" // of the card scheme
)

// Deciders lists these parties.
var Deciders = []Decider{StandIn, Network}

// Book holds what has happened to an authorization beside its decision. The hold follows from both,
// so the messages may come in any order.
type Book struct {
	Grown    value.Amount // by authorizations that make its hold grow, less what they gave back
	Reversed value.Amount
	Posted   value.Amount // by postings that were not final
}

// Nothing is the zero amount.
var Nothing value.Amount

// Everything as an amount of a reversal takes back all that is held.
var Everything = value.Amount{TenThousandths: math.MaxInt64}

// Allowed is how much was approved, by an advice if there is one.
func (a Authorization) Allowed() value.Amount {
	switch {
	case a.Advice.By == "":
		return a.Decision.Amount
	case a.Advice.Approved:
		return a.Advice.Amount
	}
	return value.Amount{}
}

// Amounts are those whose digits later messages may have.
func (a Authorization) Amounts() []value.Amount {
	return []value.Amount{a.Transfer.Amount, a.Allowed(), a.Grown}
}

// Returned is how much of what was approved was reversed.
func (a Authorization) Returned() value.Amount {
	return lesser(a.Reversed, addCapped(a.Allowed(), a.Grown))
}

// Net is by how much an authorization makes the hold of another grow.
func (a Authorization) Net() value.Amount { return subtract(a.Allowed(), a.Reversed) }

// Grows reports whether an increment adds anything to the hold.
func (a Authorization) Grows() bool { return a.Net() != Nothing }

// Held is how much the hold of an authorization holds, unless it has ended.
func (a Authorization) Held() value.Amount {
	return subtract(addCapped(a.Allowed(), a.Grown), addCapped(a.Reversed, a.Posted))
}

// Reverse adds an amount to what was reversed.
func (a Authorization) Reverse(amount value.Amount) Authorization {
	a.Reversed = addCapped(a.Reversed, amount)
	return a
}

// PostMore notes a posting that is not final.
func (a Authorization) PostMore(amount value.Amount) Authorization {
	a.Posted = addCapped(a.Posted, amount)
	return a
}

// Grow notes that an increment of the hold has changed, and until when the hold stands, nil for as long
// as without it. What was posted of an increment counts as long as the increment adds something.
func (a Authorization) Grow(before, after Authorization, until *time.Time) Authorization {
	a.Grown = subtract(addCapped(a.Grown, after.Net()), before.Net())
	switch {
	case !before.Grows() && after.Grows():
		a = a.PostMore(after.Posted)
	case before.Grows() && !after.Grows():
		a.Posted = subtract(a.Posted, after.Posted)
	}
	a.Ends = cmp.Or(until, a.Ends)
	return a
}

// EndFrom is when the hold ends by itself that is placed or advised at a moment.
func (d Details) EndFrom(now time.Time) time.Time {
	if until := cmp.Or(d.Ends, d.HoldUntil); until != nil && until.After(now) {
		return *until
	}
	return now.Add(HoldLife)
}

// Of returns the authorization as one of a card, unless it is of another. The card may have been
// unknown before.
func (a Authorization) Of(c Card) Authorization {
	if a.ProgramID == 0 && (a.CardID == 0 || a.CardID == c.ID) {
		a.ProgramID, a.CustomerID, a.CardID = c.ProgramID, c.CreatorID, c.ID
	}
	return a
}

// IsMark reports whether the authorization is known from a reversal alone.
func (a Authorization) IsMark() bool { return !a.Asked() && a.Advice.By == "" }

// Answer is the answer to a request that arrives after the advice. The account is the one that was
// booked on.
func (v Advice) Answer(accountID int) Reason {
	switch {
	case v.Approved && accountID != 0:
		return Approved
	case v.WouldHave == Approved:
		return Reversed
	}
	return v.WouldHave
}

// Asked reports whether the processor has asked. Otherwise there is an advice, or a mark.
func (a Authorization) Asked() bool { return len(a.Digest) > 0 }

// subtract is a minus b, and not below zero.
func subtract(a, b value.Amount) value.Amount {
	return value.Amount{TenThousandths: max(0, a.TenThousandths-b.TenThousandths)}
}

// HoldID returns the identifier of the hold that an approval places: the card, then a digest of the
// authorization. So the holds of a card are neighbors in the index by their identifier, and need no
// other. It is written in letters, so that no part of it looks like a card number.
func (a Authorization) HoldID() string {
	if a.Root != "" {
		return HoldIDOf(a.CardID, a.Root)
	}
	return HoldIDOf(a.CardID, a.ID)
}

// HoldIDOf is the identifier of the hold of an authorization of a card.
func HoldIDOf(cardID int, authorizationID string) string {
	sum := sha256.Sum256([]byte("hold " + authorizationID))
	return HoldPrefix(cardID) + pan.Letters(sum[:12])
}

// HoldPrefix is what the identifiers of all holds of a card begin with.
func HoldPrefix(cardID int) string {
	return pan.Letters(binary.BigEndian.AppendUint32(nil, uint32(cardID)))
}

// Hold is money set aside by an approval. It stands until it is posted, released, or too old.
type Hold struct {
	ID              string
	AuthorizationID string
	ProgramID       int
	CustomerID      int // the creator of the card, whose sums it counts in
	CardID          int
	AccountID       int
	Kind            Kind
	Amount          value.Amount
	Day             Day    // the day that it counts in
	Later           []Part // by how much it has grown on later days, which the amount includes
	Placed          time.Time
	Ends            time.Time // by itself
	Particulars
}

// Part is how much of a hold counts in a day.
type Part struct {
	Day            Day   `json:"day"`
	TenThousandths int64 `json:"amount"`
}

// Particulars are what the holder of the card has seen of a transfer, and where.
type Particulars struct {
	Currency string    `json:"currency,omitempty"`
	Original *Original `json:"original,omitempty"`
	Merchant *Merchant `json:"merchant,omitempty"`
}

// Particulars of the authorization.
func (a Authorization) Particulars() Particulars {
	return Particulars{a.Currency, a.Original, a.Merchant}
}

// Hold returns the hold of an approval. The user is the creator of the card.
func (a Authorization) Hold(customerID int, day Day) Hold {
	return Hold{
		ID: a.HoldID(), AuthorizationID: a.ID, ProgramID: a.ProgramID, CustomerID: customerID,
		CardID: a.CardID, AccountID: a.AccountID, Kind: a.Kind, Amount: a.Allowed(), Day: day,
		Placed: a.Decided, Ends: a.EndFrom(a.Decided), Particulars: a.Particulars(),
	}
}

// Grow returns the hold with an amount more, which counts in a day.
func (h Hold) Grow(amount value.Amount, day Day) Hold {
	h.Amount.TenThousandths += amount.TenThousandths
	last := len(h.Later) - 1
	switch {
	case last < 0 && h.Day == day:
	case last >= 0 && h.Later[last].Day == day:
		h.Later = slices.Clone(h.Later)
		h.Later[last].TenThousandths += amount.TenThousandths
	default:
		h.Later = append(slices.Clip(h.Later), Part{day, amount.TenThousandths})
	}
	return h
}

// Shrink returns the hold without an amount, and the parts that were taken, the latest first.
func (h Hold) Shrink(amount value.Amount) (Hold, []Part) {
	var taken []Part
	left := min(amount.TenThousandths, h.Amount.TenThousandths)
	h.Amount.TenThousandths -= left
	for i := len(h.Later) - 1; i >= 0 && left > 0; i-- {
		part := h.Later[i]
		takes := min(left, part.TenThousandths)
		taken = append(taken, Part{part.Day, takes})
		left -= takes
		part.TenThousandths -= takes
		h.Later = slices.Clone(h.Later[:i])
		if part.TenThousandths > 0 {
			h.Later = append(h.Later, part)
		}
	}
	if left > 0 {
		taken = append(taken, Part{h.Day, left})
	}
	return h, taken
}

// End says how a hold has ended.
type End string

// The ends of a hold.
const (
	Posted   End = "posted"
	Released End = "released"
	RanOut   End = "expired"
)

// HoldEnd is kept when a hold has ended, so that a message about it that comes again finds out.
type HoldEnd struct {
	HoldID    string
	ProgramID int
	CardID    int
	AccountID int
	Kind      Kind
	End       End
	PostingID string // of a hold that was posted
	At        time.Time
	// Emptied says that nothing was left in the hold: it stands again when more turns out to have
	// been approved.
	Emptied         bool
	AuthorizationID string // empty in older rows
}

// EndedBy returns the end of the hold.
func (h Hold) EndedBy(end End, postingID string, now time.Time) HoldEnd {
	return HoldEnd{
		HoldID: h.ID, ProgramID: h.ProgramID, CardID: h.CardID, AccountID: h.AccountID,
		Kind: h.Kind, End: end, PostingID: postingID, At: now, AuthorizationID: h.AuthorizationID,
	}
}

// HoldView is a hold with what changes when it ends.
type HoldView struct {
	Hold    Hold
	Account Account
	User    Usage // of the hold's direction
	Program ProgramUsage
}

// Reversal is an authorization that was taken back, whole or in part.
type Reversal struct {
	ID              string // chosen by the processor
	Digest          []byte // of the request
	AuthorizationID string
	Result          ReversalResult
	At              time.Time // when the processor says it happened
	Done            time.Time
}

// ReversalResult says what a reversal has found.
type ReversalResult string

// The results of a reversal.
const (
	WholeReversed  ReversalResult = "reversed"
	PartlyReversed ReversalResult = "partlyReversed"
	NothingHeld    ReversalResult = "nothingHeld"
	UnknownYet     ReversalResult = "unknown"
)

// Posting is money that has moved.
type Posting struct {
	ID         string // chosen by the processor
	Digest     []byte // of the request
	HoldID     string // empty when it belongs to none
	ProgramID  int
	CustomerID int // the creator of the card
	CardID     int
	AccountID  int
	Kind       Kind
	Amount     value.Amount
	Posted     time.Time
}
