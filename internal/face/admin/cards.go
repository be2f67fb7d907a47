package admin

import (
	"context"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
)

// support has the role for customers, accounts and cards.
var support = operator.Roles{operator.Support}

func (d *Desk) cards() *Resource {
	return &Resource{
		Noun: "card", Path: "cards", Item: "cards/{id}",
		ID:    Param{Name: "id", Help: "Number of the card.", Number: true},
		Help:  "Cards: find, lock, unlock, reissue, archive.",
		Nav:   Nav{"Issuing", "Cards"},
		Roles: support,
		Columns: []string{
			"id", "programId", "customerId", "holderName", "numberMasked", "status",
			"lockTypeCode", "lockReasonTypeCode", "tag",
		},
		// The others are members of the card of the callers' interface.
		Fields: []Field{
			{Name: "customerId", Label: "Creator", On: Shown},
			{Name: "cardHolderCustomerId", Label: "Holder", On: Shown},
			{Name: "holderName", Label: "Name of the holder", On: Shown},
			{Name: "numberMasked", Label: "Card number", On: Shown,
				Help: "Masked; the last four digits are shown once the card is verified."},
			{Name: "lockedDate", Label: "Locked", On: Shown},
			{Name: "shippedDate", Label: "Shipped", On: Shown},
			{Name: "modifiedDate", Label: "Last changed", On: Shown},
			{Name: "lock", Label: "Lock", On: Shown, Help: "Left out for an unlocked card."},
			{Name: "customerObstacle", Label: "Obstacle", On: Shown,
				Help: "Why every transfer is declined because of the creator or the holder, such " +
					"as: customer 2 is locked."},
			{Name: "holds", Label: "Holds", On: Shown, Help: "Amount that authorizations hold."},
			{Name: "orders", Label: "Orders", On: Shown,
				Help: "Those that wait, are sent, held or failed."},
			{Name: "acts", Label: "Acts", On: Shown, Help: "Acts that operators can perform on the card."},
		},
		List: plain(list(Op{
			Summary: "List cards, newest first",
			Example: "mintmark card list --program 1 --status Verified --limit 25",
			Filters: []Field{
				{Name: "programId", Label: "Program", Help: "cards of a program"},
				{Name: "customerId", Label: "Customer",
					Help: "cards that a customer has created or holds"},
				{Name: "status", Label: "Status", Help: "cards with a status, such as Verified"},
				{Name: "lock", Label: "Lock",
					Help: "UNL, CST or SYS, or a type with a reason, such as SYS/ADM"},
				{Name: "tag", Label: "Tag", Help: "the card with a tag"},
				{Name: "lastFour", Label: "Last four digits",
					Help: "cards with these last four digits"},
				{Name: "q", Label: "Search", Help: "a part of the card's identifier, tag, " +
					"nickname, name or last four digits; a whole card number is refused"},
			},
		}, d.findCards), d.listCards),
		CollectionActs: []*Op{
			act(Op{
				Name: "search", Summary: "Find a card by its whole number",
				Reads: true, NotAuditor: true,
				Help: "A terminal does not show what is typed. The number is never an argument: " +
					"other users of the machine see those.",
				Example: "echo 4111 1111 1111 1111 | mintmark card search",
				Fields:  []Field{{Name: "number", Label: "Card number", Required: true}},
			}, d.searchCards),
		},
		Show: get(Op{
			Summary: "Read a card", Example: "mintmark card get 5001",
			Help: "With its lock, accounts, holds, open orders and possible acts.",
		}, byID(showSheet, d.acts.Cards.ReadCard)),
		Acts: []*Op{
			list(Op{
				Name: "history", Summary: "List what has happened to a card, newest first",
				Example: "mintmark card history 5001",
			}, d.listHistory),
			act(Op{
				Name: "lock", Summary: "Lock a card", Reason: true, Risky: true, FourEyes: true,
				Example: `mintmark card lock 5001 --reason-code ADM --reason "asked by the branch"`,
				Button:  "Lock card {id} as the system",
				Fields: reasonCode("lockReasonTypeCode",
					Choice{Value: "ADM", Label: "Administrative", Help: "Until a question is " +
						"resolved"},
					Choice{Value: "PIN", Label: "PIN tries exceeded",
						Help: "The processor counted too many wrong PINs"},
					suspected, lost, stolen),
			}, d.lockCard),
			act(Op{
				Name: "unlock", Summary: "Clear the lock of a card", Reason: true, FourEyes: true,
				Example: `mintmark card unlock 5001 --reason "the holder has called back"`,
				Button:  "Clear the lock of card {id}",
			}, atRevision[wire.PlainAct](showSheet, d.acts.Cards.UnlockCard)),
			act(Op{
				Name: "reissue", Summary: "Reissue or replace a card; answers with the card " +
					"to use from now on", Reason: true, Risky: true,
				Example: `mintmark card reissue 5001 --reason-code LST --reason "lost in the post"`,
				Button:  "Reissue card {id}",
				Fields: reasonCode("reissueReasonTypeCode",
					Choice{Value: "DMG", Label: "Damaged", Help: "The same number on new plastic"},
					lost, stolen, suspected),
			}, d.reissueCard),
			act(Op{
				Name: "archive", Summary: "Archive a card permanently", Reason: true, Risky: true,
				Many: true, Effect: "The card is archived permanently.",
				Effects: "The cards are archived permanently.",
				Example: `mintmark card archive 5005 --reason "made by mistake"`,
				Button:  "Archive card {id} for good",
			}, atRevision[wire.PlainAct](showSheet, d.acts.Cards.ArchiveCard)),
		},
	}
}

// The reasons that end a card.
var (
	suspected = Choice{Value: "FRD", Label: "Suspected fraud",
		Help: "Another person may know the card number", Irreversible: true}
	lost   = Choice{Value: "LST", Label: "Lost", Help: "The holder cannot find it", Irreversible: true}
	stolen = Choice{Value: "STL", Label: "Stolen", Help: "Taken from the holder", Irreversible: true}
)

// reasonCode returns the field for a reason code.
func reasonCode(member string, codes ...Choice) []Field {
	return []Field{{
		Name: member, Flag: "reason-code", Label: "Why?", Choices: codes, Required: true,
	}}
}

// listCards answers with a page of findCards, and records the read in the audit.
func (d *Desk) listCards(ctx context.Context, c *call) (wire.List[wire.Card], error) {
	answer, err := reader[wire.Card](d.findCards).list(ctx, c)
	if err != nil {
		return answer, err
	}
	return answer, d.noteShown(ctx, c, "list cards", nil, answer.Items)
}

func (d *Desk) findCards(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Card, string, error) {
	return convertAll(showSummary)(d.acts.Cards.ListCards(ctx, c.who, cards.CardFilter{
		ProgramID: c.number("programId"), CustomerID: c.number("customerId"),
		Status: c.query.Get("status"), Lock: c.query.Get("lock"), Tag: c.query.Get("tag"),
		LastFour: c.query.Get("lastFour"), Text: c.query.Get("q"),
	}, page))
}

func (d *Desk) searchCards(
	ctx context.Context, c *call, cardSearch wire.CardSearch,
) (wire.List[wire.Card], error) {
	summaries, err := d.acts.Cards.FindCardsByNumber(ctx, c.who, cardSearch.Number)
	return wire.List[wire.Card]{Items: forms(summaries, showSummary)}, err
}

func (d *Desk) listHistory(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Entry, string, error) {
	return convertAll(entryOf)(d.acts.Cards.ListHistory(ctx, c.who, c.id("id"), page))
}

func (d *Desk) lockCard(ctx context.Context, c *call, l wire.LockCard) (wire.CardDetail, error) {
	return convert(showSheet)(
		d.acts.Cards.LockCard(ctx, c.who, c.id("id"), c.revision, l.LockReasonTypeCode))
}

func (d *Desk) reissueCard(
	ctx context.Context, c *call, r wire.ReissueCard,
) (wire.CardDetail, error) {
	return convert(showSheet)(
		d.acts.Cards.ReissueCard(ctx, c.who, c.id("id"), c.revision, r.ReissueReasonTypeCode))
}
