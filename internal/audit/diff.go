package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"mintmark/internal/card"
)

// Diff returns the properties in which two states of a card differ, as JSON objects with their
// members in the order of the names. Both are empty when there is no difference. For a new card,
// which has no state before, was is empty and is shows every property that is set. The date of the
// last change and the revision are left out, because they follow from the rest.
func Diff(before, after card.Card) (was, is string) {
	var d diff
	d.time("archivedDate", before.Archived, after.Archived)
	compare(&d, "binId", before.BinID, after.BinID)
	compare(&d, "cardHolderCustomerId", before.HolderID, after.HolderID)
	d.accounts("checking", before.Slots.Checking, after.Slots.Checking)
	compare(&d, "customerId", before.CustomerID, after.CustomerID)
	d.time("deniedDate", before.Denied, after.Denied)
	d.time("expiredDate", before.Expired, after.Expired)
	compare(&d, "isDigitalOnly", before.DigitalOnly, after.DigitalOnly)
	compare(&d, "lastFour", before.LastFour, after.LastFour)
	compare(&d, "lockReasonTypeCode", before.Lock.Reason, after.Lock.Reason)
	compare(&d, "lockTypeCode", before.Lock.Type, after.Lock.Type)
	compare(&d, "nameOnCard", before.Name.OnCard(), after.Name.OnCard())
	compare(&d, "nickName", before.NickName, after.NickName)
	compare(&d, "primaryAccountId", before.PrimaryAccount(), after.PrimaryAccount())
	compare(&d, "qualifierCode", before.Qualifier, after.Qualifier)
	d.time("reissuedDate", before.Reissued, after.Reissued)
	d.time("requestedDate", before.Requested, after.Requested)
	d.accounts("savings", before.Slots.Savings, after.Slots.Savings)
	compare(&d, "status", before.Status, after.Status)
	compare(&d, "tag", before.Tag, after.Tag)
	compare(&d, "typeCode", before.Type, after.Type)
	compare(&d, "vendorTypeCode", before.Vendor, after.Vendor)
	d.time("verifiedDate", before.Verified, after.Verified)
	if before.ID == 0 {
		return "", d.after.String()
	}
	return d.before.String(), d.after.String()
}

// diff gathers the properties that differ.
type diff struct{ before, after object }

func compare[T comparable](d *diff, name string, before, after T) {
	if before != after {
		d.add(name, before, after)
	}
}

// time compares moments, which are empty texts where there is none.
func (d *diff) time(name string, before, after time.Time) {
	if !before.Equal(after) {
		d.add(name, moment(before), moment(after))
	}
}

// accounts compares the accounts of a category, in the order of their priorities.
func (d *diff) accounts(name string, before, after []int) {
	if !slices.Equal(before, after) {
		d.add(name, fmt.Sprint(before), fmt.Sprint(after))
	}
}

func (d *diff) add(name string, before, after any) {
	d.before.add(name, before)
	d.after.add(name, after)
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// object is a JSON object that is written member by member.
type object struct{ text bytes.Buffer }

// add writes a member: a text, a whole number or a truth value, which can always be encoded.
func (o *object) add(name string, value any) {
	if o.text.Len() == 0 {
		o.text.WriteByte('{')
	} else {
		o.text.WriteByte(',')
	}
	fmt.Fprintf(&o.text, "%q:", name)
	encoder := json.NewEncoder(&o.text)
	encoder.SetEscapeHTML(false) // readers see names and messages, not HTML
	_ = encoder.Encode(value)
	o.text.Truncate(o.text.Len() - 1) // the encoder ends with a line break
}

// String returns the object, or an empty text when it has no member.
func (o *object) String() string {
	if o.text.Len() == 0 {
		return ""
	}
	return o.text.String() + "}"
}
