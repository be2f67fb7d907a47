package sqlstore

import (
	"slices"
	"strconv"
	"strings"

	"mintmark/internal/customer"
	"mintmark/internal/program"
	"mintmark/internal/store"
)

// What an operator loads comes in many rows, so it is looked for by many numbers in one query, and
// whatever program it belongs to: the file may name the wrong one.

// bulkAtOnce is how many numbers one query looks for. The count is fixed, so that the text stays
// the same and is prepared once.
const bulkAtOnce = 64

var (
	findCustomers = `SELECT ` + customerColumns + ` FROM customers u
	WHERE u.customer_id IN ` + bulkPlaces
	findAccounts = selectAccounts + `WHERE a.account_id IN ` + bulkPlaces
	listAccess   = `SELECT customer_id, account_id, type FROM account_access
	WHERE customer_id IN ` + bulkPlaces
)

// bulkPlaces is ($1, $2, ...) for bulkAtOnce numbers.
var bulkPlaces = func() string {
	places := make([]string, bulkAtOnce)
	for i := range places {
		places[i] = "$" + strconv.Itoa(i+1)
	}
	return "(" + strings.Join(places, ", ") + ")"
}()

// bulk returns the rows of all numbers, which may repeat.
func bulk[T any](r *reader, read func(scan) (T, error), text string, numbers []int) ([]T, error) {
	numbers = slices.Compact(slices.Sorted(slices.Values(numbers)))
	var questions []question
	var found []T
	for chunk := range slices.Chunk(numbers, bulkAtOnce) {
		args := make([]any, bulkAtOnce)
		for i := range args {
			// Nothing has the number 0, which fills the places that are left.
			args[i] = 0
			if i < len(chunk) {
				args[i] = chunk[i]
			}
		}
		questions = append(questions, listing(&found, read, text, args...))
	}
	if len(questions) == 0 {
		return nil, nil
	}
	return found, r.together(questions...)
}

func (r *reader) FindCustomers(customerIDs []int) (map[int]customer.Customer, error) {
	rows, err := bulk(r, func(row scan) (customer.Customer, error) {
		var c customer.Customer
		err := row(customerInto(&c)...)
		return c, err
	}, findCustomers, customerIDs)
	found := make(map[int]customer.Customer, len(rows))
	for _, c := range rows {
		found[c.ID] = c
	}
	return found, err
}

func (r *reader) FindAccounts(accountIDs []int) (map[int]customer.Account, error) {
	rows, err := bulk(r, scanAccount, findAccounts, accountIDs)
	found := make(map[int]customer.Account, len(rows))
	for _, a := range rows {
		found[a.ID] = a
	}
	return found, err
}

func (r *reader) ListAccess(customerIDs []int) ([]customer.Access, error) {
	return bulk(r, func(row scan) (customer.Access, error) {
		var a customer.Access
		err := row(&a.CustomerID, &a.AccountID, &a.Type)
		return a, err
	}, listAccess, customerIDs)
}

// An amount is kept in ten-thousandths. What is left beyond the unit is digits that a program
// with fewer of them could not show.
const hasFinerBalances = `SELECT COUNT(*) FROM (SELECT 1 FROM accounts WHERE program_id = $1
	AND (balance % $2 <> 0 OR available_balance % $2 <> 0 OR pending_balance % $2 <> 0)
	LIMIT 1) finer`

func (r *reader) HasFinerBalances(programID, digits int) (bool, error) {
	const keptDigits = 4
	unit := 1
	for range keptDigits - digits {
		unit *= 10
	}
	var count int
	err := r.row(hasFinerBalances, programID, unit)(&count)
	return count > 0, err
}

// A card without a tag is found by none. The statuses are those of the index on nicknames.
const findTaken = `SELECT COALESCE((SELECT program_id FROM cards WHERE card_id = $1), 0),
	EXISTS (SELECT 1 FROM cards WHERE program_id = $2 AND tag = $3),
	EXISTS (SELECT 1 FROM cards WHERE customer_id = $4 AND nick_key = $5
		AND status NOT IN ('Archived', 'Reissued', 'Denied'))`

func (r *reader) FindTaken(of store.CardNames) (store.Taken, error) {
	var taken store.Taken
	err := r.row(findTaken, of.CardID, of.ProgramID, of.Tag, of.CreatorID, nickKey(of.NickName))(
		&taken.ProgramID, &taken.Tag, &taken.NickName)
	return taken, err
}

func (r *reader) ListBankNames() ([]store.Bank, error) {
	return list(r, func(row scan) (store.Bank, error) {
		var b store.Bank
		err := row(&b.ID, &b.Name)
		return b, err
	}, `SELECT bank_id, name FROM banks ORDER BY bank_id`)
}

func (r *reader) ListPciKeys() ([]program.PciKey, error) {
	return list(r, scanPciKey,
		`SELECT pci_key_id, bank_id, status FROM pci_keys ORDER BY pci_key_id`)
}

func (r *reader) FindDocumentBank(documentID int) (int, error) {
	var bankID int
	err := r.row(`SELECT bank_id FROM documents WHERE document_id = $1`, documentID)(&bankID)
	return bankID, err
}
