package cached

import (
	"errors"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// The parts of the contract that use the cache. Each write evicts what it changes before it runs.

type cards struct {
	store.Cards
	*tx
}

func (c *cards) FindView(
	programID, customerID int, of store.CardKey,
) (store.CardView, error) {
	if !c.usable() {
		return c.Cards.FindView(programID, customerID, of)
	}
	known, there := c.store.memory.findView(programID, customerID, of)
	c.store.memory.count(there)
	if there {
		return known, nil
	}
	begun := c.store.memory.begin()
	view, err := c.Cards.FindView(programID, customerID, of)
	if err == nil {
		view.Version = c.store.memory.putView(begun, view)
	}
	return view, err
}

func (c *cards) ListByCustomer(
	programID, customerID, maxRows int,
) (store.CustomerCards, error) {
	if !c.usable() {
		return c.Cards.ListByCustomer(programID, customerID, maxRows)
	}
	known, there := c.store.memory.findList(programID, customerID, maxRows)
	c.store.memory.count(there)
	if there {
		return known, nil
	}
	begun := c.store.memory.begin()
	list, err := c.Cards.ListByCustomer(programID, customerID, maxRows)
	if err == nil {
		c.store.memory.putList(begun, list)
	}
	return list, err
}

func (c *cards) Put(new *card.Card) error {
	c.wrote.evict(listOf(new.CustomerID), listOf(new.HolderID))
	err := c.Cards.Put(new)
	// Later Updates of the commit group see the card before it is committed. What they read of it
	// must not be cached.
	c.wrote.evict(cardOf(new.ID))
	return err
}

func (c *cards) Change(before card.Card, after *card.Card) error {
	c.wrote.evictCard(before, *after)
	err := c.Cards.Change(before, after)
	if errors.Is(err, store.ErrLostUpdate) {
		// With one writer no update can be lost to another: the cache was wrong, or the caller did
		// not read the card in this transaction. The next attempt reads from the database.
		c.store.memory.clear()
	}
	if err == nil {
		c.wrote.noteCard(*after)
	}
	return err
}

type issuance struct {
	store.Issuance
	*tx
}

// FindView takes the program from memory and reads the rest from the database. If the program is
// still cached after that, it has not changed, so both parts are from one snapshot.
func (i issuance) FindView(of store.IssuanceQuery) (store.IssuanceView, error) {
	if of.ProgramKnown || !i.usable() {
		return i.Issuance.FindView(of)
	}
	if known := i.store.memory.findProgram(of.ProgramID); known != nil {
		rest := of
		rest.ProgramKnown = true
		view, err := i.Issuance.FindView(rest)
		if err != nil {
			return view, err
		}
		if i.store.memory.findProgram(of.ProgramID) == known {
			view.Program = *known
			return view, nil
		}
	}
	begun := i.store.memory.begin()
	view, err := i.Issuance.FindView(of)
	if err == nil {
		i.store.memory.putProgram(begun, view.Program)
	}
	return view, err
}

type customers struct {
	store.Customers
	*tx
}

func (c customers) Put(changed customer.Customer) error {
	c.wrote.evict(customerOf(changed.ID))
	return c.Customers.Put(changed)
}

type accounts struct {
	store.Accounts
	*tx
}

func (a accounts) Put(changed customer.Account) error {
	a.wrote.evict(accountOf(changed.ID))
	return a.Accounts.Put(changed)
}

// balances change as often as cards: the eviction names a single account, so that entries with
// other accounts stay cached.
type balances struct {
	store.Balances
	*tx
}

func (b balances) Change(a authorization.Account) error {
	b.wrote.evict(accountOf(a.ID))
	return b.Balances.Change(a)
}

type banks struct {
	store.Banks
	*tx
}

// PutPciKey changes all programs of the bank.
func (b banks) PutPciKey(k program.PciKey) error {
	b.wrote.evict(allPrograms)
	return b.Banks.PutPciKey(k)
}

type bankKeys struct {
	store.BankKeys
	*tx
}

// Put may change the active key of the bank's programs.
func (b bankKeys) Put(k program.BankKey) error {
	b.wrote.evict(allPrograms)
	return b.BankKeys.Put(k)
}

type programs struct {
	store.Programs
	*tx
}

func (p programs) Put(changed program.Program) error {
	p.wrote.evict(programOf(changed.ID))
	return p.Programs.Put(changed)
}

func (p programs) PutFence(programID int, since time.Time) error {
	p.wrote.evict(programOf(programID))
	return p.Programs.PutFence(programID, since)
}

// PutBin changes the program of the BIN, and its previous program if that was another.
func (p programs) PutBin(b program.Bin) error {
	p.wrote.evict(allPrograms)
	return p.Programs.PutBin(b)
}
