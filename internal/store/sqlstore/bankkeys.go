package sqlstore

import (
	"cmp"
	"slices"

	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// bankKeys implements store.BankKeys on the table bank_keys.
type bankKeys struct{ *tx }

const (
	bankKeyColumns = `SELECT b.key_id, b.pci_key_id, k.bank_id, b.state, b.made_at, b.wrapped,
			b.revision
		FROM bank_keys b JOIN pci_keys k ON k.pci_key_id = b.pci_key_id`
	findBankKey  = bankKeyColumns + ` WHERE b.key_id = $1`
	listBankKeys = bankKeyColumns + ` ORDER BY b.pci_key_id, b.made_at, b.key_id`

	insertBankKey = `INSERT INTO bank_keys (key_id, pci_key_id, state, made_at, wrapped)
		VALUES ($1, $2, $3, $4, $5)`
	updateBankKey = `UPDATE bank_keys SET state = $2, wrapped = $3, revision = revision + 1
		WHERE key_id = $1 AND revision = $4`
)

func scanBankKey(row db.Scan) (program.BankKey, error) {
	var k program.BankKey
	var state string
	err := row(&k.ID, &k.PciKeyID, &k.BankID, &state, db.Time{To: &k.Made}, &k.Wrapped,
		&k.Revision)
	k.State = program.BankKeyState(state)
	return k, err
}

func (t bankKeys) Find(id int) (program.BankKey, error) {
	return db.One(t.session, scanBankKey, findBankKey, id)
}

// List returns the keys by pciKeyId, oldest first.
func (t bankKeys) List() ([]program.BankKey, error) {
	return db.List(t.session, scanBankKey, listBankKeys)
}

// Put inserts a key, or replaces the revision that was read.
func (t bankKeys) Put(k program.BankKey) error {
	if k.Revision == 0 {
		return t.session.Write(insertBankKey, k.ID, k.PciKeyID, string(k.State), db.Millis(k.Made),
			db.OrEmpty(k.Wrapped))
	}
	return t.session.Change(updateBankKey, k.ID, string(k.State), db.OrEmpty(k.Wrapped), k.Revision)
}

// A ciphertext begins with the mark of its key, which is five bytes long. Both tables have an index
// on the marks.
const (
	countSealedNumbers = `SELECT p.bank_id, COUNT(*), 0 FROM card_numbers n
			JOIN cards c ON c.card_id = n.card_id JOIN programs p ON p.program_id = c.program_id
		WHERE substr(n.sealed, 1, 5) = $1 GROUP BY p.bank_id`
	countSealedPins = `SELECT p.bank_id, 0, COUNT(*) FROM orders o
			JOIN cards c ON c.card_id = o.card_id JOIN programs p ON p.program_id = c.program_id
		WHERE o.sealed_pin IS NOT NULL AND substr(o.sealed_pin, 1, 5) = $1 GROUP BY p.bank_id`

	hasSealedText = `SELECT EXISTS (SELECT 1 FROM card_numbers WHERE substr(sealed, 1, 5) = $1)
		OR EXISTS (SELECT 1 FROM orders
			WHERE sealed_pin IS NOT NULL AND substr(sealed_pin, 1, 5) = $1)`

	listSealedNumbers = `SELECT 0, n.card_id, n.sealed FROM card_numbers n
			JOIN cards c ON c.card_id = n.card_id JOIN programs p ON p.program_id = c.program_id
		WHERE substr(n.sealed, 1, 5) = $1 AND n.card_id > $2 AND p.bank_id = $3
		ORDER BY n.card_id LIMIT 0 + $4`
	listSealedPins = `SELECT o.order_id, o.card_id, o.sealed_pin FROM orders o
			JOIN cards c ON c.card_id = o.card_id JOIN programs p ON p.program_id = c.program_id
		WHERE o.sealed_pin IS NOT NULL AND substr(o.sealed_pin, 1, 5) = $1 AND o.order_id > $2
			AND p.bank_id = $3
		ORDER BY o.order_id LIMIT 0 + $4`

	changeSealedNumber = `UPDATE card_numbers SET sealed = $1 WHERE card_id = $2 AND sealed = $3`
	changeSealedPin    = `UPDATE orders SET sealed_pin = $1, revision = revision + 1
		WHERE order_id = $2 AND sealed_pin = $3`
)

func scanSealedCount(row db.Scan) (store.SealedCount, error) {
	var c store.SealedCount
	err := row(&c.BankID, &c.Numbers, &c.Pins)
	return c, err
}

// CountSealed counts the card numbers and PINs encrypted under a key, by bank.
func (t bankKeys) CountSealed(mark []byte) ([]store.SealedCount, error) {
	var sealedCounts []store.SealedCount
	err := t.session.Query(db.Rows(&sealedCounts, scanSealedCount, countSealedNumbers, mark),
		db.Rows(&sealedCounts, scanSealedCount, countSealedPins, mark))
	if err != nil {
		return nil, err
	}
	var all []store.SealedCount
	slices.SortFunc(sealedCounts, func(a, b store.SealedCount) int {
		return cmp.Compare(a.BankID, b.BankID)
	})
	for _, sealedCount := range sealedCounts {
		if last := len(all) - 1; last >= 0 && all[last].BankID == sealedCount.BankID {
			all[last].Numbers += sealedCount.Numbers
			all[last].Pins += sealedCount.Pins
			continue
		}
		all = append(all, sealedCount)
	}
	return all, nil
}

// HasSealed reports whether anything is encrypted under a key.
func (t bankKeys) HasSealed(mark []byte) (bool, error) {
	var ok bool
	_, err := db.Find(t.session, []any{&ok}, hasSealedText, mark)
	return ok, err
}

func scanSealedText(row db.Scan) (store.SealedText, error) {
	var s store.SealedText
	err := row(&s.OrderID, &s.CardID, &s.Sealed)
	return s, err
}

// ListSealedNumbers returns encrypted card numbers, by card.
func (t bankKeys) ListSealedNumbers(of store.SealedQuery) ([]store.SealedText, error) {
	return db.List(t.session, scanSealedText, listSealedNumbers, of.Mark, of.After, of.BankID,
		of.Limit)
}

// ListSealedPins returns encrypted PINs, by order.
func (t bankKeys) ListSealedPins(of store.SealedQuery) ([]store.SealedText, error) {
	return db.List(t.session, scanSealedText, listSealedPins, of.Mark, of.After, of.BankID,
		of.Limit)
}

// ChangeSealedNumber replaces the encrypted number of a card.
func (t bankKeys) ChangeSealedNumber(before store.SealedText, sealed []byte) error {
	return t.session.Change(changeSealedNumber, db.OrEmpty(sealed), before.CardID, before.Sealed)
}

// ChangeSealedPin replaces the encrypted PIN of an order.
func (t bankKeys) ChangeSealedPin(before store.SealedText, sealed []byte) error {
	return t.session.Change(changeSealedPin, db.OrEmpty(sealed), before.OrderID, before.Sealed)
}
