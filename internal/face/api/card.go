package api

import (
	"reflect"
	"slices"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/issuing/cards"
)

// Card is the card object of interface §5.1. Its properties are the rows of cardProperties.
type Card struct {
	*cards.CardDetail
	added    bool // in the form of /card/addAccount
	reissued bool // in the form of /card/reissue
}

// showCard returns a card as all operations but two show it.
func showCard(c cards.CardDetail) data { return Card{CardDetail: &c} }

// showCardAdded returns a card as /card/addAccount shows it.
func showCardAdded(c cards.CardDetail) data { return Card{CardDetail: &c, added: true} }

// showCardReissued returns a card as /card/reissue shows it.
func showCardReissued(c cards.CardDetail) data { return Card{CardDetail: &c, reissued: true} }

// noData returns nil, for answers without a data member.
func noData(cards.CardDetail) data { return nil }

func (c Card) appendJSON(to []byte) []byte { return appendObject(to, cardProperties, &c) }

// cardProperties lists the properties of a card in order. A new property is a row here, unless it
// is an attribute; package openapi has its description.
var cardProperties = slices.Concat([]property[Card]{
	always("cardId", func(c *Card) int { return c.ID }, number),
	always("customerId", func(c *Card) int { return c.CustomerID }, number),
	always("cardHolderCustomerId", func(c *Card) int { return c.HolderID }, number),
	always("typeCode", func(c *Card) string { return c.Type }, text),
	always("vendorTypeCode", func(c *Card) string { return c.Vendor }, text),
	always("status", (*Card).status, text),
	always("cardNumberMasked", func(c *Card) string { return c.NumberMasked }, text),
	optional("tag", func(c *Card) string { return c.Tag }, text),
	always("firstName", func(c *Card) string { return c.Name.First }, text),
	optional("middleName", func(c *Card) string { return c.Name.Middle }, text),
	always("lastName", func(c *Card) string { return c.Name.Last }, text),
	always("nameOnCard", func(c *Card) string { return c.Name.OnCard() }, text),
	always("nickName", func(c *Card) string { return c.NickName }, text),
	always("expireMonth", func(c *Card) int { return c.ExpireMonth }, number),
	always("expireYear", func(c *Card) int { return c.ExpireYear }, number),
	always("primaryAccountId", func(c *Card) int { return c.PrimaryAccount() }, number),
	always("lockTypeCode", func(c *Card) string { return string(c.Lock.Type) }, text),
	always("lockReasonTypeCode", func(c *Card) string { return string(c.Lock.Reason) }, text),
	always("createdDate", func(c *Card) value.Time { return c.date(c.Created) }, moment),
	optional("requestedDate", func(c *Card) value.Time { return c.date(c.Requested) }, moment),
	optional("verifiedDate", func(c *Card) value.Time { return c.date(c.Verified) }, moment),
	optional("reissuedDate", func(c *Card) value.Time { return c.date(c.Reissued) }, moment),
	optional("deniedDate", func(c *Card) value.Time { return c.date(c.Denied) }, moment),
	optional("expiredDate", func(c *Card) value.Time { return c.date(c.Expired) }, moment),
	optional("archivedDate", func(c *Card) value.Time { return c.date(c.Archived) }, moment),
	always("lastModifiedDate", func(c *Card) value.Time { return c.date(c.Modified) }, moment),
	always("accounts", (*Card).accounts, func(to []byte, list []Account) []byte {
		return appendList(to, accountProperties, list)
	}),
}, attributeProperties(), []property[Card]{
	always("binId", func(c *Card) int { return c.BinID }, number),
	always("isDigitalOnly", func(c *Card) bool { return c.DigitalOnly }, boolean),
	// No limit is defined, so the list is always empty.
	always("limits", func(*Card) []struct{} { return nil }, func(to []byte, _ []struct{}) []byte {
		return append(to, "[]"...)
	}),
})

// attributeProperties returns the properties for the table of attributes in package card.
func attributeProperties() []property[Card] {
	rows := make([]property[Card], len(card.AttributeRules))
	for i, rule := range card.AttributeRules {
		rows[i] = optional(rule.Name, func(c *Card) string { return *rule.At(&c.Attributes) }, text)
	}
	return rows
}

// status returns the status of the card. /card/reissue has its own spelling for earlier clients.
func (c *Card) status() string {
	if c.reissued && c.ForEarlierClients && c.Status == card.ReissuePendingVerification {
		return card.ReissuedSpelling
	}
	return string(c.Status)
}

// Account is the partial account object of interface §5.3 on a card.
type Account struct {
	*cards.AccountDetail
	card *Card
}

// accounts returns the accounts of the card in display order.
func (c *Card) accounts() []Account {
	list := make([]Account, len(c.Accounts))
	for i := range list {
		list[i] = Account{&c.Accounts[i], c}
	}
	return list
}

// accountProperties lists the properties of a card's account in order. In the answer of
// /card/addAccount, the priority is called cardPriority and there are three more properties.
var accountProperties = []property[Account]{
	always("accountId", func(a *Account) int { return a.ID }, number),
	always("accountNumberMasked", func(a *Account) string { return a.NumberMasked }, text),
	always("accountBalance", func(a *Account) value.Amount { return a.fixed(a.Balance) }, amount),
	always("availableBalance", func(a *Account) value.Amount {
		return a.fixed(a.AvailableBalance)
	}, amount),
	always("pendingBalance", func(a *Account) value.Amount {
		return a.fixed(a.PendingBalance)
	}, amount),
	always("name", func(a *Account) string { return a.Name }, text),
	always("status", func(a *Account) string { return string(a.Status) }, text),
	optional("tag", func(a *Account) string { return a.Tag }, text),
	always("type", func(a *Account) string { return string(a.Type) }, text),
	optional("priority", func(a *Account) int {
		return when(!a.card.added || a.card.ForEarlierClients, a.Priority)
	}, number),
	optional("cardPriority", func(a *Account) int {
		return when(a.card.added || a.card.ForEarlierClients, a.Priority)
	}, number),
	optional("customerId", func(a *Account) int {
		return when(a.card.added, a.CustomerID)
	}, number),
	optional("balanceLastModifiedDate", func(a *Account) value.Time {
		return when(a.card.added, a.card.date(a.BalanceModified))
	}, moment),
	optional("lastModifiedDate", func(a *Account) value.Time {
		return when(a.card.added, a.card.date(a.Modified))
	}, moment),
}

// when returns v if it is shown, else the zero value.
func when[Value any](shown bool, v Value) Value {
	if !shown {
		var none Value
		return none
	}
	return v
}

// fixed returns an amount with the program's number of decimals.
func (a *Account) fixed(v value.Amount) value.Amount { return v.Fixed(a.card.Decimals) }

// date returns a time in the program's zone; a zero time stays zero.
func (c *Card) date(at time.Time) value.Time { return date(at, c.Zone) }

// date returns a time in a zone; a zero time stays zero.
func date(at time.Time, zone *time.Location) value.Time {
	if at.IsZero() {
		return value.Time{}
	}
	return value.Time{Time: at.In(zone)}
}

// PropertiesOf returns the properties of an object type of the interface that has a property table,
// nil for any other type.
func PropertiesOf(object reflect.Type) []Property {
	switch object {
	case reflect.TypeFor[Card]():
		return propertiesIn(cardProperties)
	case reflect.TypeFor[Account]():
		return propertiesIn(accountProperties)
	}
	return nil
}

func propertiesIn[Object any](table []property[Object]) []Property {
	properties := make([]Property, len(table))
	for i, row := range table {
		properties[i] = row.Property
	}
	return properties
}
