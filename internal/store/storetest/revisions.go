package storetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// What Put demands of the rows that operators change.
var revisions = []test{
	{"Demanded", revisionDemanded},
	{"Twice", revisionTwice},
	{"AtOnce", revisionAtOnce},
}

// revised is a kind of row that operators change. Each has a number that tells one form of it from
// another; they are made of what background keeps.
type revised struct {
	// put keeps a form of a row as the next revision.
	put func(tx store.Tx, id, revision, form int) error
	// find returns the revision and the form of a row, both 0 when there is none.
	find func(r store.Tx, id int) (revision, form int, err error)
}

// orNone is the result of a find. A row that is missing is no error.
func orNone(revision, form int, err error) (int, int, error) {
	if errors.Is(err, store.ErrNotFound) {
		return 0, 0, nil
	}
	return revision, form, err
}

// rowsRevised are all kinds of rows that operators change.
var rowsRevised = map[string]revised{
	"bank": {
		func(tx store.Tx, id, revision, form int) error {
			return tx.Banks().Put(store.Bank{ID: id, Name: texts[form], Revision: revision})
		},
		func(r store.Tx, id int) (revision, form int, err error) {
			all, err := r.Banks().List()
			for _, b := range all {
				if b.ID == id {
					revision, form = b.Revision, formOf(b.Name)
				}
			}
			return revision, form, err
		},
	},
	"encryption key": {
		func(tx store.Tx, id, revision, form int) error {
			return tx.Banks().PutPciKey(program.PciKey{
				ID: id, BankID: bankID, Status: program.PciKeyStatus(form), Revision: revision,
			})
		},
		func(r store.Tx, id int) (revision, form int, err error) {
			all, err := r.Banks().ListPciKeys()
			for _, k := range all {
				if k.ID == id {
					revision, form = k.Revision, int(k.Status)
				}
			}
			return revision, form, err
		},
	},
	"program": {
		func(tx store.Tx, id, revision, form int) error {
			return tx.Programs().Put(program.Program{
				Issuing:  program.Issuing{ID: id, BankID: bankID, VerificationWindowDays: form},
				Revision: revision,
			})
		},
		func(r store.Tx, id int) (revision, form int, err error) {
			p, err := r.Programs().Find(id)
			return orNone(p.Revision, p.VerificationWindowDays, err)
		},
	},
	"BIN": {
		func(tx store.Tx, id, revision, form int) error {
			b := bin(id, programID)
			b.ValidMonths, b.Revision = form, revision
			return tx.Programs().PutBin(b)
		},
		func(r store.Tx, id int) (revision, form int, err error) {
			p, err := r.Programs().Find(programID)
			for _, b := range p.Bins {
				if b.ID == id {
					revision, form = b.Revision, b.ValidMonths
				}
			}
			return revision, form, err
		},
	},
	"customer": {
		func(tx store.Tx, id, revision, form int) error {
			c := person(id, programID)
			c.FirstName, c.Revision = texts[form], revision
			return tx.Customers().Put(c)
		},
		func(r store.Tx, id int) (revision, form int, err error) {
			c, err := r.Customers().Find(programID, id)
			return orNone(c.Revision, formOf(c.FirstName), err)
		},
	},
	"account": {
		func(tx store.Tx, id, revision, form int) error {
			a := account(id, customer.Savings)
			a.Balance.TenThousandths, a.Revision = int64(form), revision
			return tx.Accounts().Put(a)
		},
		func(r store.Tx, id int) (revision, form int, err error) {
			all, err := r.Accounts().FindMany([]int{id})
			return all[id].Revision, int(all[id].Balance.TenThousandths), err
		},
	},
	"access": {
		func(tx store.Tx, id, revision, form int) error {
			return tx.Access().Put(customer.Access{
				CustomerID: holderID, AccountID: accountIDs[customer.Checking][id-firstRow],
				Type: accesses[form], Revision: revision,
			})
		},
		func(r store.Tx, id int) (revision, form int, err error) {
			all, err := r.Access().List([]int{holderID})
			for _, a := range all {
				if a.AccountID == accountIDs[customer.Checking][id-firstRow] {
					revision, form = a.Revision, slices.Index(accesses, a.Type)
				}
			}
			return revision, form, err
		},
	},
	"document": {
		func(tx store.Tx, id, revision, form int) error {
			return tx.Documents().Put(bankdoc.Document{
				ID: id, BankID: bankID, Culture: "en-US", Type: bankdoc.Types[0],
				Title: texts[form], PDF: []byte("%PDF-"), Revision: revision,
			})
		},
		func(r store.Tx, id int) (revision, form int, err error) {
			d, err := r.Documents().Find(bankID, id)
			return orNone(d.Revision, formOf(d.Title), err)
		},
	},
	"key": {
		func(tx store.Tx, id, revision, form int) error {
			k := key(keyNames[id-firstRow])
			k.Burst, k.Revision = form, revision
			return tx.Keys().Put(k)
		},
		func(r store.Tx, id int) (revision, form int, err error) {
			all, err := r.Keys().List()
			for _, k := range all {
				if k.Name == keyNames[id-firstRow] {
					revision, form = k.Revision, k.Burst
				}
			}
			return revision, form, err
		},
	},
}

// firstRow is the number of the row that the tests change; the next has the number of a row that is
// not there.
const firstRow = 7001

var (
	texts    = []string{"", "first", "second", "third"}
	accesses = []customer.AccountAccess{"", customer.ReadOnly, customer.FullAccess}
	keyNames = []string{"revised", "missing"}
)

func formOf(text string) int { return slices.Index(texts, text) }

// revisionDemanded inserts each row, changes it, and tries what must be refused: to insert it once
// more, and to change a revision that is not the stored one. What else the transaction writes is
// refused with it.
func revisionDemanded(t *testing.T, s store.Store) {
	background(t, s)
	const besides = 801 // the number of a bank
	for name, row := range rowsRevised {
		want := func(id, revision, form int) {
			t.Helper()
			everyWay(t, s, func(r store.Tx) error {
				gotRevision, gotForm, err := row.find(r, id)
				if gotRevision != revision || gotForm != form {
					t.Errorf("%s: got form %d at revision %d, want %d at %d", name, gotForm,
						gotRevision, form, revision)
				}
				return err
			})
		}
		refused := func(what string, sentinel error, id, revision int) {
			t.Helper()
			err := s.Update(context.Background(), func(tx store.Tx) error {
				return firstOf([]error{
					tx.Banks().Put(store.Bank{ID: besides}), row.put(tx, id, revision, 2),
				})
			})
			wantError(t, name+", "+what, err, sentinel)
		}
		update(t, s, func(tx store.Tx) error { return row.put(tx, firstRow, 0, 1) })
		want(firstRow, 1, 1)
		refused("inserted twice", store.ErrExists, firstRow, 0)
		refused("a revision to come", store.ErrLostUpdate, firstRow, 2)
		refused("not there", store.ErrLostUpdate, firstRow+1, 1)
		want(firstRow, 1, 1)
		want(firstRow+1, 0, 0)
		update(t, s, func(tx store.Tx) error { return row.put(tx, firstRow, 1, 2) })
		want(firstRow, 2, 2)
		update(t, s, func(tx store.Tx) error { return row.put(tx, firstRow, 2, 1) })
		refused("an old revision", store.ErrLostUpdate, firstRow, 1)
		refused("an older revision", store.ErrLostUpdate, firstRow, 2)
		want(firstRow, 3, 1)
	}
	banks := find(t, s, func(r store.Tx) ([]store.Bank, error) { return r.Banks().List() })
	for _, bank := range banks {
		if bank.ID == besides {
			t.Error("what was written beside a refused change is kept")
		}
	}
}

// revisionTwice changes each row twice in one Update, the second time as the first has left it.
func revisionTwice(t *testing.T, s store.Store) {
	background(t, s)
	for name, row := range rowsRevised {
		update(t, s, func(tx store.Tx) error {
			return firstOf([]error{
				row.put(tx, firstRow, 0, 1), row.put(tx, firstRow, 1, 2),
				row.put(tx, firstRow, 2, 1),
			})
		})
		view(t, s, func(r store.Tx) error {
			revision, form, err := row.find(r, firstRow)
			if revision != 3 || form != 1 {
				t.Errorf("%s: got form %d at revision %d, want 1 at 3", name, form, revision)
			}
			return err
		})
	}
}

// revisionAtOnce has several operators change each row as all of them have read it: one of them
// succeeds, and the others learn of it.
func revisionAtOnce(t *testing.T, s store.Store) {
	background(t, s)
	const operators = 4
	for name, row := range rowsRevised {
		update(t, s, func(tx store.Tx) error { return row.put(tx, firstRow, 0, 1) })
		errs := make([]error, operators)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				errs[i] = s.Update(context.Background(), func(tx store.Tx) error {
					return row.put(tx, firstRow, 1, 2)
				})
			})
		}
		all.Wait()
		done := 0
		for _, err := range errs {
			if err == nil {
				done++
				continue
			}
			wantError(t, name, err, store.ErrLostUpdate)
		}
		if done != 1 {
			t.Errorf("%s: %d of %d changes of one revision were kept", name, done, operators)
		}
	}
}
