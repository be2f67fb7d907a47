package overview

import (
	"slices"

	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Step is a part of the setup that an installation needs before its first card.
type Step struct {
	Name string
	Done bool
}

// readSetup sets the steps, in order, and which are done. Once there is a card, it sets none. If
// programs is nil, it checks all programs.
func (s *Service) readSetup(
	r store.Tx, who issuing.Operator, o *Overview, programs []int,
) error {
	if len(o.Cards.ByStatus) > 0 {
		return nil
	}
	banks, err := r.Banks().List()
	if err != nil {
		return err
	}
	encryption, err := r.Banks().ListPciKeys()
	if err != nil {
		return err
	}
	keys, err := r.Keys().List()
	if err != nil {
		return err
	}
	people, err := r.Operators().List()
	if err != nil {
		return err
	}
	if programs == nil {
		programs, err = r.Programs().List()
		if err != nil {
			return err
		}
	}
	hasBin, hasKey := false, false
	for _, id := range programs {
		i, err := r.Programs().FindIssuing(id)
		if err != nil {
			return err
		}
		hasBin = hasBin || len(i.Bins) > 0
	}
	for _, key := range keys {
		hasKey = hasKey || key.Revoked.IsZero() && slices.Contains(programs, key.ProgramID)
	}
	people = slices.DeleteFunc(people, func(p operator.Person) bool {
		return p.Standing() != operator.Active
	})
	o.Setup = []Step{
		{"bank", slices.ContainsFunc(banks, func(b store.Bank) bool {
			return who.Scope.Includes(b.ID)
		})},
		{"encryptionKey", slices.ContainsFunc(encryption, func(k program.PciKey) bool {
			return k.Status == program.EncryptAndDecrypt && who.Scope.Includes(k.BankID)
		})},
		{"program", len(programs) > 0},
		{"bin", hasBin},
		{"key", hasKey},
		{"processor", s.Dispatcher != nil},
		{"secondOperator", len(people) > 1},
	}
	return nil
}
