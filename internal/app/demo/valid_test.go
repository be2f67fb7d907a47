package demo

import (
	"errors"
	"testing"

	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// TestWhatIsStoredIsValid checks everything that the demo data has stored against the rules that an
// operator's next change of it must satisfy.
func TestWhatIsStoredIsValid(t *testing.T) {
	db, _ := loaded(t)
	looked := 0
	valid := func(what string, id int, wrong string) {
		looked++
		if wrong != "" {
			t.Errorf("%s %d: %s", what, id, wrong)
		}
	}
	view(t, db, func(r store.Tx) error {
		return errors.Join(
			validPrograms(r, valid), validPeople(r, valid), validCardsAndDocuments(r, valid))
	})
	if looked < 100 {
		t.Errorf("only %d things are stored", looked)
	}
}

type verdict func(what string, id int, wrong string)

func validPrograms(r store.Tx, valid verdict) error {
	banks, err1 := r.Banks().List()
	for _, bank := range banks {
		named := program.Institution{ID: bank.ID, Name: bank.Name}
		valid("bank", bank.ID, named.Validate().String())
	}
	pciKeys, err2 := r.Banks().ListPciKeys()
	for _, key := range pciKeys {
		valid("encryption key", key.ID, key.Validate().String())
	}
	programs, err3 := r.Programs().List()
	for _, id := range programs {
		stored, err := r.Programs().Find(id)
		if err != nil {
			return err
		}
		valid("program", id, stored.Validate(true).String())
		for _, bin := range stored.Bins {
			valid("bin", bin.ID, bin.Validate().String())
		}
	}
	keys, err4 := r.Keys().List()
	for i, key := range keys {
		valid("key", i, key.Validate().String())
	}
	return errors.Join(err1, err2, err3, err4)
}

// upTo returns the ids that the demo data may use.
func upTo(last int) []int {
	ids := make([]int, last)
	for i := range ids {
		ids[i] = i + 1
	}
	return ids
}

func validPeople(r store.Tx, valid verdict) error {
	customers, err1 := r.Customers().FindMany(upTo(9999))
	for id, stored := range customers {
		valid("customer", id, stored.Validate(now).String())
	}
	accounts, err2 := r.Accounts().FindMany(upTo(9999))
	for id, stored := range accounts {
		in, err := r.Programs().Find(stored.ProgramID)
		if err != nil {
			return err
		}
		valid("account", id, stored.Validate(in.Settings.DecimalCount).String())
	}
	access, err3 := r.Access().List(upTo(9999))
	for _, a := range access {
		valid("access to", a.AccountID, a.Validate().String())
	}
	return errors.Join(err1, err2, err3)
}

func validCardsAndDocuments(r store.Tx, valid verdict) error {
	for id := range 200 {
		bankID, err := r.Documents().FindBank(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		document, err2 := r.Documents().Find(bankID, id)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		valid("document", id, document.Validate().String())
	}
	customers, err := r.Customers().FindMany(upTo(9999))
	for id, stored := range customers {
		has, err := r.Cards().ListByCustomer(stored.ProgramID, id, store.NoLimit)
		if err != nil {
			return err
		}
		for _, c := range has.Cards {
			valid("card", c.ID, c.Validate().String())
		}
	}
	return err
}
