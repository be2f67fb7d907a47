package storetest

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// The IDs of the rows that background stores.
const (
	bankID       = 1
	programID    = 11
	otherProgram = 12
	binID        = 21
	otherBin     = 22
	creatorID    = 101
	holderID     = 102
	foreignID    = 103 // a customer of the other program
	keyName      = "example"
)

// accountIDs are five accounts of each category, more than fit on a card.
var accountIDs = map[customer.AccountType][]int{
	customer.Checking: {201, 202, 203, 204, 205},
	customer.Savings:  {206, 207, 208, 209, 210},
}

// created is when the cards of the suite were created, in whole milliseconds.
var created = time.Date(2026, 2, 3, 4, 5, 6, 789e6, time.UTC)

// background stores what a card needs: banks, programs, BINs, customers, accounts and a key.
func background(t *testing.T, s store.Store) {
	t.Helper()
	update(t, s, func(tx store.Tx) error {
		return tx.Banks().Put(store.Bank{ID: bankID, Name: "First"})
	}, each([]int{programID, otherProgram}, func(tx store.Tx, id int) error {
		return tx.Programs().Put(program.Program{Issuing: program.Issuing{ID: id, BankID: bankID}})
	}), each([]program.Bin{
		bin(binID, programID), bin(otherBin, otherProgram),
	}, func(tx store.Tx, b program.Bin) error {
		return tx.Programs().PutBin(b)
	}), func(tx store.Tx) error {
		return tx.Keys().Put(key(keyName))
	}, each([]customer.Customer{
		person(creatorID, programID), person(holderID, programID), person(foreignID, otherProgram),
	}, func(tx store.Tx, c customer.Customer) error {
		return tx.Customers().Put(c)
	}), func(tx store.Tx) error {
		for category, ids := range accountIDs {
			for _, id := range ids {
				if err := tx.Accounts().Put(account(id, category)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func bin(id, ofProgram int) program.Bin {
	return program.Bin{
		ID: id, ProgramID: ofProgram, Vendor: "VS", Description: "Debit", IsActive: true,
		FirstBody: "400000000000000", LastBody: "400000999999999", ValidMonths: 48,
	}
}

func key(name string) apikey.Key {
	return apikey.Key{
		Name: name, ProgramID: programID, Version: 1,
		Secrets: []apikey.Secret{{Digest: []byte{1, 2, 3}}},
		Allow:   []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
}

func person(id, ofProgram int) customer.Customer {
	return customer.Customer{
		Standing: customer.Standing{
			ID: id, ProgramID: ofProgram, Status: customer.Verified, AccessType: customer.Full,
			IsActive: true, Birth: time.Date(1985, 3, 14, 0, 0, 0, 0, time.UTC),
		},
		FirstName: "Ada", LastName: "Smith",
	}
}

func account(id int, category customer.AccountType) customer.Account {
	return customer.Account{
		ID: id, ProgramID: programID, CustomerID: creatorID, Type: category,
		Status: customer.Open,
	}
}

// The rows that background stores have revision 1. These functions return them as they are found.

func storedBin(id, ofProgram int) program.Bin {
	b := bin(id, ofProgram)
	b.Revision = 1
	return b
}

func storedPerson(id, ofProgram int) customer.Customer {
	c := person(id, ofProgram)
	c.Revision = 1
	return c
}

func storedAccount(id int, category customer.AccountType) customer.Account {
	a := account(id, category)
	a.Revision = 1
	return a
}

// plain returns a card of the creator that is not stored yet.
func plain(nickName string) card.Card {
	return card.Card{
		ProgramID: programID, CustomerID: creatorID, HolderID: holderID,
		Type: "DBT", Vendor: "VS", BinID: binID,
		Status: card.Initiated, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		NickName: nickName, Name: card.NewName("Ada", "", "Smith"),
		LastFour: "1111", ExpireMonth: 2, ExpireYear: 2030,
		Slots: card.Slots{Checking: []int{201}}, PrimaryCategory: customer.Checking,
		Created: created, Modified: created,
	}
}

// tagged returns a card with a tag, and a nickname unique to the tag.
func tagged(tag string) card.Card {
	c := plain("card " + tag)
	c.Tag = tag
	return c
}

// longest returns a text of the given length in characters, all but the last of several bytes.
func longest(characters int) string { return strings.Repeat("Ž", characters-2) + "字'" }

// longestCard returns a card with a different value in every field.
func longestCard() card.Card {
	at := func(days int) time.Time { return created.AddDate(0, 0, days) }
	return card.Card{
		ProgramID: programID, CustomerID: creatorID, HolderID: holderID,
		Type: "CDT", Vendor: "MC", BinID: binID,
		Status: card.Archived, Lock: card.Lock{Type: card.System, Reason: card.PinRetries},
		Tag: longest(50), NickName: longest(50),
		Name:       card.Name{First: longest(64), Middle: longest(63), Last: longest(128)},
		Attributes: card.Attributes{QualifierCode: "A1Z"},
		LastFour:   "0042", ExpireMonth: 12, ExpireYear: 9999, Orders: 9, Replaces: 7, ReplacedBy: 8,
		DigitalOnly:     true,
		Slots:           card.Slots{Checking: []int{204, 201, 203, 202}, Savings: []int{207}},
		PrimaryCategory: customer.Savings,
		Created:         at(0), Requested: at(1), Verified: at(2), Reissued: at(3), Denied: at(4),
		Expired: at(5), Archived: at(6), Modified: at(7), Shipped: at(8),
	}
}

// anOrder returns an order for a card that is due immediately.
func anOrder(cardID, sequence int, kind order.Kind) order.Order {
	return order.Order{
		Token: fmt.Sprintf("%016x", sequence), ProgramID: programID, CardID: cardID,
		Sequence: sequence, Kind: kind, State: order.Waiting, Created: created,
		ExpireMonth: 2, ExpireYear: 2030, NextTry: created,
	}
}

func document(id int, culture string) bankdoc.Document {
	return bankdoc.Document{
		ID: id, BankID: bankID, Culture: culture, Type: "CardInfo", PDF: []byte("%PDF-"),
	}
}

// kept stores a new card and returns it as it is stored.
func kept(t *testing.T, s store.Store, c card.Card) card.Card {
	t.Helper()
	update(t, s, func(tx store.Tx) error {
		stored := c
		err := tx.Cards().Put(&stored)
		if err == nil {
			c = stored
		}
		return err
	})
	return c
}

// changed changes a stored card and returns it as it is stored.
func changed(t *testing.T, s store.Store, c card.Card) card.Card {
	t.Helper()
	update(t, s, func(tx store.Tx) error {
		stored := c
		err := change(tx, &stored)
		if err == nil {
			c = stored
		}
		return err
	})
	return c
}

// change reads a card and changes it, as acts do.
func change(tx store.Tx, to *card.Card) error {
	read, err := tx.Cards().Find(programID, to.ID)
	if err != nil {
		return err
	}
	return tx.Cards().Change(read, to)
}

// listCards returns all cards of a customer.
func listCards(t *testing.T, s store.Store, customerID int) []card.Card {
	t.Helper()
	return find(t, s, func(r store.Tx) ([]card.Card, error) {
		cards, err := r.Cards().ListByCustomer(programID, customerID, store.NoLimit)
		return cards.Cards, err
	})
}

func findCard(t *testing.T, s store.Store, cardID int) card.Card {
	t.Helper()
	return find(t, s, func(r store.Tx) (card.Card, error) {
		return r.Cards().Find(programID, cardID)
	})
}
