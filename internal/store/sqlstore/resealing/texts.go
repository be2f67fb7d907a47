package resealing

import (
	"cmp"
	"slices"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Texts are the sealed texts of the tables card_numbers and orders.
type Texts struct{ Session db.Session }

// A sealed text begins with the mark of its key, which is five bytes long. Both
// tables have an index of the marks.
const (
	countNumbers = `SELECT p.bank_id, COUNT(*), 0 FROM card_numbers n
			JOIN cards c ON c.card_id = n.card_id JOIN programs p ON p.program_id = c.program_id
		WHERE substr(n.sealed, 1, 5) = $1 GROUP BY p.bank_id`
	countPins = `SELECT p.bank_id, 0, COUNT(*) FROM orders o
			JOIN cards c ON c.card_id = o.card_id JOIN programs p ON p.program_id = c.program_id
		WHERE o.sealed_pin IS NOT NULL AND substr(o.sealed_pin, 1, 5) = $1 GROUP BY p.bank_id`

	hasText = `SELECT EXISTS (SELECT 1 FROM card_numbers WHERE substr(sealed, 1, 5) = $1)
		OR EXISTS (SELECT 1 FROM orders
			WHERE sealed_pin IS NOT NULL AND substr(sealed_pin, 1, 5) = $1)`

	listNumbers = `SELECT 0, n.card_id, n.sealed FROM card_numbers n
			JOIN cards c ON c.card_id = n.card_id JOIN programs p ON p.program_id = c.program_id
		WHERE substr(n.sealed, 1, 5) = $1 AND n.card_id > $2 AND p.bank_id = $3
		ORDER BY n.card_id LIMIT 0 + $4`
	listPins = `SELECT o.order_id, o.card_id, o.sealed_pin FROM orders o
			JOIN cards c ON c.card_id = o.card_id JOIN programs p ON p.program_id = c.program_id
		WHERE o.sealed_pin IS NOT NULL AND substr(o.sealed_pin, 1, 5) = $1 AND o.order_id > $2
			AND p.bank_id = $3
		ORDER BY o.order_id LIMIT 0 + $4`

	changeNumber = `UPDATE card_numbers SET sealed = $1 WHERE card_id = $2 AND sealed = $3`
	changePin    = `UPDATE orders SET sealed_pin = $1, revision = revision + 1
		WHERE order_id = $2 AND sealed_pin = $3`
)

func scanCount(row db.Scan) (store.SealedCount, error) {
	var c store.SealedCount
	err := row(&c.BankID, &c.Numbers, &c.Pins)
	return c, err
}

// Count returns how much of each bank is sealed under a key, by bank.
func (t Texts) Count(mark []byte) ([]store.SealedCount, error) {
	var found []store.SealedCount
	err := t.Session.Query(db.Rows(&found, scanCount, countNumbers, mark),
		db.Rows(&found, scanCount, countPins, mark))
	if err != nil {
		return nil, err
	}
	var all []store.SealedCount
	slices.SortFunc(found, func(a, b store.SealedCount) int {
		return cmp.Compare(a.BankID, b.BankID)
	})
	for _, one := range found {
		if last := len(all) - 1; last >= 0 && all[last].BankID == one.BankID {
			all[last].Numbers += one.Numbers
			all[last].Pins += one.Pins
			continue
		}
		all = append(all, one)
	}
	return all, nil
}

// Has reports whether anything is sealed under a key.
func (t Texts) Has(mark []byte) (bool, error) {
	var found bool
	_, err := db.Find(t.Session, []any{&found}, hasText, mark)
	return found, err
}

func scanText(row db.Scan) (store.SealedText, error) {
	var s store.SealedText
	err := row(&s.OrderID, &s.CardID, &s.Sealed)
	return s, err
}

// ListNumbers returns sealed numbers by their cards.
func (t Texts) ListNumbers(of store.SealedQuery) ([]store.SealedText, error) {
	return db.List(t.Session, scanText, listNumbers, of.Mark, of.After, of.BankID, of.Limit)
}

// ListPins returns sealed PINs by their orders.
func (t Texts) ListPins(of store.SealedQuery) ([]store.SealedText, error) {
	return db.List(t.Session, scanText, listPins, of.Mark, of.After, of.BankID, of.Limit)
}

// ChangeNumber replaces the sealed number of a card.
func (t Texts) ChangeNumber(before store.SealedText, sealed []byte) error {
	return t.Session.Change(changeNumber, db.OrEmpty(sealed), before.CardID, before.Sealed)
}

// ChangePin replaces the sealed PIN of an order.
func (t Texts) ChangePin(before store.SealedText, sealed []byte) error {
	return t.Session.Change(changePin, db.OrEmpty(sealed), before.OrderID, before.Sealed)
}
