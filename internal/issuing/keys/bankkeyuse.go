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

// Acts use the keys that encrypt a bank's card numbers and PINs as follows. An act reads the key in
// the transaction that encrypts: a key is retired only when nothing is encrypted under it, and the
// two transactions collide.

// OpenNumber decrypts a card number.
func OpenNumber(s *issuing.Service, r store.Tx, sealed []byte, cardID int) (pan.Number, error) {
	if err := entity.EnsureBankKey(r, s.Vault, s.Vault.KeyOf(sealed)); err != nil {
		return pan.Number{}, err
	}
	return s.Vault.OpenNumber(sealed, cardID)
}

// OpenPin decrypts the PIN of an order.
func OpenPin(s *issuing.Service, r store.Tx, o order.Order) (vault.Pin, error) {
	if err := entity.EnsureBankKey(r, s.Vault, s.Vault.KeyOf(o.SealedPin)); err != nil {
		return vault.Pin{}, err
	}
	return s.Vault.OpenSealedPin(o.SealedPin, o.CardID)
}

// OpenNumber decrypts a card number. It is for the controls of a sandbox; no act uses it.
func (s *Service) OpenNumber(
	ctx context.Context, sealed []byte, cardID int,
) (pan.Number, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (pan.Number, error) {
		return OpenNumber(s.Service, r, sealed, cardID)
	})
}

// sealingKeys returns the keys under which the banks encrypt, by bank. A bank that is absent
// encrypts under the keyset of the installation.
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
