package cards

import (
	"mintmark/internal/base/pan"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/pangen"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer/entity"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
)

// create stores a new card with its number, the order to make it and its audit entry.
func create(tx *issuing.Tx,
	customerID int, c card.Card, number pan.Number, request orders.Request,
) (card.Card, error) {
	if err := insert(tx, &c); err != nil {
		return card.Card{}, err
	}
	return complete(tx, customerID, c, number, request)
}

// insert stores a new card, which has one order, and sets its ID.
func insert(tx *issuing.Tx, c *card.Card) error {
	c.Orders = 1
	return tx.Cards().Put(c)
}

// complete stores the rest of an inserted card: its number, the order to make it and its audit
// entry.
func complete(tx *issuing.Tx,
	customerID int, c card.Card, number pan.Number, request orders.Request,
) (card.Card, error) {
	request.Kind = order.Make
	if err := entity.EnsureBankKey(tx, tx.Service.Vault, request.Key); err != nil {
		return card.Card{}, err
	}
	sealed, err := tx.Service.Vault.SealNumber(request.Key, number, c.ID)
	if err != nil {
		return card.Card{}, err
	}
	digest, err := keys.Digest(tx, number)
	if err != nil {
		return card.Card{}, err
	}
	err = tx.CardNumbers().Put(store.SealedNumber{
		CardID: c.ID, BinID: c.BinID, LastFour: number.LastFour(), Digest: digest, Sealed: sealed,
	})
	if err != nil {
		return card.Card{}, err
	}
	if err := orders.Put(tx, c, []orders.Request{request}); err != nil {
		return card.Card{}, err
	}
	entry := issuing.NewCardEntry(c.ID, customerID, issuing.OutcomeCreated)
	_, entry.After = audit.Diff(card.Card{}, c)
	if err := tx.EncryptPeople(c.ID, &entry); err != nil {
		return card.Card{}, err
	}
	return c, tx.PutEntry(entry)
}

// pickPAN chooses a number that no card has had. An optimistic attempt does not look it up: the
// unique index of the store rejects a duplicate.
func pickPAN(tx *issuing.Tx, bin program.Bin) (pan.Number, error) {
	if tx.Optimistic {
		return pangen.Pick(tx.Service.Random, bin, tx.Service.Ending)
	}
	return pangen.PickUnused(tx.CardNumbers(),
		func(n pan.Number) (digests.Number, error) { return keys.Digest(tx, n) },
		tx.Service.Random, bin, tx.Service.Ending)
}

// acceptOrder returns a card as the response shows it: the processor of a sandbox accepts every
// order immediately.
func acceptOrder(s *issuing.Service, c card.Card) card.Card {
	if s.Mode == card.Sandbox {
		c, _ = c.TakeOrder(c.Modified)
	}
	return c
}
