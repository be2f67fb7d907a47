package store

import (
	"slices"
	"strings"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/digests"
)

// Authorizations are the card transfers that the processor asked Mintmark to decide, with the
// decisions.
type Authorizations interface {
	// FindView returns what a decision reads. It returns the zero View when the card does not
	// exist.
	FindView(of CardRef, direction authorization.Direction) (authorization.View, error)
	Find(id string) (authorization.Authorization, error)
	// FindMany returns the authorizations with the given identifiers, in no particular order.
	FindMany(ids []string) ([]authorization.Authorization, error)
	// Put stores a decision. It fails with ErrExists when the identifier was used before.
	Put(a authorization.Authorization) error
	// Change replaces the authorization with the same identifier.
	Change(a authorization.Authorization) error
	// List returns authorizations, newest first. It examines a bounded number of rows: if it stops
	// before the limit with more rows left, next is the last one it examined, otherwise zero.
	List(of AuthorizationQuery) (
		authorizations []authorization.Authorization, next authorization.ListKey, err error)
	// FindFirstDeclined returns when the first authorization since a time was declined for a
	// reason, or the zero time if none was. Nil programs means all.
	FindFirstDeclined(
		programs []int, reason authorization.Reason, since time.Time) (time.Time, error)
}

// AuthorizationQuery selects authorizations. A zero field does not restrict the result.
type AuthorizationQuery struct {
	Programs   []int // nil for all, including those without a program because the card is unknown
	CardID     int
	CustomerID int // created or holds the card
	Outcome    string
	Reason     authorization.Reason // of the decision
	From, To   time.Time            // time of the decision; To is excluded
	Merchant   string               // part of the name, case-insensitive

	Before authorization.ListKey // authorizations after this one in the list
	Limit  int                   // never 0
}

// Fits reports whether the query selects an authorization.
func (q AuthorizationQuery) Fits(a authorization.Authorization) bool {
	named := q.Merchant == "" || a.Merchant != nil &&
		strings.Contains(strings.ToLower(a.Merchant.Name), strings.ToLower(q.Merchant))
	return named && !a.IsMark() && (q.Programs == nil || slices.Contains(q.Programs, a.ProgramID)) &&
		(q.Outcome == "" || a.Outcome() == q.Outcome) && (q.Reason == "" || a.Reason == q.Reason)
}

// Reversals are the processor's reversals of authorizations.
type Reversals interface {
	Find(id string) (authorization.Reversal, error)
	// Put stores a reversal. It fails with ErrExists when the identifier was used before.
	Put(r authorization.Reversal) error
	// DeleteMarks deletes at most limit reversals older than before whose authorization was
	// unknown, and returns how many. With each it deletes the mark that the reversal left, unless
	// the authorization arrived or a newer reversal renewed the mark.
	DeleteMarks(before time.Time, limit int) (int, error)
}

// CardRef names a card in any program: by its ID or, when the ID is 0, by digests of its PAN.
type CardRef struct {
	ID     int
	Digest digests.Number
}

// Holds are the open holds, and the ends of others.
type Holds interface {
	// FindView returns an open hold with its account and sums.
	FindView(id string) (authorization.HoldView, error)
	// FindEnd returns the end of a hold.
	FindEnd(id string) (authorization.HoldEnd, error)
	// ListEnds returns at most limit ends of holds of a program with identifiers greater than
	// after, in order.
	ListEnds(programID int, after string, limit int) ([]authorization.HoldEnd, error)
	// List returns the open holds of a card, in the order in which they were placed.
	List(cardID int) ([]authorization.Hold, error)
	// ListEnding returns open holds, latest expiry first.
	ListEnding(of HoldQuery) ([]authorization.Hold, error)
	// ListDue returns at most limit holds of a program that expire at or before a time, earliest
	// expiry first.
	ListDue(programID int, until time.Time, limit int) ([]authorization.Hold, error)
	Put(h authorization.Hold) error
	// Delete ends a hold and stores its end. It fails with ErrLostUpdate when the hold is not open.
	Delete(end authorization.HoldEnd) error
	// Change replaces amount, parts and expiry of an open hold.
	Change(h authorization.Hold) error
	// PutEnd stores the end of a hold that was never placed.
	PutEnd(end authorization.HoldEnd) error
	// DeleteEnd deletes the end of a hold that was emptied, so that the hold can be put again.
	DeleteEnd(id string) error
	// ChangeEnd makes the end of an emptied hold final. It leaves any other end unchanged.
	ChangeEnd(id string) error
}

// HoldQuery selects holds.
type HoldQuery struct {
	Programs  []int // nil for all
	AccountID int   // 0 for any

	Before authorization.ListKey // holds after this one in the list, by expiry
	Limit  int                   // never 0
}

// Postings are the movements of money that the processor has reported.
type Postings interface {
	Find(id string) (authorization.Posting, error)
	// Put stores a posting. It fails with ErrExists when the identifier was used before.
	Put(p authorization.Posting) error
}

// Balances are the balances of accounts, as transfers read and change them.
type Balances interface {
	Find(accountID int) (authorization.Account, error)
	// Change stores the balances of an account at the next revision. It fails with ErrLostUpdate
	// when the stored revision differs.
	Change(a authorization.Account) error
}

// Usages are the sums that limits are compared with: a row for each user and direction with a
// transfer and, once a program has had a limit for all users, a row for the program's total in a
// direction. A store that runs transactions concurrently also splits that total into shares: see
// authorization.ProgramUsage.
type Usages interface {
	// Sum returns the amount that all users of a program have used in a direction on a day.
	Sum(programID int, direction authorization.Direction, day authorization.Day) (
		authorization.Usage, error)
	// List returns at most limit sums of a program after a given one: first those of the whole
	// program, then those of users in order. A program's sum excludes the unused rests of its
	// shares.
	List(behind authorization.Usage, limit int) ([]authorization.Usage, error)
	// Put inserts sums at revision 0, or replaces the revision that was read.
	Put(u authorization.Usage) error
	// ListShares returns the shares of a program in a direction that have an unused rest for a day.
	ListShares(programID int, direction authorization.Direction, day authorization.Day) (
		[]authorization.Share, error)
	// PutShare inserts a share at revision 0, or replaces the revision that was read.
	PutShare(s authorization.Share) error
}
