package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
)

// support are the roles for customers, accounts and cards.
var support = operator.Roles{operator.Support}

func (f *Face) cardRoutes() []*Op {
	return []*Op{
		list(Op{
			Path: "cards", Summary: "List cards, those made last first", Roles: support,
			Filters: []Field{
				{Name: "programId", Help: "cards of a program"},
				{Name: "customerId", Help: "cards that a customer has created or holds"},
				{Name: "status", Help: "cards with a status, such as Verified"},
				{Name: "lock", Help: "UNL, CST or SYS, or a type with a reason, such as SYS/ADM"},
				{Name: "tag", Help: "the card with a tag"},
				{Name: "lastFour", Help: "cards with these last four digits"},
				{Name: "q", Help: "a part of the card's identifier, tag, nickname, name or last four digits; " +
					"a whole card number is refused"},
			},
		}, f.listCards),
		searchCards(f),
		get(Op{Path: "cards/{id}", Summary: "Read a card", Roles: support}, f.readCard),
		list(Op{
			Path: "cards/{id}/history", Summary: "List what has happened to a card, newest first",
			Roles: support,
		}, f.listHistory),
		act(Op{
			Path: "cards/{id}/lock", Summary: "Lock a card", Roles: support, Reason: true,
		}, f.lockCard),
		fourEyes(act(Op{
			Path: "cards/{id}/unlock", Summary: "Clear the lock of a card", Roles: support,
			Reason: true,
		}, f.unlockCard)),
		act(Op{
			Path: "cards/{id}/reissue", Summary: "Make a card anew or replace it; answers with " +
				"the card to be used from now on", Roles: support, Reason: true,
		}, f.reissueCard),
		act(Op{
			Path: "cards/{id}/archive", Summary: "Put a card away for good", Roles: support,
			Reason: true,
		}, f.archiveCard),
	}
}

func searchCards(f *Face) *Op {
	return act(Op{
		Path: "cards/search", Summary: "Find a card by its whole number", Roles: support,
		Reads: true, NotAuditor: true,
	}, f.searchCards)
}

func (f *Face) listCards(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Card, string, error) {
	filter := cards.CardFilter{
		Status: c.query.Get("status"), Lock: c.query.Get("lock"), Tag: c.query.Get("tag"),
		LastFour: c.query.Get("lastFour"), Text: c.query.Get("q"),
	}
	var err error
	filter.ProgramID, err = c.queryNumber("programId")
	if err != nil {
		return nil, "", err
	}
	filter.CustomerID, err = c.queryNumber("customerId")
	if err != nil {
		return nil, "", err
	}
	found, last, err := f.acts.Cards.ListCards(ctx, c.who, filter, page)
	return forms(found, showSummary), last, err
}

func (f *Face) searchCards(
	ctx context.Context, c *call, asked wire.CardSearch,
) (wire.List[wire.Card], error) {
	found, err := f.acts.Cards.FindCardsByNumber(ctx, c.who, asked.Number)
	return wire.List[wire.Card]{Items: forms(found, showSummary)}, err
}

func (f *Face) readCard(ctx context.Context, c *call) (wire.CardDetail, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.CardDetail{}, err
	}
	sheet, err := f.acts.Cards.ReadCard(ctx, c.who, id)
	return showSheet(sheet), err
}

func (f *Face) listHistory(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Entry, string, error) {
	id, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	found, last, err := f.acts.Cards.ListHistory(ctx, c.who, id, page)
	return forms(found, entryOf), last, err
}

func (f *Face) lockCard(
	ctx context.Context, c *call, asked wire.LockCard,
) (wire.CardDetail, error) {
	return actOnCard(c, func(id int) (cards.CardSheet, error) {
		return f.acts.Cards.LockCard(ctx, c.who, id, c.revision, asked.LockReasonTypeCode)
	})
}

func (f *Face) unlockCard(
	ctx context.Context, c *call, _ wire.PlainAct,
) (wire.CardDetail, error) {
	return actOnCard(c, func(id int) (cards.CardSheet, error) {
		return f.acts.Cards.UnlockCard(ctx, c.who, id, c.revision)
	})
}

func (f *Face) reissueCard(
	ctx context.Context, c *call, asked wire.ReissueCard,
) (wire.CardDetail, error) {
	return actOnCard(c, func(id int) (cards.CardSheet, error) {
		return f.acts.Cards.ReissueCard(ctx, c.who, id, c.revision, asked.ReissueReasonTypeCode)
	})
}

func (f *Face) archiveCard(
	ctx context.Context, c *call, _ wire.PlainAct,
) (wire.CardDetail, error) {
	return actOnCard(c, func(id int) (cards.CardSheet, error) {
		return f.acts.Cards.ArchiveCard(ctx, c.who, id, c.revision)
	})
}

// actOnCard performs an act on the card of the path.
func actOnCard(
	c *call, do func(id int) (cards.CardSheet, error),
) (wire.CardDetail, error) {
	id, err := c.number("id")
	if err != nil {
		return wire.CardDetail{}, err
	}
	sheet, err := do(id)
	if err != nil {
		return wire.CardDetail{}, err
	}
	return showSheet(sheet), nil
}
