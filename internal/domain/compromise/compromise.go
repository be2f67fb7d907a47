// Package compromise has the rules by which a list of cards with compromised numbers is handled:
// which are next, how many a day, and what is counted. What is done to a card belongs to packages
// card and cards; the numbers themselves are not stored.
package compromise

import (
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
)

// Act is what is done about the cards of a list.
type Act string

// The acts.
const (
	Lock    Act = "lock"    // for good, as suspected fraud
	Replace Act = "replace" // by a card with a new number
)

// State is how far a list is.
type State string

// The states.
const (
	Waiting State = "waiting" // for a second operator
	Running State = "running"
	Paused  State = "paused"
	Done    State = "done"
)

// Outcome is what came of a card, empty before it is handled.
type Outcome string

// The outcomes.
const (
	Handled Outcome = "done"
	Left    Outcome = "left"    // its number was dead already
	Refused Outcome = "refused" // by a rule
)

// List is a list of compromised card numbers, by the cards that they belong to.
type List struct {
	ID        int
	ProgramID int
	Name      string
	Act       Act
	PerDay    int    // how many cards are replaced a day; 0 for all at once
	Digest    string // keyed, of the numbers
	Made      time.Time
	Actor     audit.Actor // the operator who begins it, with the reason

	Numbers  int            // different ones
	Cards    int            // of the program that have one of them
	Statuses map[string]int // of the cards when they were found

	State    State
	Outcomes map[Outcome]int
	Day      string // on which a card was replaced last, in the zone of the program
	OfDay    int    // cards that were replaced on it
	Changed  time.Time
	Revision int
}

// Card is a card of a list.
type Card struct {
	ID          int     `json:"id"`
	Outcome     Outcome `json:"outcome,omitempty"`
	Replacement int     `json:"replacement,omitempty"` // the card that has replaced it
	Why         string  `json:"why,omitempty"`         // it was refused
}

// Batch is how many cards are stored and handled together.
const Batch = 50

const (
	maxName   = 100
	maxPerDay = 1_000_000
)

// Rules tells what the members of a list must be.
func (l List) Rules(r *problem.Rules) {
	r.ID("programId", l.ProgramID)
	r.Name("name", l.Name, maxName)
	wrong := ""
	if l.Act != Lock && l.Act != Replace {
		wrong = "must be lock or replace"
	}
	r.Must("act", "lock or replace", wrong)
	r.MayNumber("perDay", &l.PerDay, 0, maxPerDay)
	if l.Act == Lock && l.PerDay != 0 {
		r.Add("perDay", "belongs to replace: cards are locked at once")
	}
	r.Require("reason", l.Actor.Reason != "")
}

// Supersedes reports whether a list replaces one of the same numbers that waits for a second operator,
// and is not what they would approve.
func (l List) Supersedes(waiting List) bool {
	return waiting.State == Waiting &&
		(l.PerDay != waiting.PerDay || l.Name != waiting.Name || l.Cards > waiting.Cards)
}

// Next is the place of the next card.
func (l List) Next() int {
	handled := 0
	for _, count := range l.Outcomes {
		handled += count
	}
	return handled
}

// MayContinue reports whether another card may be handled on a day.
func (l List) MayContinue(day string) bool {
	return l.State == Running && (l.PerDay == 0 || l.Day != day || l.OfDay < l.PerDay)
}

// Record counts what came of the next card.
func (l *List) Record(o Outcome, day string) {
	counted := make(map[Outcome]int, len(l.Outcomes)+1)
	for outcome, count := range l.Outcomes {
		counted[outcome] = count
	}
	counted[o]++
	l.Outcomes = counted
	if o == Handled && l.Act == Replace {
		if l.Day != day {
			l.Day, l.OfDay = day, 0
		}
		l.OfDay++
	}
	l.End()
}

// End ends a running list whose cards are all handled.
func (l *List) End() {
	if l.State == Running && l.Next() == l.Cards {
		l.State = Done
	}
}
