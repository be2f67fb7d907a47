package entity

import (
	"fmt"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
)

// Vault computes digests of card numbers and encrypts them.
type Vault interface {
	DigestFile(sum string) []byte
	DigestNumberUnder(key int, wrapped []byte, number pan.Number) ([]byte, error)
	SealNumber(key int, number pan.Number, cardID int) ([]byte, error)
	HasBankKey(id int) bool
	UseBankKey(id, pciKeyID int, wrapped []byte) error
}

// Digest returns the digests of a card number under the digest keys in use.
func Digest(v Vault, state digests.State, number pan.Number) (digests.Number, error) {
	return state.Digest(func(k digests.Key) ([]byte, error) {
		return v.DigestNumberUnder(k.ID, k.Wrapped, number)
	})
}

// SealingKey returns the key that encrypts the card numbers of a program, and makes sure that the
// vault has it. Call it in the transaction that encrypts, so that the key is not retired meanwhile.
func SealingKey(r store.Tx, v Vault, programID int) (int, error) {
	of, err := r.Programs().FindIssuing(programID)
	if err != nil {
		return 0, err
	}
	id := of.SealingKey()
	return id, EnsureBankKey(r, v, id)
}

// EnsureBankKey gives the vault a bank's key unless the vault already has it.
func EnsureBankKey(r store.Tx, v Vault, id int) error {
	if v.HasBankKey(id) {
		return nil
	}
	key, err := r.BankKeys().Find(id)
	if err != nil {
		return fmt.Errorf("bank key %d: %w", id, err)
	}
	return v.UseBankKey(key.ID, key.PciKeyID, key.Wrapped)
}

// PutCard stores a new card, with its number encrypted under the given key.
func PutCard(
	tx store.Tx, v Vault, key int, c *card.Card, number pan.Number, digest digests.Number,
) error {
	c.LastFour = number.LastFour()
	if err := tx.Cards().Put(c); err != nil {
		return err
	}
	sealed, err := v.SealNumber(key, number, c.ID)
	if err != nil {
		return err
	}
	return tx.CardNumbers().Put(store.SealedNumber{
		CardID: c.ID, BinID: c.BinID, Digest: digest, Sealed: sealed, LastFour: c.LastFour,
	})
}
