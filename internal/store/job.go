package store

import (
	"time"
)

// Jobs are the states of the jobs that nodes run on a schedule, one of each job whichever node has
// run it last.
type Jobs interface {
	Find(name string) (JobState, error)
	// List returns the states in the order of their names.
	List() ([]JobState, error)
	// Put inserts a state, or replaces the one of the same name.
	Put(s JobState) error

	// A lease lets one node at a time do something, such as run a job.

	// PutLease takes a lease, or renews it for its holder. It fails with ErrExists when another
	// holder has the lease, unless that has run out at the time of the transaction.
	PutLease(l Lease) error
	// DeleteLease gives a lease back. It fails with ErrNotFound when the holder does not have it.
	DeleteLease(name, holder string) error
}

// JobState is the state of a job, in business time.
type JobState struct {
	Name   string
	Node   string    // that has the job
	Began  time.Time // when the last run began
	Ended  time.Time // when the last run that has ended did; zero before
	Done   bool      // whether that run did its work
	Next   time.Time // when the next run is due
	Error  string    // why the last run that has failed did; empty when none has
	Failed time.Time // when the first of the failures in a row was
}

// Running reports whether a run has begun and not ended. That of a node that was killed stays so
// until another node takes the job over.
func (s JobState) Running() bool { return s.Ended.Before(s.Began) }

// Failing reports whether the last run that has ended has failed.
func (s JobState) Failing() bool { return !s.Ended.IsZero() && !s.Done }

// Due finds what has fallen due, and stores the notices about it.
type Due interface {
	// ListExpiring returns the numbers of at most limit cards, in their order.
	ListExpiring(of Expiring, limit int) ([]int, error)
	// ListDocuments returns at most limit moments of a kind without a notice, oldest first: those
	// after one moment and up to another.
	ListDocuments(kind NoticeKind, after, until time.Time, limit int) ([]DocumentMoment, error)
	// HasNotice reports whether a notice was given.
	HasNotice(n Notice) (bool, error)
	// PutNotice inserts a notice, and is ErrExists when it was given before.
	PutNotice(n Notice) error
	// ChangeFuture mends what was written by a clock that has been set back since. Orders and deliveries
	// that wait for another try are due, sessions of the console that would last longer than one of
	// now end, and attempts on cards and new passwords of the future are of now.
	ChangeFuture() error

	// Each Next looks behind a moment and returns the earliest one that it finds, the zero time or
	// nothing when there is none.

	// NextUnverified returns, for each program with cards that wait to be verified, when the window
	// of one of them is over next.
	NextUnverified(after time.Time) ([]ProgramMoment, error)
	// NextPin returns when the next of the orders that hold a PIN was written, once for each
	// program that has one of that moment.
	NextPin(after time.Time) ([]ProgramMoment, error)
	// NextHold returns, for each program with holds that stand, when one of them ends next.
	NextHold(after time.Time) ([]ProgramMoment, error)
	// NextExpiring returns the first month, of those from one to another, in which cards of a
	// program expire that ListExpiring would list.
	NextExpiring(in ExpiringMonths) (year, month int, ok bool, err error)
	// NextDocument returns when a document comes into force or expires next.
	NextDocument(after time.Time) (time.Time, error)
	// NextOrder returns the next try of an order that waits for no other.
	NextOrder(after time.Time) (time.Time, error)
	// NextAnswer returns when the next of the answers was given that are kept for a repeated
	// request.
	NextAnswer(after time.Time) (time.Time, error)
}

// Expiring names the Verified cards of a program that expire in a month, of those with a number
// above After. Cards that the system has locked and cards with a permanent lock are not among them.
type Expiring struct {
	ProgramID   int
	Year, Month int
	After       int
}

// NoticeKind says what has happened, or is about to happen.
type NoticeKind string

// The kinds of notice.
const (
	DocumentEffective NoticeKind = "document effective"
	DocumentExpired   NoticeKind = "document expired"
	KeyExpiring       NoticeKind = "key expiring"
)

// Notice records that something was announced, so that it is announced once.
type Notice struct {
	Kind    NoticeKind
	Subject string
	Moment  time.Time // that it was about: a moment that is moved is told again
}

// DocumentMoment is when a document comes into force or expires, for one program of its bank: the
// subject of the notice is both numbers, such as 12/3.
type DocumentMoment struct {
	Notice
	DocumentID int
	ProgramID  int // 0 when the bank has no program
	Culture    string
	Type       string
}

// Lease gives a holder a name until a moment.
type Lease struct {
	Name   string
	Holder string
	Until  time.Time // from then on another holder may take it
}

// ProgramMoment is when something falls due in one program, or began in it.
type ProgramMoment struct {
	ProgramID int
	Moment    time.Time
}

// ExpiringMonths are the months of a program from one to another. A month is counted from the year
// 0: twelve times the year, and the month less one.
type ExpiringMonths struct {
	ProgramID   int
	First, Last int
}
