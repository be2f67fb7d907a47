package issuing

import (
	"errors"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// EncryptPeople encrypts the personal data in the audit entry of a card. A new card gets its key
// here without a lookup; a later act reads the key only if its entry names a person.
func (tx *Tx) EncryptPeople(cardID int, entry *audit.Entry) error {
	if !audit.NamesPeople(entry.Before) && !audit.NamesPeople(entry.After) {
		return nil
	}
	key, err := tx.personKey(cardID, entry.Outcome == OutcomeCreated)
	if err != nil {
		return err
	}
	for _, state := range []*string{&entry.Before, &entry.After} {
		*state, err = audit.EncryptPeople(*state, key.Seal)
		if err != nil {
			return err
		}
	}
	return nil
}

// personKey returns the key for the personal data of a card, and creates one if the card has none.
func (tx *Tx) personKey(cardID int, fresh bool) (vault.PersonKey, error) {
	if !fresh {
		kept, err := tx.Audit().FindPersonKeys([]int{cardID})
		if err != nil {
			return vault.PersonKey{}, err
		}
		if sealed, there := kept[cardID]; there {
			return tx.Service.Vault.OpenPersonKey(sealed, cardID)
		}
	}
	key, sealed, err := tx.Service.Vault.NewPersonKey(cardID)
	if err != nil {
		return vault.PersonKey{}, err
	}
	return key, tx.Audit().PutPersonKey(cardID, sealed)
}

// errErased is the error of decrypting a text whose key was deleted.
var errErased = errors.New("issuing: the key of the people of the card was deleted")

// OpenPeople decrypts the personal data in entries. It reads the keys each time, so that no node
// has one in memory after an erasure. Exports and archives are never decrypted, because they would
// retain what is erased here.
func (s *Service) OpenPeople(r store.Tx, entries []*audit.Entry) error {
	var sealed []*audit.Entry
	var cards []int
	for _, e := range entries {
		if audit.HasSealed(e.Before) || audit.HasSealed(e.After) {
			sealed = append(sealed, e)
			cards = append(cards, e.Subject.Number(audit.Card))
		}
	}
	if len(sealed) == 0 {
		return nil
	}
	kept, err := r.Audit().FindPersonKeys(cards)
	if err != nil {
		return err
	}
	for i, e := range sealed {
		open := func(string, string) (string, error) { return "", errErased }
		if text, there := kept[cards[i]]; there {
			key, err := s.Vault.OpenPersonKey(text, cards[i])
			if err != nil {
				return err
			}
			open = key.Open
		}
		e.Before, e.After = audit.OpenPeople(e.Before, open), audit.OpenPeople(e.After, open)
	}
	return nil
}
