package issuing

import (
	"mintmark/internal/base/pan"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/pangen"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// create stores a new card with its number, the order to make it and its audit entry.
func (tx *Tx) create(
	customerID int, c card.Card, number pan.Number, made orderRequest,
) (card.Card, error) {
	made.kind, c.Orders = order.Make, 1
	if err := tx.Cards().Put(&c); err != nil {
		return card.Card{}, err
	}
	if err := tx.service.giveBankKey(tx, made.key); err != nil {
		return card.Card{}, err
	}
	sealed, err := tx.service.vault.SealNumber(made.key, number, c.ID)
	if err != nil {
		return card.Card{}, err
	}
	digest, err := tx.digest(number)
	if err != nil {
		return card.Card{}, err
	}
	err = tx.PANs().Put(store.SealedPAN{
		CardID: c.ID, BinID: c.BinID, LastFour: number.LastFour(), Digest: digest, Sealed: sealed,
	})
	if err != nil {
		return card.Card{}, err
	}
	if err := tx.order(c, []orderRequest{made}); err != nil {
		return card.Card{}, err
	}
	entry := about(c.ID, customerID, created)
	_, entry.After = audit.Diff(card.Card{}, c)
	if err := tx.sealPeople(c.ID, &entry); err != nil {
		return card.Card{}, err
	}
	return c, tx.audit(entry)
}

// pickPAN chooses the number of a new card, which no card has had. Only the store knows on an
// optimistic try whether that is so.
func (tx *Tx) pickPAN(bin program.Bin) (pan.Number, error) {
	if tx.firstTry {
		return pangen.Pick(tx.service.Random, bin, tx.service.Ending)
	}
	return pangen.PickUnused(tx.PANs(),
		func(n pan.Number) (digests.Number, error) { return tx.digest(n) },
		tx.service.Random, bin, tx.service.Ending)
}

// asTaken is a card as the sandbox answers with it: its processor takes every order at once.
func (s *Service) asTaken(c card.Card) card.Card {
	if s.Mode == card.Sandbox {
		c, _ = c.TakeOrder(c.Modified)
	}
	return c
}
