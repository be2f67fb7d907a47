package store

import (
	"slices"
	"strings"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/digests"
)

// Authorizations are the card-based transfers that the processor has asked about, with the answers.
type Authorizations interface {
	// FindView returns what a decision reads. Without such a card it is the zero View.
	FindView(of CardName, direction authorization.Direction) (authorization.View, error)
	Find(id string) (authorization.Authorization, error)
	// FindMany returns those of some identifiers, in no order.
	FindMany(ids []string) ([]authorization.Authorization, error)
	// Put keeps an answer. It fails with ErrExists when the identifier was used before.
	Put(a authorization.Authorization) error
	// Change replaces what is known under an identifier.
	Change(a authorization.Authorization) error
	// List returns authorizations, the newest first. It looks at a bounded number of rows: where it
	// stops before the limit with more behind, next is the last that it has looked at, otherwise zero.
	List(of AuthorizationQuery) (
		authorizations []authorization.Authorization, next authorization.ListKey, err error)
	// FindFirstDeclined returns when the first since a moment was declined for a reason: zero for none.
	// It looks at all programs for nil.
	FindFirstDeclined(
		programs []int, reason authorization.Reason, since time.Time) (time.Time, error)
}

// AuthorizationQuery says which authorizations are listed. A zero field does not restrict.
type AuthorizationQuery struct {
	Programs   []int // nil for all, and then also those of no program, because the card is unknown
	CardID     int
	CustomerID int // who has created or holds the card
	Outcome    string
	Reason     authorization.Reason // of the answer
	From, To   time.Time            // of the decision; To is not included
	Merchant   string               // a part of the name, in whatever case

	Before authorization.ListKey // those behind it
	Limit  int                   // never 0
}

// Fits reports whether an authorization is one that the query asks for.
func (q AuthorizationQuery) Fits(a authorization.Authorization) bool {
	named := q.Merchant == "" || a.Merchant != nil &&
		strings.Contains(strings.ToLower(a.Merchant.Name), strings.ToLower(q.Merchant))
	return named && !a.IsMark() && (q.Programs == nil || slices.Contains(q.Programs, a.ProgramID)) &&
		(q.Outcome == "" || a.Outcome() == q.Outcome) && (q.Reason == "" || a.Reason == q.Reason)
}

// Reversals are the authorizations that the processor has taken back.
type Reversals interface {
	Find(id string) (authorization.Reversal, error)
	// Put keeps a reversal. It fails with ErrExists when the identifier was used before.
	Put(r authorization.Reversal) error
	// DeleteMarks deletes at most limit reversals from before a moment whose authorization was
	// unknown, each with the mark that it left unless the authorization came, or a newer reversal has
	// renewed the mark. It returns how many.
	DeleteMarks(before time.Time, limit int) (int, error)
}

// CardName names a card in any program: by its number or, when that is 0, by digests of its PAN.
type CardName struct {
	ID     int
	Digest digests.Number
}

// Holds are the holds that stand, and how others have ended.
type Holds interface {
	// FindView returns a hold that stands, with its account and sums.
	FindView(id string) (authorization.HoldView, error)
	// FindEnd returns how a hold has ended.
	FindEnd(id string) (authorization.HoldEnd, error)
	// ListEnds returns at most limit ends of holds of a program with identifiers after one, in their
	// order.
	ListEnds(programID int, after string, limit int) ([]authorization.HoldEnd, error)
	// List returns the holds of a card that stand, in the order in which they were placed.
	List(cardID int) ([]authorization.Hold, error)
	// ListEnding returns holds that stand, those that end last in front.
	ListEnding(of HoldQuery) ([]authorization.Hold, error)
	// ListDue returns at most limit holds of a program that end by themselves until a moment, those
	// that end first in front.
	ListDue(programID int, until time.Time, limit int) ([]authorization.Hold, error)
	Put(h authorization.Hold) error
	// Delete ends a hold and keeps how. It fails with ErrLostUpdate when the hold does not stand.
	Delete(end authorization.HoldEnd) error
	// Change replaces amount, parts and end of a hold that stands.
	Change(h authorization.Hold) error
	// PutEnd keeps the end of a hold that was never placed.
	PutEnd(end authorization.HoldEnd) error
	// DeleteEnd forgets the end of a hold that was emptied, so that it can be put again.
	DeleteEnd(id string) error
	// ChangeEnd makes the end of a hold that was emptied final. Any other stays as it is.
	ChangeEnd(id string) error
}

// HoldQuery says which holds are listed.
type HoldQuery struct {
	Programs  []int // nil for all
	AccountID int   // 0 for any

	Before authorization.ListKey // those behind it, by when they end
	Limit  int                   // never 0
}

// Postings are the movements of money that the processor has reported.
type Postings interface {
	Find(id string) (authorization.Posting, error)
	// Put keeps a posting. It fails with ErrExists when the identifier was used before.
	Put(p authorization.Posting) error
}

// Balances are the balances of accounts, as transfers read and change them.
type Balances interface {
	Find(accountID int) (authorization.Account, error)
	// Change stores the balances of an account at the next revision. It fails with ErrLostUpdate
	// when the stored revision is another one.
	Change(a authorization.Account) error
}

// Usages are the sums that limits are compared with: a row for each user and direction that has
// had a transfer and, once a program has had a limit for all users, its total in a direction. A
// store whose transactions run side by side has shares of that beside it, see
// authorization.ProgramUsage.
type Usages interface {
	// Sum returns what all users of a program have used of a direction on a day.
	Sum(programID int, direction authorization.Direction, day authorization.Day) (
		authorization.Usage, error)
	// List returns at most limit sums of a program behind one, in the order of the users, those of
	// the whole program first. Those are what was used.
	List(behind authorization.Usage, limit int) ([]authorization.Usage, error)
	// Put inserts sums at revision 0, or replaces the revision that was read.
	Put(u authorization.Usage) error
	// ListShares returns the shares of a program in a direction that have a rest of a day.
	ListShares(programID int, direction authorization.Direction, day authorization.Day) (
		[]authorization.Share, error)
	// PutShare inserts a share at revision 0, or replaces the revision that was read.
	PutShare(s authorization.Share) error
}
