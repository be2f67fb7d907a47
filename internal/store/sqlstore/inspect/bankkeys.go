package inspect

import (
	"time"

	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/vault"
)

// Resealing is the progress of re-encrypting the card numbers and PINs of banks that have their own
// keys.
type Resealing struct {
	Compromised []SealedUnder // compromised keys under which something is still encrypted
	Left        int64         // card numbers and PINs not encrypted under the key of their bank

	// Progress is the later of two times: that of the last batch that was re-encrypted, and the
	// creation of a key under which something has yet to be re-encrypted. It is zero if nothing is
	// left.
	Progress time.Time
}

// SealedUnder counts the card numbers and PINs encrypted under a key.
type SealedUnder struct {
	BankID, KeyID int
	Texts         int64
}

const (
	allNumbers = `SELECT p.bank_id, COUNT(*) FROM card_numbers n
			JOIN cards c ON c.card_id = n.card_id JOIN programs p ON p.program_id = c.program_id
		GROUP BY p.bank_id`
	allPins = `SELECT p.bank_id, COUNT(*) FROM orders o
			JOIN cards c ON c.card_id = o.card_id JOIN programs p ON p.program_id = c.program_id
		WHERE o.sealed_pin IS NOT NULL GROUP BY p.bank_id`
	lastResealed = `SELECT acted_at FROM audit
		WHERE card_id = 0 AND subject_kind = 'pciKey' AND route = 're-seal'
		ORDER BY audit_id DESC LIMIT 1`
)

// look counts card numbers and PINs only if a bank has its own key, because that reads all of them.
func (f *Resealing) look(s db.Session, r store.Tx) error {
	keys, err := r.BankKeys().List()
	if err != nil || len(keys) == 0 {
		return err
	}
	all, err := r.Banks().ListPciKeys()
	if err != nil {
		return err
	}
	ofBank := make(map[int][]program.PciKey)
	for _, key := range all {
		ofBank[key.BankID] = append(ofBank[key.BankID], key)
	}
	var sealed []SealedUnder
	err = s.Query(db.Rows(&sealed, readSealed, allNumbers), db.Rows(&sealed, readSealed, allPins))
	if err != nil {
		return err
	}
	left := make(map[int]int64)
	for _, sealedUnder := range sealed {
		left[sealedUnder.BankID] += sealedUnder.Texts
	}
	for _, key := range keys {
		under, err := textsUnder(r, key)
		if err != nil {
			return err
		}
		if key.State == program.CompromisedKey && under > 0 {
			f.Compromised = append(f.Compromised, SealedUnder{key.BankID, key.ID, under})
		}
		if program.SealingKey(ofBank[key.BankID]) != key.ID {
			continue
		}
		if rest := left[key.BankID] - under; rest > 0 {
			f.Left += rest
			f.Progress = latest(f.Progress, key.Made)
		}
	}
	if f.Left == 0 {
		return nil
	}
	var last time.Time
	_, err = db.Find(s, []any{db.Time{To: &last}}, lastResealed)
	f.Progress = latest(f.Progress, last)
	return err
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func textsUnder(r store.Tx, key program.BankKey) (int64, error) {
	counted, err := r.BankKeys().CountSealed(vault.Mark(key.ID))
	var texts int64
	for _, of := range counted {
		texts += of.Numbers + of.Pins
	}
	return texts, err
}

func readSealed(row db.Scan) (SealedUnder, error) {
	var u SealedUnder
	err := row(&u.BankID, &u.Texts)
	return u, err
}
