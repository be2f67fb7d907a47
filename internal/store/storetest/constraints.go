package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
)

var constraints = []test{
	{"ImpossibleCards", constraintImpossible},
	{"Locks", constraintLocks},
}

// possible sets the dates that the status of a card requires, and no others.
func possible(c card.Card) card.Card {
	c.Verified, c.Reissued, c.Denied = time.Time{}, time.Time{}, time.Time{}
	c.Expired, c.Archived = time.Time{}, time.Time{}
	switch c.Status {
	case card.Verified:
		c.Verified = created
	case card.Reissued:
		c.Reissued = created
	case card.Denied:
		c.Denied = created
	case card.Expired:
		c.Expired = created
	case card.Archived:
		c.Archived = created
	}
	return c
}

// constraintImpossible stores cards with one fault each. None may be stored, and the error must not
// be a sentinel: such a card is a fault of the program.
func constraintImpossible(t *testing.T, s store.Store) {
	background(t, s)
	wrong := map[string]func(c *card.Card){
		"unknown status":        func(c *card.Card) { c.Status = "Lost" },
		"status in lower case":  func(c *card.Card) { c.Status = "initiated" },
		"verified without date": func(c *card.Card) { c.Status = card.Verified },
		"reissued without date": func(c *card.Card) { c.Status = card.Reissued },
		"denied without date":   func(c *card.Card) { c.Status = card.Denied },
		"denied date":           func(c *card.Card) { c.Denied = created },
		"expired without date":  func(c *card.Card) { c.Status = card.Expired },
		"archived without date": func(c *card.Card) { c.Status = card.Archived },
		"archived date":         func(c *card.Card) { c.Archived = created },
		"changed before made":   func(c *card.Card) { c.Modified = created.Add(-time.Millisecond) },
		"never made":            func(c *card.Card) { c.Created = time.Time{} },
		"type":                  func(c *card.Card) { c.Type = "dbt" },
		"vendor":                func(c *card.Card) { c.Vendor = "AX" },
		"month 0":               func(c *card.Card) { c.ExpireMonth = 0 },
		"month 13":              func(c *card.Card) { c.ExpireMonth = 13 },
		"year of two digits":    func(c *card.Card) { c.ExpireYear = 30 },
		"number 2^31":           func(c *card.Card) { c.ID = 1 << 31 },
		"category":              func(c *card.Card) { c.PrimaryCategory = customer.ForBenefitOf },
		"five accounts":         func(c *card.Card) { c.Slots.Checking = accountIDs["Checking"] },
	}
	for name, spoil := range wrong {
		c := plain(name)
		spoil(&c)
		wantRefused(t, s, name, func(tx store.Tx) error { return tx.Cards().Put(&c) })
	}
	// An account can be on a card only once.
	twice := plain("twice")
	twice.Slots.Savings = []int{201}
	wantUpdate(t, s, "an account in two places", store.ErrExists, func(tx store.Tx) error {
		return tx.Cards().Put(&twice)
	})

	if cards := listCards(t, s, creatorID); len(cards) > 0 {
		t.Errorf("got %d cards, want none", len(cards))
	}
}

// wantRefused runs an Update that must fail with an error other than the sentinels.
func wantRefused(t *testing.T, s store.Store, name string, fn func(store.Tx) error) {
	t.Helper()
	err := s.Update(context.Background(), fn)
	if err == nil {
		t.Errorf("%s: got no error, want one", name)
	}
	for _, sentinel := range []error{
		store.ErrExists, store.ErrNotFound, store.ErrLostUpdate, store.ErrUnavailable,
	} {
		if errors.Is(err, sentinel) {
			t.Errorf("%s: got sentinel error %v", name, err)
		}
	}
}

// constraintLocks tries every type of lock with every reason.
func constraintLocks(t *testing.T, s store.Store) {
	background(t, s)
	types := []card.LockType{card.Unlocked, card.Customer, card.System, "XXX", ""}
	reasons := append([]card.Reason{"XXX", ""}, card.Reasons...)
	for _, lockType := range types {
		for _, reason := range reasons {
			known := reason != "" && reason != "XXX"
			var allowed bool
			switch lockType {
			case card.Unlocked:
				allowed = reason == card.Unknown
			case card.Customer:
				allowed = known && reason != card.PinRetries
			case card.System:
				allowed = known
			}
			name := strings.Join([]string{string(lockType), string(reason)}, "/")
			c := plain(name)
			c.Lock = card.Lock{Type: lockType, Reason: reason}
			if allowed {
				kept(t, s, c)
				continue
			}
			wantRefused(t, s, name, func(tx store.Tx) error { return tx.Cards().Put(&c) })
		}
	}
}
