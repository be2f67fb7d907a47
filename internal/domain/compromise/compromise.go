// Package compromise defines how a list of compromised card numbers is processed: which cards are
// next, how many a day, and what is counted. Packages card and cards lock and replace the cards.
// The card numbers themselves are not stored.
package compromise

import (
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
)

// Act is the act on the cards of a list.
type Act string

// The acts.
const (
	Lock    Act = "lock"    // permanently, as suspected fraud
	Replace Act = "replace" // by a card with a new number
)

// State is the progress of a list.
type State string

// The states.
const (
	Waiting State = "waiting" // for the approval of a second operator
	Running State = "running"
	Paused  State = "paused"
	Done    State = "done"
)

// Outcome is the result for a card, empty until the card is handled.
type Outcome string

// The outcomes.
const (
	Handled Outcome = "done"
	Left    Outcome = "left"    // its card number was already dead
	Refused Outcome = "refused" // by a rule
)

// List is a list of compromised card numbers, by the cards to which they belong.
type List struct {
	ID        int
	ProgramID int
	Name      string
	Act       Act
	PerDay    int    // maximum number of cards to replace a day; 0 for no limit
	Digest    string // keyed digest of the card numbers
	Made      time.Time
	Actor     audit.Actor // the operator who starts it, with the reason

	Numbers  int            // distinct card numbers
	Cards    int            // cards of the program with one of these numbers
	Statuses map[string]int // of the cards when they were looked up

	State    State
	Outcomes map[Outcome]int
	Day      string // last day on which a card was replaced, in the time zone of the program
	OfDay    int    // cards replaced on that day
	Changed  time.Time
	Revision int
}

// Card is a card of a list.
type Card struct {
	ID          int     `json:"id"`
	Outcome     Outcome `json:"outcome,omitempty"`
	Replacement int     `json:"replacement,omitempty"` // the card that replaces it
	Why         string  `json:"why,omitempty"`         // why it was refused
}

// Batch is the number of cards that are stored and handled together.
const Batch = 50

const (
	maxName   = 100
	maxPerDay = 1_000_000
)

// Rules checks each member of a list.
func (l List) Rules(r *problem.Rules) {
	r.ID("programId", l.ProgramID)
	r.Name("name", l.Name, maxName)
	wrong := ""
	if l.Act != Lock && l.Act != Replace {
		wrong = "must be lock or replace"
	}
	r.Must("act", "lock or replace", wrong)
	r.OptionalNumber("perDay", &l.PerDay, 0, maxPerDay)
	if l.Act == Lock && l.PerDay != 0 {
		r.Add("perDay", "belongs to replace: cards are locked at once")
	}
	r.Require("reason", l.Actor.Reason != "")
}

// Supersedes reports whether the list replaces one of the same card numbers that waits for
// approval, because it differs from what the second operator would approve.
func (l List) Supersedes(waiting List) bool {
	return waiting.State == Waiting &&
		(l.PerDay != waiting.PerDay || l.Name != waiting.Name || l.Cards > waiting.Cards)
}

// Next returns the position of the next card.
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

// Record counts the outcome of the next card.
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

// End marks a running list as done once all of its cards are handled.
func (l *List) End() {
	if l.State == Running && l.Next() == l.Cards {
		l.State = Done
	}
}
