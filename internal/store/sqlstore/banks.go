package sqlstore

import (
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// banks implements store.Banks on the tables banks and pci_keys. All programs of a bank share its
// keys.
type banks struct{ *tx }

func bankInto(b *store.Bank) []any { return []any{&b.ID, &b.Name, &b.Revision} }

func (t banks) List() ([]store.Bank, error) {
	return db.List(t.session, readInto(bankInto),
		`SELECT bank_id, name, revision FROM banks ORDER BY bank_id`)
}

// A pciKeyId has at most one active key.
const selectPciKeys = `SELECT k.pci_key_id, k.bank_id, k.status, COALESCE(b.key_id, 0), k.revision
	FROM pci_keys k
		LEFT JOIN bank_keys b ON b.pci_key_id = k.pci_key_id AND b.state = 'active'`

func pciKeyInto(k *program.PciKey) []any {
	return []any{&k.ID, &k.BankID, &k.Status, &k.ActiveKey, &k.Revision}
}

func (t banks) ListPciKeys() ([]program.PciKey, error) {
	return db.List(t.session, readInto(pciKeyInto), selectPciKeys+` ORDER BY k.pci_key_id`)
}

const (
	insertBank = `INSERT INTO banks (bank_id, name) VALUES ($1, $2)`
	updateBank = `UPDATE banks SET name = $2, revision = revision + 1
		WHERE bank_id = $1 AND revision = $3`
	insertPciKey = `INSERT INTO pci_keys (pci_key_id, bank_id, status) VALUES ($1, $2, $3)`
	updatePciKey = `UPDATE pci_keys SET bank_id = $2, status = $3, revision = revision + 1
		WHERE pci_key_id = $1 AND revision = $4`
)

func (t banks) Put(b store.Bank) error {
	return db.Put(t.session, b.Revision, insertBank, updateBank, b.ID, b.Name)
}

func (t banks) PutPciKey(k program.PciKey) error {
	return db.Put(t.session, k.Revision, insertPciKey, updatePciKey, k.ID, k.BankID, k.Status)
}
