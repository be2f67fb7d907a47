package keys

import (
	"context"
	"slices"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Audit names of operators' acts on the encryption keys of banks.
const (
	createPciKeyAct = "create encryption key"
	changePciKeyAct = "change encryption key"
)

// EncryptionKeys returns a page of the encryption keys of a bank, by ID.
func (s *Service) EncryptionKeys(
	ctx context.Context, who issuing.Operator, bankID int, page issuing.Page,
) (items []program.PciKey, last string, err error) {
	if _, err := s.FindBank(ctx, who, bankID); err != nil {
		return nil, "", err
	}
	err = s.Store.View(ctx, func(r store.Tx) error {
		all, err := r.Banks().ListPciKeys()
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(k program.PciKey) bool { return k.BankID != bankID })
		items, last = issuing.PageByNumber(all, page, func(k program.PciKey) int { return k.ID })
		return nil
	})
	return items, last, err
}

// EncryptionKey returns an encryption key of a bank. It returns store.ErrNotFound for one of
// another bank.
func (s *Service) EncryptionKey(
	ctx context.Context, who issuing.Operator, bankID, id int,
) (program.PciKey, error) {
	if !who.Scope.Includes(bankID) {
		return program.PciKey{}, issuing.NoBank(bankID)
	}
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (program.PciKey, error) {
		return findPciKey(r, bankID, id)
	})
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

// CreateEncryptionKey adds an encryption key to a bank, with the next ID if none is requested.
func (s *Service) CreateEncryptionKey(
	ctx context.Context, who issuing.Operator, bankID, id int, status program.PciKeyStatus,
) (program.PciKey, error) {
	var key program.PciKey
	err := s.Act(ctx, who, issuing.InBank(bankID), createPciKeyAct,
		issuing.Guarded(func(tx *issuing.Tx) error {
			if _, err := issuing.FindBank(tx, bankID); err != nil {
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
			id, taken := issuing.NextID("encryption key", id, known)
			key = program.PciKey{ID: id, BankID: bankID, Status: status}
			return issuing.PreferInvalid(putPciKey(tx, &key, nil), taken)
		}))
	return key, err
}

// ChangeEncryptionKey sets the status of an encryption key, at the revision that the operator read.
// A retired key stays retired.
func (s *Service) ChangeEncryptionKey(
	ctx context.Context, who issuing.Operator, bankID, id, revision int,
	status program.PciKeyStatus,
) (program.PciKey, error) {
	var after program.PciKey
	err := s.Act(ctx, who, issuing.InBank(bankID), changePciKeyAct,
		issuing.Guarded(func(tx *issuing.Tx) error {
			before, err := findPciKey(tx, bankID, id)
			if err != nil {
				return err
			}
			if err := issuing.CheckRevision("the encryption key", before.Revision, revision); err != nil {
				return err
			}
			if before.Status == program.Retired && status != program.Retired {
				return issuing.Refuse("The encryption key is retired permanently.")
			}
			if before.Status != program.Retired && status == program.Retired {
				if err := checkUnused(tx, id); err != nil {
					return err
				}
			}
			after = before
			after.Status = status
			return putPciKey(tx, &after, pciKeyMembers(before))
		}))
	return after, err
}

// checkUnused refuses to retire an encryption key while anything is encrypted under its keys.
func checkUnused(r store.Tx, pciKeyID int) error {
	all, err := r.BankKeys().List()
	if err != nil {
		return err
	}
	for _, key := range all {
		if key.PciKeyID != pciKeyID || key.State == program.RetiredKey {
			continue
		}
		used, err := r.BankKeys().HasSealed(vault.Mark(key.ID))
		if err != nil {
			return err
		}
		if used {
			return issuing.Refuse("Card numbers or PINs are sealed under the encryption key: " +
				"activate another one of the bank, and wait until they are re-encrypted.")
		}
	}
	return nil
}

// putPciKey stores an encryption key with its audit entry.
func putPciKey(tx *issuing.Tx, k *program.PciKey, before issuing.Members) error {
	if err := k.Validate().Err(); err != nil {
		return err
	}
	put := func() error { return tx.Banks().PutPciKey(*k) }
	return tx.PutRevised(audit.Of(audit.PciKey, k.ID), before, pciKeyMembers(*k), &k.Revision, put)
}

func pciKeyMembers(k program.PciKey) issuing.Members {
	return issuing.Members{"bankId": k.BankID, "status": int(k.Status)}
}
