package load

import (
	"fmt"
	"strconv"
	"strings"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/pangen"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// boundCard is a decoded card entry, with those of its unique values that stored cards already
// have.
type boundCard struct {
	cardEntry
	fine  bool // its members could be decoded
	taken store.Conflicts
}

// findCards decodes card entries, and reads which of their unique values are taken, and those
// customers, accounts and access that they refer to and the file lacks.
func (p *pass) findCards(items []item) error {
	var people, accountIDs []int
	var names []store.UniqueValues
	bound := make([]boundCard, len(items))
	for i, at := range items {
		e := &bound[i]
		e.cardEntry, e.fine = patch(p, at, cardEntry{}, true)
		e.fill(p.r.Now())
		people = append(people, e.CustomerID, e.HolderID)
		accountIDs = append(accountIDs, e.AccountIDs...)
		names = append(names, store.UniqueValues{
			CardID: e.CardID, ProgramID: e.ProgramID, CreatorID: e.CustomerID,
			Tag: e.Tag, NickName: e.NickName,
		})
	}
	taken, err := p.r.Issuance().FindTaken(names)
	if err != nil {
		return err
	}
	p.cards = make(map[int]boundCard)
	for i, at := range items {
		bound[i].taken = taken[i]
		p.cards[at.index] = bound[i]
	}
	if err := p.readAccess(people); err != nil {
		return err
	}
	if err := p.findOwners(people); err != nil {
		return err
	}
	return p.findOtherAccounts(accountIDs)
}

// takeCard stores a card and its number. A stored card stays unchanged: it has been in use since.
func (p *pass) takeCard(at item) error {
	of := p.cards[at.index]
	e, fine := of.cardEntry, of.fine
	p.onceNamed(at, e)
	c := e.card()
	list := problem.Check(c)
	if fine {
		list = c.Validate()
	}
	fine = p.problems.addAll(at, list) && fine
	fine = p.problems.addAll(at, problem.Check(card.AccountIDs(e.AccountIDs))) && fine
	in, known := p.inProgram(at, e.ProgramID)
	if !known || e.CardID == 0 {
		return nil
	}
	name := label{subject{"cards", strconv.Itoa(e.CardID)}, 0}
	if of.taken.ProgramID == e.ProgramID {
		p.out.unchanged(name)
		return nil
	}
	noted := p.problems.Noted
	p.notTaken(at, of)
	creator := p.hasCustomer(at, "customerId", in.ID, e.CustomerID)
	if e.HolderID != e.CustomerID {
		p.hasCustomer(at, "cardHolderCustomerId", in.ID, e.HolderID)
	}
	slots, primary := p.slots(at, e, creator)
	bin, hasBin := p.known.bins[e.BinID]
	if !hasBin || bin.ProgramID != in.ID {
		p.reportDangling(at, "binId", "bin", e.BinID)
	}
	if !fine || p.problems.Noted > noted {
		return nil
	}
	return settle(p, name, cardEntry{}, e, nil, func(tx store.Tx) error {
		c = c.IssuedUnder(bin.Vendor, bin.ValidMonths, in.Location())
		c.Slots, c.PrimaryCategory = slots, primary
		return p.putCard(tx, c, bin)
	})
}

// notTaken records the card id, tag and nickname that a stored card already has.
func (p *pass) notTaken(at item, e boundCard) {
	if e.taken.ProgramID != 0 {
		p.reportOtherOwner(at, "cardId", "card", e.CardID, "program", e.taken.ProgramID)
	}
	if e.taken.Tag {
		p.problems.add(at, "tag", "is that of a card that is stored")
	}
	if e.taken.NickName && !card.Status(e.Status).FreesNickname() {
		p.problems.add(at, "nickName", "is that of another card of customer %d", e.CustomerID)
	}
}

// putCard draws a card number and stores it with the card.
func (p *pass) putCard(tx store.Tx, c card.Card, bin program.Bin) error {
	state, err := tx.CardNumbers().FindDigestState()
	if err != nil {
		return err
	}
	digest := func(n pan.Number) (digests.Number, error) {
		return entity.Digest(p.options.Vault, state, n)
	}
	drawn, err := pangen.PickUnused(tx.CardNumbers(), digest, p.options.Random, bin,
		p.options.Ending)
	if err != nil {
		return err
	}
	digested, err := digest(drawn)
	if err != nil {
		return err
	}
	key, err := entity.SealingKey(tx, p.options.Vault, c.ProgramID)
	if err != nil {
		return err
	}
	return entity.PutCard(tx, p.options.Vault, key, &c, drawn, digested)
}

// slots sorts the accounts of a card into the slots of their categories. The category of the first
// account is the primary one. A creator that exists needs access to each account.
func (p *pass) slots(at item, e cardEntry, creator bool) (card.Slots, card.Category) {
	var slots card.Slots
	var primary card.Category
	for i, accountID := range e.AccountIDs {
		path := fmt.Sprintf("accountIds[%d]", i)
		kind, known := p.accountType(at, path, e.ProgramID, accountID)
		if !known {
			continue
		}
		if primary == "" {
			primary = kind
		}
		switch kind {
		case customer.Checking:
			slots.Checking = append(slots.Checking, accountID)
		case customer.Savings:
			slots.Savings = append(slots.Savings, accountID)
		default:
			p.problems.add(at, path, "account %d is neither Checking nor Savings", accountID)
			continue
		}
		if len(slots.Of(kind)) > card.MaxSlots {
			p.problems.add(at, path, "a card draws on at most %d accounts of a category",
				card.MaxSlots)
		}
		if creator && p.accessOf(e.CustomerID, accountID) == customer.NoAccess {
			p.problems.add(at, path, "customer %d has no access to account %d", e.CustomerID,
				accountID)
		}
	}
	return slots, primary
}

// accessOf returns the access of a customer to an account after the load.
func (p *pass) accessOf(customerID, accountID int) customer.AccountAccess {
	of := entity.Pair{CustomerID: customerID, AccountID: accountID}
	if listed, ok := p.known.access[of]; ok {
		return listed.kind
	}
	if stored, ok := p.access[of]; ok {
		return stored.Type
	}
	return customer.NoAccess
}

// named is a name that is unique within a program or a customer.
type named struct {
	ownerID int
	name    string
}

// onceNamed records values that an earlier entry already has: a tag is unique in its program, a
// nickname among those cards of the creator that may still be used.
func (p *pass) onceNamed(at item, e cardEntry) {
	p.once(at, "cardId", e.CardID)
	if e.Tag != "" {
		p.once(at, "tag", named{e.ProgramID, e.Tag})
	}
	if e.NickName != "" && !card.Status(e.Status).FreesNickname() {
		p.once(at, "nickName", named{e.CustomerID, strings.ToLower(e.NickName)})
	}
}
