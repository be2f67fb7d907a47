package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// The names of an operator's acts on programs.
const (
	createProgramAct = "create program"
	changeProgramAct = "change program"
)

// Programs returns a page of the programs in scope, by their numbers.
func (s *Service) Programs(
	ctx context.Context, who issuing.Operator, search string, page issuing.Page,
) (items []program.Program, last string, err error) {
	// Cursors are made here; an unreadable one starts at the beginning of the list.
	after, _ := strconv.Atoi(page.After)
	err = s.Store.View(ctx, func(r store.Tx) error {
		items, last = nil, ""
		all, err := r.Programs().List()
		if err != nil {
			return err
		}
		for _, id := range all {
			if id <= after {
				continue
			}
			p, err := r.Programs().Find(id)
			if err != nil {
				return err
			}
			if !who.Scope.Includes(p.BankID) ||
				!issuing.Matches(search, p.Settings.Name, strconv.Itoa(id)) {
				continue
			}
			if len(items) == page.Limit {
				last = strconv.Itoa(items[len(items)-1].ID)
				return nil
			}
			items = append(items, p)
		}
		return nil
	})
	return items, last, err
}

// Program returns a program with its settings as they are stored.
func (s *Service) Program(
	ctx context.Context, who issuing.Operator, id int,
) (program.Program, error) {
	var p program.Program
	err := s.View(ctx, who, id, func(r store.Tx) error {
		var err error
		p, err = r.Programs().Find(id)
		return err
	})
	return p, err
}

// CreateProgram makes a program of a bank, under the next number where none is asked for.
func (s *Service) CreateProgram(
	ctx context.Context, who issuing.Operator, p program.Program,
) (program.Program, error) {
	var prog program.Program
	err := s.Act(ctx, who, issuing.InBank(p.BankID), createProgramAct, func(tx *issuing.Tx) error {
		if _, err := issuing.FindBank(tx, p.BankID); err != nil {
			return err
		}
		known, err := tx.Programs().List()
		if err != nil {
			return err
		}
		id, taken := issuing.NextID("program", p.ID, known)
		prog = p.WithDefaults()
		prog.ID, prog.Revision = id, 0
		tx.Caller.ProgramID = id
		return issuing.PreferInvalid(putProgram(tx, &prog, nil), taken)
	})
	return prog, err
}

// ChangeProgram changes what a program is set to, at the revision that the operator has read. The
// products of the program and its accounts have acts of their own, and stay as they are.
func (s *Service) ChangeProgram(
	ctx context.Context, who issuing.Operator, revision int, p program.Program,
) (program.Program, error) {
	return s.changeProgram(ctx, who, p.ID, revision, changeProgramAct,
		func(tx *issuing.Tx, after *program.Program) error {
			before := *after
			if p.BankID != before.BankID {
				return issuing.Invalid("bankId", "cannot be changed")
			}
			*after = p
			after.Revision, after.PciKeys, after.Bins = before.Revision, before.PciKeys, before.Bins
			kept := before.Settings
			after.Settings.Products, after.Settings.Accounts = kept.Products, kept.Accounts
			after.Settings.ExternalAccounts = kept.ExternalAccounts
			if before.FourEyes && !after.FourEyes {
				if err := tx.Guard(); err != nil {
					return err
				}
			}
			return keepDigits(tx, before, *after)
		})
}

// keepDigits refuses a program that would show fewer digits than its balances and holds have.
func keepDigits(tx *issuing.Tx, before, after program.Program) error {
	digits := after.Settings.DecimalCount
	if digits < 0 || digits >= before.Settings.DecimalCount {
		return nil
	}
	finer, err := tx.Accounts().HasFinerBalances(before.ID, digits)
	if err == nil && finer {
		err = issuing.Invalid(
			"decimalCount", "accounts have balances or holds with more than %d decimal digits",
			digits)
	}
	return err
}

// changeProgram changes a stored program by a function, at the revision that the operator has read,
// 0 for any. The function replaces what it changes, and leaves what it was handed as it is.
func (s *Service) changeProgram(
	ctx context.Context, who issuing.Operator, id, revision int, act string,
	change func(tx *issuing.Tx, p *program.Program) error,
) (program.Program, error) {
	var after program.Program
	err := s.Act(ctx, who, issuing.InProgram(id), act, func(tx *issuing.Tx) error {
		before, err := tx.Programs().Find(id)
		if err != nil {
			return err
		}
		if err := issuing.AtRevisionIf("the program", before.Revision, revision); err != nil {
			return err
		}
		shown, err := programMembers(before)
		if err != nil {
			return err
		}
		after = before
		if err := change(tx, &after); err != nil {
			return err
		}
		return putProgram(tx, &after, shown)
	})
	if err == nil && !who.DryRun {
		s.ProgramCache.Drop(id)
	}
	return after, err
}

// putProgram stores a program with its entry, or returns what is wrong with it.
func putProgram(tx *issuing.Tx, p *program.Program, before issuing.Members) error {
	wrong := p.Validate(tx.Service.Sandbox())
	zone, err := bankZone(tx, *p)
	if err != nil {
		return err
	}
	if zone != "" && zone != p.Settings.TimeZone {
		wrong.Add("timeZone", "must be %s, as in the bank's other programs", zone)
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	after, err := programMembers(*p)
	if err != nil {
		return err
	}
	put := func() error { return tx.Programs().Put(*p) }
	return tx.PutRevised(audit.Of(audit.Program, p.ID), before, after, &p.Revision, put)
}

// bankZone returns the time zone of the other programs of the bank, empty when there is none.
func bankZone(tx *issuing.Tx, p program.Program) (string, error) {
	all, err := tx.Programs().List()
	if err != nil {
		return "", err
	}
	for _, id := range all {
		if id == p.ID {
			continue
		}
		other, err := tx.Programs().Find(id)
		if err != nil {
			return "", err
		}
		if other.BankID == p.BankID {
			return other.Settings.TimeZone, nil
		}
	}
	return "", nil
}

// programMembers are those that the audit shows, by their names on the wire. An account number of
// the program is masked.
func programMembers(p program.Program) (issuing.Members, error) {
	exact, err := p.Settings.Exact()
	if err != nil {
		return nil, err
	}
	for i := range exact.Accounts {
		exact.Accounts[i].AccountNumber = ""
	}
	for i := range exact.ExternalAccounts {
		exact.ExternalAccounts[i].AccountNumber = ""
	}
	text, err := json.Marshal(exact)
	if err != nil {
		return nil, fmt.Errorf("settings of program %d: %w", p.ID, err)
	}
	all := make(map[string]json.RawMessage)
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("settings of program %d: %w", p.ID, err)
	}
	shown := issuing.Members{
		"bankId": p.BankID, "verificationWindowDays": p.VerificationWindowDays,
		"renewal": p.Renewal.OrDefault(), "balances": p.Balances.OrDefault(),
		"fourEyes": p.FourEyes, "currency": p.Currency,
	}
	for name, setting := range all {
		shown[name] = setting
	}
	return shown, nil
}

// AsShown returns the settings with the digits and in the form in which operators read them.
func AsShown(p program.Program) (program.Settings, error) {
	shown, err := p.Settings.Exact()
	if err != nil {
		return program.Settings{}, err
	}
	shown.Each(func(a *value.Amount) { *a = a.Fixed(p.Settings.DecimalCount) },
		func(*value.Time) {})
	return shown, nil
}
