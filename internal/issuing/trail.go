package issuing

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/store"
)

// Outcomes in the audit trail.
const (
	created   = "created"
	changed   = "changed"
	unchanged = "unchanged" // the act was allowed and had nothing to do
	refused   = "refused"   // the act was refused, and the attempt counts
	unlooked  = "refused without looking"

	pinOrdered = "PIN ordered"
)

// property is something that the trail shows of a card.
type property struct {
	name string
	same func(a, b *card.Card) bool
	of   func(*card.Card) any
}

// traced are the properties that make two cards differ, in the order of their names. The date of
// the last change and the revision follow from the others.
var traced = []property{
	moment("archivedDate", func(c *card.Card) time.Time { return c.Archived }),
	plain("binId", func(c *card.Card) int { return c.BinID }),
	plain("cardHolderCustomerId", func(c *card.Card) int { return c.HolderID }),
	accounts("checking", func(c *card.Card) []int { return c.Slots.Checking }),
	plain("customerId", func(c *card.Card) int { return c.CustomerID }),
	moment("deniedDate", func(c *card.Card) time.Time { return c.Denied }),
	moment("expiredDate", func(c *card.Card) time.Time { return c.Expired }),
	plain("isDigitalOnly", func(c *card.Card) bool { return c.DigitalOnly }),
	plain("lastFour", func(c *card.Card) string { return c.LastFour }),
	plain("lockReasonTypeCode", func(c *card.Card) card.Reason { return c.Lock.Reason }),
	plain("lockTypeCode", func(c *card.Card) card.LockType { return c.Lock.Type }),
	{
		"nameOnCard",
		func(a, b *card.Card) bool {
			return a.Name == b.Name || a.Name.OnCard() == b.Name.OnCard()
		},
		func(c *card.Card) any { return c.Name.OnCard() },
	},
	plain("nickName", func(c *card.Card) string { return c.NickName }),
	plain("primaryAccountId", (*card.Card).PrimaryAccount),
	plain("qualifierCode", func(c *card.Card) string { return c.Qualifier }),
	moment("reissuedDate", func(c *card.Card) time.Time { return c.Reissued }),
	moment("requestedDate", func(c *card.Card) time.Time { return c.Requested }),
	accounts("savings", func(c *card.Card) []int { return c.Slots.Savings }),
	plain("status", func(c *card.Card) card.Status { return c.Status }),
	plain("tag", func(c *card.Card) string { return c.Tag }),
	plain("typeCode", func(c *card.Card) string { return c.Type }),
	plain("vendorTypeCode", func(c *card.Card) string { return c.Vendor }),
	moment("verifiedDate", func(c *card.Card) time.Time { return c.Verified }),
}

// plain is a property that is shown as it is.
func plain[T comparable](name string, of func(*card.Card) T) property {
	return property{
		name,
		func(a, b *card.Card) bool { return of(a) == of(b) },
		func(c *card.Card) any { return of(c) },
	}
}

// moment is a time, empty when there is none.
func moment(name string, of func(*card.Card) time.Time) property {
	return property{
		name,
		func(a, b *card.Card) bool { return of(a).Equal(of(b)) },
		func(c *card.Card) any {
			if of(c).IsZero() {
				return ""
			}
			return of(c).UTC().Format(time.RFC3339Nano)
		},
	}
}

// accounts are the accounts of a category, in the order of their priorities.
func accounts(name string, of func(*card.Card) []int) property {
	return property{
		name,
		func(a, b *card.Card) bool { return slices.Equal(of(a), of(b)) },
		func(c *card.Card) any { return fmt.Sprint(of(c)) },
	}
}

// change is a property before and after an act.
type change struct {
	name          string
	before, after any
}

// changes returns the properties in which two states of a card differ.
func changes(before, after *card.Card) []change {
	var differing []change
	for _, p := range traced {
		if !p.same(before, after) {
			differing = append(differing, change{p.name, p.of(before), p.of(after)})
		}
	}
	return differing
}

// note writes a row of the trail about a card, with what an act has changed of it: nothing for an
// attempt that was refused.
func (w *writing) note(outcome string, cardID int, differing []change) error {
	row := store.Audit{
		At: w.Now(), Key: w.who.Key, Address: w.who.Address, Route: w.who.Route,
		RequestID: w.who.RequestID, ProgramID: w.who.ProgramID, CustomerID: w.actor.ID,
		CardID: cardID, Outcome: outcome,
	}
	var err error
	// A card that is new was nothing before.
	if outcome != created {
		row.Before, err = stateText(differing, func(c change) any { return c.before })
		if err != nil {
			return err
		}
	}
	row.After, err = stateText(differing, func(c change) any { return c.after })
	if err != nil {
		return err
	}
	return w.PutAudit(row)
}

// stateText writes one side of the changes as a JSON object.
func stateText(differing []change, side func(change) any) (string, error) {
	if len(differing) == 0 {
		return "", nil
	}
	text := make([]byte, 0, 64*len(differing))
	for i, c := range differing {
		value, err := json.Marshal(side(c))
		if err != nil {
			return "", err
		}
		text = append(text, "{,"[min(i, 1)], '"')
		text = append(append(text, c.name...), '"', ':')
		text = append(text, value...)
	}
	return string(append(text, '}')), nil
}
