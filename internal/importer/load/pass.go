package load

import (
	"errors"
	"fmt"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// pass goes through a file once: it compares each entry with its stored form and, in a transaction
// that writes, writes the ones that differ. A transaction may run again, so a pass may record an
// entry twice.
type pass struct {
	*Data
	options  Options
	problems problems
	known    *known
	report   *Report // of the finished batches
	checked  bool    // an earlier pass has checked the whole file

	// The current transaction.
	r   store.Tx
	tx  store.Tx // nil while the file is only checked
	out *Report

	// The stored form of the current entries.
	banks     map[int]store.Bank
	pciKeys   map[int]program.PciKey
	bins      map[int]program.Bin
	keys      map[string]apikey.Key
	customers map[int]customer.Customer
	accounts  map[int]customer.Account
	access    map[entity.Pair]customer.Access
	cards     map[int]boundCard // by the index in their list
}

func newPass(d *Data, o Options) *pass {
	return &pass{
		Data: d, options: o, problems: d.problems.copy(), known: newKnown(), report: newReport(),
	}
}

// enter begins a transaction: it reads the banks and discards what earlier transactions read.
func (p *pass) enter(r store.Tx, tx store.Tx) error {
	p.r, p.tx, p.out = r, tx, newReport()
	banks, err := r.Banks().List()
	if err != nil {
		return err
	}
	p.banks = make(map[int]store.Bank)
	for _, bank := range banks {
		p.banks[bank.ID] = bank
	}
	p.pciKeys, p.bins = nil, nil
	return nil
}

// leave adds the counts of a finished transaction to the report.
func (p *pass) leave(of *batch) {
	of.differs = of.differs || p.out.counts.Differs()
	of.bytes += p.out.bytes
	p.report.add(p.out)
	if p.options.Tell != nil {
		for _, line := range p.out.lines {
			p.options.Tell(line)
		}
	}
}

// take takes entries of one kind until over reports that the time is up, and returns their number.
func (p *pass) take(k kind, items []item, over func() bool) (int, error) {
	find := func(some []item) error { return k.find(p, some) }
	return importer.Take(items, k.step, over, find, func(at item) error {
		if err := k.take(p, at); err != nil {
			return p.failed(at, err)
		}
		return nil
	})
}

// failed wraps an error of the store with the location of the entry.
func (p *pass) failed(at item, err error) error {
	return fmt.Errorf("%s:%d: %s: %w", p.name, lineOf(at.node, ""), at.path, err)
}

// settle counts an entry, and writes it with its audit entry if it differs from the store. More
// lists differences that the entries do not show. An entry whose stored form has changed since the
// file was checked is an error: the operator agreed to replace what was stored then.
func settle[E entry](
	p *pass, at label, before, after E, more []string, put func(store.Tx) error,
) error {
	changes := append(differences(before, after), more...)
	switch {
	case at.fresh():
		p.out.added(at)
	case len(changes) == 0:
		p.out.unchanged(at)
		return nil
	default:
		p.out.addChange(at, changes)
	}
	if p.tx == nil {
		if !at.fresh() {
			p.known.revisions[at.subject] = at.revision
		}
		return nil
	}
	if p.checked && p.known.revisions[at.subject] != at.revision {
		return fmt.Errorf("%w, and is now at revision %d; load --dry-run shows the difference",
			errChanged, at.revision)
	}
	if err := put(p.tx); err != nil {
		return err
	}
	return auditChange(p, at, before, after, more)
}

var errChanged = errors.New("changed by another operator since it was read")

// label identifies an entry in counts and messages.
type label struct {
	subject
	revision int // of the stored form; 0 if nothing is stored
}

// subject is the entity of an entry, by the name that operators know.
type subject struct{ list, name string }

func (at label) fresh() bool { return at.revision == 0 }

// inProgram returns the program that an entry names, and records a problem if there is none.
func (p *pass) inProgram(at item, programID int) (*program.Program, bool) {
	match, ok := p.known.programs[programID]
	if !ok && programID != 0 {
		p.reportDangling(at, "programId", "program", programID)
	}
	return match, ok
}

// reportDangling records a reference to something that does not exist.
func (p *pass) reportDangling(at item, path, kind string, id int) {
	p.problems.add(at, path, "there is no %s %d", kind, id)
}

// reportOtherOwner records that the owner of an entity differs from the one in the file. Loading it
// would take it from its owner.
func (p *pass) reportOtherOwner(at item, path, what string, id int, owner string, ownerID int) {
	p.problems.add(at, path, "%s %d belongs to %s %d", what, id, owner, ownerID)
}

// hasCustomer reports whether a program has a customer, and records a problem otherwise.
func (p *pass) hasCustomer(at item, path string, programID, customerID int) bool {
	if listed, ok := p.known.customers[customerID]; ok {
		if listed.programID == programID {
			return true
		}
	} else if p.customers[customerID].ProgramID == programID {
		return true
	}
	if customerID != 0 {
		p.reportDangling(at, path, "customer", customerID)
	}
	return false
}

// accountType returns the type of an account, and records a problem if the program has no such
// account.
func (p *pass) accountType(
	at item, path string, programID, accountID int,
) (customer.AccountType, bool) {
	if listed, ok := p.known.accounts[accountID]; ok {
		if listed.programID == programID {
			return listed.kind, true
		}
	} else if stored := p.accounts[accountID]; stored.ProgramID == programID && stored.ID != 0 {
		return stored.Type, true
	}
	if accountID != 0 {
		p.reportDangling(at, path, "account", accountID)
	}
	return "", false
}

// refuse records a destructive change, unless the operator has accepted it.
func (p *pass) refuse(at item, path, name, what string) {
	var list problem.List
	entity.Refuse(&list, p.options.Accept, path, name, what)
	p.problems.addAll(at, list)
}

// orDefault returns *given, or otherwise if given is nil.
func orDefault[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}
