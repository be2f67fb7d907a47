package simulator

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
)

// portState is the stored form of a Port in a sandbox. It has no card number and no PIN, because
// the simulator's behaviour depends on neither.
type portState struct {
	Mode    Mode            `json:"mode"`
	Changed time.Time       `json:"changed,omitzero"`
	Made    int             `json:"made"`
	Cards   []cardState     `json:"cards,omitempty"` // in the order of their first orders
	Orders  []receivedState `json:"orders,omitempty"`
	Reports []order.Report  `json:"reports,omitempty"`
}

type cardState struct {
	ID        int             `json:"id"`
	ProgramID int             `json:"programId"`
	Making    string          `json:"making"`
	Lock      string          `json:"lock"`
	Closed    bool            `json:"closed"`
	Accounts  *order.Accounts `json:"accounts"`
	Snapshot  order.Snapshot  `json:"snapshot"`
	MakeOrder string          `json:"makeOrder"`
	PinOrder  string          `json:"pinOrder"`
	Latest    map[facet]int   `json:"latest"`
}

type receivedState struct {
	Received
	Answer   processor.Answer `json:"answer"`
	Snapshot order.Snapshot   `json:"snapshot"`
}

// State returns the mode, the cards, the orders and the reports of the simulator.
func (p *Port) State() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.machine
	state := portState{Mode: m.mode, Changed: p.changed, Made: m.made, Reports: m.reports}
	for _, id := range m.born {
		c := m.cards[id]
		state.Cards = append(state.Cards, cardState{
			c.ID, c.ProgramID, c.Making, c.Lock, c.Closed, c.Accounts, c.Snapshot, c.makeOrder,
			c.pinOrder, c.latest,
		})
	}
	for _, r := range m.arrived {
		state.Orders = append(state.Orders, receivedState{*r, r.answer, r.snapshot})
	}
	return json.Marshal(state)
}

// Restore resumes from a result of State. Without one, the simulator starts empty, in mode Instant.
func (p *Port) Restore(text []byte) error {
	state := portState{Mode: Instant}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &state); err != nil {
			return fmt.Errorf("restore the simulator: %w", err)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	again := New(p.machine.name, state.Mode)
	again.made, again.reports = state.Made, state.Reports
	for _, c := range state.Cards {
		again.cards[c.ID] = &Card{
			ID: c.ID, ProgramID: c.ProgramID, Making: c.Making, Lock: c.Lock, Closed: c.Closed,
			Accounts: c.Accounts, Snapshot: c.Snapshot, makeOrder: c.MakeOrder,
			pinOrder: c.PinOrder, latest: make(map[facet]int),
		}
		maps.Copy(again.cards[c.ID].latest, c.Latest)
		again.born = append(again.born, c.ID)
	}
	for _, r := range state.Orders {
		received := r.Received
		received.answer, received.snapshot = r.Answer, r.Snapshot
		again.orders[received.OrderID] = &received
		again.arrived = append(again.arrived, &received)
	}
	p.machine, p.changed = again, state.Changed
	return nil
}
