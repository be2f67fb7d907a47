package load

import (
	"errors"
	"fmt"
	"slices"

	"mintmark/internal/card"
	"mintmark/internal/customer"
	"mintmark/internal/number"
	"mintmark/internal/program"
	"mintmark/internal/store"
)

// putCard keeps a card and its number, unless the card is kept already.
func (w *writer) putCard(at located[cardEntry], p *program.Program) error {
	_, err := w.tx.FindCard(p.ID, at.entry.CardID)
	if !errors.Is(err, store.ErrNotFound) {
		return err // nil for a card that is kept: it stays as it is
	}
	before := len(w.problems.List)
	err = w.checkPeople(at)
	if err != nil {
		return err
	}
	slots, primary, err := w.slots(at)
	if err != nil {
		return err
	}
	bin, known := findBin(p, at.entry.BinID)
	if !known {
		w.dangles(at.path+".binId", "bin", at.entry.BinID)
	}
	if len(w.problems.List) > before {
		return nil
	}

	drawn, err := number.Draw(w.tx, w.vault.DigestNumber, w.random, bin, w.ending)
	if err != nil {
		return err
	}
	c := at.entry.card(p, bin)
	c.Slots, c.PrimaryCategory, c.LastFour = slots, primary, drawn.LastFour()
	err = w.tx.PutCard(&c)
	if err != nil {
		return err
	}
	sealed, err := w.vault.SealNumber(drawn, c.ID)
	if err != nil {
		return err
	}
	return w.tx.PutNumber(store.Number{
		CardID: c.ID, BinID: bin.ID, Digest: w.vault.DigestNumber(drawn), Sealed: sealed,
		LastFour: c.LastFour,
	})
}

// checkPeople notes a creator or a holder that does not exist.
func (w *writer) checkPeople(at located[cardEntry]) error {
	e := at.entry
	known, err := w.customer(at.path+".customerId", e.ProgramID, e.CustomerID)
	if err != nil || !known || e.HolderID == e.CustomerID {
		return err
	}
	_, err = w.customer(at.path+".cardHolderCustomerId", e.ProgramID, e.HolderID)
	return err
}

// slots sorts the accounts of a card into the slots of their categories. The category of the
// first is the primary one.
func (w *writer) slots(at located[cardEntry]) (card.Slots, card.Category, error) {
	var slots card.Slots
	var primary card.Category
	for i, accountID := range at.entry.AccountIDs {
		path := fmt.Sprintf("%s.accountIds[%d]", at.path, i)
		account, err := w.tx.FindAccount(at.entry.ProgramID, accountID)
		known, err := w.found(path, "account", accountID, err)
		if err != nil {
			return card.Slots{}, "", err
		}
		if !known {
			continue
		}
		if primary == "" {
			primary = account.Type
		}
		switch account.Type {
		case customer.Checking:
			slots.Checking = append(slots.Checking, accountID)
		case customer.Savings:
			slots.Savings = append(slots.Savings, accountID)
		default:
			w.problems.add(path, "account %d is neither Checking nor Savings", accountID)
		}
		if len(slots.Of(account.Type)) > card.MaxSlots {
			w.problems.add(path, "a card draws on at most %d accounts of a category",
				card.MaxSlots)
		}
	}
	return slots, primary, nil
}

func findBin(p *program.Program, binID int) (program.Bin, bool) {
	i := slices.IndexFunc(p.Bins, func(b program.Bin) bool { return b.ID == binID })
	if i < 0 {
		return program.Bin{}, false
	}
	return p.Bins[i], true
}

// card returns the card without its number and its slots.
func (e *cardEntry) card(p *program.Program, bin program.Bin) card.Card {
	// A card expires by the calendar of its program.
	c := card.Initiate(card.Order{
		ProgramID: e.ProgramID, CustomerID: e.CustomerID, HolderID: e.HolderID,
		Type: e.TypeCode, Vendor: bin.Vendor, BinID: bin.ID, ValidMonths: bin.ValidMonths,
		Tag: e.Tag, NickName: e.NickName, Qualifier: e.QualifierCode,
		Name: card.NewName(e.FirstName, e.MiddleName, e.LastName),
	}, e.CreatedDate.In(p.Location()))
	c.ID, c.Status, c.DigitalOnly = e.CardID, card.Status(e.Status), e.IsDigitalOnly
	c.Lock = card.Lock{
		Type: card.LockType(e.LockTypeCode), Reason: card.Reason(e.LockReasonTypeCode),
	}
	c.Created, c.Requested = utc(e.CreatedDate), utc(e.RequestedDate)
	c.Verified, c.Reissued = utc(e.VerifiedDate), utc(e.ReissuedDate)
	c.Denied, c.Expired = utc(e.DeniedDate), utc(e.ExpiredDate)
	c.Archived = utc(e.ArchivedDate)
	c.Modified = c.Created
	for _, date := range e.dates() {
		if date.at.After(c.Modified) {
			c.Modified = utc(date.at)
		}
	}
	return c
}
