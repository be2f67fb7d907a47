package store

import (
	"time"
)

// Jobs are the states of the jobs that nodes run on a schedule. A job has one state, whichever node
// ran it last.
type Jobs interface {
	Find(name string) (JobState, error)
	// List returns the states by job name.
	List() ([]JobState, error)
	// Put inserts a state, or replaces the state of the same name.
	Put(s JobState) error

	// A lease makes one node at a time responsible for something, such as running a job.

	// PutLease acquires a lease, or renews it for its holder. It fails with ErrExists when another
	// holder has the lease and it has not expired at the time of the transaction.
	PutLease(l Lease) error
	// DeleteLease releases a lease. It fails with ErrNotFound when the holder does not have it.
	DeleteLease(name, holder string) error
}

// JobState is the state of a job, in business time.
type JobState struct {
	Name   string
	Node   string    // the node that has the job
	Began  time.Time // when the last run began
	Ended  time.Time // when the last finished run ended; zero before the first
	Done   bool      // whether that run succeeded
	Next   time.Time // when the next run is due
	Error  string    // error of the last failed run; empty when none failed
	Failed time.Time // time of the first of the consecutive failures
}

// Running reports whether a run has begun and not ended. After a node is killed, its run counts as
// running until another node takes over the job.
func (s JobState) Running() bool { return s.Ended.Before(s.Began) }

// Failing reports whether the last finished run failed.
func (s JobState) Failing() bool { return !s.Ended.IsZero() && !s.Done }

// Due finds what has fallen due, and stores the notices about it.
type Due interface {
	// ListExpiring returns the IDs of at most limit cards, in order.
	ListExpiring(of Expiring, limit int) ([]int, error)
	// ListDocuments returns at most limit times of a kind without a notice, oldest first: later
	// than after, and not later than until.
	ListDocuments(kind NoticeKind, after, until time.Time, limit int) ([]DocumentTime, error)
	// HasNotice reports whether a notice was given.
	HasNotice(n Notice) (bool, error)
	// PutNotice inserts a notice. It fails with ErrExists when it was given before.
	PutNotice(n Notice) error
	// ChangeFuture repairs what was written before the clock was set back. Orders and deliveries
	// that wait for a retry become due, console sessions that would outlast one created now end,
	// and the times of attempts on cards and of new passwords that lie in the future become the
	// current time.
	ChangeFuture() error

	// Each Next method looks for times later than after and returns the earliest, or the zero time
	// or an empty list when there is none.

	// NextUnverified returns, for each program with cards that wait to be verified, when the next
	// verification window of such a card ends.
	NextUnverified(after time.Time) ([]ProgramTime, error)
	// NextPin returns the earliest time at which an order that holds a PIN was written, once for
	// each program with such an order.
	NextPin(after time.Time) ([]ProgramTime, error)
	// NextHold returns, for each program with open holds, when the next of them expires.
	NextHold(after time.Time) ([]ProgramTime, error)
	// NextExpiring returns the first month, within the given months, in which a card of the program
	// expires that ListExpiring would list.
	NextExpiring(in ExpiringMonths) (year, month int, ok bool, err error)
	// NextDocument returns when the next document comes into force or expires.
	NextDocument(after time.Time) (time.Time, error)
	// NextOrder returns the next attempt time of an order that does not wait for another order.
	NextOrder(after time.Time) (time.Time, error)
	// NextAnswer returns the time of the next response that is stored for repeated requests.
	NextAnswer(after time.Time) (time.Time, error)
}

// Expiring selects the Verified cards of a program that expire in a month and have IDs greater than
// After. It excludes cards that the system has locked and cards with a permanent lock.
type Expiring struct {
	ProgramID   int
	Year, Month int
	After       int
}

// NoticeKind is the kind of event that a notice announces.
type NoticeKind string

// The kinds of notice.
const (
	DocumentEffective NoticeKind = "document effective"
	DocumentExpired   NoticeKind = "document expired"
	KeyExpiring       NoticeKind = "key expiring"
)

// Notice records that something was announced, so that it is announced only once.
type Notice struct {
	Kind    NoticeKind
	Subject string
	Moment  time.Time // the announced time: if it moves, it is announced again
}

// DocumentTime is when a document comes into force or expires, for one program of its bank. The
// subject of the notice is the numbers of both, such as 12/3.
type DocumentTime struct {
	Notice
	DocumentID int
	ProgramID  int // 0 when the bank has no program
	Culture    string
	Type       string
}

// Lease gives a holder exclusive use of a name until a time.
type Lease struct {
	Name   string
	Holder string
	Until  time.Time // from then on another holder may acquire it
}

// ProgramTime is when something falls due, or began, in one program.
type ProgramTime struct {
	ProgramID int
	Moment    time.Time
}

// ExpiringMonths is a range of months of a program, both ends included. A month is numbered from
// the year 0: the year times twelve, plus the month minus one.
type ExpiringMonths struct {
	ProgramID   int
	First, Last int
}
