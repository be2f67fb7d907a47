package keys

import (
	"context"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer/entity"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// What acts need of the keys that a bank's numbers and PINs are sealed under. An act reads the key
// in the transaction that seals: a key is retired only when nothing is sealed under it, and the two
// transactions collide.

// OpenNumber opens the number of a card.
func OpenNumber(s *issuing.Service, r store.Tx, sealed []byte, cardID int) (pan.Number, error) {
	if err := entity.GiveBankKey(r, s.Vault, s.Vault.KeyOf(sealed)); err != nil {
		return pan.Number{}, err
	}
	return s.Vault.OpenNumber(sealed, cardID)
}

// OpenPin opens the PIN of an order.
func OpenPin(s *issuing.Service, r store.Tx, o order.Order) (vault.Pin, error) {
	if err := entity.GiveBankKey(r, s.Vault, s.Vault.KeyOf(o.SealedPin)); err != nil {
		return vault.Pin{}, err
	}
	return s.Vault.OpenSealedPin(o.SealedPin, o.CardID)
}

// OpenNumber opens the number of a card. No act does, but the controls of a sandbox.
func (s *Service) OpenNumber(
	ctx context.Context, sealed []byte, cardID int,
) (pan.Number, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (pan.Number, error) {
		return OpenNumber(s.Service, r, sealed, cardID)
	})
}

// sealingKeys returns the keys that the banks seal under, by bank; a bank that is not among them
// seals under the keyset of the installation.
func sealingKeys(r store.Tx) (map[int]int, error) {
	all, err := r.Banks().ListPciKeys()
	if err != nil {
		return nil, err
	}
	byBank := make(map[int][]program.PciKey)
	for _, key := range all {
		byBank[key.BankID] = append(byBank[key.BankID], key)
	}
	sealing := make(map[int]int, len(byBank))
	for bankID, keys := range byBank {
		sealing[bankID] = program.SealingKey(keys)
	}
	return sealing, nil
}
