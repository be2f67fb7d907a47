package audit

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
)

// Diff returns the properties in which two states of a card differ, as JSON objects with their
// members sorted by name, except the attributes, which come together before reissuedDate. Both are
// empty if nothing differs. For a new card, which has no earlier state, was is empty and now has
// every property that is set. Diff omits the date of the last change and the revision, because they
// follow from the rest.
func Diff(before, after card.Card) (was, now string) {
	var d diff
	d.time("archivedDate", before.Archived, after.Archived)
	d.number("binId", before.BinID, after.BinID)
	d.number("cardHolderCustomerId", before.HolderID, after.HolderID)
	d.accounts("checking", before.Slots.Checking, after.Slots.Checking)
	d.number("customerId", before.CustomerID, after.CustomerID)
	d.time("deniedDate", before.Denied, after.Denied)
	if before.ID != 0 {
		// The expiry of a new card follows from its BIN.
		d.number("expireMonth", before.ExpireMonth, after.ExpireMonth)
		d.number("expireYear", before.ExpireYear, after.ExpireYear)
	}
	d.time("expiredDate", before.Expired, after.Expired)
	d.truth("isDigitalOnly", before.DigitalOnly, after.DigitalOnly)
	text(&d, "lastFour", before.LastFour, after.LastFour)
	text(&d, "lockReasonTypeCode", before.Lock.Reason, after.Lock.Reason)
	text(&d, "lockTypeCode", before.Lock.Type, after.Lock.Type)
	if before.Name != after.Name {
		text(&d, "nameOnCard", before.Name.OnCard(), after.Name.OnCard())
	}
	text(&d, "nickName", before.NickName, after.NickName)
	d.number("primaryAccountId", before.PrimaryAccount(), after.PrimaryAccount())
	d.attributes(before.Attributes, after.Attributes)
	d.time("reissuedDate", before.Reissued, after.Reissued)
	d.card("replacedBy", before.ReplacedBy, after.ReplacedBy)
	d.card("replaces", before.Replaces, after.Replaces)
	d.time("requestedDate", before.Requested, after.Requested)
	d.accounts("savings", before.Slots.Savings, after.Slots.Savings)
	d.time("shippedDate", before.Shipped, after.Shipped)
	text(&d, "status", before.Status, after.Status)
	text(&d, "tag", before.Tag, after.Tag)
	text(&d, "typeCode", before.Type, after.Type)
	text(&d, "vendorTypeCode", before.Vendor, after.Vendor)
	d.time("verifiedDate", before.Verified, after.Verified)
	if before.ID == 0 {
		return "", d.after.String()
	}
	return d.before.String(), d.after.String()
}

// Members returns a JSON object of strings, from alternating names and values.
func Members(namesAndValues ...string) string {
	var o object
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		o.text(namesAndValues[i], namesAndValues[i+1])
	}
	return o.String()
}

// diff collects the properties that differ.
type diff struct{ before, after object }

func text[T ~string](d *diff, name string, before, after T) {
	if before != after {
		// The caller chooses tag and nickname, which might contain a card number.
		d.before.text(name, pan.Conceal(string(before)))
		d.after.text(name, pan.Conceal(string(after)))
	}
}

func (d *diff) number(name string, before, after int) {
	if before != after {
		d.before.plain(name, strconv.Itoa(before))
		d.after.plain(name, strconv.Itoa(after))
	}
}

// card compares links to other cards. A card without a link gets no member.
func (d *diff) card(name string, before, after int) {
	link := func(o *object, id int) {
		if id != 0 {
			o.plain(name, `{"cardId":`+strconv.Itoa(id)+`}`)
		}
	}
	if before != after {
		link(&d.before, before)
		link(&d.after, after)
	}
}

func (d *diff) truth(name string, before, after bool) {
	if before != after {
		d.before.plain(name, strconv.FormatBool(before))
		d.after.plain(name, strconv.FormatBool(after))
	}
}

func (d *diff) attributes(before, after card.Attributes) {
	for _, rule := range card.AttributeRules {
		text(d, rule.Name, *rule.At(&before), *rule.At(&after))
	}
}

// time compares times. A zero time becomes an empty string.
func (d *diff) time(name string, before, after time.Time) {
	if !before.Equal(after) {
		text(d, name, Moment(before), Moment(after))
	}
}

// accounts compares the accounts of a category, in order of priority.
func (d *diff) accounts(name string, before, after []int) {
	if !slices.Equal(before, after) {
		d.before.text(name, fmt.Sprint(before))
		d.after.text(name, fmt.Sprint(after))
	}
}

// Moment formats a time for an entry. It returns an empty string for the zero time.
func Moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// object is a JSON object, written member by member.
type object []byte

func (o *object) text(name, member string) { *o = value.AppendText(o.member(name), member) }

// plain writes a number or a boolean.
func (o *object) plain(name, member string) { *o = append(o.member(name), member...) }

// member writes the name of the next member.
func (o *object) member(name string) []byte {
	start := byte(',')
	if len(*o) == 0 {
		start = '{'
	}
	return append(append(append(*o, start, '"'), name...), '"', ':')
}

// String returns the object, or an empty string if it has no members.
func (o object) String() string {
	if len(o) == 0 {
		return ""
	}
	return string(o) + "}"
}
