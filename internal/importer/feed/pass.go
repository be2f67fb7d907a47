package feed

import (
	"fmt"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/customer"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// step is the number of rows that are read from the store and taken between two looks at the clock.
const step = 64

// pass goes through the rows of a file: it compares each with its stored form and, in a transaction
// that writes, puts the ones that differ.
type pass struct {
	head     Head
	options  Options
	vault    entity.Vault // set if the rows are cards
	decimals int          // of the program
	problems *importer.Problems
	report   *Report // of the finished transactions
	sum      string  // SHA-256 of the file

	// known is what earlier rows have put; nil in a pass that writes.
	known *notes

	// The current transaction, which may run again.
	r   store.Tx
	tx  store.Tx // nil in a pass that does not write
	out *outcome

	// The stored form of the current rows.
	customers map[int]customer.Customer
	accounts  map[int]customer.Account
	access    map[entity.Pair]customer.Access
	numbers   numbers
}

// outcome is the result of the current transaction.
type outcome struct {
	counts  importer.Counts
	changes []Change
	notes   *notes
	totals  customer.AccountTotals // what the rows add to those of the program
	erased  int                    // rows of which something was left out: see erased.go
}

// enter begins a transaction.
func (p *pass) enter(r store.Tx, tx store.Tx) {
	p.r, p.tx = r, tx
	p.out = &outcome{counts: make(importer.Counts), notes: newNotes()}
}

// take takes rows until over reports that the time is up, and returns their number.
func (p *pass) take(rows []row, over func() bool) (int, error) {
	return importer.Take(rows, step, over, p.find, func(at row) error {
		if err := p.takeRow(at); err != nil {
			return fmt.Errorf("line %d: %w", at.line, err)
		}
		return nil
	})
}

func (p *pass) takeRow(at row) error {
	switch at.list {
	case cards:
		return p.takeCard(at)
	case customers:
		return p.takeCustomer(at)
	case accounts:
		return p.takeAccount(at)
	case balances:
		return p.takeBalance(at)
	}
	return p.takeAccess(at)
}

// find reads the stored form of rows and of what they refer to.
func (p *pass) find(rows []row) error {
	var customerIDs, accountIDs, accessOf []int
	for _, at := range rows {
		if at.customerID > 0 {
			customerIDs = append(customerIDs, at.customerID)
		}
		if at.accountID > 0 {
			accountIDs = append(accountIDs, at.accountID)
		}
		if at.list == access && at.customerID > 0 {
			accessOf = append(accessOf, at.customerID)
		}
		if at.card != nil {
			customerIDs = append(customerIDs, at.card.CustomerID, at.card.HolderID)
			accountIDs = append(accountIDs, at.card.accountIDs()...)
			accessOf = append(accessOf, at.card.CustomerID)
		}
	}
	err := p.findNumbers(rows)
	if err != nil {
		return err
	}
	p.customers, err = p.r.Customers().FindMany(customerIDs)
	if err != nil {
		return err
	}
	p.accounts, err = p.r.Accounts().FindMany(accountIDs)
	if err != nil {
		return err
	}
	p.access = make(map[entity.Pair]customer.Access)
	if len(accessOf) > 0 {
		all, err := p.r.Access().List(accessOf)
		if err != nil {
			return err
		}
		for _, stored := range all {
			p.access[entity.Pair{CustomerID: stored.CustomerID, AccountID: stored.AccountID}] = stored
		}
	}
	p.overlay(accountIDs)
	return nil
}

// Change is a change by a row, as reported in a dry run: of one member, or of the whole entity if
// it is added or left out.
type Change struct {
	List, Name string
	Path       string // of the member, empty for the whole entity
	From, To   any
}

// String returns a change as a line for people.
func (c Change) String() string {
	what := entity.Shown(c.To)
	if c.Path != "" {
		what = entity.Change(c.Path, c.From, c.To)
	}
	return c.List + " " + c.Name + ": " + what
}

// change is the difference between a row and its stored form.
type change struct {
	at      row
	name    string
	fresh   bool
	members []Change
	states  *entity.States // of a changed customer, for the audit
}

func (p *pass) change(at row, name string, fresh bool) *change {
	c := &change{at: at, name: name, fresh: fresh}
	if at.list == customers && !fresh {
		states := entity.NewStates(audit.Customer)
		c.states = &states
	}
	return c
}

// add adds a member that differs.
func (c *change) add(path string, from, to any) {
	c.members = append(c.members, Change{
		List: c.at.list, Name: c.name, Path: path, From: from, To: to,
	})
	if c.states != nil {
		c.states.Add(path, from, to)
	}
}

// settle counts a row, and puts it if it differs from the store. A changed customer has a separate
// audit entry; all other changes are documented by the counts and the file.
func (p *pass) settle(c *change, put func() error) error {
	tally := p.out.counts.Of(c.at.list)
	switch {
	case c.fresh:
		tally.Added++
		p.tell(Change{List: c.at.list, Name: c.name, To: "added"})
	case len(c.members) == 0:
		tally.Unchanged++
		return nil
	default:
		tally.Changed++
		p.tell(c.members...)
	}
	if p.tx == nil {
		return nil
	}
	if err := put(); err != nil || c.states == nil {
		return err
	}
	e := audit.Entry{
		At: p.tx.Now(), Actor: p.options.Actor, Act: p.act(), ProgramID: p.head.ProgramID,
		Subject: audit.Of(audit.Customer, c.at.customerID), Outcome: "changed",
	}
	if err := c.states.Into(&e, false); err != nil {
		return err
	}
	return p.tx.Audit().Put(e)
}

// The names of the acts in the audit log. No rule of package event turns them into events.
const (
	feedAct   = "feed"
	importAct = "import cards"
)

func (p *pass) act() string {
	if p.vault != nil {
		return importAct
	}
	return feedAct
}

func (p *pass) tell(changes ...Change) {
	if p.options.Tell != nil && p.tx == nil {
		p.out.changes = append(p.out.changes, changes...)
	}
}

// isOurs reports whether a stored entity belongs to the program, and records a problem otherwise.
func (p *pass) isOurs(at row, path string, programID int) bool {
	if programID == 0 || programID == p.head.ProgramID {
		return true
	}
	p.problems.Add(at.line, path, "belongs to another program")
	return false
}

// hasCustomer reports whether the program has a customer, in the store or in an earlier row.
func (p *pass) hasCustomer(id int) bool {
	return p.customers[id].ProgramID == p.head.ProgramID || p.isPut(id)
}

// addUp adds the difference that an account makes to the totals of the program.
func (p *pass) addUp(before, after customer.Account) {
	if before.ID != 0 && before.Status != customer.Closed {
		p.out.totals.Accounts--
		p.out.totals.Balance -= before.Balance.TenThousandths
		p.out.notes.opened[before.CustomerID]--
	}
	if after.Status != customer.Closed {
		p.out.totals.Accounts++
		p.out.totals.Balance += after.Balance.TenThousandths
		p.out.notes.opened[after.CustomerID]++
	}
}
