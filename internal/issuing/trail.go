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

// traced are the properties of a card that the trail shows, and that make two cards differ. The
// date of the last change and the revision follow from the others.
var traced = []struct {
	name string
	of   func(card.Card) any
}{
	{"status", func(c card.Card) any { return c.Status }},
	{"lockTypeCode", func(c card.Card) any { return c.Lock.Type }},
	{"lockReasonTypeCode", func(c card.Card) any { return c.Lock.Reason }},
	{"customerId", func(c card.Card) any { return c.CustomerID }},
	{"cardHolderCustomerId", func(c card.Card) any { return c.HolderID }},
	{"typeCode", func(c card.Card) any { return c.Type }},
	{"vendorTypeCode", func(c card.Card) any { return c.Vendor }},
	{"binId", func(c card.Card) any { return c.BinID }},
	{"tag", func(c card.Card) any { return c.Tag }},
	{"nickName", func(c card.Card) any { return c.NickName }},
	{"nameOnCard", func(c card.Card) any { return c.Name.OnCard() }},
	{"qualifierCode", func(c card.Card) any { return c.Qualifier }},
	{"lastFour", func(c card.Card) any { return c.LastFour }},
	{"isDigitalOnly", func(c card.Card) any { return c.DigitalOnly }},
	{"checking", func(c card.Card) any { return fmt.Sprint(c.Slots.Checking) }},
	{"savings", func(c card.Card) any { return fmt.Sprint(c.Slots.Savings) }},
	{"primaryAccountId", func(c card.Card) any { return c.PrimaryAccount() }},
	{"requestedDate", func(c card.Card) any { return stamp(c.Requested) }},
	{"verifiedDate", func(c card.Card) any { return stamp(c.Verified) }},
	{"reissuedDate", func(c card.Card) any { return stamp(c.Reissued) }},
	{"deniedDate", func(c card.Card) any { return stamp(c.Denied) }},
	{"expiredDate", func(c card.Card) any { return stamp(c.Expired) }},
	{"archivedDate", func(c card.Card) any { return stamp(c.Archived) }},
}

func stamp(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// change is a property before and after an act.
type change struct{ before, after any }

// changes returns the properties in which two states of a card differ.
func changes(before, after card.Card) map[string]change {
	differing := make(map[string]change)
	for _, property := range traced {
		was, is := property.of(before), property.of(after)
		if was != is {
			differing[property.name] = change{was, is}
		}
	}
	return differing
}

// note writes a row of the trail about a card. Of a card that was changed the row shows what
// changed; before is nil for a new card, after for an attempt that was refused.
func (w *writing) note(before, after *card.Card, outcome string) error {
	row := store.Audit{
		At: w.Now(), Key: w.who.Key, Address: w.who.Address, Route: w.who.Route,
		RequestID: w.who.RequestID, ProgramID: w.who.ProgramID, CustomerID: w.actor.ID,
		Outcome: outcome,
	}
	var was, is card.Card
	if before != nil {
		was, is, row.CardID = *before, *before, before.ID
	}
	if after != nil {
		is, row.CardID = *after, after.ID
	}
	wasProperties, isProperties := make(map[string]any), make(map[string]any)
	for name, c := range changes(was, is) {
		wasProperties[name], isProperties[name] = c.before, c.after
	}
	var err error
	if before != nil {
		row.Before, err = propertiesText(wasProperties)
		if err != nil {
			return err
		}
	}
	row.After, err = propertiesText(isProperties)
	if err != nil {
		return err
	}
	return w.PutAudit(row)
}

func propertiesText(properties map[string]any) (string, error) {
	if len(properties) == 0 {
		return "", nil
	}
	text, err := json.Marshal(properties)
	return string(text), err
}
