package cached

import (
	"context"

	"mintmark/internal/store"
)

// tx is a store.Tx that looks into the cache first.
type tx struct {
	store.Tx
	store *Store
	ctx   context.Context // of a Read
	wrote *writeSet       // of an Update; nil in a Read
	cards cards           // embedded by value because nearly every request uses it
}

// usable reports whether the cache may answer. In an Update it always may: the engine checks for
// external commits before it runs one.
func (t *tx) usable() bool { return t.wrote != nil || t.store.external.Fresh(t.ctx) }

func (t *tx) Cards() store.Cards {
	t.cards = cards{t.Tx.Cards(), t}
	return &t.cards
}

func (t *tx) Issuance() store.Issuance   { return issuance{t.Tx.Issuance(), t} }
func (t *tx) Customers() store.Customers { return customers{t.Tx.Customers(), t} }
func (t *tx) Accounts() store.Accounts   { return accounts{t.Tx.Accounts(), t} }
func (t *tx) Balances() store.Balances   { return balances{t.Tx.Balances(), t} }
func (t *tx) Banks() store.Banks         { return banks{t.Tx.Banks(), t} }
func (t *tx) BankKeys() store.BankKeys   { return bankKeys{t.Tx.BankKeys(), t} }
func (t *tx) Programs() store.Programs   { return programs{t.Tx.Programs(), t} }
