package issuing

import (
	"context"
	"slices"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// The names of an operator's acts on the encryption keys of banks.
const (
	createPciKeyAct = "create encryption key"
	changePciKeyAct = "change encryption key"
)

// EncryptionKeys returns a page of the encryption keys of a bank, by their numbers.
func (s *Service) EncryptionKeys(
	ctx context.Context, who Operator, bankID int, page Page,
) (items []program.PciKey, last string, err error) {
	if _, err := s.findBank(ctx, who, bankID); err != nil {
		return nil, "", err
	}
	err = s.store.View(ctx, func(r store.Tx) error {
		all, err := r.Banks().ListPciKeys()
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(k program.PciKey) bool { return k.BankID != bankID })
		items, last = pageByNumber(all, page, func(k program.PciKey) int { return k.ID })
		return nil
	})
	return items, last, faultOf(err)
}

// EncryptionKey finds an encryption key of a bank, and store.ErrNotFound for one of another bank.
func (s *Service) EncryptionKey(
	ctx context.Context, who Operator, bankID, id int,
) (program.PciKey, error) {
	var found program.PciKey
	if !who.Scope.Includes(bankID) {
		return found, noBank(bankID)
	}
	err := s.store.View(ctx, func(r store.Tx) error {
		var err error
		found, err = findPciKey(r, bankID, id)
		return err
	})
	return found, faultOf(err)
}

func findPciKey(r store.Tx, bankID, id int) (program.PciKey, error) {
	all, err := r.Banks().ListPciKeys()
	if err != nil {
		return program.PciKey{}, err
	}
	for _, key := range all {
		if key.ID == id && key.BankID == bankID {
			return key, nil
		}
	}
	return program.PciKey{}, store.ErrNotFound
}

// CreateEncryptionKey tells of an encryption key that a bank has from now on, under the next number
// where none is asked for.
func (s *Service) CreateEncryptionKey(
	ctx context.Context, who Operator, bankID, id int, status program.PciKeyStatus,
) (program.PciKey, error) {
	var made program.PciKey
	err := s.act(ctx, who, InBank(bankID), createPciKeyAct, guarded(func(tx *Tx) error {
		if _, err := findBank(tx, bankID); err != nil {
			return err
		}
		all, err := tx.Banks().ListPciKeys()
		if err != nil {
			return err
		}
		var known []int
		for _, key := range all {
			known = append(known, key.ID)
		}
		id, taken := nextID("encryption key", id, known)
		made = program.PciKey{ID: id, BankID: bankID, Status: status}
		return orTaken(tx.putPciKey(&made, nil), taken)
	}))
	return made, err
}

// ChangeEncryptionKey says what an encryption key may be used for, at the revision that the
// operator has read. A key that is retired stays so.
func (s *Service) ChangeEncryptionKey(
	ctx context.Context, who Operator, bankID, id, revision int, status program.PciKeyStatus,
) (program.PciKey, error) {
	var after program.PciKey
	err := s.act(ctx, who, InBank(bankID), changePciKeyAct, guarded(func(tx *Tx) error {
		before, err := findPciKey(tx, bankID, id)
		if err != nil {
			return err
		}
		if err := atRevision("the encryption key", before.Revision, revision); err != nil {
			return err
		}
		if before.Status == program.Retired && status != program.Retired {
			return refuse("The encryption key is retired, and stays so.")
		}
		if before.Status != program.Retired && status == program.Retired {
			if err := checkUnused(tx, id); err != nil {
				return err
			}
		}
		after = before
		after.Status = status
		return tx.putPciKey(&after, pciKeyMembers(before))
	}))
	return after, err
}

// checkUnused refuses to retire an encryption key under whose keys anything is sealed.
func checkUnused(r store.Tx, pciKeyID int) error {
	all, err := r.BankKeys().List()
	if err != nil {
		return err
	}
	for _, key := range all {
		if key.PciKeyID != pciKeyID || key.State == program.RetiredKey {
			continue
		}
		used, err := r.SealedTexts().Has(vault.Mark(key.ID))
		if err != nil {
			return err
		}
		if used {
			return refuse("Card numbers or PINs are sealed under the encryption key: let " +
				"another one of the bank seal, and wait until they are sealed anew.")
		}
	}
	return nil
}

// putPciKey stores an encryption key with its entry.
func (tx *Tx) putPciKey(k *program.PciKey, before members) error {
	if err := orInvalid(k.Validate()); err != nil {
		return err
	}
	put := func() error { return tx.Banks().PutPciKey(*k) }
	return tx.putRevised(audit.Of(audit.PciKey, k.ID), before, pciKeyMembers(*k), &k.Revision, put)
}

func pciKeyMembers(k program.PciKey) members {
	return members{"bankId": k.BankID, "status": int(k.Status)}
}
