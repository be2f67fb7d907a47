package reconcile

import (
	"fmt"
	"slices"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/store/reconciled"
)

// State is how the card processor has a card.
type State string

// The states of a card at the processor.
const (
	Open      State = "open"
	Locked    State = "locked"    // until it is unlocked
	Hotlisted State = "hotlisted" // for ever
	Closed    State = "closed"
)

// States lists the states.
var States = []State{Open, Locked, Hotlisted, Closed}

// Expectation is how the processor should have a card.
type Expectation struct {
	State State
	// Ended says that the card is at its end: a list may have it closed, or leave it out.
	Ended bool
}

// Expect returns how the processor should have a card, by the orders that were written about it. No
// order tells of a verification, so a card that waits for one is as open as one that had it. None
// tells that a card was not verified in time (Expired), or that its validity is over (lapsed): it
// may still be open there.
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

// earliestZone is how far the first time zone of the world is ahead of UTC.
const earliestZone = 14 * time.Hour

// lapsed reports whether the month in which a card ends was over somewhere at a moment.
func lapsed(c *reconciled.Card, at time.Time) bool {
	end := time.Date(c.ExpireYear, time.Month(c.ExpireMonth)+1, 1, 0, 0, 0, 0, time.UTC)
	return !at.Before(end.Add(-earliestZone))
}

// agrees reports whether the processor has the card as it should.
func (e Expectation) agrees(there State) bool {
	return there == e.State || e.Ended && there == Closed
}

// Card is a row of the processor's list. What it leaves out is empty.
type Card struct {
	ID                      int
	State                   State
	LastFour                string
	ExpireYear, ExpireMonth int
}

// explaining are the orders that explain a difference while the list may lack them. No order
// explains a card that is not here.
var explaining = map[reconciled.Sort][]order.Kind{
	reconciled.MissingThere: {order.Make},
	reconciled.State:        {order.Lock, order.Unlock, order.Hotlist, order.Close},
	reconciled.LastFour:     {order.Make},
	reconciled.Expiry:       {order.Make, order.Remake},
}

// How long before a list an order was written that still explains a difference. A processor that
// has not answered for so long has lost it. Cards are made and shipped in weeks.
const (
	patience     = 72 * time.Hour
	makePatience = 30 * 24 * time.Hour
)

// explains reports whether an order explains a difference from a list of a moment.
func explains(a reconciled.Asked, sort reconciled.Sort, at time.Time) bool {
	longest := patience
	if a.Kind == order.Make || a.Kind == order.Remake {
		longest = makePatience
	}
	return slices.Contains(explaining[sort], a.Kind) && at.Sub(a.Since) <= longest
}

// compareCards returns in what a card differs, and apart from that in what an order that the list
// may lack explains. No card on one of the sides is nil. A card of which nothing is expected is not
// compared.
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

// cardDifferences returns everything in which a card differs.
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
	add := func(sort reconciled.Sort, here, there string) {
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
