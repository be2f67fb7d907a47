package store

import "time"

// Jobs are the states of the jobs that nodes run on a schedule, one of each job whichever node has
// run it last.
type Jobs interface {
	Find(name string) (JobState, error)
	// List returns the states in the order of their names.
	List() ([]JobState, error)
	// Put inserts a state, or replaces the one of the same name.
	Put(s JobState) error
}

// JobState is how a job fares, by business time.
type JobState struct {
	Name   string
	Node   string    // that has the job
	Began  time.Time // when the last run began
	Ended  time.Time // when the last run that has ended did; zero before
	Done   bool      // whether that run did its work
	Next   time.Time // when the next run is due
	Error  string    // why the last run that has failed did; empty when none has
	Failed time.Time // when that was
}

// Running reports whether a run has begun and not ended. That of a node that was killed stays so
// until another node takes the job over.
func (s JobState) Running() bool { return s.Ended.Before(s.Began) }

// Failing reports whether the last run that has ended has failed.
func (s JobState) Failing() bool { return !s.Ended.IsZero() && !s.Done }

// Due is what time has made due, and the notices that were given of it.
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
}

// Expiring names the Verified cards of a program that expire in a month, of those with a number
// above After. Cards that the system has locked and cards with a permanent lock are not among them.
type Expiring struct {
	ProgramID   int
	Year, Month int
	After       int
}

// NoticeKind says what has come to pass, or is about to.
type NoticeKind string

// The kinds of notice.
const (
	DocumentEffective NoticeKind = "document effective"
	DocumentExpired   NoticeKind = "document expired"
	KeyExpiring       NoticeKind = "key expiring"
)

// Notice says that something was told, so that it is told once.
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
