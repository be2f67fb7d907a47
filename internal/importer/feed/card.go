package feed

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// ImportCards imports the cards of a file with their existing numbers; it works like Run. The card
// processor already knows these cards, so it gets no order.
func ImportCards(
	ctx context.Context, kept importer.Store, file *importer.Rows, vault entity.Vault, o Options,
) (*Report, error) {
	return runFile(ctx, kept, file, vault, o)
}

// Begin admits a file that a second operator has approved: when the same file is sent again, it is
// applied from its second line. Accept names the destructive changes that were approved with it.
func Begin(tx store.Tx, of Head, digest string, accept []string) error {
	state, err := stateOf(tx, of)
	if err != nil || state.Running == of.Sequence && state.Digest == digest {
		return err
	}
	if of.Sequence != state.Sequence+1 ||
		state.Running != 0 && !slices.Contains(accept, FileReplaced) {
		return &SequenceError{Head: of, Expected: state.Sequence + 1, Text: fmt.Sprintf(
			"The sequence %d of %s is expected, or it is applied in part.", state.Sequence+1,
			of.Source)}
	}
	state.Running, state.Digest, state.Line, state.Changed = of.Sequence, digest, 1, tx.Now()
	return tx.Feeds().Put(state)
}

// numbers holds what a card number is validated, digested and encrypted with, as the current
// transaction sees it.
type numbers struct {
	state digests.State
	key   int // encrypts new numbers
	bins  []program.Bin
}

// findNumbers reads the BINs and keys for card numbers, and then the numbers of the given rows.
func (p *pass) findNumbers(rows []row) error {
	if p.vault == nil {
		return nil
	}
	of, err := p.r.Programs().FindIssuing(p.head.ProgramID)
	if err != nil {
		return err
	}
	p.numbers.bins = of.Bins
	p.numbers.state, err = p.r.CardNumbers().FindDigestState()
	if err == nil && p.tx != nil {
		p.numbers.key, err = entity.SealingKey(p.tx, p.vault, p.head.ProgramID)
	}
	if err != nil {
		return err
	}
	return p.findTaken(rows)
}

// findTaken reads the card numbers of rows and, during a check, which of their unique values stored
// cards already have.
func (p *pass) findTaken(rows []row) error {
	var names []store.UniqueValues
	for _, at := range rows {
		of := at.card
		of.number, of.bin = p.numberOf(of)
		if of.number != (pan.Number{}) {
			var err error
			if of.digest, err = entity.Digest(p.vault, p.numbers.state, of.number); err != nil {
				return err
			}
		}
		names = append(names, store.UniqueValues{
			CardID: of.CardID, ProgramID: p.head.ProgramID, CreatorID: of.CustomerID, Tag: of.Tag,
			NickName: of.NickName, PAN: of.digest,
		})
	}
	if p.known == nil {
		return nil
	}
	taken, err := p.r.Issuance().FindTaken(names)
	for i := range taken {
		rows[i].card.taken = taken[i]
	}
	return err
}

// takeCard checks a card row against the store and puts the card.
func (p *pass) takeCard(at row) error {
	of, noted := at.card, p.problems.Noted
	c := of.cardIn(p.head.ProgramID)
	c.BinID, c.Vendor = of.bin.ID, of.VendorTypeCode
	p.addWrong(at, of.wrong)
	p.addNewProblems(at, problem.Check(of))
	p.addNewProblems(at, rulesOf(c, p.r.Now()))
	p.addPeople(at, c)
	p.addSlots(at, &c)
	if of.number == (pan.Number{}) || of.bin.ID == 0 {
		return nil
	}
	if p.known != nil {
		p.addRepeated(at, c)
		p.addTaken(at)
	}
	if p.problems.Noted > noted {
		return nil
	}
	return p.settle(p.change(at, fmt.Sprintf("line %d", at.line), true), func() error {
		err := entity.PutCard(p.tx, p.vault, p.numbers.key, &c, of.number, of.digest)
		if err != nil {
			return err
		}
		return p.auditCard(c)
	})
}

// addNewProblems records problems of members that have none yet.
func (p *pass) addNewProblems(at row, problems problem.List) {
	p.addWrong(at, withoutKnown(problems, at.card.wrong))
}

// addWrong records problems and masks card numbers in them: a text may repeat a value, and any
// member may contain a card number.
func (p *pass) addWrong(at row, problems problem.List) {
	for _, wrong := range problems {
		p.problems.Add(at.line, pan.Mask(wrong.Path), "%s", pan.Mask(wrong.Text))
	}
}

// rulesOf returns the problems of a card. A card id or BIN that the row leaves out is assigned
// later, so a placeholder passes here.
func rulesOf(c card.Card, now time.Time) problem.List {
	if c.ID == 0 {
		c.ID = 1
	}
	if c.BinID == 0 {
		c.BinID = 1
	}
	return append(c.Validate(), c.CheckPast(now)...)
}

// numberOf parses the card number of a row and finds the BIN of the program that owns it. It adds
// problems to those of the row; they never repeat the number.
func (p *pass) numberOf(of *cardRow) (pan.Number, program.Bin) {
	var wrong problem.List
	number, err := pan.Parse(of.Number)
	bin := program.Bin{}
	switch {
	case of.Number == "":
		wrong.Add("number", "a value is required")
	case err != nil:
		wrong.Add("number", "%s", err.Error())
	default:
		at := slices.IndexFunc(p.numbers.bins, func(b program.Bin) bool {
			return b.Owns(number) && (of.BinID == 0 || of.BinID == b.ID)
		})
		if at >= 0 {
			bin = p.numbers.bins[at]
			break
		}
		wrong.Add("number", "lies in no range of a BIN of the program")
		if of.BinID != 0 {
			wrong[0].Text = fmt.Sprintf("does not lie in the range of BIN %d of the program", of.BinID)
		}
	}
	if bin.ID != 0 && bin.Vendor != of.VendorTypeCode {
		wrong.Add("vendorTypeCode", "must be %s, the vendor of BIN %d", bin.Vendor, bin.ID)
	}
	of.wrong = append(of.wrong, withoutKnown(wrong, of.wrong)...)
	return number, bin
}

// addPeople records a creator or holder that the program does not have, or who was erased.
func (p *pass) addPeople(at row, c card.Card) {
	for name, id := range map[string]int{
		"customerId": c.CustomerID, "cardHolderCustomerId": c.HolderID,
	} {
		if id < 1 || name == "cardHolderCustomerId" && id == c.CustomerID {
			continue
		}
		switch of := p.customers[id]; {
		case of.ProgramID != p.head.ProgramID:
			p.problems.Add(at.line, name, "there is no customer %d", id)
		case of.IsErased():
			p.problems.Add(at.line, name, "customer %d was erased", id)
		}
	}
}

// addSlots sorts the accounts into the slots of their categories and records their problems.
func (p *pass) addSlots(at row, c *card.Card) {
	ids := at.card.accountIDs()
	problems := problem.Check(card.AccountIDs(ids))
	for i := range problems {
		problems[i].Path = "accounts" + problems[i].Path[len("accountIds"):]
	}
	p.addNewProblems(at, problems)
	type slot struct {
		category customer.AccountType
		priority int
	}
	taken := make(map[slot]bool)
	for i, id := range ids {
		path := fmt.Sprintf("accounts[%d]", i)
		of, priority := p.accounts[id], at.card.Accounts[i].Priority
		switch {
		case of.ProgramID != p.head.ProgramID:
			p.problems.Add(at.line, path, "there is no account %d", id)
			continue
		case of.Type == customer.Checking:
			c.Slots.Checking = append(c.Slots.Checking, id)
		case of.Type == customer.Savings:
			c.Slots.Savings = append(c.Slots.Savings, id)
		default:
			p.problems.Add(at.line, path, "account %d is neither Checking nor Savings", id)
			continue
		}
		if i == 0 {
			c.PrimaryCategory = of.Type
		}
		access := p.access[entity.Pair{CustomerID: c.CustomerID, AccountID: id}].Type
		switch {
		case taken[slot{of.Type, priority}]:
			p.problems.Add(at.line, path, "has the priority %d, as another %s account", priority,
				of.Type)
		case len(c.Slots.Of(of.Type)) > card.MaxSlots:
			p.problems.Add(at.line, path, "a card draws on at most %d accounts of a category",
				card.MaxSlots)
		case access == "" || access == customer.NoAccess:
			p.problems.Add(at.line, path, "customer %d has no access to account %d", c.CustomerID, id)
		}
		taken[slot{of.Type, priority}] = true
	}
}

// mark is the digest of a number or name that must be unique among cards.
type mark [16]byte

func markOf(name, text string) mark {
	sum := sha256.Sum256([]byte(name + "\x00" + text))
	return mark(sum[:])
}

// addRepeated records values that an earlier row already has: a card number, a card id, a tag, or a
// nickname of the same customer.
func (p *pass) addRepeated(at row, c card.Card) {
	marks := map[string]mark{"number": markOf("number", string(at.card.digest.First))}
	if c.ID != 0 {
		marks["cardId"] = markOf("cardId", strconv.Itoa(c.ID))
	}
	if c.Tag != "" {
		marks["tag"] = markOf("tag", c.Tag)
	}
	if c.NickName != "" {
		marks["nickName"] = markOf("nickName",
			strconv.Itoa(c.CustomerID)+" "+card.NickKey(c.NickName))
	}
	for path, of := range marks {
		if p.first(at, path, p.known.cards[of], p.out.notes.cards[of]) {
			p.out.notes.cards[of] = int32(at.line)
		}
	}
}

// addTaken records values that a stored card already has.
func (p *pass) addTaken(at row) {
	taken := at.card.taken
	for path, ok := range map[string]bool{
		"number": taken.PAN, "cardId": taken.ProgramID != 0, "tag": taken.Tag,
		"nickName": taken.NickName,
	} {
		if ok {
			p.problems.Add(at.line, path, "is that of a card that is stored")
		}
	}
}

// auditCard stores the audit entry of a card: its state without the names.
func (p *pass) auditCard(c card.Card) error {
	c.Name, c.NickName = card.Name{}, ""
	_, after := audit.Diff(card.Card{ID: c.ID}, c)
	return p.tx.Audit().Put(audit.Entry{
		At: p.tx.Now(), Actor: p.options.Actor, Act: importAct, ProgramID: p.head.ProgramID,
		Subject: audit.Of(audit.Card, c.ID), Outcome: "created", After: after,
	})
}
