package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of operators' acts on programs.
const (
	createProgramAct = "create program"
	changeProgramAct = "change program"
)

// Programs returns a page of the programs in scope, by ID.
func (s *Service) Programs(
	ctx context.Context, who issuing.Operator, search string, page issuing.Page,
) (items []program.Program, last string, err error) {
	// Cursors are created here; an unreadable one starts at the beginning of the list.
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

// Program returns a program with its settings as stored.
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

// CreateProgram creates a program of a bank, with the next ID if none is requested.
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

// ChangeProgram changes the settings of a program, at the revision that the operator read. The
// products and the accounts of the program have acts of their own, and stay unchanged.
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
			return keepMoney(tx, before, *after)
		})
}

// keepDigits refuses a program with fewer decimal digits than its balances and holds have.
func keepDigits(tx *issuing.Tx, before, after program.Program) error {
	digits := after.Settings.DecimalCount
	if digits >= before.Settings.DecimalCount {
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

// keepMoney refuses another currency or number of decimal digits for a program with cards: its
// limits, balances and holds would become amounts of other money. A program without a currency may
// get its first. An invalid program is refused by putProgram, with all problems.
func keepMoney(tx *issuing.Tx, before, after program.Program) error {
	if len(after.Validate(tx.Service.Sandbox())) > 0 {
		return nil
	}
	const hasCards = "cannot be changed, because the program has cards"
	var wrong problem.List
	if before.Currency != "" && after.Currency != before.Currency {
		wrong.Add("currency", hasCards)
	}
	if after.Settings.DecimalCount != before.Settings.DecimalCount {
		wrong.Add("decimalCount", hasCards)
	}
	if len(wrong) == 0 {
		return nil
	}
	cards, err := tx.Cards().ListOfProgram(before.ID, 0, 1)
	if err != nil {
		return err
	}
	if len(cards) > 0 {
		return wrong.Err()
	}
	return keepDigits(tx, before, after)
}

// changeProgram applies a change to a stored program, at the revision that the operator read, 0 for
// any. The closure replaces what it changes, and must not modify what it receives in place.
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
		if err := issuing.CheckRevisionIf("the program", before.Revision, revision); err != nil {
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

// putProgram validates a program and stores it with its audit entry.
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

// bankZone returns the time zone of the other programs of the bank, empty if there are none.
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

// programMembers returns the members that the audit shows, by their names on the wire. Account
// numbers of the program are masked.
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

// AsShown returns the settings of a program as operators read them, with the digits of the program.
func AsShown(p program.Program) (program.Settings, error) {
	shown, err := p.Settings.Exact()
	if err != nil {
		return program.Settings{}, err
	}
	shown.Each(func(a *value.Amount) { *a = a.Fixed(p.Settings.DecimalCount) },
		func(*value.Time) {})
	return shown, nil
}
