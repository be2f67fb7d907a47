package feed

import (
	"maps"

	"mintmark/internal/domain/customer"
	"mintmark/internal/importer/entity"
)

// notes records what the rows of a file have put so far. A file may have millions of rows, so notes
// holds only what later rows need.
type notes struct {
	customers map[int]int32 // line of the customer's row
	accounts  map[int]notedAccount
	access    map[entity.Pair]int32
	cards     map[mark]int32
	// opened is the number of open accounts that the rows have given to a customer, minus those
	// that they have taken away.
	opened map[int]int
}

// notedAccount is an account after the rows so far, with the lines of its two kinds of row, 0 for
// none.
type notedAccount struct {
	accountLine, balanceLine int32
	customerID               int32
	ours, closed             bool
	sums                     [3]int64 // balance, available balance after holds, pending balance
	held                     int64
}

func newNotes() *notes {
	return &notes{
		customers: make(map[int]int32), accounts: make(map[int]notedAccount),
		access: make(map[entity.Pair]int32), cards: make(map[mark]int32),
		opened: make(map[int]int),
	}
}

// add adds the notes of later rows.
func (n *notes) add(later *notes) {
	maps.Copy(n.customers, later.customers)
	maps.Copy(n.accounts, later.accounts)
	maps.Copy(n.access, later.access)
	maps.Copy(n.cards, later.cards)
	for id, count := range later.opened {
		if n.opened[id] += count; n.opened[id] == 0 {
			delete(n.opened, id)
		}
	}
}

// first reports whether no earlier row has the same key, and records a problem otherwise.
func (p *pass) first(at row, path string, earlier, pending int32) bool {
	line := max(earlier, pending)
	if line == 0 || int(line) == at.line {
		return true
	}
	p.problems.Add(at.line, path, "is the same as in line %d", line)
	return false
}

// noteCustomer notes the row of a customer, and reports whether it has an id and is the first one.
func (p *pass) noteCustomer(at row, after customer.Customer) bool {
	id := at.customerID
	if p.known == nil || id == 0 {
		return id != 0
	}
	if !p.first(at, "customerId", p.known.customers[id], p.out.notes.customers[id]) {
		return false
	}
	p.out.notes.customers[id] = int32(at.line)
	return after.ID == id || at.deletes
}

// noteAccount does for an account what noteCustomer does for a customer.
func (p *pass) noteAccount(at row, merge *entity.Account) bool {
	return p.noteLine(at, merge, func(n *notedAccount) *int32 { return &n.accountLine })
}

func (p *pass) noteBalance(at row, merge *entity.Account) bool {
	return p.noteLine(at, merge, func(n *notedAccount) *int32 { return &n.balanceLine })
}

// noteLine notes an account as it is after a row, and stores the row's line in the field that where
// returns.
func (p *pass) noteLine(
	at row, merge *entity.Account, where func(*notedAccount) *int32,
) bool {
	id := at.accountID
	if p.known == nil || id == 0 {
		return id != 0
	}
	noted := p.notedAccount(id)
	line := where(&noted)
	if !p.first(at, "accountId", *line, 0) {
		return false
	}
	*line = int32(at.line)
	p.noteSums(id, noted, merge.Before.ProgramID, merge.Stored())
	return true
}

// noteSums notes an account as it would be stored. StoredProgram is the program of the stored
// account, 0 for none.
func (p *pass) noteSums(id int, noted notedAccount, storedProgram int, kept customer.Account) {
	noted.sums = [...]int64{
		kept.Balance.TenThousandths, kept.AvailableBalance.TenThousandths,
		kept.PendingBalance.TenThousandths,
	}
	noted.held = kept.Held.TenThousandths
	noted.customerID, noted.closed = int32(kept.CustomerID), kept.Status == customer.Closed
	noted.ours = kept.ProgramID == p.head.ProgramID &&
		(storedProgram == 0 || storedProgram == p.head.ProgramID)
	p.out.notes.accounts[id] = noted
}

// notedAccount returns an account as it is after the rows so far.
func (p *pass) notedAccount(id int) notedAccount {
	if noted, ok := p.out.notes.accounts[id]; ok {
		return noted
	}
	return p.known.accounts[id]
}

func (p *pass) noteAccess(at row) bool {
	of := at.pair()
	if p.known == nil || of.CustomerID == 0 || of.AccountID == 0 {
		return of.CustomerID != 0 && of.AccountID != 0
	}
	if !p.first(at, "accountId", p.known.access[of], p.out.notes.access[of]) {
		return false
	}
	p.out.notes.access[of] = int32(at.line)
	return true
}

// isPut reports whether an earlier row puts a customer.
func (p *pass) isPut(customerID int) bool {
	return p.known != nil &&
		(p.known.customers[customerID] != 0 || p.out.notes.customers[customerID] != 0)
}

// openedFor returns the number of open accounts that the rows have given to a customer.
func (p *pass) openedFor(customerID int) int {
	if p.known == nil {
		return 0
	}
	return p.known.opened[customerID] + p.out.notes.opened[customerID]
}

// overlay replaces stored accounts by their state after the earlier rows: a pass that does not
// write has to compare with that state.
func (p *pass) overlay(accountIDs []int) {
	if p.known == nil {
		return
	}
	for _, id := range accountIDs {
		noted := p.notedAccount(id)
		if noted.accountLine == 0 && noted.balanceLine == 0 || !noted.ours {
			continue
		}
		a := p.accounts[id]
		a.ID, a.ProgramID, a.CustomerID = id, p.head.ProgramID, int(noted.customerID)
		a.Balance.TenThousandths = noted.sums[0]
		a.AvailableBalance.TenThousandths = noted.sums[1]
		a.PendingBalance.TenThousandths = noted.sums[2]
		a.Held.TenThousandths = noted.held
		if noted.closed {
			a.Status = customer.Closed
		}
		p.accounts[id] = a
	}
}
