package issuing

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// The names of an operator's acts on programs.
const (
	createProgramAct = "create program"
	changeProgramAct = "change program"
)

// Programs returns a page of the programs in scope, by their numbers.
func (s *Service) Programs(
	ctx context.Context, who Operator, search string, page Page,
) (items []program.Program, last string, err error) {
	// A cursor is made here, so any other begins the list.
	after, _ := strconv.Atoi(page.After)
	err = s.store.View(ctx, func(r store.Tx) error {
		items, last = nil, ""
		all, err := r.Programs().List()
		if err != nil {
			return err
		}
		for _, id := range all {
			if id <= after {
				continue
			}
			found, err := r.Programs().Find(id)
			if err != nil {
				return err
			}
			if !who.Scope.Includes(found.BankID) ||
				!matches(search, found.Settings.Name, strconv.Itoa(id)) {
				continue
			}
			if len(items) == page.Limit {
				last = strconv.Itoa(items[len(items)-1].ID)
				return nil
			}
			items = append(items, found)
		}
		return nil
	})
	return items, last, faultOf(err)
}

// Program returns a program with its settings as they are stored.
func (s *Service) Program(ctx context.Context, who Operator, id int) (program.Program, error) {
	var found program.Program
	err := s.view(ctx, who, id, func(r store.Tx) error {
		var err error
		found, err = r.Programs().Find(id)
		return err
	})
	return found, err
}

// CreateProgram makes a program of a bank, under the next number where none is asked for.
func (s *Service) CreateProgram(
	ctx context.Context, who Operator, p program.Program,
) (program.Program, error) {
	var made program.Program
	err := s.act(ctx, who, InBank(p.BankID), createProgramAct, func(tx *Tx) error {
		if _, err := findBank(tx, p.BankID); err != nil {
			return err
		}
		known, err := tx.Programs().List()
		if err != nil {
			return err
		}
		id, taken := nextID("program", p.ID, known)
		made = p
		made.ID, made.Revision = id, 0
		if made.VerificationWindowDays == 0 {
			made.VerificationWindowDays = program.DefaultVerificationWindowDays
		}
		tx.caller.ProgramID = id
		return orTaken(tx.putProgram(&made, nil), taken)
	})
	return made, err
}

// ChangeProgram changes what a program is set to, at the revision that the operator has read. The
// products of the program and its accounts have acts of their own, and stay as they are.
func (s *Service) ChangeProgram(
	ctx context.Context, who Operator, revision int, p program.Program,
) (program.Program, error) {
	return s.changeProgram(ctx, who, p.ID, revision, changeProgramAct,
		func(tx *Tx, after *program.Program) error {
			before := *after
			if p.BankID != before.BankID {
				return invalid("bankId", "cannot be changed")
			}
			*after = p
			after.Revision, after.PciKeys, after.Bins = before.Revision, before.PciKeys, before.Bins
			kept := before.Settings
			after.Settings.Products, after.Settings.Accounts = kept.Products, kept.Accounts
			after.Settings.ExternalAccounts = kept.ExternalAccounts
			if before.FourEyes && !after.FourEyes {
				if err := tx.guard(); err != nil {
					return err
				}
			}
			return tx.keepDigits(before, *after)
		})
}

// keepDigits refuses a program that would show fewer digits than its balances have.
func (tx *Tx) keepDigits(before, after program.Program) error {
	digits := after.Settings.DecimalCount
	if digits < 0 || digits >= before.Settings.DecimalCount {
		return nil
	}
	finer, err := tx.Accounts().HasFinerBalances(before.ID, digits)
	if err == nil && finer {
		err = invalid("decimalCount", "accounts have balances with more than %d decimal digits",
			digits)
	}
	return err
}

// changeProgram changes a stored program by a function, at the revision that the operator has read,
// 0 for any. The function replaces what it changes, and leaves what it was handed as it is.
func (s *Service) changeProgram(
	ctx context.Context, who Operator, id, revision int, act string,
	change func(tx *Tx, p *program.Program) error,
) (program.Program, error) {
	var after program.Program
	err := s.act(ctx, who, InProgram(id), act, func(tx *Tx) error {
		before, err := tx.Programs().Find(id)
		if err != nil {
			return err
		}
		if revision != 0 {
			err := atRevision("the program", before.Revision, revision)
			if err != nil {
				return err
			}
		}
		shown, err := programMembers(before)
		if err != nil {
			return err
		}
		after = before
		if err := change(tx, &after); err != nil {
			return err
		}
		return tx.putProgram(&after, shown)
	})
	if err == nil && !who.DryRun {
		s.programs.drop(id)
	}
	return after, err
}

// putProgram stores a program with its entry, or returns what is wrong with it.
func (tx *Tx) putProgram(p *program.Program, before members) error {
	wrong := p.Validate(tx.service.sandbox())
	zone, err := tx.bankZone(*p)
	if err != nil {
		return err
	}
	if zone != "" && zone != p.Settings.TimeZone {
		wrong.Add("timeZone", "must be %s, as in the bank's other programs", zone)
	}
	if err := orInvalid(wrong); err != nil {
		return err
	}
	after, err := programMembers(*p)
	if err != nil {
		return err
	}
	put := func() error { return tx.Programs().Put(*p) }
	return tx.putRevised(audit.Of(audit.Program, p.ID), before, after, &p.Revision, put)
}

// bankZone returns the time zone of the other programs of the bank, empty when there is none.
func (tx *Tx) bankZone(p program.Program) (string, error) {
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
func programMembers(p program.Program) (members, error) {
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
	shown := members{
		"bankId": p.BankID, "verificationWindowDays": p.VerificationWindowDays,
		"renewal": p.Renewal.OrDefault(), "balances": p.Balances.OrDefault(),
		"fourEyes": p.FourEyes,
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
