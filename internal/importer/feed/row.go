package feed

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
)

// row is a line after the first one: it puts or deletes a customer, an account, an access or a
// balance. Its members are parsed once the stored form is read.
type row struct {
	*strictjson.Object
	line    int
	list    string // name of the counts of its kind
	deletes bool
	card    *cardRow // set instead of the object

	// The ids of these names in the row, 0 for none.
	customerID, accountID int
}

// pair returns the customer and the account of an access.
func (r row) pair() entity.Pair {
	return entity.Pair{CustomerID: r.customerID, AccountID: r.accountID}
}

// kinds maps each kind of row to the name of its counts.
var kinds = map[string]string{
	"customer": customers, "account": accounts, "access": access, "balance": balances,
}

// readRow parses a line far enough to find its stored form.
func readRow(line int, text []byte, problems *importer.Problems) (row, bool) {
	object, list := strictjson.Open(bytes.Clone(text))
	if object == nil {
		return row{}, problems.AddAll(line, list)
	}
	read := row{Object: object, line: line, list: kinds[object.String("kind")]}
	op := object.String("op")
	read.deletes = op == "delete"
	if read.list == "" {
		list.Add("kind", "must be customer, account, access or balance")
	}
	if !read.deletes && op != "put" {
		list.Add("op", "must be put or delete")
	}
	if read.deletes && read.list == balances {
		list.Add("op", "must be put: a balance belongs to its account")
	}
	if read.list != balances && object.Has("customerId") {
		read.customerID = object.Int("customerId")
	}
	if read.list != customers && object.Has("accountId") {
		read.accountID = object.Int("accountId")
	}
	wantNumber(&list, "customerId", read.customerID, read.list == customers || read.list == access)
	wantNumber(&list, "accountId", read.accountID, read.list != customers && read.list != "")
	if len(list) > 0 {
		return row{}, problems.AddAll(line, list)
	}
	return read, true
}

// wantNumber adds a problem if a row lacks an id that identifies it.
func wantNumber(problems *problem.List, name string, id int, wanted bool) {
	if wanted && id < 1 {
		problems.Add(name, "must be a whole number from 1 to %d", problem.MaxID)
	}
}

// members overwrites the members of the stored form with those of a row. A member that the row
// leaves out stays as stored, and null clears it.
type members struct{ *strictjson.Object }

func (m members) text(name string, into *string) {
	if m.Has(name) {
		*into = m.String(name)
	}
}

// textOf is text for string types.
func textOf[T ~string](m members, name string, into *T) {
	if m.Has(name) {
		*into = T(m.String(name))
	}
}

func (m members) number(name string, into *int) {
	if m.Has(name) {
		*into = m.Int(name)
	}
}

// boolean takes a boolean; null stands for the default of a new row.
func (m members) boolean(name string, otherwise bool, into *bool) {
	switch {
	case !m.Has(name):
	case m.Raw(name) == nil:
		*into = otherwise
	default:
		*into = m.Bool(name)
	}
}

// date takes a calendar date.
func (m members) date(name string, into *time.Time) {
	if !m.Has(name) {
		return
	}
	*into = time.Time{}
	text := m.String(name)
	if text == "" {
		return
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		m.Reject(name, "must be a date, such as 1985-03-14")
		return
	}
	*into = date
}

// amount takes an amount; null stands for 0.
func (m members) amount(name string, into *value.Amount) {
	if m.Has(name) {
		*into = m.Amount(name)
	}
}

// withoutKnown returns problems without those of members that already have one in known.
func withoutKnown(problems, known problem.List) problem.List {
	return slices.DeleteFunc(problems, func(p problem.Problem) bool {
		return slices.ContainsFunc(known, func(other problem.Problem) bool {
			return other.Path == p.Path || strings.HasPrefix(p.Path, other.Path+".")
		})
	})
}
