package sqlstore

import (
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// locations implements store.Locations: it finds a thing in the table of its kind.
type locations struct{ *tx }

// findLocation holds the queries by kind.
var findLocation = map[store.LocationKind]string{
	store.LocationOfBank:    `SELECT 0, bank_id FROM banks WHERE bank_id = $1`,
	store.LocationOfProgram: `SELECT program_id, bank_id FROM programs WHERE program_id = $1`,
	store.LocationOfCustomer: `SELECT p.program_id, p.bank_id FROM customers c
		JOIN programs p ON p.program_id = c.program_id WHERE c.customer_id = $1`,
	store.LocationOfAccount: `SELECT p.program_id, p.bank_id FROM accounts a
		JOIN programs p ON p.program_id = a.program_id WHERE a.account_id = $1`,
	store.LocationOfCard: `SELECT p.program_id, p.bank_id FROM cards c
		JOIN programs p ON p.program_id = c.program_id WHERE c.card_id = $1`,
	store.LocationOfOrder: `SELECT p.program_id, p.bank_id FROM orders o
		JOIN cards c ON c.card_id = o.card_id
		JOIN programs p ON p.program_id = c.program_id WHERE o.order_id = $1`,
	store.LocationOfWebhook: `SELECT p.program_id, p.bank_id FROM webhooks w
		JOIN programs p ON p.program_id = w.program_id WHERE w.webhook_id = $1 AND w.deleted_at IS NULL`,
}

func (t locations) Find(kind store.LocationKind, id int) (operator.Location, error) {
	query, known := findLocation[kind]
	if !known {
		return operator.Location{}, t.session.Fail(
			fmt.Errorf("sqlstore: unknown kind of location %q", kind))
	}
	var at operator.Location
	err := t.find([]any{&at.ProgramID, &at.BankID}, query, id)
	return at, err
}

// During the rotation of a digest key, a PAN has two digests: see package digests.
const (
	findCardByNumber  = `SELECT card_id FROM card_numbers WHERE digest = $1`
	findCardByNumbers = findCardByNumber + ` OR second_digest = $2`
)

// FindCard returns the ID of a card by the digests of its PAN.
func (t cardNumbers) FindCard(number digests.Number) (cardID int, err error) {
	text, args := findCardByNumber, []any{number.First}
	if number.Second != nil {
		text, args = findCardByNumbers, append(args, number.Second)
	}
	err = t.find([]any{&cardID}, text, args...)
	return cardID, err
}

// numbersAtOnce is the number of PANs that one query looks up.
const numbersAtOnce = 64

var (
	findCardsByNumber = `SELECT c.card_id, c.status, COALESCE((SELECT MAX(w.day) FROM usages w
			WHERE w.program_id = c.program_id AND w.customer_id = c.customer_id
				AND w.direction IN ('withdraw', 'deposit')), 0)
		FROM card_numbers n JOIN cards c ON c.card_id = n.card_id
		WHERE c.program_id = $65 AND n.digest IN ` + db.Places(numbersAtOnce)
	findCardsBySecond = strings.Replace(findCardsByNumber, "n.digest", "n.second_digest", 1)
)

func scanNumberedCard(row db.Scan) (store.NumberedCard, error) {
	var c store.NumberedCard
	err := row(&c.ID, &c.Status, &c.Used)
	return c, err
}

// FindCards returns the cards with the given PANs. It removes duplicates, because during the
// rotation of a digest key a card may be found twice.
func (t cardNumbers) FindCards(
	programID int, numbers []digests.Number,
) ([]store.NumberedCard, error) {
	var numberedCards []store.NumberedCard
	var queries []db.Query
	for some := range slices.Chunk(numbers, numbersAtOnce) {
		first, second := make([]any, numbersAtOnce+1), make([]any, numbersAtOnce+1)
		for i := range numbersAtOnce {
			number := some[min(i, len(some)-1)] // the last fills the remaining places
			first[i], second[i] = db.OrEmpty(number.First), db.OrEmpty(number.Second)
		}
		first[numbersAtOnce], second[numbersAtOnce] = programID, programID
		queries = append(queries, db.Rows(&numberedCards, scanNumberedCard, findCardsByNumber, first...))
		if some[0].Second != nil {
			queries = append(queries, db.Rows(&numberedCards, scanNumberedCard, findCardsBySecond, second...))
		}
	}
	if len(queries) == 0 {
		return nil, nil
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	slices.SortFunc(numberedCards, func(a, b store.NumberedCard) int { return a.ID - b.ID })
	return slices.Compact(numberedCards), nil
}
