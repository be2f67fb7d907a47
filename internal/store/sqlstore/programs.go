package sqlstore

import (
	"encoding/json"
	"fmt"

	"mintmark/internal/program"
	"mintmark/internal/store"
	"mintmark/internal/value"
)

// Settings are JSON text in the shape in which they are answered. To read them costs more than all
// the rest, and who makes a card does not need them.
const (
	programColumns = `program_id, bank_id, verification_window_days`
	findProgram    = `SELECT ` + programColumns + `, settings FROM programs WHERE program_id = $1`
	findMaking     = `SELECT ` + programColumns + ` FROM programs WHERE program_id = $1`
)

func (r *reader) FindProgram(programID int) (program.Program, error) {
	var p program.Program
	err := r.together(programQuestions(&p, programID, findProgram, jsonColumn{&p.Settings})...)
	if err == nil && p.ID == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return program.Program{}, err
	}
	return p, nil
}

// programQuestions are the queries for a program. The text of the first is handed in, with where
// its values go beyond those of programColumns.
func programQuestions(
	p *program.Program, programID int, text string, more ...any,
) []question {
	into := append([]any{&p.ID, &p.BankID, &p.VerificationWindowDays}, more...)
	return []question{
		one(into, text, programID),
		listing(&p.PciKeys, scanPciKey, listPciKeys, programID),
		listing(&p.Bins, scanBin, listBins, programID),
	}
}

func (r *reader) ListBanks() ([]int, error) {
	return list(r, scanNumber, `SELECT bank_id FROM banks ORDER BY bank_id`)
}

func (r *reader) ListPrograms() ([]int, error) {
	return list(r, scanNumber, `SELECT program_id FROM programs ORDER BY program_id`)
}

func scanNumber(row scan) (int, error) {
	var number int
	err := row(&number)
	return number, err
}

const putProgram = `INSERT INTO programs (program_id, bank_id, verification_window_days, settings)
	VALUES ($1, $2, $3, $4)
	ON CONFLICT (program_id) DO UPDATE SET bank_id = excluded.bank_id,
		verification_window_days = excluded.verification_window_days,
		settings = excluded.settings`

// PutProgram leaves the program's BINs and encryption keys to PutBin and PutPciKey.
func (t *tx) PutProgram(p program.Program) error {
	settings, err := settingsText(p.Settings)
	if err != nil {
		return t.failed(err)
	}
	t.touched.more = true
	return t.write(putProgram, p.ID, p.BankID, p.VerificationWindowDays, settings)
}

// settingsText is how settings are written. In JSON an amount has the digits that it is to be
// answered with, which may be fewer than it has, so it is written out whole here. The settings
// handed in stay as they are: what they point to may belong to others.
func settingsText(settings program.Settings) (string, error) {
	text, err := jsonText(settings)
	if err != nil {
		return "", err
	}
	var whole program.Settings
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		return "", fmt.Errorf("sqlstore: %w", err)
	}
	ignoreTime := func(*value.Time) {}
	var amounts []value.Amount
	settings.Each(func(a *value.Amount) { amounts = append(amounts, *a) }, ignoreTime)
	whole.Each(func(a *value.Amount) {
		*a = amounts[0].Fixed(amounts[0].Digits())
		amounts = amounts[1:]
	}, ignoreTime)
	return jsonText(whole)
}

const putBank = `INSERT INTO banks (bank_id, name) VALUES ($1, $2)
	ON CONFLICT (bank_id) DO UPDATE SET name = excluded.name`

func (t *tx) PutBank(b store.Bank) error { return t.write(putBank, b.ID, b.Name) }

// Encryption keys belong to the bank, and so to all of its programs.
const listPciKeys = `SELECT pci_key_id, bank_id, status FROM pci_keys
	WHERE bank_id = (SELECT bank_id FROM programs WHERE program_id = $1) ORDER BY pci_key_id`

func scanPciKey(row scan) (program.PciKey, error) {
	var k program.PciKey
	err := row(&k.ID, &k.BankID, &k.Status)
	return k, err
}

const putPciKey = `INSERT INTO pci_keys (pci_key_id, bank_id, status) VALUES ($1, $2, $3)
	ON CONFLICT (pci_key_id) DO UPDATE SET bank_id = excluded.bank_id, status = excluded.status`

func (t *tx) PutPciKey(k program.PciKey) error {
	t.touched.more = true
	return t.write(putPciKey, k.ID, k.BankID, k.Status)
}

const listBins = `SELECT bin_id, program_id, vendor, description, is_active, first_body, last_body,
		valid_months
	FROM bins WHERE program_id = $1 ORDER BY bin_id`

func scanBin(row scan) (program.Bin, error) {
	var b program.Bin
	err := row(&b.ID, &b.ProgramID, &b.Vendor, &b.Description, &b.IsActive, &b.FirstBody,
		&b.LastBody, &b.ValidMonths)
	return b, err
}

const putBin = `INSERT INTO bins (bin_id, program_id, vendor, description, is_active, first_body,
		last_body, valid_months)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
	ON CONFLICT (bin_id) DO UPDATE SET program_id = excluded.program_id,
		vendor = excluded.vendor, description = excluded.description,
		is_active = excluded.is_active, first_body = excluded.first_body,
		last_body = excluded.last_body, valid_months = excluded.valid_months`

func (t *tx) PutBin(b program.Bin) error {
	t.touched.more = true
	return t.write(putBin, b.ID, b.ProgramID, b.Vendor, b.Description, b.IsActive,
		b.FirstBody, b.LastBody, b.ValidMonths)
}
