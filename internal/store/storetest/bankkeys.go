package storetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

var bankKeys = []test{
	{"OneActive", bankKeyOneActive},
	{"OfProgram", bankKeyOfProgram},
	{"Texts", sealedTexts},
	{"ChangeTexts", sealedTextsChange},
	{"PinRevision", sealedPinRevision},
	{"RetiredUnused", retiredUnused},
}

// IDs of the encryption keys that withEncryptionKeys stores, and of another bank with a key.
const (
	pciKeyID      = 31
	laterPciKeyID = 32
	otherBank     = 2
	otherPciKeyID = 33
)

// withEncryptionKeys stores the background and encryption keys of its bank.
func withEncryptionKeys(t *testing.T, s store.Store) {
	t.Helper()
	background(t, s)
	update(t, s, each([]program.PciKey{
		{ID: pciKeyID, BankID: bankID, Status: program.EncryptAndDecrypt},
		{ID: laterPciKeyID, BankID: bankID, Status: program.EncryptAndDecrypt},
	}, func(tx store.Tx, k program.PciKey) error { return tx.Banks().PutPciKey(k) }))
}

func bankKey(id, pciKeyID int, created time.Time) program.BankKey {
	return program.BankKey{
		ID: id, PciKeyID: pciKeyID, State: program.ActiveKey, Made: created,
		Wrapped: []byte{0, 1, 255},
	}
}

func putBankKey(k program.BankKey) func(store.Tx) error {
	return func(tx store.Tx) error { return tx.BankKeys().Put(k) }
}

// bankKeyOneActive checks that two rotations at the same time leave one active key.
func bankKeyOneActive(t *testing.T, s store.Store) {
	withEncryptionKeys(t, s)
	update(t, s, putBankKey(bankKey(1, pciKeyID, created)))
	update(t, s, putBankKey(bankKey(2, laterPciKeyID, created)))
	wantUpdate(t, s, "a second active key", store.ErrExists, putBankKey(bankKey(3, pciKeyID, created)))
	before := bankKey(1, pciKeyID, created)
	before.State, before.Revision = program.DecryptOnlyKey, 1
	update(t, s, putBankKey(before), putBankKey(bankKey(3, pciKeyID, created)))
	// Keys are listed by encryption key, and then by creation time.
	update(t, s, putBankKey(program.BankKey{
		ID: 9, PciKeyID: pciKeyID, State: program.RetiredKey, Made: created.Add(-time.Hour),
	}))
	wantFind(t, s, []int{9, 1, 3, 2}, func(r store.Tx) ([]int, error) {
		all, err := r.BankKeys().List()
		return idsOf(func(k program.BankKey) int { return k.ID }, all), err
	})
}

// bankKeyOfProgram checks that a program, even one read from the cache, has its bank's new active
// key as soon as the key changes.
func bankKeyOfProgram(t *testing.T, s store.Store) {
	withEncryptionKeys(t, s)
	want := func(key int) {
		t.Helper()
		everyWay(t, s, func(r store.Tx) error {
			issuing, err := r.Programs().FindIssuing(programID)
			if got := issuing.SealingKey(); got != key {
				t.Errorf("FindIssuing: got sealing key %d, want %d", got, key)
			}
			whole, err2 := r.Programs().Find(programID)
			if got := whole.SealingKey(); got != key {
				t.Errorf("Find: got sealing key %d, want %d", got, key)
			}
			view, err3 := r.Issuance().FindView(store.IssuanceQuery{
				ProgramID: programID, CreatorID: creatorID, HolderID: creatorID, AccountID: 201,
			})
			if got := view.Program.SealingKey(); got != key {
				t.Errorf("FindView: got sealing key %d, want %d", got, key)
			}
			return errors.Join(err, err2, err3)
		})
	}
	want(0)
	update(t, s, putBankKey(bankKey(1, pciKeyID, created)))
	want(1)
	update(t, s, putBankKey(bankKey(2, laterPciKeyID, created)))
	want(2)
	before := bankKey(2, laterPciKeyID, created)
	before.State, before.Revision = program.CompromisedKey, 1
	update(t, s, putBankKey(before))
	want(1)
	update(t, s, func(tx store.Tx) error {
		return tx.Banks().PutPciKey(program.PciKey{
			ID: pciKeyID, BankID: bankID, Status: program.DecryptOnly, Revision: 1,
		})
	})
	want(0)
}

// The marks of two keys.
var firstMark, secondMark = []byte{1, 0, 0, 0, 7}, []byte{1, 0, 0, 0, 8}

// under returns a text that begins with a mark.
func under(mark []byte, text string) []byte { return append(append([]byte{}, mark...), text...) }

// keptSealed stores cards with card numbers and PINs under the first mark, and returns both.
func keptSealed(t *testing.T, s store.Store, names ...string) (numbers, pins []store.SealedText) {
	t.Helper()
	for _, name := range names {
		c := kept(t, s, plain(name))
		o := anOrder(c.ID, 1, order.Make)
		o.SealedPin = under(firstMark, "pin "+name)
		update(t, s,
			func(tx store.Tx) error {
				return tx.CardNumbers().Put(store.SealedNumber{
					CardID: c.ID, BinID: binID, Digest: digested([]byte(name)),
					Sealed: under(firstMark, name), LastFour: "1111",
				})
			},
			func(tx store.Tx) error { return tx.Orders().Put(o) },
		)
		orders := ordersOf(t, s, c.ID)
		numbers = append(numbers, store.SealedText{CardID: c.ID, Sealed: under(firstMark, name)})
		pins = append(pins, store.SealedText{
			OrderID: orders[0].ID, CardID: c.ID, Sealed: under(firstMark, "pin "+name),
		})
	}
	return numbers, pins
}

func sealedTexts(t *testing.T, s store.Store) {
	background(t, s)
	numbers, pins := keptSealed(t, s, "one", "two", "three")
	kept(t, s, plain("without a number"))
	list := func(of store.SealedQuery) (sealedText [2][]store.SealedText) {
		view(t, s, func(r store.Tx) error {
			n, err := r.BankKeys().ListSealedNumbers(of)
			if err != nil {
				return err
			}
			of.After = max(0, of.After+pins[0].OrderID-numbers[0].CardID)
			p, err := r.BankKeys().ListSealedPins(of)
			sealedText = [2][]store.SealedText{n, p}
			return err
		})
		return sealedText
	}
	query := store.SealedQuery{BankID: bankID, Mark: firstMark, Limit: 9}
	wantSame(t, list(query), [2][]store.SealedText{numbers, pins})
	query.Limit = 2
	wantSame(t, list(query), [2][]store.SealedText{numbers[:2], pins[:2]})
	query.After = numbers[0].CardID
	wantSame(t, list(query), [2][]store.SealedText{numbers[1:], pins[1:]})
	for _, none := range []store.SealedQuery{
		{BankID: otherBank, Mark: firstMark, Limit: 9},
		{BankID: bankID, Mark: secondMark, Limit: 9},
	} {
		sealedText := list(none)
		if len(sealedText[0])+len(sealedText[1]) != 0 {
			t.Errorf("%+v: got %+v, want none", none, sealedText)
		}
	}
	count := store.SealedCount{BankID: bankID, Numbers: 3, Pins: 3}
	wantFind(t, s, []store.SealedCount{count}, func(r store.Tx) ([]store.SealedCount, error) {
		return r.BankKeys().CountSealed(firstMark)
	})
	view(t, s, func(r store.Tx) error {
		none, err := r.BankKeys().CountSealed(secondMark)
		if len(none) != 0 {
			t.Errorf("got %+v for a key that sealed nothing, want none", none)
		}
		return err
	})
}

// sealedTextsChange changes encrypted texts, and checks that a key is in use until the last of its
// texts, card number or PIN, is changed.
func sealedTextsChange(t *testing.T, s store.Store) {
	background(t, s)
	numbers, pins := keptSealed(t, s, "one")
	has := func(first, second bool) {
		t.Helper()
		view(t, s, func(r store.Tx) error {
			underFirst, err := r.BankKeys().HasSealed(firstMark)
			underSecond, err2 := r.BankKeys().HasSealed(secondMark)
			if underFirst != first || underSecond != second {
				t.Errorf("sealed texts under the keys: got %t and %t, want %t and %t",
					underFirst, underSecond, first, second)
			}
			return errors.Join(err, err2)
		})
	}
	has(true, false)
	again := under(secondMark, "again")
	update(t, s, func(tx store.Tx) error {
		return tx.BankKeys().ChangeSealedNumber(numbers[0], again)
	})
	has(true, true)
	sealed := find(t, s, func(r store.Tx) (store.SealedNumber, error) {
		return r.CardNumbers().Find(programID, numbers[0].CardID)
	})
	wantSame(t, sealed.Sealed, again)
	update(t, s, func(tx store.Tx) error { return tx.BankKeys().ChangeSealedPin(pins[0], again) })
	has(false, true)
	for name, change := range map[string]func(store.BankKeys) error{
		"number": func(of store.BankKeys) error { return of.ChangeSealedNumber(numbers[0], again) },
		"PIN":    func(of store.BankKeys) error { return of.ChangeSealedPin(pins[0], again) },
	} {
		wantUpdate(t, s, "another "+name, store.ErrLostUpdate, func(tx store.Tx) error {
			return change(tx.BankKeys())
		})
	}
}

// sealedPinRevision checks that a caller that read an order before its PIN was encrypted again
// cannot restore the old PIN.
func sealedPinRevision(t *testing.T, s store.Store) {
	background(t, s)
	_, pins := keptSealed(t, s, "one")
	before := find(t, s, func(r store.Tx) (order.Order, error) {
		return r.Orders().Find(pins[0].OrderID)
	})
	again := under(secondMark, "again")
	update(t, s, func(tx store.Tx) error { return tx.BankKeys().ChangeSealedPin(pins[0], again) })
	err := s.Dispatch(context.Background(), func(o store.OrderQueue) error {
		after := before
		after.Attempts++
		return o.Change(before, &after)
	})
	wantError(t, "an order as it was before", err, store.ErrLostUpdate)
	after := find(t, s, func(r store.Tx) (order.Order, error) {
		return r.Orders().Find(pins[0].OrderID)
	})
	wantSame(t, after.SealedPin, again)
	wantSame(t, after.Revision, before.Revision+1)
}

// markOf returns the mark with which the texts under a key begin.
func markOf(id int) []byte { return binary.BigEndian.AppendUint32([]byte{1}, uint32(id)) }

// retiredUnused has several callers encrypt numbers under the key of the program, while that key is
// rotated and retired as soon as it is unused. A caller that encrypts under a key that another
// transaction retires must collide with it.
func retiredUnused(t *testing.T, s store.Store) {
	withEncryptionKeys(t, s)
	const rotations, callers = 12, 4
	update(t, s, putBankKey(bankKey(1, pciKeyID, created)))
	var cards [callers]int
	for i := range cards {
		cards[i] = kept(t, s, plain(fmt.Sprint("sealed ", i))).ID
		update(t, s, func(tx store.Tx) error {
			return tx.CardNumbers().Put(store.SealedNumber{
				CardID: cards[i], BinID: binID, Digest: digested([]byte{byte(i)}),
				Sealed: markOf(1),
			})
		})
	}
	done := make(chan struct{})
	var working sync.WaitGroup
	for _, cardID := range cards {
		working.Go(func() {
			for running := true; running; {
				select {
				case <-done:
					running = false
				default:
				}
				if err := s.Update(context.Background(), sealAnew(cardID)); err != nil {
					t.Errorf("seal: %v", err)
				}
			}
		})
	}
	for id := 2; id <= rotations; id++ {
		update(t, s, rotateTo(id))
		update(t, s, retireUnused)
	}
	close(done)
	working.Wait()
	update(t, s, retireUnused)
	retired := 0
	view(t, s, func(r store.Tx) error {
		all, err := r.BankKeys().List()
		for _, key := range all {
			used, failed := r.BankKeys().HasSealed(markOf(key.ID))
			if used && key.State == program.RetiredKey {
				t.Errorf("key %d is retired, but a number is sealed with it", key.ID)
			}
			if key.State == program.RetiredKey {
				retired++
			}
			err = errors.Join(err, failed)
		}
		return err
	})
	if retired == 0 {
		t.Error("got no retired key, want one or more")
	}
}

// sealAnew encrypts the number of a card under the key of its program.
func sealAnew(cardID int) func(store.Tx) error {
	return func(tx store.Tx) error {
		of, err := tx.Programs().FindIssuing(programID)
		if err != nil {
			return err
		}
		before, err := tx.CardNumbers().Find(programID, cardID)
		if err != nil {
			return err
		}
		return tx.BankKeys().ChangeSealedNumber(
			store.SealedText{CardID: cardID, Sealed: before.Sealed}, markOf(of.SealingKey()))
	}
}

// rotateTo makes the previous key decrypt-only, and stores the key with the given ID.
func rotateTo(id int) func(store.Tx) error {
	return func(tx store.Tx) error {
		before, err := tx.BankKeys().Find(id - 1)
		if err != nil {
			return err
		}
		before.State = program.DecryptOnlyKey
		if err := tx.BankKeys().Put(before); err != nil {
			return err
		}
		return tx.BankKeys().Put(bankKey(id, pciKeyID, created))
	}
}

// retireUnused retires the decrypt-only keys that no text uses.
func retireUnused(tx store.Tx) error {
	all, err := tx.BankKeys().List()
	if err != nil {
		return err
	}
	for _, key := range all {
		if key.State != program.DecryptOnlyKey {
			continue
		}
		used, err := tx.BankKeys().HasSealed(markOf(key.ID))
		if err != nil {
			return err
		}
		if used {
			continue
		}
		key.State, key.Wrapped = program.RetiredKey, nil
		if err := tx.BankKeys().Put(key); err != nil {
			return err
		}
	}
	return nil
}
