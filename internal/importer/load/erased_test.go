package load

import (
	"errors"
	"strings"
	"testing"

	"mintmark/internal/domain/program"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// TestErasedCustomer reloads a file that names an erased customer and its account. Both are
// rejected until they are accepted.
func TestErasedCustomer(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.mustLoad(t, good)
		err := b.Update(t.Context(), func(tx store.Tx) error {
			people, err := tx.Customers().FindMany([]int{1})
			accounts, err2 := tx.Accounts().FindMany([]int{1})
			return errors.Join(err, err2, tx.Customers().Put(people[1].Erased()),
				tx.Accounts().Put(accounts[1].WithoutPeople()))
		})
		if err != nil {
			t.Fatal(err)
		}
		accept := Options{Accept: []string{entity.CustomerErased}}
		err = b.load(t, good)
		for _, want := range []string{
			"customer 1 was erased: ", "the customer of account 1 was erased: ",
		} {
			if err == nil || !strings.Contains(err.Error(),
				want+"refused unless --accept customer-erased is given") {
				t.Errorf("want %s, got %v", want, err)
			}
		}
		b.view(t, func(r store.Tx) error {
			people, err := r.Customers().FindMany([]int{1})
			if !people[1].IsErased() {
				t.Errorf("the customer is %+v", people[1])
			}
			return err
		})
		if _, err := b.loadWith(t, good, accept); err != nil {
			t.Error(err)
		}
		b.mustLoad(t, good)
	})
}

// TestRetiredKey checks that no file retires an encryption key that still protects a number, or
// reactivates a retired one.
func TestRetiredKey(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.mustLoad(t, good)
		id, wrapped, err := b.vault.MakeBankKey(1)
		if err != nil {
			t.Fatal(err)
		}
		err = b.Update(t.Context(), func(tx store.Tx) error {
			return tx.BankKeys().Put(program.BankKey{
				ID: id, PciKeyID: 1, BankID: 1, State: program.ActiveKey, Made: tx.Now(),
				Wrapped: wrapped,
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		b.mustLoad(t, strings.NewReplacer("cardId: 1", "cardId: 2", "t1", "t2", "Nick", "Nock").
			Replace(goodCard))
		const retire = "banks: [{bankId: 1, pciKeys: [{pciKeyId: 1, status: 3}]}]"
		refused := func(text, want string) {
			t.Helper()
			_, err := b.loadWith(t, text, Options{Accept: entity.DestructiveChanges.Names()})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want %s, got %v", want, err)
			}
		}
		refused(retire, "are sealed under encryption key 1")
		b.mustLoad(t, strings.Replace(retire, "3", "2", 1))
		refused(retire, "are sealed under encryption key 1")

		b.mustLoad(t, strings.NewReplacer("pciKeyId: 1", "pciKeyId: 9").Replace(
			strings.Replace(retire, "3", "1", 1)))
		b.mustLoad(t, strings.Replace(retire, "pciKeyId: 1", "pciKeyId: 9", 1))
		refused("banks: [{bankId: 1, pciKeys: [{pciKeyId: 9, status: 1}]}]",
			"encryption key 9 is retired permanently")
	})
}
