package keys

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Audit names of operators' acts on the keys that encrypt a bank's card numbers and PINs.
const (
	rotateBankKeyAct = "rotate encryption key"
	retireBankKeyAct = "retire encryption key"
)

// BankKeyDetail is a key of a bank with the amount of data that is encrypted under it. The keyset
// of the installation is shown as key 0 of each bank that has data under it.
type BankKeyDetail struct {
	program.BankKey
	Seals         bool // whether new data of the bank is encrypted under it
	Numbers, Pins int64
	MadeBy        string // the operator; empty if the audit does not show it
}

// InstallationKeyset is the state of key 0, which is not rotated.
const InstallationKeyset program.BankKeyState = "keyset"

// order returns the sort key of a list of keys.
func (k BankKeyDetail) order() string {
	return fmt.Sprintf("%010d/%010d/%014d/%010d", k.BankID, k.PciKeyID, k.Made.UnixMilli(), k.ID)
}

// BankKeys returns a page of the keys that encrypt card numbers and PINs: those of one bank, or of
// all in scope for bank 0.
func (s *Service) BankKeys(
	ctx context.Context, who issuing.Operator, bankID int, page issuing.Page,
) (items []BankKeyDetail, last string, err error) {
	if bankID != 0 {
		if _, err := s.FindBank(ctx, who, bankID); err != nil {
			return nil, "", err
		}
	}
	err = s.Store.View(ctx, func(r store.Tx) error {
		all, err := bankKeys(s.Service, r)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(k BankKeyDetail) bool {
			return bankID != 0 && k.BankID != bankID || !who.Scope.Includes(k.BankID)
		})
		items, last = issuing.PageBy(all, page, page.After, BankKeyDetail.order)
		return findMakers(r, items)
	})
	return items, last, err
}

// bankKeys returns all keys with the amount of data that is encrypted under them.
func bankKeys(s *issuing.Service, r store.Tx) ([]BankKeyDetail, error) {
	sealing, err := sealingKeys(r)
	if err != nil {
		return nil, err
	}
	kept, err := r.BankKeys().List()
	if err != nil {
		return nil, err
	}
	own, err := r.BankKeys().CountSealed(s.Vault.OwnMark())
	if err != nil {
		return nil, err
	}
	var all []BankKeyDetail
	for _, of := range own {
		all = append(all, BankKeyDetail{
			BankKey: program.BankKey{BankID: of.BankID, State: InstallationKeyset},
			Numbers: of.Numbers, Pins: of.Pins, Seals: sealing[of.BankID] == vault.KeysetKey,
		})
	}
	for _, key := range kept {
		detail := BankKeyDetail{BankKey: key, Seals: sealing[key.BankID] == key.ID}
		counted, err := r.BankKeys().CountSealed(vault.Mark(key.ID))
		if err != nil {
			return nil, err
		}
		for _, of := range counted {
			detail.Numbers += of.Numbers
			detail.Pins += of.Pins
		}
		all = append(all, detail)
	}
	slices.SortFunc(all, func(a, b BankKeyDetail) int {
		return strings.Compare(a.order(), b.order())
	})
	return all, nil
}

// makerRows limits the entries that are examined for the one about the creation of a key. The job
// that re-encrypts leaves entries about the same encryption key.
const makerRows = 500

// findMakers sets the operators who created keys, according to the audit. A key stays without a
// maker if its entry is not found.
func findMakers(r store.Tx, keys []BankKeyDetail) error {
	for i := range keys {
		if keys[i].ID == vault.KeysetKey {
			continue
		}
		// Rows mostly follow their times, so the entry is first searched for close to its time.
		// They do not after a clock was set back, as in a sandbox: then the newest entries are
		// searched.
		for _, around := range []time.Duration{time.Second, issuing.SealSlack, 0} {
			var err error
			keys[i].MadeBy, err = findMaker(r, keys[i], around)
			if err != nil {
				return err
			}
			if keys[i].MadeBy != "" {
				break
			}
		}
	}
	return nil
}

func findMaker(r store.Tx, key BankKeyDetail, around time.Duration) (string, error) {
	trailQuery := store.TrailQuery{
		Limit: makerRows, Subject: audit.Of(audit.PciKey, key.PciKeyID),
	}
	if around > 0 {
		var err error
		trailQuery.From, err = r.Trail().FindRow(key.Made.Add(-around))
		if err != nil {
			return "", err
		}
		trailQuery.Below, err = r.Trail().FindRow(key.Made.Add(around))
		if err != nil {
			return "", err
		}
	}
	entries, err := r.Trail().List(trailQuery)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%q:%q", bankKeyMember(key.ID), string(program.ActiveKey))
	for _, entry := range entries {
		if entry.Act == rotateBankKeyAct && strings.Contains(entry.After, name) {
			return entry.Actor.Name, nil
		}
	}
	return "", nil
}

// RotateBankKey gives an encryption key of a bank a new key, under which everything is encrypted
// from now on. The previous keys only decrypt, until their data is re-encrypted; if they are
// compromised they are marked, and their data goes first.
func (s *Service) RotateBankKey(
	ctx context.Context, who issuing.Operator, bankID, pciKeyID int, compromised bool,
) (BankKeyDetail, error) {
	id, wrapped, err := s.Vault.MakeBankKey(pciKeyID)
	if err != nil {
		return BankKeyDetail{}, err
	}
	var bankKeyDetail BankKeyDetail
	err = s.Act(ctx, who, issuing.InBank(bankID), rotateBankKeyAct,
		issuing.Guarded(func(tx *issuing.Tx) error {
			of, err := findPciKey(tx, bankID, pciKeyID)
			if err != nil {
				return err
			}
			if of.Status != program.EncryptAndDecrypt {
				return issuing.Refuse(
					"The encryption key does not encrypt (status 1), so it is not rotated.")
			}
			if err := supersede(tx, pciKeyID, compromised); err != nil {
				return err
			}
			bankKeyDetail = BankKeyDetail{MadeBy: who.Name, BankKey: program.BankKey{
				ID: id, PciKeyID: pciKeyID, BankID: bankID, State: program.ActiveKey, Made: tx.Now(),
				Wrapped: wrapped,
			}}
			if err := putBankKey(tx, &bankKeyDetail.BankKey, nil); err != nil {
				return err
			}
			sealing, err := sealingKeys(tx)
			bankKeyDetail.Seals = sealing[bankID] == id
			return err
		}))
	return bankKeyDetail, err
}

// supersede makes the keys of a pciKeyId decrypt-only, or marks them as compromised.
func supersede(tx *issuing.Tx, pciKeyID int, compromised bool) error {
	all, err := tx.BankKeys().List()
	if err != nil {
		return err
	}
	for _, key := range all {
		if key.PciKeyID != pciKeyID || key.State == program.RetiredKey {
			continue
		}
		before := bankKeyMembers(key)
		if key.State == program.ActiveKey {
			key.State = program.DecryptOnlyKey
		}
		if compromised {
			key.State = program.CompromisedKey
		}
		if err := putBankKey(tx, &key, before); err != nil {
			return err
		}
	}
	return nil
}

// RetireBankKey destroys a key of a bank under which nothing is encrypted any more.
func (s *Service) RetireBankKey(
	ctx context.Context, who issuing.Operator, bankID, id, revision int,
) (BankKeyDetail, error) {
	var after program.BankKey
	err := s.Act(ctx, who, issuing.InBank(bankID), retireBankKeyAct,
		issuing.Guarded(func(tx *issuing.Tx) error {
			var err error
			after, err = tx.BankKeys().Find(id)
			if err != nil {
				return err
			}
			if after.BankID != bankID {
				return store.ErrNotFound
			}
			if err := issuing.CheckRevisionIf("the key", after.Revision, revision); err != nil {
				return err
			}
			if err := retirable(tx, after); err != nil {
				return err
			}
			before := bankKeyMembers(after)
			after.State, after.Wrapped = program.RetiredKey, nil
			return putBankKey(tx, &after, before)
		}))
	if err == nil && !who.DryRun {
		s.Vault.ForgetBankKey(id)
	}
	return BankKeyDetail{BankKey: after}, err
}

// retirable refuses a key that is still needed.
func retirable(r store.Tx, k program.BankKey) error {
	switch k.State {
	case program.RetiredKey:
		return issuing.Refuse("The key is retired already.")
	case program.ActiveKey:
		of, err := findPciKey(r, k.BankID, k.PciKeyID)
		if err != nil {
			return err
		}
		if of.Status == program.EncryptAndDecrypt {
			return issuing.Refuse("The key is active: rotate the encryption key first.")
		}
	}
	used, err := r.BankKeys().HasSealed(vault.Mark(k.ID))
	if err != nil {
		return err
	}
	if used {
		return issuing.Refuse(
			"Card numbers or PINs are still sealed under the key: they are being " +
				"re-encrypted, and mintmark keys status counts them.")
	}
	return nil
}

// putBankKey stores a key with its audit entry.
func putBankKey(tx *issuing.Tx, k *program.BankKey, before issuing.Members) error {
	put := func() error { return tx.BankKeys().Put(*k) }
	return tx.PutRevised(audit.Of(audit.PciKey, k.PciKeyID), before, bankKeyMembers(*k),
		&k.Revision, put)
}

// bankKeyMembers returns a single member, which names the key.
func bankKeyMembers(k program.BankKey) issuing.Members {
	return issuing.Members{bankKeyMember(k.ID): string(k.State)}
}

func bankKeyMember(id int) string { return fmt.Sprintf("key %d", id) }
