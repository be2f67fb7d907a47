package reconcile

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/store/reconciled"
)

var at = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// TestExpect checks the expected state for each status and lock.
func TestExpect(t *testing.T) {
	t.Parallel()
	unlocked := card.Lock{Type: card.Unlocked, Reason: card.Unknown}
	locks := map[card.Lock]State{
		unlocked: Open,
		{Type: card.Customer, Reason: card.Temporary}:    Locked,
		{Type: card.Customer, Reason: card.Damaged}:      Locked,
		{Type: card.System, Reason: card.Administrative}: Locked,
		{Type: card.System, Reason: card.PinRetries}:     Locked,
		{Type: card.Customer, Reason: card.Lost}:         Hotlisted,
		{Type: card.Customer, Reason: card.Stolen}:       Hotlisted,
		{Type: card.System, Reason: card.SuspectedFraud}: Hotlisted,
	}
	ends := map[card.Status]bool{
		card.Initiated: false, card.PendingVerification: false,
		card.ReissuePendingVerification: false, card.Verified: false, card.Expired: true,
	}
	closed := []card.Status{card.Archived, card.Reissued, card.Denied}
	if len(ends)+len(closed) != len(card.Statuses) {
		t.Errorf("the table has not every status of %v", card.Statuses)
	}
	for lock, state := range locks {
		for status, ended := range ends {
			if got := Expect(status, lock, false); got != (Expectation{state, ended}) {
				t.Errorf("%s, %v: %+v", status, lock, got)
			}
			if got := Expect(status, lock, true); got != (Expectation{state, true}) {
				t.Errorf("%s, %v, lapsed: %+v", status, lock, got)
			}
		}
		for _, status := range closed {
			if got := Expect(status, lock, false); got != (Expectation{Closed, true}) {
				t.Errorf("%s, %v: %+v", status, lock, got)
			}
		}
	}
}

func here(changes ...func(*reconciled.Card)) *reconciled.Card {
	c := &reconciled.Card{
		ID: 7, Status: card.Verified, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		LastFour: "1234", ExpireYear: 2030, ExpireMonth: 4, Created: at.Add(-time.Hour),
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func asked(kinds ...order.Kind) func(*reconciled.Card) { return askedAt(at, kinds...) }

func askedAt(since time.Time, kinds ...order.Kind) func(*reconciled.Card) {
	return func(c *reconciled.Card) {
		for _, kind := range kinds {
			c.Asked = append(c.Asked, reconciled.Asked{Kind: kind, Since: since})
		}
	}
}

func ends(year, month int) func(*reconciled.Card) {
	return func(c *reconciled.Card) { c.ExpireYear, c.ExpireMonth = year, month }
}

func status(s card.Status) func(*reconciled.Card) {
	return func(c *reconciled.Card) { c.Status = s }
}

// TestCompareCards checks the differences, those explained by an order, and the cards that are not
// compared.
func TestCompareCards(t *testing.T) {
	t.Parallel()
	lost := func(c *reconciled.Card) { c.Lock = card.Lock{Type: card.Customer, Reason: card.Lost} }
	fresh := func(c *reconciled.Card) { c.Created = at }
	differs := func(sort reconciled.DifferenceKind, here, there string) []reconciled.Difference {
		return []reconciled.Difference{{Sort: sort, ID: 7, Here: here, There: there}}
	}
	rows := []struct {
		name             string
		there            *Card
		here             *reconciled.Card
		found, explained []reconciled.Difference
		apart            bool // not compared
	}{
		{name: "equal", there: &Card{7, Open, "1234", 2030, 4}, here: here()},
		{name: "leaves out", there: &Card{ID: 7, State: Open}, here: here()},
		{name: "state", there: &Card{ID: 7, State: Locked}, here: here(),
			found: differs(reconciled.State, "open", "locked")},
		{name: "locked here alone", there: &Card{ID: 7, State: Open}, here: here(lost),
			found: differs(reconciled.State, "hotlisted", "open")},
		{name: "hotlist on its way", there: &Card{ID: 7, State: Open},
			here:      here(lost, asked(order.SetPin, order.Hotlist)),
			explained: differs(reconciled.State, "hotlisted", "open")},
		{name: "another order on its way", there: &Card{ID: 7, State: Open},
			here:  here(lost, asked(order.SetPin, order.SetAccounts)),
			found: differs(reconciled.State, "hotlisted", "open")},
		{name: "hotlist of three days ago", there: &Card{ID: 7, State: Open},
			here:      here(lost, askedAt(at.Add(-72*time.Hour), order.Hotlist)),
			explained: differs(reconciled.State, "hotlisted", "open")},
		{name: "hotlist that nobody answers", there: &Card{ID: 7, State: Open},
			here:  here(lost, askedAt(at.Add(-72*time.Hour-1), order.Hotlist)),
			found: differs(reconciled.State, "hotlisted", "open")},
		{name: "shipped in weeks", here: here(askedAt(at.AddDate(0, 0, -30), order.Make)),
			explained: differs(reconciled.MissingThere, "open", "")},
		{name: "never shipped", here: here(askedAt(at.AddDate(0, 0, -31), order.Make)),
			found: differs(reconciled.MissingThere, "open", "")},
		{name: "validity over, not listed", here: here(ends(2026, 2)), apart: true},
		{name: "validity over, closed there", there: &Card{ID: 7, State: Closed},
			here: here(ends(2025, 12))},
		{name: "validity over, open there", there: &Card{ID: 7, State: Open},
			here: here(ends(2026, 2))},
		{name: "validity over, hotlisted here alone", there: &Card{ID: 7, State: Open},
			here: here(ends(2026, 2), lost), found: differs(reconciled.State, "hotlisted", "open")},
		{name: "valid until the end of the month", here: here(ends(2026, 3)),
			found: differs(reconciled.MissingThere, "open", "")},
		{name: "closed here", there: &Card{ID: 7, State: Open}, here: here(status(card.Archived)),
			found: differs(reconciled.State, "closed", "open")},
		{name: "closed there", there: &Card{ID: 7, State: Closed}, here: here(),
			found: differs(reconciled.State, "open", "closed")},
		{name: "closed in both", there: &Card{ID: 7, State: Closed},
			here: here(status(card.Denied))},
		{name: "expired, open there", there: &Card{ID: 7, State: Open},
			here: here(status(card.Expired))},
		{name: "expired, closed there", there: &Card{ID: 7, State: Closed},
			here: here(status(card.Expired))},
		{name: "expired, locked there", there: &Card{ID: 7, State: Locked},
			here:  here(status(card.Expired)),
			found: differs(reconciled.State, "open", "locked")},
		{name: "ended, not listed", here: here(status(card.Expired)), apart: true},
		{name: "not there", here: here(lost),
			found: differs(reconciled.MissingThere, "hotlisted", "")},
		{name: "not there yet", here: here(status(card.Initiated), asked(order.Make)),
			explained: differs(reconciled.MissingThere, "open", "")},
		{name: "never asked for", here: here(status(card.Initiated)),
			found: differs(reconciled.MissingThere, "open", "")},
		{name: "made after the list", here: here(fresh),
			explained: differs(reconciled.MissingThere, "open", "")},
		{name: "not here", there: &Card{ID: 7, State: Open},
			found: differs(reconciled.MissingHere, "", "open")},
		{name: "last four", there: &Card{ID: 7, State: Open, LastFour: "1243"},
			here: here(asked(order.Remake)), found: differs(reconciled.LastFour, "1234", "1243")},
		{name: "expiry", there: &Card{ID: 7, State: Open, ExpireYear: 2030, ExpireMonth: 5},
			here: here(), found: differs(reconciled.Expiry, "2030-04", "2030-05")},
		{name: "renewal on its way",
			there:     &Card{ID: 7, State: Open, ExpireYear: 2027, ExpireMonth: 4},
			here:      here(asked(order.Remake)),
			explained: differs(reconciled.Expiry, "2030-04", "2027-04")},
		{name: "two at once", there: &Card{7, Locked, "1243", 2030, 4},
			here:      here(asked(order.Lock)),
			found:     differs(reconciled.LastFour, "1234", "1243"),
			explained: differs(reconciled.State, "open", "locked")},
	}
	for _, row := range rows {
		differences, explained, compared := compareCards(row.there, row.here, at)
		if !cmp.Equal(differences, row.found) || !cmp.Equal(explained, row.explained) ||
			compared == row.apart {
			t.Errorf("%s: %+v, explained %+v, compared %v", row.name, differences, explained, compared)
		}
	}
}

// TestLapsed checks that a card has lapsed when its month is over in the easternmost time zone.
func TestLapsed(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 12, 31, 10, 0, 0, 0, time.UTC)
	for moment, want := range map[time.Time]bool{
		end.Add(-1): false, end: true, end.AddDate(5, 0, 0): true,
	} {
		if got := lapsed(here(ends(2026, 12)), moment); got != want {
			t.Errorf("at %v: %v", moment, got)
		}
	}
}
