package issuing

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/store"
	"mintmark/internal/value"
)

// Outcomes in the audit trail.
const (
	created   = "created"
	changed   = "changed"
	unchanged = "unchanged" // the act was allowed and had nothing to do
	refused   = "refused"   // the act was refused, and the attempt counts
	unlooked  = "refused without looking"

	pinOrdered = "PIN ordered"
	pinExpired = "PIN expired" // destroyed, because the processor did not take it in time
)

// property is something that the trail shows of a card.
type property struct {
	name string
	same func(a, b *card.Card) bool
	text func(to []byte, c *card.Card) []byte // appends it as JSON
}

// traced are the properties that make two cards differ, in the order of their names. The date of
// the last change and the revision follow from the others.
var traced = []property{
	asMoment("archivedDate", func(c *card.Card) time.Time { return c.Archived }),
	asNumber("binId", func(c *card.Card) int { return c.BinID }),
	asNumber("cardHolderCustomerId", func(c *card.Card) int { return c.HolderID }),
	asAccounts("checking", func(c *card.Card) []int { return c.Slots.Checking }),
	asNumber("customerId", func(c *card.Card) int { return c.CustomerID }),
	asMoment("deniedDate", func(c *card.Card) time.Time { return c.Denied }),
	asMoment("expiredDate", func(c *card.Card) time.Time { return c.Expired }),
	{
		"isDigitalOnly",
		func(a, b *card.Card) bool { return a.DigitalOnly == b.DigitalOnly },
		func(to []byte, c *card.Card) []byte { return strconv.AppendBool(to, c.DigitalOnly) },
	},
	asText("lastFour", func(c *card.Card) string { return c.LastFour }),
	asText("lockReasonTypeCode", func(c *card.Card) card.Reason { return c.Lock.Reason }),
	asText("lockTypeCode", func(c *card.Card) card.LockType { return c.Lock.Type }),
	{
		"nameOnCard",
		func(a, b *card.Card) bool {
			return a.Name == b.Name || a.Name.OnCard() == b.Name.OnCard()
		},
		func(to []byte, c *card.Card) []byte { return value.AppendText(to, c.Name.OnCard()) },
	},
	asText("nickName", func(c *card.Card) string { return c.NickName }),
	asNumber("primaryAccountId", (*card.Card).PrimaryAccount),
	asText("qualifierCode", func(c *card.Card) string { return c.Qualifier }),
	asMoment("reissuedDate", func(c *card.Card) time.Time { return c.Reissued }),
	asMoment("requestedDate", func(c *card.Card) time.Time { return c.Requested }),
	asAccounts("savings", func(c *card.Card) []int { return c.Slots.Savings }),
	asText("status", func(c *card.Card) card.Status { return c.Status }),
	asText("tag", func(c *card.Card) string { return c.Tag }),
	asText("typeCode", func(c *card.Card) string { return c.Type }),
	asText("vendorTypeCode", func(c *card.Card) string { return c.Vendor }),
	asMoment("verifiedDate", func(c *card.Card) time.Time { return c.Verified }),
}

func asText[T ~string](name string, of func(*card.Card) T) property {
	return property{
		name,
		func(a, b *card.Card) bool { return of(a) == of(b) },
		func(to []byte, c *card.Card) []byte { return value.AppendText(to, string(of(c))) },
	}
}

func asNumber(name string, of func(*card.Card) int) property {
	return property{
		name,
		func(a, b *card.Card) bool { return of(a) == of(b) },
		func(to []byte, c *card.Card) []byte { return strconv.AppendInt(to, int64(of(c)), 10) },
	}
}

// asMoment is for a time, empty when there is none.
func asMoment(name string, of func(*card.Card) time.Time) property {
	return property{
		name,
		func(a, b *card.Card) bool { return of(a).Equal(of(b)) },
		func(to []byte, c *card.Card) []byte {
			to = append(to, '"')
			if !of(c).IsZero() {
				to = of(c).UTC().AppendFormat(to, time.RFC3339Nano)
			}
			return append(to, '"')
		},
	}
}

// asAccounts is for the accounts of a category, in the order of their priorities.
func asAccounts(name string, of func(*card.Card) []int) property {
	return property{
		name,
		func(a, b *card.Card) bool { return slices.Equal(of(a), of(b)) },
		func(to []byte, c *card.Card) []byte { return fmt.Appendf(to, `"%v"`, of(c)) },
	}
}

// changes returns the properties in which two states of a card differ.
func changes(before, after *card.Card) []property {
	var differing []property
	for _, p := range traced {
		if !p.same(before, after) {
			differing = append(differing, p)
		}
	}
	return differing
}

// shown writes properties of a card as a JSON object.
func shown(properties []property, c *card.Card) string {
	if len(properties) == 0 {
		return ""
	}
	object := make([]byte, 0, 64*len(properties))
	for i, p := range properties {
		object = append(object, "{,"[min(i, 1)], '"')
		object = append(append(object, p.name...), '"', ':')
		object = p.text(object, c)
	}
	return string(append(object, '}'))
}

// note writes a row of the trail about a card, with what an act has changed of it: nothing for an
// attempt that was refused, and nothing before for a card that is new.
func (w *writing) note(outcome string, cardID int, before, after string) error {
	return w.Audit().Put(store.AuditEntry{
		At: w.Now(), Key: w.who.Key, Address: w.who.Address, Route: w.who.Route,
		RequestID: w.who.RequestID, ProgramID: w.who.ProgramID, CustomerID: w.actor.ID,
		CardID: cardID, Outcome: outcome, Before: before, After: after,
	})
}
