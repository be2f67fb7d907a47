package issuing_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/issuing/overview"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// bankKeys returns the keys of bank 1.
func (w *world) bankKeys() []keys.BankKeyDetail {
	w.t.Helper()
	all, _, err := w.Keys.BankKeys(w.t.Context(), ada, 1, issuing.Page{Limit: 99})
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// rotate gives encryption key 1 of bank 1 another key.
func (w *world) rotate(compromised bool) keys.BankKeyDetail {
	w.t.Helper()
	made, err := w.Keys.RotateEncryptionKey(w.t.Context(), ada, 1, 1, compromised)
	if err != nil {
		w.t.Fatal(err)
	}
	return made
}

// reseal runs the job, and wants it to have sealed anew all of a key but nothing else.
func (w *world) reseal(want int64) {
	w.t.Helper()
	done, err := w.Keys.Reseal(w.t.Context())
	if err != nil || int64(done) != want {
		w.t.Errorf("%d texts were sealed anew (%v), want %d", done, err, want)
	}
}

// numbers returns the opened numbers of the cards of bank 1, by card, and wants each to be sealed
// under one key.
func (w *world) numbers(key int) map[int]string {
	w.t.Helper()
	mark := vault.Mark(key)
	if key == vault.OwnKey {
		mark = w.keys.OwnMark()
	}
	opened := map[int]string{}
	w.view(func(r store.Tx) error {
		found, err := r.BankKeys().ListSealedNumbers(
			store.SealedQuery{BankID: 1, Mark: mark, Limit: 10_000})
		for _, one := range found {
			number, err := w.keys.OpenNumber(one.Sealed, one.CardID)
			if err != nil {
				return err
			}
			opened[one.CardID] = number.Reveal()
		}
		return err
	})
	return opened
}

func refusedBy(err error) bool {
	var refused *issuing.RefusedError
	return errors.As(err, &refused)
}

// TestRotation rotates the key of a bank twice. Every number and the PIN that waits open all the
// time, those of another bank stay as they are, and a key is destroyed when nothing is under it.
func TestRotation(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	w.update(func(tx store.Tx) error {
		return tx.Jobs().Put(store.JobState{
			Name: keys.ResealJob, Began: tx.Now(), Next: tx.Now(),
		})
	})
	w.newCard(func(req *cards.InitiateRequest) { req.NewPin = plainPin("0042") })
	before := w.bankKeys()
	if len(before) != 1 || before[0].State != keys.InstallationKeyset || !before[0].Seals ||
		before[0].Numbers < 2 || before[0].Pins != 1 {
		t.Fatalf("before there is a key: %+v", before)
	}
	numbers := w.numbers(vault.OwnKey)
	w.reseal(0)
	w.wantProgress(nil)

	first := w.rotate(false)
	made := w.newCard(nil)
	under := w.numbers(first.ID)
	if len(under) != 1 || under[made.ID] == "" || !first.Seals {
		t.Errorf("a new card is not sealed under the key of its bank: %+v", first)
	}
	numbers[made.ID] = under[made.ID]
	w.wantProgress(&keys.Progress{Done: 1, Total: before[0].Numbers + before[0].Pins + 1})
	w.reseal(before[0].Numbers + before[0].Pins)
	w.reseal(0)
	w.wantProgress(nil)
	w.wantSealed(first.ID, numbers)

	w.clock.Advance(time.Second) // keys are listed by when they were made
	second := w.rotate(true)
	if _, err := w.Keys.RetireBankKey(t.Context(), ada, 1, first.ID, 0); !refusedBy(err) {
		t.Errorf("a key with texts is retired: %v", err)
	}
	if _, err := w.Keys.RetireBankKey(t.Context(), ada, 1, second.ID, 0); !refusedBy(err) {
		t.Errorf("the active key is retired: %v", err)
	}
	w.reseal(int64(len(numbers)) + 1)
	w.wantSealed(second.ID, numbers)
	states := w.bankKeys()
	if len(states) != 2 || states[0].State != program.CompromisedKey || states[0].Numbers != 0 ||
		states[1].State != program.ActiveKey || states[1].Numbers != int64(len(numbers)) ||
		states[1].Pins != 1 || states[0].Seals || !states[1].Seals ||
		states[0].MadeBy != ada.Name || states[1].MadeBy != ada.Name {
		t.Errorf("after two rotations: %+v", states)
	}
	retired, err := w.Keys.RetireBankKey(t.Context(), ada, 1, first.ID, states[0].Revision)
	if err != nil || retired.State != program.RetiredKey || w.keys.HasBankKey(first.ID) {
		t.Errorf("the key is not retired: %+v, %v", retired, err)
	}
	w.view(func(r store.Tx) error {
		kept, err := r.BankKeys().Find(first.ID)
		if len(kept.Wrapped) != 0 {
			t.Error("a retired key is still there")
		}
		return err
	})
	if _, err := w.Keys.RetireBankKey(t.Context(), ada, 1, first.ID, 0); !refusedBy(err) {
		t.Errorf("a retired key is retired: %v", err)
	}
	w.wantSealed(second.ID, numbers)
}

// wantProgress wants the list of jobs to tell how far the job is, and tells an operator of another
// bank nothing.
func (w *world) wantProgress(want *keys.Progress) {
	w.t.Helper()
	for who, want := range map[*issuing.Operator]*keys.Progress{&ada: want, &ben: nil} {
		states, _, err := w.Overview.JobStates(w.t.Context(), *who, issuing.Page{Limit: 99})
		if err != nil {
			w.t.Fatal(err)
		}
		at := slices.IndexFunc(states, func(s overview.JobDetail) bool {
			return s.Name == keys.ResealJob
		})
		if at < 0 {
			w.t.Fatalf("there is no such job among %+v", states)
		}
		if got := states[at].Progress; !cmp.Equal(got, want) {
			w.t.Errorf("%s is told %+v, want %+v", who.Name, got, want)
		}
	}
}

// wantSealed wants these numbers under a key, and the one PIN that waits with them.
func (w *world) wantSealed(key int, numbers map[int]string) {
	w.t.Helper()
	under := w.numbers(key)
	if len(under) != len(numbers) {
		w.t.Errorf("%d numbers are sealed under the key, want %d", len(under), len(numbers))
	}
	for id, number := range numbers {
		if under[id] != number {
			w.t.Errorf("the number of card %d is another one", id)
		}
	}
	for _, o := range w.ordersThatWait() {
		if o.Kind == order.Make && len(o.SealedPin) > 0 &&
			(w.opened(o) != "0042" || w.keys.KeyOf(o.SealedPin) != key) {
			w.t.Errorf("the PIN is %q under key %d", w.opened(o), w.keys.KeyOf(o.SealedPin))
		}
	}
}

// TestKeyOfAnotherNode takes the key from the vault, as it is missing on a node that has not met
// it: what needs the key reads it.
func TestKeyOfAnotherNode(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	key := w.rotate(false)
	forget := func() { w.keys.ForgetBankKey(key.ID) }
	forget()
	w.newCard(func(req *cards.InitiateRequest) { req.NewPin = plainPin("0042") })
	forget()
	claimed, err := w.Orders.ClaimOrders(t.Context(), "other", false, 9)
	if err != nil || len(claimed) != 1 || claimed[0].Message.Secret == nil ||
		claimed[0].Message.Secret.Pin == nil ||
		claimed[0].Message.Secret.Pin.Reveal() != "0042" {
		t.Errorf("the order is %+v (%v)", claimed, err)
	}
	forget()
	if _, err := w.Keys.Reseal(t.Context()); err != nil {
		t.Error(err)
	}
	if len(w.numbers(vault.OwnKey)) != 0 {
		t.Error("there are numbers that were not sealed anew")
	}
}

// TestRotationIsRefused tries what an operator may not, and what makes no sense.
func TestRotationIsRefused(t *testing.T) {
	t.Parallel()
	w := newProduction(t)
	key := w.rotate(false)
	kept := w.bankKeys()
	dry := ada
	dry.DryRun = true
	if _, err := w.Keys.RotateEncryptionKey(t.Context(), dry, 1, 1, true); err != nil {
		t.Errorf("a dry run: %v", err)
	}
	for name, err := range map[string]error{
		"rotate out of scope": errOf(w.Keys.RotateEncryptionKey(t.Context(), ben, 1, 1, false)),
		"rotate another bank": errOf(w.Keys.RotateEncryptionKey(t.Context(), ada, 2, 1, false)),
		"rotate none":         errOf(w.Keys.RotateEncryptionKey(t.Context(), ada, 1, 404, false)),
		"retire out of scope": errOf(w.Keys.RetireBankKey(t.Context(), ben, 1, key.ID, 0)),
		"retire another bank": errOf(w.Keys.RetireBankKey(t.Context(), ada, 2, key.ID, 0)),
		"retire none":         errOf(w.Keys.RetireBankKey(t.Context(), ada, 1, key.ID-1, 0)),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.Keys.RetireBankKey(t.Context(), ada, 1, key.ID, key.Revision+1)
	if !errors.Is(err, store.ErrLostUpdate) {
		t.Errorf("a revision that was never read: %v", err)
	}
	w.newCard(nil)
	found, err := w.Keys.EncryptionKey(t.Context(), ada, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Keys.ChangeEncryptionKey(t.Context(), ada, 1, 1, found.Revision, program.Retired)
	if !refusedBy(err) {
		t.Errorf("an encryption key that numbers are sealed under is retired: %v", err)
	}
	found, err = w.Keys.ChangeEncryptionKey(t.Context(), ada, 1, 1, found.Revision,
		program.DecryptOnly)
	if err != nil {
		t.Fatal(err)
	}
	if err := errOf(w.Keys.RotateEncryptionKey(t.Context(), ada, 1, 1, false)); !refusedBy(err) {
		t.Errorf("an encryption key that only decrypts is rotated: %v", err)
	}
	after := w.bankKeys()
	i := slices.IndexFunc(after, func(k keys.BankKeyDetail) bool { return k.ID == key.ID })
	if len(after) != len(kept) || i < 0 || after[i].State != program.ActiveKey || after[i].Seals ||
		after[i].Numbers != 1 {
		t.Errorf("the keys are %+v", after)
	}
	w.reseal(0) // without a key that seals, everything stays
}

func errOf[T any](_ T, err error) error { return err }
