package cached_test

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/sqlite"
)

// Ids of the rows that stocked stores: two programs with a BIN each; in the first program two
// customers, each with an account and two cards that draw on it.
const (
	programID, otherProgram   = 1, 2
	customerID, otherCustomer = 11, 12
	accountID, otherAccount   = 21, 22
	cardID, secondCard        = 31, 32
	otherCard                 = 33
)

var (
	ctx   = context.Background()
	since = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

	errRefused = errors.New("refused")
)

// openStocked opens a store in a file. It also returns the store inside, which counts the finds
// that reach it.
func openStocked(t *testing.T) (*cached.Store, *countingStore) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	engine, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	within := &countingStore{Store: sqlstore.New(engine)}
	s := opened(t, cached.New(within, engine, cached.DefaultBytes), nil)
	mustUpdate(t, s, putStock)
	return s, within
}

func putStock(tx store.Tx) error {
	err := tx.Banks().Put(store.Bank{ID: 1})
	for _, id := range []int{programID, otherProgram} {
		err = cmp.Or(err, putProgram(tx, id, 0), putBin(tx, id, 0))
	}
	for _, id := range []int{customerID, otherCustomer} {
		err = cmp.Or(err, putCustomer(tx, id, 0), putAccount(tx, id+10, 0))
	}
	for _, id := range []int{cardID, secondCard, otherCard, otherCard + 1} {
		c := newCard(id)
		err = cmp.Or(err, tx.Cards().Put(&c))
	}
	return err
}

// The writes below store a number in a field that a read shows.

func putProgram(tx store.Tx, id, number int) error {
	stored, err := tx.Programs().Find(id)
	return cmp.Or(ignoreNotFound(err), tx.Programs().Put(program.Program{
		Issuing:  program.Issuing{ID: id, BankID: 1, VerificationWindowDays: number},
		Revision: stored.Revision,
	}))
}

func putBin(tx store.Tx, ofProgram, number int) error {
	in, err := tx.Programs().Find(ofProgram)
	bin := program.Bin{ID: ofProgram, ProgramID: ofProgram, Vendor: "VS", ValidMonths: number}
	for _, stored := range in.Bins {
		bin.Revision = stored.Revision // a program has one BIN here
	}
	return cmp.Or(err, tx.Programs().PutBin(bin))
}

func putCustomer(tx store.Tx, id, number int) error {
	stored, err := tx.Customers().Find(programID, id)
	return cmp.Or(ignoreNotFound(err), tx.Customers().Put(customer.Customer{
		Standing: customer.Standing{
			ID: id, ProgramID: programID, Status: customer.Verified, AccessType: customer.Full,
			IsActive: true, Birth: since.AddDate(0, 0, number),
		},
		Revision: stored.Revision,
	}))
}

func putAccount(tx store.Tx, id, number int) error {
	stored, err := tx.Accounts().FindMany([]int{id})
	return cmp.Or(err, tx.Accounts().Put(customer.Account{
		ID: id, ProgramID: programID, CustomerID: customerID, Type: customer.Checking,
		Status: customer.Open, Balance: value.Amount{TenThousandths: int64(number)},
		Revision: stored[id].Revision,
	}))
}

// ignoreNotFound returns the error of a find, or nil if the row does not exist yet.
func ignoreNotFound(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

func newCard(id int) card.Card {
	owner, account := customerID, accountID
	if id >= otherCard {
		owner, account = otherCustomer, otherAccount
	}
	return card.Card{
		ID: id, ProgramID: programID, CustomerID: owner, HolderID: owner,
		Type: "DBT", Vendor: "VS", BinID: programID, Status: card.Initiated,
		Lock:     card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		NickName: strconv.Itoa(id), ExpireMonth: 1, ExpireYear: 2000,
		Slots: card.Slots{Checking: []int{account}}, PrimaryCategory: customer.Checking,
		Created: since, Modified: since,
	}
}

// changeCard changes a card as acts do: from the revision found in the same transaction.
func changeCard(tx store.Tx, id int, alter func(*card.Card)) error {
	view, err := tx.Cards().FindView(programID, customerID, store.CardKey{ID: id})
	if err != nil {
		return err
	}
	next := view.Card
	alter(&next)
	return tx.Cards().Change(view.Card, &next)
}

func setYear(tx store.Tx, id, number int) error {
	return changeCard(tx, id, func(c *card.Card) { c.ExpireYear = 2000 + number })
}

func viewOf(t *testing.T, s store.Store, of store.CardKey) store.CardView {
	t.Helper()
	var view store.CardView
	mustRead(t, s, func(tx store.Tx) error {
		var err error
		view, err = tx.Cards().FindView(programID, customerID, of)
		return err
	})
	return view
}

func mustUpdate(t *testing.T, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Update(ctx, fn); err != nil {
		t.Errorf("Update: %v", err)
	}
}

func mustRead(t *testing.T, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.Read(ctx, fn); err != nil {
		t.Errorf("Read: %v", err)
	}
}

// countingStore is a store that counts the finds that reach it.
type countingStore struct {
	store.Store
	finds  atomic.Int64
	found  atomic.Pointer[func()]              // called once, after the next find
	update func(fn func(store.Tx) error) error // replaces the store's Update; may be nil
}

func (i *countingStore) Read(ctx context.Context, fn func(store.Tx) error) error {
	return i.Store.Read(ctx, i.around(fn))
}

func (i *countingStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	if i.update != nil {
		return i.update(i.around(fn))
	}
	return i.Store.Update(ctx, i.around(fn))
}

func (i *countingStore) around(fn func(store.Tx) error) func(store.Tx) error {
	return func(tx store.Tx) error { return fn(insideTx{tx, i}) }
}

func (i *countingStore) note() {
	i.finds.Add(1)
	if hook := i.found.Swap(nil); hook != nil {
		(*hook)()
	}
}

// reached returns the number of finds that reach the store inside while fn runs.
func (i *countingStore) reached(fn func()) int64 {
	before := i.finds.Load()
	fn()
	return i.finds.Load() - before
}

type insideTx struct {
	store.Tx
	inside *countingStore
}

func (t insideTx) Cards() store.Cards       { return insideCards{t.Tx.Cards(), t.inside} }
func (t insideTx) Issuance() store.Issuance { return insideIssuance{t.Tx.Issuance(), t.inside} }

type insideCards struct {
	store.Cards
	inside *countingStore
}

func (c insideCards) FindView(
	ofProgram, asks int, of store.CardKey,
) (store.CardView, error) {
	defer c.inside.note()
	return c.Cards.FindView(ofProgram, asks, of)
}

func (c insideCards) ListByCustomer(
	ofProgram, asks, maxRows int,
) (store.CustomerCards, error) {
	defer c.inside.note()
	return c.Cards.ListByCustomer(ofProgram, asks, maxRows)
}

type insideIssuance struct {
	store.Issuance
	inside *countingStore
}

// FindView counts only lookups that include the program: the rest always reaches the store.
func (i insideIssuance) FindView(of store.IssuanceQuery) (store.IssuanceView, error) {
	if !of.ProgramKnown {
		defer i.inside.note()
	}
	return i.Issuance.FindView(of)
}
