package keys_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/issuing/overview"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
	"mintmark/internal/vault"
)

// bankKeys returns the keys of bank 1.
func bankKeys(w *issuingtest.World) []keys.BankKeyDetail {
	w.TB.Helper()
	all, _, err := w.Keys.BankKeys(w.TB.Context(), issuingtest.Ada, 1, issuing.Page{Limit: 99})
	if err != nil {
		w.TB.Fatal(err)
	}
	return all
}

// rotate rotates encryption key 1 of bank 1.
func rotate(w *issuingtest.World, compromised bool) keys.BankKeyDetail {
	w.TB.Helper()
	bankKeyDetail, err := w.Keys.RotateBankKey(w.TB.Context(), issuingtest.Ada, 1, 1, compromised)
	if err != nil {
		w.TB.Fatal(err)
	}
	return bankKeyDetail
}

// reencrypt runs the job, and checks that it re-encrypted everything under one key and nothing
// else.
func reencrypt(w *issuingtest.World, want int64) {
	w.TB.Helper()
	done, err := w.Keys.Reencrypt(w.TB.Context())
	if err != nil || int64(done) != want {
		w.TB.Errorf("%d texts were sealed anew (%v), want %d", done, err, want)
	}
}

// numbersOf returns the decrypted numbers of the cards of bank 1, by card, and checks that each is
// encrypted under one key.
func numbersOf(w *issuingtest.World, key int) map[int]string {
	w.TB.Helper()
	mark := vault.Mark(key)
	if key == vault.KeysetKey {
		mark = w.Vault.OwnMark()
	}
	opened := map[int]string{}
	w.View(func(r store.Tx) error {
		sealedTexts, err := r.BankKeys().ListSealedNumbers(
			store.SealedQuery{BankID: 1, Mark: mark, Limit: 10_000})
		for _, sealedText := range sealedTexts {
			number, err := w.Vault.OpenNumber(sealedText.Sealed, sealedText.CardID)
			if err != nil {
				return err
			}
			opened[sealedText.CardID] = number.Reveal()
		}
		return err
	})
	return opened
}

func refusedBy(err error) bool {
	var refused *issuing.RefusedError
	return errors.As(err, &refused)
}

// TestRotation rotates the key of a bank twice. Every number and the waiting PIN can be decrypted
// throughout, those of another bank are unchanged, and a key is destroyed once it protects nothing.
func TestRotation(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	w.Update(func(tx store.Tx) error {
		return tx.Jobs().Put(store.JobState{
			Name: keys.ReencryptJob, Began: tx.Now(), Next: tx.Now(),
		})
	})
	w.NewCard(func(req *cards.InitiateRequest) { req.NewPin = issuingtest.PlainPin("0042") })
	before := bankKeys(w)
	if len(before) != 1 || before[0].State != keys.InstallationKeyset || !before[0].Seals ||
		before[0].Numbers < 2 || before[0].Pins != 1 {
		t.Fatalf("before there is a key: %+v", before)
	}
	numbers := numbersOf(w, vault.KeysetKey)
	reencrypt(w, 0)
	wantProgress(w, nil)

	first := rotate(w, false)
	c := w.NewCard(nil)
	under := numbersOf(w, first.ID)
	if len(under) != 1 || under[c.ID] == "" || !first.Seals {
		t.Errorf("a new card is not sealed under the key of its bank: %+v", first)
	}
	numbers[c.ID] = under[c.ID]
	wantProgress(w, &keys.Progress{Done: 1, Total: before[0].Numbers + before[0].Pins + 1})
	reencrypt(w, before[0].Numbers+before[0].Pins)
	reencrypt(w, 0)
	wantProgress(w, nil)
	wantSealed(w, first.ID, numbers)

	w.Clock.Advance(time.Second) // keys are listed by creation time
	second := rotate(w, true)
	if _, err := w.Keys.RetireBankKey(t.Context(), issuingtest.Ada, 1, first.ID, 0); !refusedBy(err) {
		t.Errorf("a key with texts is retired: %v", err)
	}
	if _, err := w.Keys.RetireBankKey(t.Context(), issuingtest.Ada, 1, second.ID, 0); !refusedBy(err) {
		t.Errorf("the active key is retired: %v", err)
	}
	reencrypt(w, int64(len(numbers))+1)
	wantSealed(w, second.ID, numbers)
	states := bankKeys(w)
	if len(states) != 2 || states[0].State != program.CompromisedKey || states[0].Numbers != 0 ||
		states[1].State != program.ActiveKey || states[1].Numbers != int64(len(numbers)) ||
		states[1].Pins != 1 || states[0].Seals || !states[1].Seals ||
		states[0].MadeBy != issuingtest.Ada.Name || states[1].MadeBy != issuingtest.Ada.Name {
		t.Errorf("after two rotations: %+v", states)
	}
	retired, err := w.Keys.RetireBankKey(t.Context(), issuingtest.Ada, 1, first.ID, states[0].Revision)
	if err != nil || retired.State != program.RetiredKey || w.Vault.HasBankKey(first.ID) {
		t.Errorf("the key is not retired: %+v, %v", retired, err)
	}
	w.View(func(r store.Tx) error {
		kept, err := r.BankKeys().Find(first.ID)
		if len(kept.Wrapped) != 0 {
			t.Error("a retired key is still there")
		}
		return err
	})
	if _, err := w.Keys.RetireBankKey(t.Context(), issuingtest.Ada, 1, first.ID, 0); !refusedBy(err) {
		t.Errorf("a retired key is retired: %v", err)
	}
	wantSealed(w, second.ID, numbers)
}

// wantProgress checks the progress of the job in the list of jobs, which an operator of another
// bank does not see.
func wantProgress(w *issuingtest.World, want *keys.Progress) {
	w.TB.Helper()
	for who, want := range map[*issuing.Operator]*keys.Progress{&issuingtest.Ada: want, &issuingtest.Ben: nil} {
		states, _, err := w.Overview.JobStates(w.TB.Context(), *who, issuing.Page{Limit: 99})
		if err != nil {
			w.TB.Fatal(err)
		}
		at := slices.IndexFunc(states, func(s overview.JobDetail) bool {
			return s.Name == keys.ReencryptJob
		})
		if at < 0 {
			w.TB.Fatalf("there is no such job among %+v", states)
		}
		if got := states[at].Progress; !cmp.Equal(got, want) {
			w.TB.Errorf("%s is told %+v, want %+v", who.Name, got, want)
		}
	}
}

// wantSealed checks that these numbers, and the one waiting PIN, are encrypted under a key.
func wantSealed(w *issuingtest.World, key int, numbers map[int]string) {
	w.TB.Helper()
	under := numbersOf(w, key)
	if len(under) != len(numbers) {
		w.TB.Errorf("%d numbers are sealed under the key, want %d", len(under), len(numbers))
	}
	for id, number := range numbers {
		if under[id] != number {
			w.TB.Errorf("the number of card %d is another one", id)
		}
	}
	for _, o := range w.OrdersThatWait() {
		if o.Kind == order.Make && len(o.SealedPin) > 0 &&
			(w.Opened(o) != "0042" || w.Vault.KeyOf(o.SealedPin) != key) {
			w.TB.Errorf("the PIN is %q under key %d", w.Opened(o), w.Vault.KeyOf(o.SealedPin))
		}
	}
}

// TestKeyOfAnotherNode removes the key from the vault, as on a node that has never used it: the
// first use reads it.
func TestKeyOfAnotherNode(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	key := rotate(w, false)
	forget := func() { w.Vault.ForgetBankKey(key.ID) }
	forget()
	w.NewCard(func(req *cards.InitiateRequest) { req.NewPin = issuingtest.PlainPin("0042") })
	forget()
	claimed, err := w.Orders.ClaimOrders(t.Context(), "other", false, 9)
	if err != nil || len(claimed) != 1 || claimed[0].Message.Secret == nil ||
		claimed[0].Message.Secret.Pin == nil ||
		claimed[0].Message.Secret.Pin.Reveal() != "0042" {
		t.Errorf("the order is %+v (%v)", claimed, err)
	}
	forget()
	if _, err := w.Keys.Reencrypt(t.Context()); err != nil {
		t.Error(err)
	}
	if len(numbersOf(w, vault.KeysetKey)) != 0 {
		t.Error("there are numbers that were not sealed anew")
	}
}

// interrupted is a store that calls a function before its next Update.
type interrupted struct {
	store.Store
	before func()
}

func (i *interrupted) Update(ctx context.Context, fn func(store.Tx) error) error {
	if before := i.before; before != nil {
		i.before = nil
		before()
	}
	return i.Store.Update(ctx, fn)
}

// TestRotatedDuringReencryption rotates the key of a bank again while a batch is re-encrypted. That is
// no failure of the job: its next run re-encrypts everything to the newer key.
func TestRotatedDuringReencryption(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	numbers := bankKeys(w)[0].Numbers
	rotate(w, false)
	stored := &interrupted{Store: w.Store, before: func() { rotate(w, false) }}
	service := acts.New(stored, w.Vault, w.Settings)
	if done, err := service.Keys.Reencrypt(t.Context()); err != nil || done != 0 {
		t.Errorf("%d texts were re-encrypted: %v", done, err)
	}
	if stored.before != nil {
		t.Fatal("the key was not rotated again")
	}
	reencrypt(w, numbers)
}

// TestRotationIsRefused tries rotations that are not permitted or make no sense.
func TestRotationIsRefused(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewProduction(t)
	key := rotate(w, false)
	kept := bankKeys(w)
	dry := issuingtest.Ada
	dry.DryRun = true
	if _, err := w.Keys.RotateBankKey(t.Context(), dry, 1, 1, true); err != nil {
		t.Errorf("a dry run: %v", err)
	}
	for name, err := range map[string]error{
		"rotate out of scope": errOf(w.Keys.RotateBankKey(t.Context(), issuingtest.Ben, 1, 1, false)),
		"rotate another bank": errOf(w.Keys.RotateBankKey(t.Context(), issuingtest.Ada, 2, 1, false)),
		"rotate none":         errOf(w.Keys.RotateBankKey(t.Context(), issuingtest.Ada, 1, 404, false)),
		"retire out of scope": errOf(w.Keys.RetireBankKey(t.Context(), issuingtest.Ben, 1, key.ID, 0)),
		"retire another bank": errOf(w.Keys.RetireBankKey(t.Context(), issuingtest.Ada, 2, key.ID, 0)),
		"retire none":         errOf(w.Keys.RetireBankKey(t.Context(), issuingtest.Ada, 1, key.ID-1, 0)),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.Keys.RetireBankKey(t.Context(), issuingtest.Ada, 1, key.ID, key.Revision+1)
	if !errors.Is(err, store.ErrLostUpdate) {
		t.Errorf("a revision that was never read: %v", err)
	}
	w.NewCard(nil)
	k, err := w.Keys.EncryptionKey(t.Context(), issuingtest.Ada, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Keys.ChangeEncryptionKey(t.Context(), issuingtest.Ada, 1, 1, k.Revision, program.Retired)
	if !refusedBy(err) {
		t.Errorf("an encryption key that numbers are sealed under is retired: %v", err)
	}
	k, err = w.Keys.ChangeEncryptionKey(t.Context(), issuingtest.Ada, 1, 1, k.Revision,
		program.DecryptOnly)
	if err != nil {
		t.Fatal(err)
	}
	if err := errOf(w.Keys.RotateBankKey(t.Context(), issuingtest.Ada, 1, 1, false)); !refusedBy(err) {
		t.Errorf("an encryption key that only decrypts is rotated: %v", err)
	}
	after := bankKeys(w)
	i := slices.IndexFunc(after, func(k keys.BankKeyDetail) bool { return k.ID == key.ID })
	if len(after) != len(kept) || i < 0 || after[i].State != program.ActiveKey || after[i].Seals ||
		after[i].Numbers != 1 {
		t.Errorf("the keys are %+v", after)
	}
	reencrypt(w, 0) // without an active key nothing changes
}

func errOf[T any](_ T, err error) error { return err }
