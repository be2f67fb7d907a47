package simulator

import (
	"fmt"
	"slices"
	"time"

	"mintmark/internal/domain/order"
)

// Report reports on command that something happened to a card. The report refers to the latest
// order for the card or its PIN.
func (m *Machine) Report(cardID int, kind order.ReportKind, reason string, now time.Time,
) (order.Report, error) {
	if _, ok := m.cards[cardID]; !ok {
		return order.Report{}, fmt.Errorf("no order has named card %d", cardID)
	}
	report, err := m.tell(cardID, kind, reason, now)
	if err == nil {
		m.reports = append(m.reports, report)
	}
	return report, err
}

// tell returns a report about any card. It updates the record of the card but does not queue the
// report. A card that was never ordered, such as one of the demo data, has no order to which the
// report could refer.
func (m *Machine) tell(cardID int, kind order.ReportKind, reason string, now time.Time,
) (order.Report, error) {
	if !slices.Contains(order.ReportKinds, kind) {
		return order.Report{}, fmt.Errorf("a report is one of %v", order.ReportKinds)
	}
	m.made++
	report := order.Report{
		ID: fmt.Sprintf("%s-%d", m.name, m.made), CardID: cardID, Kind: kind, At: now,
		Reason: reason,
	}
	c, ok := m.cards[cardID]
	if !ok {
		return report, nil
	}
	switch kind {
	case order.PinSet:
		report.OrderID = c.pinOrder
	case order.PinTriesExceeded, order.Compromised: // need no order
	default:
		report.OrderID = c.makeOrder
	}
	c.note(kind)
	return report, nil
}

// Queue stores reports until they are delivered. It ignores a report that is already waiting.
func (m *Machine) Queue(reports ...order.Report) {
	for _, report := range reports {
		same := func(other order.Report) bool { return other.ID == report.ID }
		if !slices.ContainsFunc(m.reports, same) {
			m.reports = append(m.reports, report)
		}
	}
}

// Waiting returns the reports that are not delivered yet, oldest first.
func (m *Machine) Waiting() []order.Report { return slices.Clone(m.reports) }

// Delivered deletes reports that were delivered.
func (m *Machine) Delivered(ids ...string) {
	m.reports = slices.DeleteFunc(m.reports, func(r order.Report) bool {
		return slices.Contains(ids, r.ID)
	})
}
