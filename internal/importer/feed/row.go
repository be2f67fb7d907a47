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

// row is a line behind the first: what is to be kept or deleted of a customer, an account, an
// access or a balance. Its members are read when the stored form is at hand.
type row struct {
	*strictjson.Object
	line    int
	list    string // of the kind
	deletes bool
	card    *cardRow // in place of the object

	// The numbers that it has under these names; 0 for none.
	customerID, accountID int
}

// pair is the customer and the account of an access.
func (r row) pair() entity.Pair {
	return entity.Pair{CustomerID: r.customerID, AccountID: r.accountID}
}

// kinds are the kinds of rows, and the lists in which they are counted.
var kinds = map[string]string{
	"customer": customers, "account": accounts, "access": access, "balance": balances,
}

// readRow reads a line so far that the stored form can be found.
func readRow(line int, text []byte, problems *importer.Problems) (row, bool) {
	object, list := strictjson.Open(bytes.Clone(text))
	if object == nil {
		return row{}, problems.AddAll(line, list)
	}
	read := row{Object: object, line: line, list: kinds[object.Text("kind")]}
	op := object.Text("op")
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
		read.customerID = object.Number("customerId")
	}
	if read.list != customers && object.Has("accountId") {
		read.accountID = object.Number("accountId")
	}
	wantNumber(&list, "customerId", read.customerID, read.list == customers || read.list == access)
	wantNumber(&list, "accountId", read.accountID, read.list != customers && read.list != "")
	if len(list) > 0 {
		return row{}, problems.AddAll(line, list)
	}
	return read, true
}

// wantNumber notes a row without a number that it is known by.
func wantNumber(problems *problem.List, name string, id int, wanted bool) {
	if wanted && id < 1 {
		problems.Add(name, "must be a whole number from 1 to %d", problem.MaxID)
	}
}

// members takes the members of a row over those of the stored form. A member that the row leaves
// out stays as it is, and null takes it away.
type members struct{ *strictjson.Object }

func (m members) text(name string, into *string) {
	if m.Has(name) {
		*into = m.Text(name)
	}
}

// textOf is text for a type of its own.
func textOf[T ~string](m members, name string, into *T) {
	if m.Has(name) {
		*into = T(m.Text(name))
	}
}

func (m members) number(name string, into *int) {
	if m.Has(name) {
		*into = m.Number(name)
	}
}

// truth takes a truth value; null is what a fresh one would be.
func (m members) truth(name string, otherwise bool, into *bool) {
	switch {
	case !m.Has(name):
	case m.Raw(name) == nil:
		*into = otherwise
	default:
		*into = m.Truth(name)
	}
}

// date takes a calendar date.
func (m members) date(name string, into *time.Time) {
	if !m.Has(name) {
		return
	}
	*into = time.Time{}
	text := m.Text(name)
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

// amount takes an amount; null is 0.
func (m members) amount(name string, into *value.Amount) {
	if m.Has(name) {
		*into = m.Amount(name)
	}
}

// unlike returns problems without those of members that have one already.
func unlike(problems, known problem.List) problem.List {
	return slices.DeleteFunc(problems, func(p problem.Problem) bool {
		return slices.ContainsFunc(known, func(other problem.Problem) bool {
			return other.Path == p.Path || strings.HasPrefix(p.Path, other.Path+".")
		})
	})
}
