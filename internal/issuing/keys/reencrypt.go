package keys

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer/entity"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// ReencryptJob is the name of the job that re-encrypts data that is not under the key of its bank.
const ReencryptJob = "re-encrypt under bank keys"

// reencryptBatch limits the values that one transaction re-encrypts, so that callers do not wait.
const reencryptBatch = 100

// reencryptAgain is how long a bank without data under the keyset of the installation is not
// checked again. Its values are among those of all other banks, so a check costs more than for a
// key of a bank.
const reencryptAgain = time.Hour

// reencryptTries limits how often a batch is read again because one of its PINs was used meanwhile.
const reencryptTries = 10

// reencryption describes the re-encryption of a bank's data from one key to another.
type reencryption struct {
	bankID   int
	pciKeyID int // of the key from; 0 for the keyset of the installation
	from, to int
	urgent   bool
}

// Reencrypt re-encrypts the card numbers and PINs that are not under their bank's current key,
// batch by batch, and returns how many. Those under compromised keys come first. It is a background
// job, and idempotent.
func (s *Service) Reencrypt(ctx context.Context) (done int, err error) {
	var all []reencryption
	var now time.Time
	err = s.Store.View(ctx, func(r store.Tx) error {
		var err error
		now = r.Now()
		all, err = toReencrypt(s.Service, r)
		return err
	})
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, r := range all {
		if r.from == vault.KeysetKey && s.reencryptedRecently(r, now) {
			continue
		}
		numbers, err := s.reencryptAll(ctx, r, numbersOfCards)
		failures = append(failures, err)
		pins, errOfPins := s.reencryptAll(ctx, r, pinsOfOrders)
		failures = append(failures, errOfPins)
		done += numbers + pins
		if err == nil && errOfPins == nil && numbers+pins == 0 {
			s.reencrypted.Store(r, now)
		}
	}
	return done, errors.Join(failures...)
}

func (s *Service) reencryptedRecently(r reencryption, now time.Time) bool {
	last, known := s.reencrypted.Load(r)
	if !known {
		return false
	}
	at, _ := last.(time.Time)
	return !now.Before(at) && now.Sub(at) < reencryptAgain
}

// toReencrypt returns the keys under which nothing should remain encrypted, the compromised ones
// first.
func toReencrypt(s *issuing.Service, r store.Tx) ([]reencryption, error) {
	sealing, err := sealingKeys(r)
	if err != nil {
		return nil, err
	}
	kept, err := r.BankKeys().List()
	if err != nil {
		return nil, err
	}
	var all []reencryption
	for _, key := range kept {
		to := sealing[key.BankID]
		if to != vault.KeysetKey && to != key.ID && key.State != program.RetiredKey {
			all = append(all, reencryption{
				bankID: key.BankID, pciKeyID: key.PciKeyID, from: key.ID, to: to,
				urgent: key.State == program.CompromisedKey,
			})
		}
	}
	for bankID, to := range sealing {
		if to != vault.KeysetKey {
			all = append(all, reencryption{bankID: bankID, from: vault.KeysetKey, to: to})
		}
	}
	slices.SortFunc(all, func(a, b reencryption) int {
		if a.urgent != b.urgent {
			if a.urgent {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.bankID, b.bankID), cmp.Compare(a.from, b.from))
	})
	return all, nil
}

// sealedKind is a kind of encrypted value.
type sealedKind struct {
	name   string
	list   func(store.BankKeys, store.SealedQuery) ([]store.SealedText, error)
	seal   func(v *vault.Vault, key int, sealed []byte, cardID int) ([]byte, error)
	change func(of store.BankKeys, before store.SealedText, sealed []byte) error
	number func(store.SealedText) int // by which the values are listed
}

var (
	numbersOfCards = sealedKind{
		"numbers", store.BankKeys.ListSealedNumbers, (*vault.Vault).ReencryptNumber,
		store.BankKeys.ChangeSealedNumber, func(t store.SealedText) int { return t.CardID },
	}
	pinsOfOrders = sealedKind{
		"PINs", store.BankKeys.ListSealedPins, (*vault.Vault).ReencryptPin,
		store.BankKeys.ChangeSealedPin, func(t store.SealedText) int { return t.OrderID },
	}
)

// reencryptAll re-encrypts all values of a kind that are under a key of a bank.
func (s *Service) reencryptAll(
	ctx context.Context, of reencryption, kind sealedKind,
) (done int, err error) {
	after, tries := 0, 0
	for {
		texts, err := s.listSealed(ctx, of, kind, after)
		if err != nil || len(texts) == 0 {
			return done, err
		}
		err = s.reencryptTexts(ctx, of, kind, texts)
		if errors.Is(err, store.ErrLostUpdate) && tries < reencryptTries {
			tries++
			continue
		}
		if errors.Is(err, errRotatedAgain) {
			return done, nil // the next run re-encrypts to the newer key
		}
		if err != nil {
			return done, err
		}
		tries = 0
		done += len(texts)
		after = kind.number(texts[len(texts)-1])
	}
}

// listSealed returns a batch of values, and loads both keys into the vault.
func (s *Service) listSealed(
	ctx context.Context, of reencryption, kind sealedKind, after int,
) ([]store.SealedText, error) {
	mark := s.Vault.OwnMark()
	if of.from != vault.KeysetKey {
		mark = vault.Mark(of.from)
	}
	return store.ViewOf(ctx, s.Store, func(r store.Tx) ([]store.SealedText, error) {
		texts, err := kind.list(r.BankKeys(), store.SealedQuery{
			BankID: of.bankID, Mark: mark, After: after, Limit: reencryptBatch,
		})
		if err != nil || len(texts) == 0 {
			return nil, err
		}
		if err := entity.EnsureBankKey(r, s.Vault, of.from); err != nil {
			return nil, err
		}
		return texts, entity.EnsureBankKey(r, s.Vault, of.to)
	})
}

// errRotatedAgain ends a batch whose new key is no longer the active one.
var errRotatedAgain = errors.New("issuing: the bank's key was rotated again")

// reencryptTexts re-encrypts values. It does so before the transaction, which others may wait for.
func (s *Service) reencryptTexts(
	ctx context.Context, of reencryption, kind sealedKind, texts []store.SealedText,
) error {
	sealed := make([][]byte, len(texts))
	for i, text := range texts {
		var err error
		sealed[i], err = kind.seal(s.Vault, of.to, text.Sealed, text.CardID)
		if err != nil {
			return fmt.Errorf("re-encrypt for card %d: %w", text.CardID, err)
		}
	}
	job := issuing.Caller{Actor: issuing.JobActor(ReencryptJob), BankID: of.bankID, Route: "re-seal"}
	return s.Update(ctx, job, func(tx *issuing.Tx) error {
		to, err := tx.BankKeys().Find(of.to)
		if err != nil {
			return err
		}
		if to.State != program.ActiveKey {
			return errRotatedAgain
		}
		for i, text := range texts {
			if err := kind.change(tx.BankKeys(), text, sealed[i]); err != nil {
				return err
			}
		}
		_, after, err := issuing.Differing(nil, issuing.Members{
			kind.name: len(texts), "from": of.from, "to": of.to,
		})
		if err != nil {
			return err
		}
		return tx.PutEntry(audit.Entry{
			Subject: audit.Of(audit.PciKey, to.PciKeyID), Outcome: issuing.OutcomeChanged,
			After: after,
		})
	})
}
