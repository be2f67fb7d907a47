package sqlstore

import (
	"mintmark/internal/program"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// banks are the rows of the tables banks and pci_keys. All programs of a bank share its keys.
type banks struct{ *tx }

func (t banks) List() ([]store.Bank, error) {
	return db.List(t.session, func(row db.Scan) (store.Bank, error) {
		var b store.Bank
		err := row(&b.ID, &b.Name)
		return b, err
	}, `SELECT bank_id, name FROM banks ORDER BY bank_id`)
}

func (t banks) ListPciKeys() ([]program.PciKey, error) {
	return db.List(t.session, scanPciKey,
		`SELECT pci_key_id, bank_id, status FROM pci_keys ORDER BY pci_key_id`)
}

func scanPciKey(row db.Scan) (program.PciKey, error) {
	var k program.PciKey
	err := row(&k.ID, &k.BankID, &k.Status)
	return k, err
}

const putBank = `INSERT INTO banks (bank_id, name) VALUES ($1, $2)
	ON CONFLICT (bank_id) DO UPDATE SET name = excluded.name`

func (t banks) Put(b store.Bank) error { return t.write(putBank, b.ID, b.Name) }

const putPciKey = `INSERT INTO pci_keys (pci_key_id, bank_id, status) VALUES ($1, $2, $3)
	ON CONFLICT (pci_key_id) DO UPDATE SET bank_id = excluded.bank_id, status = excluded.status`

func (t banks) PutPciKey(k program.PciKey) error {
	return t.write(putPciKey, k.ID, k.BankID, k.Status)
}
