package authorization

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"mintmark/internal/base/value"
)

// HoldLife is how long a hold stands when it is neither posted nor released.
const HoldLife = 7 * 24 * time.Hour

// Authorization is a transfer that was asked about, and the answer. Declined ones are kept, too.
type Authorization struct {
	ID     string // chosen by the processor
	Digest []byte // of what was asked; the same ID with another digest is refused
	Transfer
	Decision

	ProgramID int // 0 when the card is unknown
	CardID    int // as it was found; as it was named when there is no such card
	Currency  string
	At        time.Time // when the processor says it happened; zero when it does not say
	Decided   time.Time
}

// HoldID returns the identifier of the hold that an approval places: the card, then a digest of the
// authorization. So the holds of a card are neighbors in the index by their identifier, and need no
// other. It is written in letters, so that no part of it looks like a card number.
func (a Authorization) HoldID() string {
	sum := sha256.Sum256([]byte("hold " + a.ID))
	return HoldPrefix(a.CardID) + letter(sum[:12])
}

// HoldPrefix is what the identifiers of all holds of a card begin with.
func HoldPrefix(cardID int) string {
	return letter(binary.BigEndian.AppendUint32(nil, uint32(cardID)))
}

// letter writes bytes as letters from a to p, two for each.
func letter(bytes []byte) string {
	const letters = "abcdefghijklmnop"
	var text []byte
	for _, b := range bytes {
		text = append(text, letters[b>>4], letters[b&15])
	}
	return string(text)
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
	Day             Day // the day that it counts in
	Placed          time.Time
	Ends            time.Time // by itself
}

// Hold returns the hold of an approval. The user is the creator of the card.
func (a Authorization) Hold(customerID int, day Day) Hold {
	return Hold{
		ID: a.HoldID(), AuthorizationID: a.ID, ProgramID: a.ProgramID, CustomerID: customerID,
		CardID: a.CardID, AccountID: a.AccountID, Kind: a.Kind, Amount: a.Amount, Day: day,
		Placed: a.Decided, Ends: a.Decided.Add(HoldLife),
	}
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
}

// EndedBy returns the end of the hold.
func (h Hold) EndedBy(end End, postingID string, now time.Time) HoldEnd {
	return HoldEnd{
		HoldID: h.ID, ProgramID: h.ProgramID, CardID: h.CardID, AccountID: h.AccountID,
		Kind: h.Kind, End: end, PostingID: postingID, At: now,
	}
}

// HoldView is a hold with what changes when it ends.
type HoldView struct {
	Hold          Hold
	Account       Account
	User, Program Usage // of the hold's direction
}

// Posting is money that has moved.
type Posting struct {
	ID         string // chosen by the processor
	Digest     []byte // of what was asked
	HoldID     string // empty when it belongs to none
	ProgramID  int
	CustomerID int // the creator of the card
	CardID     int
	AccountID  int
	Kind       Kind
	Amount     value.Amount
	Posted     time.Time
}
