// Package money keeps card-based transfers in SQL: authorizations, holds, postings, balances, and
// the sums that limits are compared with. It owns the statements of these tables, and those that
// read a card and change an account for a transfer; package sqlstore hands it out as parts of a
// transaction. What is approved, and what moves, is decided in package authorization.
//
// On PostgreSQL a transaction must not read index pages that an unrelated one writes to. A transfer
// therefore looks for no identifier that it is about to insert: the unique index refuses it. What
// it reads are rows that are changed in place.
package money

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Tx is a transaction. Its parts are views of it, each in the file of its table.
type Tx struct{ db.Session }

// Of returns the transaction of a session.
func Of(s db.Session) Tx { return Tx{s} }

// Authorizations returns the rows of the table authorizations.
func (t Tx) Authorizations() store.Authorizations { return authorizations{t} }

// Holds returns the rows of the tables holds and hold_ends.
func (t Tx) Holds() store.Holds { return holds{t} }

// Postings returns the rows of the table postings.
func (t Tx) Postings() store.Postings { return postings{t} }

// Balances returns the balances in the table accounts.
func (t Tx) Balances() store.Balances { return balances{t} }

// Usages returns the rows of the table usages.
func (t Tx) Usages() store.Usages { return usages{t} }

// find runs a query for one row, and is store.ErrNotFound without one.
func (t Tx) find(into []any, text string, args ...any) error {
	found, err := db.Find(t.Session, into, text, args...)
	if err == nil && !found {
		return store.ErrNotFound
	}
	return err
}
