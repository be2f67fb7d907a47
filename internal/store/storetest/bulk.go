package storetest

import (
	"errors"
	"testing"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
)

// Lookups for checking an operator's file.
var bulk = []test{
	{"People", bulkPeople},
	{"FinerBalances", bulkFinerBalances},
	{"RetiredSecrets", bulkRetiredSecrets},
	{"Taken", bulkTaken},
}

// bulkPeople finds more customers and accounts of any program than fit into one query.
func bulkPeople(t *testing.T, s store.Store) {
	background(t, s)
	const count, first = 150, 5000
	ids := []int{first, first}  // an ID may be requested twice
	for i := range count + 10 { // the last ten are not stored
		ids = append(ids, first+i)
	}
	update(t, s, each(ids[2:2+count], func(tx store.Tx, id int) error {
		in := []int{programID, otherProgram}[id%2]
		a := account(id, customer.Checking)
		a.ProgramID, a.CustomerID = in, id
		if err := tx.Customers().Put(person(id, in)); err != nil {
			return err
		}
		if err := tx.Accounts().Put(a); err != nil {
			return err
		}
		return tx.Access().Put(customer.Access{
			CustomerID: id, AccountID: id, Type: customer.ReadOnly,
		})
	}))
	view(t, s, func(r store.Tx) error {
		people, err := r.Customers().FindMany(ids)
		accounts, err2 := r.Accounts().FindMany(ids)
		access, err3 := r.Access().List(ids)
		if len(people) != count || len(accounts) != count || len(access) != count {
			t.Errorf("got %d customers, %d accounts and %d accesses, want %d of each",
				len(people), len(accounts), len(access), count)
		}
		wantSame(t, people[first+1], storedPerson(first+1, otherProgram))
		if accounts[first+1].ProgramID != otherProgram {
			t.Errorf("got account %+v, want one of the other program", accounts[first+1])
		}
		none, err4 := r.Customers().FindMany(nil)
		if len(none) != 0 {
			t.Errorf("got %v for no IDs, want none", none)
		}
		return errors.Join(err, err2, err3, err4)
	})
}

// bulkFinerBalances finds decimal digits that a program with fewer digits could not show, in any
// balance, even a negative one.
func bulkFinerBalances(t *testing.T, s store.Store) {
	background(t, s)
	a := account(5000, customer.Savings)
	for i, balance := range []*value.Amount{&a.Balance, &a.AvailableBalance, &a.PendingBalance} {
		*balance = value.Amount{TenThousandths: -12_300} // -1.23
		update(t, s, func(tx store.Tx) error { return tx.Accounts().Put(a) })
		a.Revision++
		for digits, want := range []bool{true, true, false, false, false} {
			got := find(t, s, func(r store.Tx) (bool, error) {
				return r.Accounts().HasFinerBalances(programID, digits)
			})
			if got != want {
				t.Errorf("balance %d, more than %d digits: got %v", i, digits, got)
			}
		}
		if find(t, s, func(r store.Tx) (bool, error) {
			return r.Accounts().HasFinerBalances(otherProgram, 0)
		}) {
			t.Error("got finer balances in a program without balances")
		}
		*balance = value.Amount{}
	}
	update(t, s, func(tx store.Tx) error { return tx.Accounts().Put(a) })
	for _, id := range []string{"1.5", "2.5"} { // not visible in any sum
		h := hold(id, 77)
		h.Amount = value.Amount{TenThousandths: 15_000}
		update(t, s, func(tx store.Tx) error { return tx.Holds().Put(h) })
	}
	for digits, want := range []bool{true, false} {
		got := find(t, s, func(r store.Tx) (bool, error) {
			return r.Accounts().HasFinerBalances(programID, digits)
		})
		if got != want {
			t.Errorf("hold, more than %d digits: got %v", digits, got)
		}
	}
}

// bulkRetiredSecrets retires a secret twice, and revokes its key.
func bulkRetiredSecrets(t *testing.T, s store.Store) {
	background(t, s)
	retired := func(digest string) bool {
		return find(t, s, func(r store.Tx) (bool, error) {
			return r.Keys().HasRetiredSecret([]byte(digest))
		})
	}
	for range 2 {
		update(t, s, func(tx store.Tx) error {
			return tx.Keys().PutRetiredSecret(store.RetiredSecret{
				Digest: []byte("gone"), KeyName: keyName, At: created,
			})
		})
	}
	if !retired("gone") || retired("live") {
		t.Error("got the wrong secret as retired")
	}
	k := find(t, s, func(r store.Tx) (apikey.Key, error) {
		keys, err := r.Keys().List()
		return keys[0], err
	})
	k.Revoked = created.Add(time.Second)
	update(t, s, func(tx store.Tx) error { return tx.Keys().Put(k) })
	k.Revision++
	view(t, s, func(r store.Tx) error {
		keys, err := r.Keys().List()
		wantSame(t, keys, []apikey.Key{k})
		return err
	})
}

// bulkTaken finds which identifiers, PANs, tags and nicknames other cards have, in the order of the
// given cards.
func bulkTaken(t *testing.T, s store.Store) {
	background(t, s)
	c := tagged("tag")
	c.NickName = "Nick"
	c = kept(t, s, c)
	state := findDigests(t, s)
	if err := putNumber(s, c.ID, digestOf(state, "1")); err != nil {
		t.Fatal(err)
	}
	names := store.UniqueValues{CardID: c.ID, ProgramID: programID, CreatorID: c.CustomerID,
		Tag: "tag", NickName: "NICK", PAN: digestOf(state, "1")}
	none := store.UniqueValues{CardID: c.ID + 1, ProgramID: otherProgram, CreatorID: foreignID,
		Tag: "tag", NickName: "nick", PAN: digestOf(state, "2")}
	untagged := store.UniqueValues{ProgramID: programID, CreatorID: c.CustomerID}
	wantTaken(t, s, []store.UniqueValues{names, none, untagged, names}, []store.Conflicts{
		{ProgramID: programID, Tag: true, NickName: true, PAN: true}, {}, {},
		{ProgramID: programID, Tag: true, NickName: true, PAN: true},
	})
	wantTaken(t, s, nil, []store.Conflicts{})
	archived := plain("Old")
	archived.Status = card.Archived
	archived = kept(t, s, possible(archived))
	names.CardID, names.NickName, names.PAN = archived.ID, "old", digests.Number{}
	wantTaken(t, s, []store.UniqueValues{names}, []store.Conflicts{{ProgramID: programID, Tag: true}})
}

func wantTaken(t *testing.T, s store.Store, of []store.UniqueValues, want []store.Conflicts) {
	t.Helper()
	wantSame(t, find(t, s, func(r store.Tx) ([]store.Conflicts, error) {
		return r.Issuance().FindTaken(of)
	}), want)
}
