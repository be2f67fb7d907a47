package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/store"
)

// kind is a kind of record in the store. Its method test checks what every kind promises; kinds
// lists all kinds.
type kind[T any] struct {
	write string // the method that stores a record, such as Banks.Put
	// forms are contents of a record. Each form replaces the previous one; if records of this kind
	// never change, each is a separate record.
	forms []T
	// key sets the key of a record to the key numbered n, from firstKey to lastKey.
	key func(r *T, n int)
	put func(tx store.Tx, r *T) error
	// find returns the record with the key of r; nil if the contract has only a list.
	find func(tx store.Tx, r T) (T, error)
	// list returns r and its neighbors by ascending key; nil if the contract has none.
	list       func(tx store.Tx, r T) ([]T, error)
	descending bool       // the list is in descending order
	unordered  bool       // the list has no order
	listed     func(r *T) // clears what the list omits
	filled     func(r *T) // sets what the store fills in

	id       func(r *T) *int // the ID that the store assigns; nil if the caller assigns the key
	revision func(r *T) *int // nil if a record has no revision
	replaced bool            // put replaces an existing record without a revision

	// taken makes a second record collide with the first.
	taken map[string]func(second, first *T)
	// refused spoils a record so that the store rejects it as a fault of the program.
	refused map[string]func(r *T)
	ranged  bool // the key is a number from 1 to 2^31-1
}

// Keys of the records that the tests store. No other row of a store has one of them.
const (
	firstKey   = 7001
	missingKey = firstKey + 1
	listedKey  = firstKey + 6 // and the three after it
	lastKey    = firstKey + 9
)

// record is a kind of any type.
type record interface {
	name() string
	test(t *testing.T, s store.Store)
}

func (k kind[T]) name() string { return k.write }

// recordTests returns a test for every kind.
func recordTests() (all []test) {
	for _, k := range kinds {
		all = append(all, test{k.name(), func(t *testing.T, s store.Store) {
			background(t, s)
			parents(t, s)
			k.test(t, s)
		}})
	}
	return all
}

// parents stores what records refer to, in addition to background: a bank with an encryption key,
// and, for each key, a card with that ID and an operator with that name.
func parents(t *testing.T, s store.Store) {
	t.Helper()
	keptWebhook(t, s, "parent")
	update(t, s, func(tx store.Tx) error {
		if err := tx.Banks().Put(store.Bank{ID: otherBank}); err != nil {
			return err
		}
		if err := tx.Banks().PutPciKey(otherPciKey); err != nil {
			return err
		}
		for n := firstKey; n <= lastKey; n++ {
			c, person := plain(fmt.Sprint("parent ", n)), human(fmt.Sprint("parent ", n))
			c.ID, c.Slots = n, card.Slots{}
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
			if err := tx.Operators().Put(&person); err != nil {
				return err
			}
		}
		return nil
	})
}

// test stores records of a kind in every possible way, and expects all others to be rejected.
func (k kind[T]) test(t *testing.T, s store.Store) {
	k.wantNone(t, s, firstKey)
	stored := k.kept(t, s, k.form(0, firstKey))
	k.testTaken(t, s, stored)
	k.testRefused(t, s)
	k.wantNone(t, s, missingKey)
	switch {
	case k.revision != nil:
		stored = k.testForms(t, s, stored)
		k.testStale(t, s, stored)
		k.testTwice(t, s, stored)
		k.testAtOnce(t, s, stored)
	case k.replaced:
		k.testForms(t, s, stored)
	default:
		k.testOnce(t, s, stored)
	}
	if k.list != nil && !k.unordered {
		k.testOrder(t, s)
	}
}

// form returns form i under the key numbered n.
func (k kind[T]) form(i, n int) T {
	r := k.forms[i]
	k.key(&r, n)
	return r
}

// numberOf returns the number of a record's key, 0 if it has none.
func (k kind[T]) numberOf(r T) int {
	for n := firstKey; n <= lastKey; n++ {
		keyed := r
		k.key(&keyed, n)
		if cmp.Equal(keyed, r, same) {
			return n
		}
	}
	return 0
}

// get returns the record with the key of r.
func (k kind[T]) get(tx store.Tx, r T) (T, error) {
	if k.find != nil {
		return k.find(tx, r)
	}
	all, err := k.list(tx, r)
	for _, item := range all {
		if k.numberOf(item) == k.numberOf(r) {
			return item, err
		}
	}
	var none T
	return none, errors.Join(err, store.ErrNotFound)
}

// kept stores a record, checks that it is found, and returns it as it is stored.
func (k kind[T]) kept(t *testing.T, s store.Store, r T) T {
	t.Helper()
	var stored T
	update(t, s, func(tx store.Tx) error {
		stored = r
		return k.put(tx, &stored)
	})
	if k.revision != nil {
		*k.revision(&stored) = *k.revision(&r) + 1
	}
	if k.filled != nil {
		k.filled(&stored)
	}
	k.wantStored(t, s, stored)
	return stored
}

// wantStored expects a record to be found in every kind of transaction, alone and in the list.
func (k kind[T]) wantStored(t *testing.T, s store.Store, want T) {
	t.Helper()
	everyWay(t, s, func(tx store.Tx) error {
		item, err := k.get(tx, want)
		wantSame(t, item, want)
		if err != nil || k.list == nil {
			return err
		}
		all, err := k.list(tx, want)
		inList := want
		if k.listed != nil {
			k.listed(&inList)
		}
		all = slices.DeleteFunc(all, func(r T) bool { return k.numberOf(r) != k.numberOf(want) })
		wantSame(t, all, []T{inList})
		return err
	})
}

func (k kind[T]) wantNone(t *testing.T, s store.Store, n int) {
	t.Helper()
	everyWay(t, s, func(tx store.Tx) error {
		_, err := k.get(tx, k.form(0, n))
		wantError(t, "a record that is missing", err, store.ErrNotFound)
		return nil
	})
}

// wantPut tries to store a record in an Update that also writes something else.
func (k kind[T]) wantPut(t *testing.T, s store.Store, what string, r T, want error) {
	t.Helper()
	const besides = 801 // the ID of a bank
	wantUpdate(t, s, what, want, func(tx store.Tx) error {
		if err := tx.Banks().Put(store.Bank{ID: besides}); err != nil {
			return err
		}
		return k.put(tx, new(r))
	})
	view(t, s, func(tx store.Tx) error {
		banks, err := tx.Banks().List()
		if slices.ContainsFunc(banks, func(b store.Bank) bool { return b.ID == besides }) {
			t.Errorf("%s: another write of the transaction was kept", what)
		}
		return err
	})
}

func (k kind[T]) testTaken(t *testing.T, s store.Store, first T) {
	for what, collide := range k.taken {
		second := k.form(0, missingKey)
		collide(&second, &first)
		k.wantPut(t, s, what, second, store.ErrExists)
	}
}

func (k kind[T]) testRefused(t *testing.T, s store.Store) {
	for what, spoil := range k.refused {
		r := k.form(0, missingKey)
		spoil(&r)
		wantRefused(t, s, what, func(tx store.Tx) error { return k.put(tx, new(r)) })
	}
	for _, n := range []int{0, -1, 1 << 31} {
		if r := k.form(0, n); k.ranged {
			wantRefused(t, s, fmt.Sprint("number ", n), func(tx store.Tx) error {
				return k.put(tx, new(r))
			})
		}
	}
}

// testForms replaces a record with each of its other forms.
func (k kind[T]) testForms(t *testing.T, s store.Store, stored T) T {
	for i := range k.forms[1:] {
		next := k.form(i+1, firstKey)
		if k.id != nil {
			*k.id(&next) = *k.id(&stored)
		}
		if k.revision != nil {
			*k.revision(&next) = *k.revision(&stored)
		}
		stored = k.kept(t, s, next)
	}
	return stored
}

// testStale tries to change revisions other than the stored one.
func (k kind[T]) testStale(t *testing.T, s store.Store, stored T) {
	at := func(r T, revision int) T {
		*k.revision(&r) = revision
		return r
	}
	current := *k.revision(&stored)
	k.wantPut(t, s, "an old revision", at(stored, current-1), store.ErrLostUpdate)
	k.wantPut(t, s, "a revision to come", at(stored, current+1), store.ErrLostUpdate)
	if k.id == nil {
		k.wantPut(t, s, "inserted twice", at(stored, 0), store.ErrExists)
		k.wantPut(t, s, "missing", at(k.form(0, missingKey), 1), store.ErrLostUpdate)
		k.wantNone(t, s, missingKey)
	}
	k.wantStored(t, s, stored)
}

// testTwice changes a record twice in one Update. The second change starts from the first.
func (k kind[T]) testTwice(t *testing.T, s store.Store, stored T) {
	revision := *k.revision(&stored)
	update(t, s, func(tx store.Tx) error {
		for i := range 2 {
			r := stored
			*k.revision(&r) = revision + i
			if err := k.put(tx, &r); err != nil {
				return err
			}
		}
		return nil
	})
	*k.revision(&stored) = revision + 2
	k.wantStored(t, s, stored)
}

// testAtOnce has several operators change the same revision of a record: one succeeds, and the
// others get ErrLostUpdate.
func (k kind[T]) testAtOnce(t *testing.T, s store.Store, stored T) {
	*k.revision(&stored) += 2 // after testTwice
	wantOneWinner(t, 4, store.ErrLostUpdate, func(int) error {
		return s.Update(ctx, func(tx store.Tx) error { return k.put(tx, new(stored)) })
	})
}

// testOnce stores other records, and expects that none is replaced.
func (k kind[T]) testOnce(t *testing.T, s store.Store, stored T) {
	for i := range k.forms[1:] {
		k.kept(t, s, k.form(i+1, missingKey+1+i))
	}
	if k.id == nil {
		k.wantPut(t, s, "again", k.form(len(k.forms)-1, firstKey), store.ErrExists)
	}
	k.wantStored(t, s, stored)
}

// testOrder stores records out of order, if the caller assigns their keys, and expects them listed
// by key.
func (k kind[T]) testOrder(t *testing.T, s store.Store) {
	inserted := []int{listedKey + 2, listedKey, listedKey + 3, listedKey + 1}
	if k.id != nil {
		slices.Sort(inserted)
	}
	for _, n := range inserted {
		k.kept(t, s, k.form(0, n))
	}
	slices.Sort(inserted)
	if k.descending {
		slices.Reverse(inserted)
	}
	all := find(t, s, func(tx store.Tx) ([]T, error) { return k.list(tx, k.form(0, firstKey)) })
	var numbers []int
	for _, r := range all {
		if n := k.numberOf(r); n >= listedKey {
			numbers = append(numbers, n)
		}
	}
	wantSame(t, numbers, inserted)
}
