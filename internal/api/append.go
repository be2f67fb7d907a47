package api

import (
	"bytes"
	"strconv"

	"mintmark/internal/issuing"
	"mintmark/internal/value"
)

// appender is a value that writes its own JSON. Cards make up nearly all answers, and package json
// spends more on finding out what a card is made of than on writing it. A test holds that both
// write the same.
type appender interface {
	appendJSON(to []byte) []byte
}

// object appends the members of a JSON object, one after the other.
type object struct {
	text []byte
	more bool // a member stands there already
}

func openObject(to []byte) object { return object{text: append(to, '{')} }

func (o *object) close() []byte { return append(o.text, '}') }

// name begins a member. Names are plain.
func (o *object) name(name string) {
	if o.more {
		o.text = append(o.text, ',')
	}
	o.more = true
	o.text = append(append(append(o.text, '"'), name...), '"', ':')
}

func (o *object) string(name, text string) {
	o.name(name)
	o.text = value.AppendText(o.text, text)
}

// stringIf leaves a text out that is empty, and numberIf and timeIf what they are about.
func (o *object) stringIf(name, value string) {
	if value != "" {
		o.string(name, value)
	}
}

func (o *object) number(name string, value int) {
	o.name(name)
	o.text = strconv.AppendInt(o.text, int64(value), 10)
}

func (o *object) numberIf(name string, value int) {
	if value != 0 {
		o.number(name, value)
	}
}

func (o *object) bool(name string, value bool) {
	o.name(name)
	o.text = strconv.AppendBool(o.text, value)
}

func (o *object) amount(name string, value value.Amount) {
	o.name(name)
	o.text = value.Append(o.text)
}

func (o *object) time(name string, value value.Time) {
	o.name(name)
	o.text = append(o.text, '"')
	o.text, _ = value.AppendText(o.text) // it has no error to report
	o.text = append(o.text, '"')
}

func (o *object) timeIf(name string, value value.Time) {
	if !value.IsZero() {
		o.time(name, value)
	}
}

// appendList appends a JSON array.
func appendList[T appender](to []byte, list []T) []byte {
	to = append(to, '[')
	for i, one := range list {
		if i > 0 {
			to = append(to, ',')
		}
		to = one.appendJSON(to)
	}
	return append(to, ']')
}

// written is JSON that was written before.
type written []byte

func (w written) appendJSON(to []byte) []byte { return append(to, w...) }

// MarshalJSON hands out what was written.
func (w written) MarshalJSON() ([]byte, error) { return bytes.Clone(w), nil }

// cards is the data member of a list.
type cards struct{ list *issuing.CardList }

func (c cards) appendJSON(to []byte) []byte {
	return c.appendPieces(to, func(text []byte) []byte { return text })
}

// appendPieces is appendJSON that hands over what is written after each card, and goes on with what
// it gets back.
func (c cards) appendPieces(to []byte, each func([]byte) []byte) []byte {
	to = append(to, '[')
	more := false
	for detail := range c.list.All() {
		if more {
			to = append(to, ',')
		}
		more = true
		to = each(newCard(detail, newAccount).appendJSON(to))
	}
	return append(to, ']')
}

func (c *Card) appendJSON(to []byte) []byte {
	o := openObject(to)
	o.number("cardId", c.CardID)
	o.number("customerId", c.CustomerID)
	o.number("cardHolderCustomerId", c.CardHolderCustomerID)
	o.string("typeCode", c.TypeCode)
	o.string("vendorTypeCode", c.VendorTypeCode)
	o.string("status", c.Status)
	o.string("cardNumberMasked", c.CardNumberMasked)
	o.stringIf("tag", c.Tag)
	o.string("firstName", c.FirstName)
	o.stringIf("middleName", c.MiddleName)
	o.string("lastName", c.LastName)
	o.string("nameOnCard", c.NameOnCard)
	o.string("nickName", c.NickName)
	o.number("expireMonth", c.ExpireMonth)
	o.number("expireYear", c.ExpireYear)
	o.number("primaryAccountId", c.PrimaryAccountID)
	o.string("lockTypeCode", c.LockTypeCode)
	o.string("lockReasonTypeCode", c.LockReasonTypeCode)
	o.time("createdDate", c.CreatedDate)
	o.timeIf("requestedDate", c.RequestedDate)
	o.timeIf("verifiedDate", c.VerifiedDate)
	o.timeIf("reissuedDate", c.ReissuedDate)
	o.timeIf("deniedDate", c.DeniedDate)
	o.timeIf("expiredDate", c.ExpiredDate)
	o.timeIf("archivedDate", c.ArchivedDate)
	o.time("lastModifiedDate", c.LastModifiedDate)
	o.name("accounts")
	o.text = appendList(o.text, c.Accounts)
	o.stringIf("qualifierCode", c.QualifierCode)
	o.number("binId", c.BinID)
	o.bool("isDigitalOnly", c.IsDigitalOnly)
	o.name("limits")
	o.text = append(o.text, "[]"...) // there is nothing that a limit could hold
	return o.close()
}

func (a Account) appendJSON(to []byte) []byte {
	o := openObject(to)
	o.number("accountId", a.AccountID)
	o.string("accountNumberMasked", a.AccountNumberMasked)
	o.amount("accountBalance", a.AccountBalance)
	o.amount("availableBalance", a.AvailableBalance)
	o.amount("pendingBalance", a.PendingBalance)
	o.string("name", a.Name)
	o.string("status", a.Status)
	o.stringIf("tag", a.Tag)
	o.string("type", a.Type)
	o.numberIf("priority", a.Priority)
	o.numberIf("cardPriority", a.CardPriority)
	o.numberIf("customerId", a.CustomerID)
	o.timeIf("balanceLastModifiedDate", a.BalanceLastModifiedDate)
	o.timeIf("lastModifiedDate", a.LastModifiedDate)
	return o.close()
}
