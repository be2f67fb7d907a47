package sqlstore

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// customers implements store.Customers on the table customers.
type customers struct{ *tx }

// Addresses are JSON, because no query searches their parts. Parsing them costs more than reading
// the rest of the row, so most acts read only standingColumns.
const (
	standingColumns = `u.customer_id, u.program_id, u.status, u.access_type, u.is_active,
		u.is_locked, u.deceased_on, u.born_on`
	customerColumns = standingColumns + `, u.first_name, u.last_name,
		u.mobile_phone, u.home_phone, u.mailing, u.residence, u.revision`
)

// standingInto returns the scan destinations for standingColumns.
func standingInto(s *customer.Standing) []any {
	return []any{&s.ID, &s.ProgramID, (*string)(&s.Status), (*string)(&s.AccessType),
		&s.IsActive, &s.IsLocked, db.Time{To: &s.Deceased}, db.Time{To: &s.Birth}}
}

// customerInto returns the scan destinations for customerColumns.
func customerInto(c *customer.Customer) []any {
	return append(standingInto(&c.Standing),
		&c.FirstName, &c.LastName, &c.MobilePhone, &c.HomePhone,
		db.JSON{To: &c.Mailing}, db.JSON{To: &c.Residence}, &c.Revision)
}

const (
	findStanding = `SELECT ` + standingColumns + `
		FROM customers u WHERE u.program_id = $1 AND u.customer_id = $2`
	findCreator = `SELECT ` + customerColumns + `
		FROM cards c JOIN customers u ON u.customer_id = c.customer_id
		WHERE c.program_id = $1 AND c.card_id = $2`
	findCustomer = `SELECT ` + customerColumns + `
		FROM customers u WHERE u.program_id = $1 AND u.customer_id = $2`
)

func (t customers) Find(programID, customerID int) (customer.Customer, error) {
	return findOne(t.tx, customerInto, findCustomer, programID, customerID)
}

const findCustomers = `SELECT ` + customerColumns + ` FROM customers u WHERE u.customer_id IN `

func (t customers) FindMany(customerIDs []int) (map[int]customer.Customer, error) {
	rows, err := db.FindMany(t.session, readInto(customerInto), findCustomers, customerIDs)
	byID := make(map[int]customer.Customer, len(rows))
	for _, c := range rows {
		byID[c.ID] = c
	}
	return byID, err
}

const (
	insertCustomer = `INSERT INTO customers (customer_id, program_id, status, access_type,
			is_active, is_locked, deceased_on, born_on, first_name, last_name,
			mobile_phone, home_phone, mailing, residence)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`
	updateCustomer = `UPDATE customers SET program_id = $2, status = $3, access_type = $4,
			is_active = $5, is_locked = $6, deceased_on = $7, born_on = $8, first_name = $9,
			last_name = $10, mobile_phone = $11, home_phone = $12, mailing = $13, residence = $14,
			revision = revision + 1
		WHERE customer_id = $1 AND revision = $15`
)

func (t customers) Put(c customer.Customer) error {
	addresses, err := db.JSONTexts(c.Mailing, c.Residence)
	if err != nil {
		return t.session.Fail(err)
	}
	return db.Put(t.session, c.Revision, insertCustomer, updateCustomer, c.ID, c.ProgramID,
		c.Status,
		c.AccessType, c.IsActive, c.IsLocked, db.DateMillis(c.Deceased), db.DateMillis(c.Birth),
		c.FirstName, c.LastName, c.MobilePhone, c.HomePhone, addresses[0], addresses[1])
}

// A name with accents is a candidate if it contains the text, ignoring the letters that may have
// accents. For a text of such letters alone, every name with accents is compared, in growing pages.
const listCustomers = `SELECT u.customer_id FROM customers u
	WHERE u.program_id = $1 AND u.customer_id > $2 AND ($3 = '' OR u.status = $3)
		AND ($4 = '' OR LOWER(CAST(u.customer_id AS TEXT) || ' ' || u.first_name || ' '
			|| u.last_name || ' ' || u.mobile_phone || ' ' || u.home_phone) LIKE $4 ESCAPE '\'
			OR OCTET_LENGTH(u.first_name || u.last_name) > LENGTH(u.first_name || u.last_name)
				AND LOWER(u.first_name || ' ' || u.last_name) LIKE $6 ESCAPE '\')
	ORDER BY u.customer_id LIMIT 0 + $5`

// List returns the IDs of customers in ascending order.
func (t customers) List(of store.CustomerQuery) (ids []int, err error) {
	text := store.Fold(store.SearchNeedle(of.Text))
	count := of.Limit
	if text != "" {
		count = max(of.Limit, fewCandidates)
	}
	for {
		candidates, err := t.numbersOfPrograms(of.Programs, count, laneQuery{listCustomers, []any{
			of.After, string(of.Status), likePattern(text), count, accentPattern(text),
		}})
		if err != nil || text == "" {
			return candidates, err
		}
		people, err := db.FindMany(t.session, scanNamed, findNamed, candidates)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(people, func(a, b namedPerson) int { return a.id - b.id })
		for _, p := range people {
			all := strings.Join([]string{strconv.Itoa(p.id), p.first, p.last, p.mobile, p.home}, " ")
			if strings.Contains(store.Fold(all), text) {
				ids = append(ids, p.id)
			}
		}
		if len(candidates) < count || len(ids) >= of.Limit {
			return ids[:min(of.Limit, len(ids))], nil
		}
		of.After = candidates[len(candidates)-1]
		count = min(2*count, maxCandidates)
	}
}

// accentPattern returns the LIKE pattern that finds a text in a name whose letters may have
// accents. One letter may stand for two, as ß does for ss.
func accentPattern(text string) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || strings.ContainsRune(accented, r) {
			return '%'
		}
		return r
	}, likePattern(text))
}

const (
	accountFits = ` AND ($3 = '' OR a.status = $3)
		AND ($4 = '' OR LOWER(CAST(a.account_id AS TEXT) || ' ' || a.name || ' ' || a.tag || ' '
			|| a.number_masked) LIKE $4 ESCAPE '\')
		ORDER BY a.account_id LIMIT 0 + $5`
	listAccounts = `SELECT a.account_id FROM accounts a
		WHERE a.program_id = $1 AND a.account_id > $2` + accountFits
	listAccountsOf = `SELECT a.account_id FROM accounts a
		WHERE a.program_id = $1 AND a.account_id > $2 AND a.customer_id = $6` + accountFits
)

// List returns the IDs of accounts in ascending order.
func (t accounts) List(of store.AccountQuery) ([]int, error) {
	lane := laneQuery{listAccounts,
		[]any{of.After, string(of.Status), likePattern(of.Text), of.Limit}}
	if of.CustomerID != 0 {
		lane = laneQuery{listAccountsOf, append(lane.args, of.CustomerID)}
	}
	return t.numbersOfPrograms(of.Programs, of.Limit, lane)
}

// numbersOfPrograms merges the IDs that the lanes return for each program. The first argument of
// each query is the program.
func (t *tx) numbersOfPrograms(programIDs []int, limit int, lanes ...laneQuery) ([]int, error) {
	programIDs, err := programsOf(t.session, programIDs)
	if err != nil {
		return nil, err
	}
	var numbers []int
	var queries []db.Query
	for _, id := range programIDs {
		for _, l := range lanes {
			args := append([]any{id}, l.args...)
			queries = append(queries, db.Rows(&numbers, scanNumber, l.text, args...))
		}
	}
	if len(queries) == 0 {
		return nil, nil
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	return numbers[:min(limit, len(numbers))], nil
}

// likePattern returns the LIKE pattern that finds a text in any letter case, or "" for an empty
// text.
func likePattern(text string) string {
	needle := store.SearchNeedle(text)
	if needle == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(needle) + "%"
}
