package programs

import (
	"context"
	"slices"
	"strconv"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of operators' acts on banks.
const (
	createBankAct = "create bank"
	changeBankAct = "change bank"
)

// Banks returns a page of the banks in scope, by ID.
func (s *Service) Banks(
	ctx context.Context, who issuing.Operator, search string, page issuing.Page,
) (items []store.Bank, last string, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		all, err := r.Banks().List()
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(b store.Bank) bool {
			return !who.Scope.Includes(b.ID) || !issuing.Matches(search, b.Name, strconv.Itoa(b.ID))
		})
		items, last = issuing.PageByNumber(all, page, func(b store.Bank) int { return b.ID })
		return nil
	})
	return items, last, err
}

// Bank returns a bank in scope, with its revision, else store.ErrNotFound.
func (s *Service) Bank(ctx context.Context, who issuing.Operator, id int) (store.Bank, error) {
	return s.FindBank(ctx, who, id)
}

// CreateBank creates a bank, with the next ID if none is requested. Only an operator of all banks
// may do so: no other operator would see it.
func (s *Service) CreateBank(
	ctx context.Context, who issuing.Operator, id int, name string,
) (store.Bank, error) {
	var bank store.Bank
	if !who.Scope.All {
		return bank, issuing.Refuse("Only an operator whose scope is all banks can create a bank.")
	}
	err := s.Act(ctx, who, issuing.InBank(id), createBankAct, func(tx *issuing.Tx) error {
		all, err := tx.Banks().List()
		if err != nil {
			return err
		}
		var known []int
		for _, bank := range all {
			known = append(known, bank.ID)
		}
		id, taken := issuing.NextID("bank", id, known)
		bank, tx.Caller.BankID = store.Bank{ID: id, Name: name}, id
		return issuing.PreferInvalid(putBank(tx, &bank, nil), taken)
	})
	return bank, err
}

// ChangeBank renames a bank, at the revision that the operator read.
func (s *Service) ChangeBank(
	ctx context.Context, who issuing.Operator, id, revision int, name string,
) (store.Bank, error) {
	var after store.Bank
	err := s.Act(ctx, who, issuing.InBank(id), changeBankAct, func(tx *issuing.Tx) error {
		before, err := issuing.FindBank(tx, id)
		if err != nil {
			return err
		}
		if err := issuing.CheckRevision("the bank", before.Revision, revision); err != nil {
			return err
		}
		after = before
		after.Name = name
		return putBank(tx, &after, bankMembers(before))
	})
	return after, err
}

// putBank stores a bank with its audit entry.
func putBank(tx *issuing.Tx, b *store.Bank, before issuing.Members) error {
	err := program.Institution{ID: b.ID, Name: b.Name}.Validate().Err()
	if err != nil {
		return err
	}
	put := func() error { return tx.Banks().Put(*b) }
	return tx.PutRevised(audit.Of(audit.Bank, b.ID), before, bankMembers(*b), &b.Revision, put)
}

func bankMembers(b store.Bank) issuing.Members { return issuing.Members{"name": b.Name} }
