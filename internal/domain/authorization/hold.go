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

// HoldLife is the lifetime of a hold that is neither posted nor released.
const HoldLife = 7 * 24 * time.Hour

// MaxHoldLife is the maximum lifetime of a hold for which the processor sets the end.
const MaxHoldLife = 60 * 24 * time.Hour

// MarkLife is how long the store retains the mark of a reversal whose authorization has not
// arrived.
const MarkLife = 60 * 24 * time.Hour

// Authorization collects the messages under one ID of the processor: the request with its decision,
// the advice, the reversals and the postings. An authorization that was only reversed is a mark: a
// request that arrives later is declined.
type Authorization struct {
	ID     string // chosen by the processor
	Digest []byte // of the request, empty before it arrives; the ID with another digest is rejected
	Transfer
	Decision // on the request

	ProgramID  int // 0 if the card is unknown
	CustomerID int // the creator of the card
	CardID     int // ID of the card; for an unknown card, the ID in the request
	Currency   string
	At         time.Time // as reported by the processor; zero if not reported
	Decided    time.Time
	Details

	Root   string // authorization whose hold this one increases; empty if it has its own hold
	Advice Advice
	Book
}

// ListKey is the position of an authorization or a hold in a list: its time, then its ID.
type ListKey struct {
	At time.Time // zero for the start of the list
	ID string
}

// ListKey returns the position of the authorization, by when it was decided.
func (a Authorization) ListKey() ListKey { return ListKey{a.Decided, a.ID} }

// ListKey returns the position of the hold, by when it ends.
func (h Hold) ListKey() ListKey { return ListKey{h.Ends, h.ID} }

// Compare orders positions, the latest first.
func (p ListKey) Compare(other ListKey) int {
	return cmp.Or(other.At.Compare(p.At), strings.Compare(other.ID, p.ID))
}

// Details holds the rest of the request, and why the decision was made.
type Details struct {
	Partial   bool       `json:"partial,omitempty"`
	HoldUntil *time.Time `json:"holdUntil,omitempty"`
	// Ends is the end of the hold, once an advice or an increment has set it.
	Ends *time.Time `json:"ends,omitempty"`
	// IncrementOf is the ID that the request names as the authorization whose hold grows.
	IncrementOf string    `json:"incrementOf,omitempty"`
	Original    *Original `json:"original,omitempty"`
	Merchant    *Merchant `json:"merchant,omitempty"`
	Booked      bool      `json:"booked,omitempty"` // the advice found or placed a hold
	Why
}

// Advice is a decision that was made elsewhere.
type Advice struct {
	Digest    []byte  // of the advice
	By        Decider // empty if there is no advice
	Approved  bool
	Amount    value.Amount
	WouldHave Reason // the decision that the request would have had
}

// Decider is a party that decides in place of Mintmark.
type Decider string

// The parties that decide in place of Mintmark.
const (
	StandIn Decider = "standIn" // the processor itself
	Network Decider = "network" // of the card scheme
)

// Deciders lists the parties that decide in place of Mintmark.
var Deciders = []Decider{StandIn, Network}

// Book records what happened to an authorization besides its decision. The hold follows from both,
// so the messages may arrive in any order.
type Book struct {
	Grown    value.Amount // by authorizations that increase its hold, less their reversals
	Reversed value.Amount
	Posted   value.Amount // by postings that are not final
}

// Nothing is the zero amount.
var Nothing value.Amount

// Everything, as the amount of a reversal, reverses all that is held.
var Everything = value.Amount{TenThousandths: math.MaxInt64}

// ApprovedAmount returns the approved amount, that of the advice if there is one.
func (a Authorization) ApprovedAmount() value.Amount {
	switch {
	case a.Advice.By == "":
		return a.Decision.Amount
	case a.Advice.Approved:
		return a.Advice.Amount
	}
	return value.Amount{}
}

// Amounts returns the amounts whose decimal places later messages may use.
func (a Authorization) Amounts() []value.Amount {
	return []value.Amount{a.Transfer.Amount, a.ApprovedAmount(), a.Grown}
}

// ReversedAmount returns how much of the approved amount was reversed.
func (a Authorization) ReversedAmount() value.Amount {
	return minAmount(a.Reversed, addCapped(a.ApprovedAmount(), a.Grown))
}

// IncrementAmount returns by how much an authorization increases the hold of another.
func (a Authorization) IncrementAmount() value.Amount {
	return subtract(a.ApprovedAmount(), a.Reversed)
}

// Grows reports whether an increment adds anything to the hold.
func (a Authorization) Grows() bool { return a.IncrementAmount() != Nothing }

// Held returns the amount of the authorization's hold, unless the hold has ended.
func (a Authorization) Held() value.Amount {
	return subtract(addCapped(a.ApprovedAmount(), a.Grown), addCapped(a.Reversed, a.Posted))
}

// Reverse adds an amount to the reversed amount.
func (a Authorization) Reverse(amount value.Amount) Authorization {
	a.Reversed = addCapped(a.Reversed, amount)
	return a
}

// AddPartialPosting records a posting that is not final.
func (a Authorization) AddPartialPosting(amount value.Amount) Authorization {
	a.Posted = addCapped(a.Posted, amount)
	return a
}

// ApplyIncrement records that an increment of the hold has changed. until is the new end of the
// hold, nil to leave it unchanged. What was posted on an increment counts as long as the increment
// adds something.
func (a Authorization) ApplyIncrement(before, after Authorization, until *time.Time) Authorization {
	a.Grown = subtract(addCapped(a.Grown, after.IncrementAmount()), before.IncrementAmount())
	switch {
	case !before.Grows() && after.Grows():
		a = a.AddPartialPosting(after.Posted)
	case before.Grows() && !after.Grows():
		a.Posted = subtract(a.Posted, after.Posted)
	}
	a.Ends = cmp.Or(until, a.Ends)
	return a
}

// EndFrom returns when a hold expires that is placed or advised at now.
func (d Details) EndFrom(now time.Time) time.Time {
	if until := cmp.Or(d.Ends, d.HoldUntil); until != nil && until.After(now) {
		return *until
	}
	return now.Add(HoldLife)
}

// Of returns the authorization assigned to a card, which may have been unknown before. It leaves an
// authorization of another card unchanged.
func (a Authorization) Of(c Card) Authorization {
	if a.ProgramID == 0 && (a.CardID == 0 || a.CardID == c.ID) {
		a.ProgramID, a.CustomerID, a.CardID = c.ProgramID, c.CreatorID, c.ID
	}
	return a
}

// IsMark reports whether the authorization is known only from a reversal.
func (a Authorization) IsMark() bool { return !a.HasRequest() && a.Advice.By == "" }

// Answer returns the reason with which to answer a request that arrives after the advice. accountID
// is the account that the advice was booked on.
func (v Advice) Answer(accountID int) Reason {
	switch {
	case v.Approved && accountID != 0:
		return Approved
	case v.WouldHave == Approved:
		return Reversed
	}
	return v.WouldHave
}

// HasRequest reports whether the processor has sent a request. If not, there is an advice or a
// mark.
func (a Authorization) HasRequest() bool { return len(a.Digest) > 0 }

// subtract returns a minus b, but never less than zero.
func subtract(a, b value.Amount) value.Amount {
	return value.Amount{TenThousandths: max(0, a.TenThousandths-b.TenThousandths)}
}

// HoldID returns the ID of the hold that an approval places: the card, then a digest of the
// authorization. The holds of a card are thus neighbors in the index by ID, and need no other
// index. The ID consists of letters, so that no part of it looks like a card number.
func (a Authorization) HoldID() string {
	if a.Root != "" {
		return HoldIDOf(a.CardID, a.Root)
	}
	return HoldIDOf(a.CardID, a.ID)
}

// HoldIDOf returns the ID of the hold of an authorization on a card.
func HoldIDOf(cardID int, authorizationID string) string {
	sum := sha256.Sum256([]byte("hold " + authorizationID))
	return HoldPrefix(cardID) + pan.Letters(sum[:12])
}

// HoldPrefix returns the common prefix of the IDs of all holds of a card.
func HoldPrefix(cardID int) string {
	return pan.Letters(binary.BigEndian.AppendUint32(nil, uint32(cardID)))
}

// Hold is money set aside by an approval. It lasts until it is posted, is released or expires.
type Hold struct {
	ID              string
	AuthorizationID string
	ProgramID       int
	CustomerID      int // the creator of the card, whose sums it counts in
	CardID          int
	AccountID       int
	Kind            Kind
	Amount          value.Amount
	Day             Day    // in whose sums it counts
	Later           []Part // by how much it grew on later days; included in Amount
	Placed          time.Time
	Ends            time.Time // when it expires
	Particulars
}

// Part is the part of a hold that counts in the sums of a day.
type Part struct {
	Day            Day   `json:"day"`
	TenThousandths int64 `json:"amount"`
}

// Particulars describe a transfer as the holder of the card saw it.
type Particulars struct {
	Currency string    `json:"currency,omitempty"`
	Original *Original `json:"original,omitempty"`
	Merchant *Merchant `json:"merchant,omitempty"`
}

// Particulars returns those of the authorization.
func (a Authorization) Particulars() Particulars {
	return Particulars{a.Currency, a.Original, a.Merchant}
}

// Hold returns the hold of an approval. customerID is the creator of the card.
func (a Authorization) Hold(customerID int, day Day) Hold {
	return Hold{
		ID: a.HoldID(), AuthorizationID: a.ID, ProgramID: a.ProgramID, CustomerID: customerID,
		CardID: a.CardID, AccountID: a.AccountID, Kind: a.Kind, Amount: a.ApprovedAmount(), Day: day,
		Placed: a.Decided, Ends: a.EndFrom(a.Decided), Particulars: a.Particulars(),
	}
}

// Increase returns the hold increased by an amount, which counts in the sums of day.
func (h Hold) Increase(amount value.Amount, day Day) Hold {
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

// Shrink returns the hold reduced by an amount, and the removed parts, the latest first.
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

// End is how a hold ended.
type End string

// The ends of a hold.
const (
	Posted      End = "posted"
	Released    End = "released"
	HoldExpired End = "expired"
)

// HoldEnd records that a hold has ended, so that a repeated message about it gets the same result.
type HoldEnd struct {
	HoldID    string
	ProgramID int
	CardID    int
	AccountID int
	Kind      Kind
	End       End
	PostingID string // if the hold was posted
	At        time.Time
	// Emptied is true if the hold ended because nothing was left in it. The hold is placed again if
	// a later message approves more.
	Emptied         bool
	AuthorizationID string // empty in older rows
}

// EndedBy returns the record of the hold's end.
func (h Hold) EndedBy(end End, postingID string, now time.Time) HoldEnd {
	return HoldEnd{
		HoldID: h.ID, ProgramID: h.ProgramID, CardID: h.CardID, AccountID: h.AccountID,
		Kind: h.Kind, End: end, PostingID: postingID, At: now, AuthorizationID: h.AuthorizationID,
	}
}

// HoldView is a hold with everything that changes when it ends.
type HoldView struct {
	Hold    Hold
	Account Account
	User    Usage // of the hold's direction
	Program ProgramUsage
}

// Reversal cancels an authorization, in whole or in part.
type Reversal struct {
	ID              string // chosen by the processor
	Digest          []byte // of the request
	AuthorizationID string
	Result          ReversalResult
	At              time.Time // as reported by the processor
	Done            time.Time
}

// ReversalResult is the result of a reversal.
type ReversalResult string

// The results of a reversal.
const (
	WholeReversed  ReversalResult = "reversed"
	PartlyReversed ReversalResult = "partlyReversed"
	NothingHeld    ReversalResult = "nothingHeld"
	NotYetKnown    ReversalResult = "unknown"
)

// Posting is money that has moved.
type Posting struct {
	ID         string // chosen by the processor
	Digest     []byte // of the request
	HoldID     string // empty if it belongs to none
	ProgramID  int
	CustomerID int // the creator of the card
	CardID     int
	AccountID  int
	Kind       Kind
	Amount     value.Amount
	Posted     time.Time
}
