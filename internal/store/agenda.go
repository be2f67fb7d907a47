package store

import "time"

// Agenda says when time will make something due. Each Next looks behind a moment and returns the
// earliest one that it finds, the zero time or nothing when there is none.
type Agenda interface {
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
	NextExpiring(in ExpiringMonths) (year, month int, found bool, err error)
	// NextDocument returns when a document comes into force or expires next.
	NextDocument(after time.Time) (time.Time, error)
	// NextOrder returns the next try of an order that waits for no other.
	NextOrder(after time.Time) (time.Time, error)
	// NextAnswer returns when the next of the answers was given that are kept for a repeated
	// request.
	NextAnswer(after time.Time) (time.Time, error)
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
