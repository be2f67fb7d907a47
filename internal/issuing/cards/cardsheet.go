package cards

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of operators' acts that read cards.
const (
	readCardAct    = "read card"
	readHistoryAct = "read card history"
	findCardAct    = "find card by number"
)

// CardSheet is a card as shown to an operator, with its lock, holds, open orders and possible acts.
type CardSheet struct {
	CardDetail
	HolderFirst, HolderLast string

	// CustomerObstacle says why every transfer is declined because of a customer, the creator
	// before the holder. It is empty if both may pay.
	CustomerObstacle string

	Locked *audit.Entry // who locked the card, when and why; nil if unknown
	Holds  []authorization.Hold
	Orders []order.Order // those that are not done, newest first
	Acts   []CardAct
}

// CardAct is an operator's act on a card, and the reason for its refusal, if it is refused now.
type CardAct struct {
	Name       string
	Refusal    *card.Refusal // nil if the act is possible
	NeedsOther bool          // another operator must confirm
}

// ordersShown is the number of a card's newest orders that are read for its sheet.
const ordersShown = 100

// ReadCard returns a card to an operator, and records the read in the audit.
func (s *Service) ReadCard(
	ctx context.Context, who issuing.Operator, cardID int,
) (CardSheet, error) {
	sheet, err := s.cardSheet(ctx, who, cardID)
	if err != nil {
		return CardSheet{}, err
	}
	return sheet, s.PutEntry(ctx, audit.Entry{
		Actor: who.Actor, Act: readCardAct, ProgramID: sheet.ProgramID,
		Outcome: issuing.OutcomeRead,
		Subject: audit.Of(audit.Card, cardID),
	})
}

// cardSheet is ReadCard without the audit entry.
func (s *Service) cardSheet(
	ctx context.Context, who issuing.Operator, cardID int,
) (CardSheet, error) {
	program, programID, err := s.programOfCard(ctx, who, cardID)
	if err != nil {
		return CardSheet{}, err
	}
	sheet, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (CardSheet, error) {
		c, err := r.Cards().Find(programID, cardID)
		if err != nil {
			return CardSheet{}, err
		}
		tx := s.NewTx(r, issuing.Caller{Actor: who.Actor, ProgramID: programID}, program)
		return newSheet(tx, c)
	})
	return sheet, err
}

// programOfCard returns the program of a card in an operator's scope.
func (s *Service) programOfCard(
	ctx context.Context, who issuing.Operator, cardID int,
) (program *issuing.Program, programID int, err error) {
	at, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (issuing.Location, error) {
		return r.Locations().Find(store.LocationOfCard, cardID)
	})
	if err == nil {
		program, err = s.ProgramInScope(ctx, who, at.ProgramID)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("card %d: %w", cardID, err)
	}
	return program, at.ProgramID, nil
}

// newSheet assembles a card as shown to an operator.
func newSheet(tx *issuing.Tx, c card.Card) (CardSheet, error) {
	detail, err := detail(tx, c, nil)
	if err != nil {
		return CardSheet{}, err
	}
	sheet := CardSheet{CardDetail: detail}
	people, err := tx.Customers().FindMany([]int{c.CustomerID, c.HolderID})
	if err != nil {
		return CardSheet{}, err
	}
	for _, id := range []int{c.HolderID, c.CustomerID} {
		if obstacle := people[id].Obstacle(); obstacle != "" {
			sheet.CustomerObstacle = fmt.Sprintf("customer %d is %s", id, obstacle)
		}
	}
	sheet.HolderFirst = people[c.HolderID].FirstName
	sheet.HolderLast = people[c.HolderID].LastName
	sheet.Holds, err = tx.Holds().List(c.ID)
	if err != nil {
		return CardSheet{}, err
	}
	sheet.Orders, err = openOrders(tx, c.ID)
	if err != nil {
		return CardSheet{}, err
	}
	if c.Lock.Type != card.Unlocked {
		sheet.Locked, err = locked(tx, c)
	}
	if err != nil {
		return CardSheet{}, err
	}
	sheet.Acts, err = actsOn(tx, c)
	return sheet, err
}

// openOrders returns the newest orders of a card, without those that are done or dropped.
func openOrders(tx *issuing.Tx, cardID int) ([]order.Order, error) {
	orders, err := tx.Orders().List(store.OrderQuery{CardID: cardID, Limit: ordersShown})
	return slices.DeleteFunc(orders, func(o order.Order) bool {
		return o.State == order.Done || !o.Dropped.IsZero()
	}), err
}

// locked returns the entry of the act that locked a card, nil if it no longer exists.
func locked(tx *issuing.Tx, c card.Card) (*audit.Entry, error) {
	e, err := tx.Audit().FindLock(c.ProgramID, c.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &e.Entry, nil
}

// actsOn returns the acts of an operator on a card, with their refusals.
func actsOn(tx *issuing.Tx, c card.Card) ([]CardAct, error) {
	program, err := tx.Programs().Find(c.ProgramID)
	if err != nil {
		return nil, err
	}
	acts := []CardAct{{Name: "lock"}, {Name: "unlock"}, {Name: "reissue"}, {Name: "archive"}}
	for i, act := range []card.Act{
		card.LockBySystem, card.UnlockBySystem, card.ReissueNewPAN, card.Archive,
	} {
		refusal := (*card.Refusal)(nil)
		if errors.As(c.CheckOperator(act, tx.Service.Mode), &refusal) {
			acts[i].Refusal = refusal
		}
		acts[i].NeedsOther = program.FourEyes && act == card.UnlockBySystem &&
			c.Lock.Type == card.System
	}
	return acts, nil
}

// ListHistory returns the audit entries about a card, newest first. The key of an entry is the
// number of its row. The read is recorded in the audit, once for all pages.
func (s *Service) ListHistory(
	ctx context.Context, who issuing.Operator, cardID int, page issuing.Page,
) (entries []issuing.AuditEntry, last string, err error) {
	below, err := page.Number()
	if err != nil {
		return nil, "", err
	}
	program, programID, err := s.programOfCard(ctx, who, cardID)
	if err != nil {
		return nil, "", err
	}
	entries, err = store.ViewOf(ctx, s.Store, func(r store.Tx) ([]issuing.AuditEntry, error) {
		rows, err := s.historyIn(r, store.TrailQuery{
			Subject: audit.Of(audit.Card, cardID), Programs: []int{programID}, Below: below,
			Limit: page.Limit + 1,
		})
		read := make([]issuing.AuditEntry, len(rows))
		for i, e := range rows {
			e.BankID = program.BankID
			read[i].LogEntry = e
		}
		return read, errors.Join(err, issuing.LabelKeys(r, read))
	})
	if err == nil && below == 0 {
		err = s.PutEntry(ctx, audit.Entry{
			Actor: who.Actor, Act: readHistoryAct, ProgramID: programID,
			Outcome: issuing.OutcomeRead,
			Subject: audit.Of(audit.Card, cardID),
		})
	}
	if err != nil {
		return nil, "", err
	}
	entries, last = issuing.CutPage(entries, page, func(e issuing.AuditEntry) int { return e.Row })
	return entries, last, nil
}

// historyIn returns entries with the sequences of those that are sealed, and decrypts their
// personal data.
func (s *Service) historyIn(r store.Tx, of store.TrailQuery) ([]store.LogEntry, error) {
	list, err := r.Trail().List(of)
	if err != nil {
		return nil, err
	}
	rows := make([]int, len(list))
	entries := make([]*audit.Entry, len(list))
	for i, e := range list {
		rows[i], entries[i] = e.Row, &list[i].Entry
	}
	sequences, err := r.Trail().ListSequences(rows)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Sequence = sequences[list[i].Row]
	}
	return list, s.OpenPeople(r, entries)
}
