package issuing

import (
	"encoding/json"
	"fmt"
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

// traced are the properties of a card that the trail shows, and that make two cards differ, in the
// order of their names. The date of the last change and the revision follow from the others.
var traced = []struct {
	name string
	of   func(*card.Card) any
}{
	{"archivedDate", func(c *card.Card) any { return stamp(c.Archived) }},
	{"binId", func(c *card.Card) any { return c.BinID }},
	{"cardHolderCustomerId", func(c *card.Card) any { return c.HolderID }},
	{"checking", func(c *card.Card) any { return listed(c.Slots.Checking) }},
	{"customerId", func(c *card.Card) any { return c.CustomerID }},
	{"deniedDate", func(c *card.Card) any { return stamp(c.Denied) }},
	{"expiredDate", func(c *card.Card) any { return stamp(c.Expired) }},
	{"isDigitalOnly", func(c *card.Card) any { return c.DigitalOnly }},
	{"lastFour", func(c *card.Card) any { return c.LastFour }},
	{"lockReasonTypeCode", func(c *card.Card) any { return c.Lock.Reason }},
	{"lockTypeCode", func(c *card.Card) any { return c.Lock.Type }},
	{"nameOnCard", func(c *card.Card) any { return c.Name.OnCard() }},
	{"nickName", func(c *card.Card) any { return c.NickName }},
	{"primaryAccountId", func(c *card.Card) any { return c.PrimaryAccount() }},
	{"qualifierCode", func(c *card.Card) any { return c.Qualifier }},
	{"reissuedDate", func(c *card.Card) any { return stamp(c.Reissued) }},
	{"requestedDate", func(c *card.Card) any { return stamp(c.Requested) }},
	{"savings", func(c *card.Card) any { return listed(c.Slots.Savings) }},
	{"status", func(c *card.Card) any { return c.Status }},
	{"tag", func(c *card.Card) any { return c.Tag }},
	{"typeCode", func(c *card.Card) any { return c.Type }},
	{"vendorTypeCode", func(c *card.Card) any { return c.Vendor }},
	{"verifiedDate", func(c *card.Card) any { return stamp(c.Verified) }},
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// listed is a list of accounts as a value that can be compared.
func listed(accountIDs []int) string {
	if len(accountIDs) == 0 {
		return "[]"
	}
	return fmt.Sprint(accountIDs)
}

// change is a property before and after an act.
type change struct {
	name          string
	before, after any
}

// changes returns the properties in which two states of a card differ.
func changes(before, after *card.Card) []change {
	var differing []change
	for _, property := range traced {
		was, is := property.of(before), property.of(after)
		if was != is {
			differing = append(differing, change{property.name, was, is})
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
