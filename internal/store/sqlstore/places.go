package sqlstore

import (
	"fmt"

	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// places find a thing in the table of its kind.
type places struct{ *tx }

// findPlace are the queries, by kind.
var findPlace = map[store.PlaceKind]string{
	store.PlaceOfBank:    `SELECT 0, bank_id FROM banks WHERE bank_id = $1`,
	store.PlaceOfProgram: `SELECT program_id, bank_id FROM programs WHERE program_id = $1`,
	store.PlaceOfCustomer: `SELECT p.program_id, p.bank_id FROM customers c
		JOIN programs p ON p.program_id = c.program_id WHERE c.customer_id = $1`,
	store.PlaceOfAccount: `SELECT p.program_id, p.bank_id FROM accounts a
		JOIN programs p ON p.program_id = a.program_id WHERE a.account_id = $1`,
	store.PlaceOfCard: `SELECT p.program_id, p.bank_id FROM cards c
		JOIN programs p ON p.program_id = c.program_id WHERE c.card_id = $1`,
	store.PlaceOfOrder: `SELECT p.program_id, p.bank_id FROM orders o
		JOIN cards c ON c.card_id = o.card_id
		JOIN programs p ON p.program_id = c.program_id WHERE o.order_id = $1`,
	store.PlaceOfWebhook: `SELECT p.program_id, p.bank_id FROM webhooks w
		JOIN programs p ON p.program_id = w.program_id WHERE w.webhook_id = $1`,
}

// Find returns where a thing is.
func (t places) Find(kind store.PlaceKind, id int) (operator.Place, error) {
	query, known := findPlace[kind]
	if !known {
		return operator.Place{}, t.session.Fail(fmt.Errorf("gate: no place of %q", kind))
	}
	var at operator.Place
	err := t.find([]any{&at.ProgramID, &at.BankID}, query, id)
	return at, err
}

// While a digest key is rotated, a PAN has two digests: see package digests.
const (
	findCardByNumber  = `SELECT card_id FROM card_numbers WHERE digest = $1`
	findCardByNumbers = findCardByNumber + ` OR second_digest = $2`
)

// FindCard returns the number of a card by the digests of its PAN.
func (t cardNumbers) FindCard(number digests.Number) (cardID int, err error) {
	text, args := findCardByNumber, []any{number.First}
	if number.Second != nil {
		text, args = findCardByNumbers, append(args, number.Second)
	}
	err = t.find([]any{&cardID}, text, args...)
	return cardID, err
}
