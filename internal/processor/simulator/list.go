package simulator

import (
	"cmp"
	"fmt"
	"slices"
)

// State is the state of a card in the processor's list.
type State string

// The states of a card.
const (
	Open      State = "open"
	Locked    State = "locked"
	Hotlisted State = "hotlisted"
	Closed    State = "closed"
	Gone      State = "gone" // makes Deviate delete a card; never in a list
)

// States lists the states that Deviate accepts.
var States = []State{Open, Locked, Hotlisted, Closed, Gone}

// Listed is a row of the processor's list of cards.
type Listed struct {
	CardID      int    `json:"cardId"`
	State       State  `json:"state"`
	LastFour    string `json:"lastFour,omitempty"`
	ExpireYear  int    `json:"expireYear,omitempty"`
	ExpireMonth int    `json:"expireMonth,omitempty"`
}

// List returns the cards of a program, ordered by ID.
func (m *Machine) List(programID int) []Listed {
	var all []Listed
	for _, c := range m.cards {
		if c.ProgramID != programID {
			continue
		}
		row := Listed{CardID: c.ID, State: c.state()}
		if c.Secret != nil {
			row.LastFour = c.Secret.Number.LastFour()
			row.ExpireYear, row.ExpireMonth = c.Secret.ExpireYear, c.Secret.ExpireMonth
		}
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b Listed) int { return cmp.Compare(a.CardID, b.CardID) })
	return all
}

func (c *Card) state() State {
	switch {
	case c.Closed:
		return Closed
	case c.Lock != "":
		return State(c.Lock)
	}
	return Open
}

// Deviate changes the processor's record of a card without an order, so that it differs from
// Mintmark's: to another state, to no card at all, or to a card that no order has named.
func (m *Machine) Deviate(programID, cardID int, to State) error {
	if !slices.Contains(States, to) {
		return fmt.Errorf("a state is one of %v", States)
	}
	if to == Gone {
		delete(m.cards, cardID)
		m.born = slices.DeleteFunc(m.born, func(id int) bool { return id == cardID })
		return nil
	}
	c := m.card(Order{CardID: cardID, ProgramID: programID})
	c.Lock, c.Closed = "", to == Closed
	if to == Locked || to == Hotlisted {
		c.Lock = string(to)
	}
	return nil
}
