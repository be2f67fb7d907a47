package listing

import (
	"slices"
	"strings"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Customers are the rows of the tables customers and accounts, as they are listed.
type Customers struct{ Session db.Session }

var _ store.CustomerIndex = Customers{}

const listCustomers = `SELECT u.customer_id FROM customers u
	WHERE u.program_id = $1 AND u.customer_id > $2 AND ($3 = '' OR u.status = $3)
		AND ($4 = '' OR LOWER(CAST(u.customer_id AS TEXT) || ' ' || u.first_name || ' '
			|| u.last_name || ' ' || u.mobile_phone || ' ' || u.home_phone) LIKE $4 ESCAPE '\')
	ORDER BY u.customer_id LIMIT 0 + $5`

// List returns the numbers of customers in their order.
func (t Customers) List(of store.CustomerQuery) ([]int, error) {
	return t.ofPrograms(of.Programs, of.Limit, func(programID int) lane {
		return lane{listCustomers,
			[]any{programID, of.After, string(of.Status), pattern(of.Text), of.Limit}}
	})
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

// ListAccounts returns the numbers of accounts in their order.
func (t Customers) ListAccounts(of store.AccountQuery) ([]int, error) {
	return t.ofPrograms(of.Programs, of.Limit, func(programID int) lane {
		args := []any{programID, of.After, string(of.Status), pattern(of.Text), of.Limit}
		if of.CustomerID != 0 {
			return lane{listAccountsOf, append(args, of.CustomerID)}
		}
		return lane{listAccounts, args}
	})
}

// ofPrograms merges what a query returns for each program.
func (t Customers) ofPrograms(
	programIDs []int, limit int, query func(programID int) lane,
) ([]int, error) {
	programIDs, err := programsOf(t.Session, programIDs)
	if err != nil {
		return nil, err
	}
	var numbers []int
	var queries []db.Query
	for _, id := range programIDs {
		l := query(id)
		queries = append(queries, db.Rows(&numbers, scanNumber, l.text, l.args...))
	}
	if len(queries) == 0 {
		return nil, nil
	}
	if err := t.Session.Query(queries...); err != nil {
		return nil, err
	}
	slices.Sort(numbers)
	return numbers[:min(limit, len(numbers))], nil
}

// pattern is what LIKE is given to find a text in any letter case; empty for an empty text.
func pattern(text string) string {
	needle := store.SearchNeedle(text)
	if needle == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(needle) + "%"
}
