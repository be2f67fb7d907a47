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

// kind is a kind of record that the store keeps. What is promised of every kind is said once, by
// test; kinds lists all of them.
type kind[T any] struct {
	write string // the write of the contract that keeps a record, such as Banks.Put
	// forms are contents of a record. Each replaces the one before it, or is a record beside it
	// where a record never changes.
	forms []T
	// key gives a record the key of a number, from firstKey to lastKey.
	key func(r *T, n int)
	put func(tx store.Tx, r *T) error
	// find returns the record with the key of r; nil where the contract has only a list.
	find func(tx store.Tx, r T) (T, error)
	// list returns r and those beside it by ascending keys; nil where the contract has none.
	list       func(tx store.Tx, r T) ([]T, error)
	descending bool       // the list
	unordered  bool       // likewise
	listed     func(r *T) // takes away what the list leaves out
	filled     func(r *T) // adds what the store fills in

	id       func(r *T) *int // the number that the store gives; nil where the key is the caller's
	revision func(r *T) *int // nil where a record has none
	replaced bool            // put again replaces a record without a revision

	// taken makes a second record collide with a first one.
	taken map[string]func(second, first *T)
	// refused spoils a record, so that the store refuses it as a fault of the program.
	refused map[string]func(r *T)
	ranged  bool // the key is a number from 1 to 2^31-1
}

// Keys of the records that the tests keep. Nothing else in a store has one of them.
const (
	firstKey   = 7001
	missingKey = firstKey + 1
	listedKey  = firstKey + 6 // and the three behind it
	lastKey    = firstKey + 9
)

// record is a kind of any type.
type record interface {
	name() string
	test(t *testing.T, s store.Store)
}

func (k kind[T]) name() string { return k.write }

// recordTests are a test for every kind.
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

// parents keeps what records refer to, beside background: a bank with an encryption key, and for
// each key a card of that number and an operator of that name.
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

// test keeps records of a kind in every way in which it can be kept, and wants the others refused.
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

// form returns a content under the key of a number.
func (k kind[T]) form(i, n int) T {
	r := k.forms[i]
	k.key(&r, n)
	return r
}

// numberOf returns whose key a record has, 0 if it is of no number.
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

// kept keeps a record, wants to find it, and returns it as it is stored.
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

// wantStored wants a record to be found in every kind of transaction, alone and in the list.
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

// wantPut tries to keep a record in an Update that also writes something else.
func (k kind[T]) wantPut(t *testing.T, s store.Store, what string, r T, want error) {
	t.Helper()
	const besides = 801 // the number of a bank
	wantUpdate(t, s, what, want, func(tx store.Tx) error {
		if err := tx.Banks().Put(store.Bank{ID: besides}); err != nil {
			return err
		}
		return k.put(tx, new(r))
	})
	view(t, s, func(tx store.Tx) error {
		banks, err := tx.Banks().List()
		if slices.ContainsFunc(banks, func(b store.Bank) bool { return b.ID == besides }) {
			t.Errorf("%s: what was written beside it is kept", what)
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

// testForms replaces a record by each of its other forms.
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

// testStale changes revisions that are not the stored one.
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

// testTwice changes a record twice in one Update, the second time as the first has left it.
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

// testAtOnce has several operators change a record as all of them have read it: one of them
// succeeds, and the others learn of it.
func (k kind[T]) testAtOnce(t *testing.T, s store.Store, stored T) {
	*k.revision(&stored) += 2 // of testTwice
	wantOneWinner(t, 4, store.ErrLostUpdate, func(int) error {
		return s.Update(ctx, func(tx store.Tx) error { return k.put(tx, new(stored)) })
	})
}

// testOnce keeps other records, and wants none to be replaced.
func (k kind[T]) testOnce(t *testing.T, s store.Store, stored T) {
	for i := range k.forms[1:] {
		k.kept(t, s, k.form(i+1, missingKey+1+i))
	}
	if k.id == nil {
		k.wantPut(t, s, "again", k.form(len(k.forms)-1, firstKey), store.ErrExists)
	}
	k.wantStored(t, s, stored)
}

// testOrder keeps records in no order, where their keys are the caller's, and wants them listed by
// their keys.
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
