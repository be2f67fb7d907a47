package reconcile

import (
	"fmt"
	"slices"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/store/reconciled"
)

// State is the state of a card at the card processor.
type State string

// The states of a card at the processor.
const (
	Open      State = "open"
	Locked    State = "locked"    // until unlocked
	Hotlisted State = "hotlisted" // permanently
	Closed    State = "closed"
)

// States lists all states.
var States = []State{Open, Locked, Hotlisted, Closed}

// Expectation is the expected state of a card at the processor.
type Expectation struct {
	State State
	// Ended reports that the card is at its end: a list may show it as closed or leave it out.
	Ended bool
}

// Expect returns the expected state of a card at the processor, following the orders about it. No
// order reports a verification, so a card that waits for one counts as open. No order reports that
// a card was not verified in time (Expired) or that its validity is over (lapsed): it may still be
// open at the processor.
func Expect(status card.Status, lock card.Lock, lapsed bool) Expectation {
	switch status {
	case card.Archived, card.Reissued, card.Denied:
		return Expectation{Closed, true}
	}
	ended := status == card.Expired || lapsed
	switch {
	case lock.Type == card.Unlocked:
		return Expectation{Open, ended}
	case lock.Permanent():
		return Expectation{Hotlisted, ended}
	}
	return Expectation{Locked, ended}
}

// earliestZone is the greatest offset of a time zone ahead of UTC.
const earliestZone = 14 * time.Hour

// lapsed reports whether the month in which a card expires is over in at least one time zone at a
// time.
func lapsed(c *reconciled.Card, at time.Time) bool {
	end := time.Date(c.ExpireYear, time.Month(c.ExpireMonth)+1, 1, 0, 0, 0, 0, time.UTC)
	return !at.Before(end.Add(-earliestZone))
}

// agrees reports whether a state at the processor meets the expectation.
func (e Expectation) agrees(there State) bool {
	return there == e.State || e.Ended && there == Closed
}

// Card is a row of the processor's list. Members that the row leaves out are zero.
type Card struct {
	ID                      int
	State                   State
	LastFour                string
	ExpireYear, ExpireMonth int
}

// explaining lists the orders that explain a difference until the list includes their effect. No
// order explains a card that is missing here.
var explaining = map[reconciled.DifferenceKind][]order.Kind{
	reconciled.MissingThere: {order.Make},
	reconciled.State:        {order.Lock, order.Unlock, order.Hotlist, order.Close},
	reconciled.LastFour:     {order.Make},
	reconciled.Expiry:       {order.Make, order.Remake},
}

// The age up to which an order still explains a difference. A processor that has not answered for
// longer has lost the order. Making and shipping a card takes weeks.
const (
	patience     = 72 * time.Hour
	makePatience = 30 * 24 * time.Hour
)

// explains reports whether an order explains a difference from a list as of a time.
func explains(a reconciled.Asked, sort reconciled.DifferenceKind, at time.Time) bool {
	longest := patience
	if a.Kind == order.Make || a.Kind == order.Remake {
		longest = makePatience
	}
	return slices.Contains(explaining[sort], a.Kind) && at.Sub(a.Since) <= longest
}

// compareCards returns the differences of a card, and separately those that are explained by an
// order that the list may lack. A card that is missing on one side is nil. A card at its end that
// the list leaves out is not compared.
func compareCards(
	there *Card, here *reconciled.Card, at time.Time,
) (differences, explained []reconciled.Difference, compared bool) {
	if here == nil {
		return []reconciled.Difference{{
			Sort: reconciled.MissingHere, ID: there.ID, There: string(there.State),
		}}, nil, true
	}
	expected := Expect(here.Status, here.Lock, lapsed(here, at))
	if there == nil && expected.Ended {
		return nil, nil, false
	}
	for _, difference := range cardDifferences(there, here, expected) {
		explainsIt := func(a reconciled.Asked) bool { return explains(a, difference.Sort, at) }
		switch {
		case slices.ContainsFunc(here.Asked, explainsIt),
			difference.Sort == reconciled.MissingThere && !here.Created.Before(at):
			explained = append(explained, difference)
		default:
			differences = append(differences, difference)
		}
	}
	return differences, explained, true
}

// cardDifferences returns all differences of a card.
func cardDifferences(
	there *Card, here *reconciled.Card, expected Expectation,
) []reconciled.Difference {
	if there == nil {
		return []reconciled.Difference{{
			Sort: reconciled.MissingThere, ID: here.ID, Here: string(expected.State),
		}}
	}
	var differences []reconciled.Difference
	id := here.ID
	add := func(sort reconciled.DifferenceKind, here, there string) {
		differences = append(differences, reconciled.Difference{
			Sort: sort, ID: id, Here: here, There: there,
		})
	}
	if !expected.agrees(there.State) {
		add(reconciled.State, string(expected.State), string(there.State))
	}
	if there.LastFour != "" && there.LastFour != here.LastFour {
		add(reconciled.LastFour, here.LastFour, there.LastFour)
	}
	if there.ExpireYear != 0 &&
		(there.ExpireYear != here.ExpireYear || there.ExpireMonth != here.ExpireMonth) {
		add(reconciled.Expiry, month(here.ExpireYear, here.ExpireMonth),
			month(there.ExpireYear, there.ExpireMonth))
	}
	return differences
}

func month(year, month int) string { return fmt.Sprintf("%04d-%02d", year, month) }
