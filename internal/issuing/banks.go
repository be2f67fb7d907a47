package issuing

import (
	"context"
	"slices"
	"strconv"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// The names of an operator's acts on banks.
const (
	createBankAct = "create bank"
	changeBankAct = "change bank"
)

// Banks returns a page of the banks in scope, by their numbers.
func (s *Service) Banks(
	ctx context.Context, who Operator, search string, page Page,
) (items []store.Bank, last string, err error) {
	err = s.store.View(ctx, func(r store.Tx) error {
		all, err := r.Banks().List()
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(b store.Bank) bool {
			return !who.Scope.Includes(b.ID) || !matches(search, b.Name, strconv.Itoa(b.ID))
		})
		items, last = pageByNumber(all, page, func(b store.Bank) int { return b.ID })
		return nil
	})
	return items, last, faultOf(err)
}

// Bank finds a bank, with its revision. Without one in scope it is store.ErrNotFound.
func (s *Service) Bank(ctx context.Context, who Operator, id int) (store.Bank, error) {
	return s.findBank(ctx, who, id)
}

// CreateBank makes a bank, under the next number where none is asked for. Only an operator of all
// banks may: nobody else would see it.
func (s *Service) CreateBank(
	ctx context.Context, who Operator, id int, name string,
) (store.Bank, error) {
	var made store.Bank
	if !who.Scope.All {
		return made, refuse("A bank is made by an operator whose scope is all banks.")
	}
	err := s.act(ctx, who, InBank(id), createBankAct, func(tx *Tx) error {
		all, err := tx.Banks().List()
		if err != nil {
			return err
		}
		var known []int
		for _, bank := range all {
			known = append(known, bank.ID)
		}
		id, taken := nextID("bank", id, known)
		made, tx.caller.BankID = store.Bank{ID: id, Name: name}, id
		return orTaken(tx.putBank(&made, nil), taken)
	})
	return made, err
}

// ChangeBank renames a bank, at the revision that the operator has read.
func (s *Service) ChangeBank(
	ctx context.Context, who Operator, id, revision int, name string,
) (store.Bank, error) {
	var after store.Bank
	err := s.act(ctx, who, InBank(id), changeBankAct, func(tx *Tx) error {
		before, err := findBank(tx, id)
		if err != nil {
			return err
		}
		if err := atRevision("the bank", before.Revision, revision); err != nil {
			return err
		}
		after = before
		after.Name = name
		return tx.putBank(&after, bankMembers(before))
	})
	return after, err
}

// putBank stores a bank with its entry.
func (tx *Tx) putBank(b *store.Bank, before members) error {
	err := orInvalid(program.Institution{ID: b.ID, Name: b.Name}.Validate())
	if err != nil {
		return err
	}
	put := func() error { return tx.Banks().Put(*b) }
	return tx.putRevised(audit.Of(audit.Bank, b.ID), before, bankMembers(*b), &b.Revision, put)
}

func bankMembers(b store.Bank) members { return members{"name": b.Name} }
