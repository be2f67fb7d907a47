package sqlstore

import (
	"mintmark/internal/program"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// programs are the rows of the tables programs and bins.
type programs struct{ *tx }

// Settings are JSON text as callers see them. Parsing them costs more than the rest of the row, and
// a new card does not need them, so findIssuing leaves them out.
const (
	findProgram = `SELECT program_id, bank_id, verification_window_days, settings
		FROM programs WHERE program_id = $1`
	findIssuing = `SELECT program_id, bank_id, verification_window_days
		FROM programs WHERE program_id = $1`
	listProgramPciKeys = `SELECT pci_key_id, bank_id, status FROM pci_keys
		WHERE bank_id = (SELECT bank_id FROM programs WHERE program_id = $1)
		ORDER BY pci_key_id`
	listBins = `SELECT bin_id, program_id, vendor, description, is_active, first_body, last_body,
			valid_months
		FROM bins WHERE program_id = $1 ORDER BY bin_id`
)

func (t programs) Find(programID int) (program.Program, error) {
	var p program.Program
	into := append(issuingInto(&p.Issuing), db.JSON{To: &p.Settings})
	queries := append(keyQueries(&p.Issuing, programID), db.Row(into, findProgram, programID))
	err := t.session.Query(queries...)
	if err == nil && p.ID == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return program.Program{}, err
	}
	return p, nil
}

// issuingQueries returns the queries for what a new card needs of a program.
func issuingQueries(p *program.Issuing, programID int) []db.Query {
	return append(keyQueries(p, programID), db.Row(issuingInto(p), findIssuing, programID))
}

func issuingInto(p *program.Issuing) []any {
	return []any{&p.ID, &p.BankID, &p.VerificationWindowDays}
}

func keyQueries(p *program.Issuing, programID int) []db.Query {
	return []db.Query{
		db.Rows(&p.PciKeys, scanPciKey, listProgramPciKeys, programID),
		db.Rows(&p.Bins, scanBin, listBins, programID),
	}
}

func scanBin(row db.Scan) (program.Bin, error) {
	var b program.Bin
	err := row(&b.ID, &b.ProgramID, &b.Vendor, &b.Description, &b.IsActive, &b.FirstBody,
		&b.LastBody, &b.ValidMonths)
	return b, err
}

func (t programs) List() ([]int, error) {
	return db.List(t.session, func(row db.Scan) (int, error) {
		var number int
		err := row(&number)
		return number, err
	}, `SELECT program_id FROM programs ORDER BY program_id`)
}

const putProgram = `INSERT INTO programs (program_id, bank_id, verification_window_days, settings)
	VALUES ($1, $2, $3, $4)
	ON CONFLICT (program_id) DO UPDATE SET bank_id = excluded.bank_id,
		verification_window_days = excluded.verification_window_days,
		settings = excluded.settings`

// Put does not write the program's BINs and encryption keys: PutBin and PutPciKey do.
func (t programs) Put(p program.Program) error {
	exact, err := p.Settings.Exact()
	if err != nil {
		return t.fail(err)
	}
	settings, err := db.JSONText(exact)
	if err != nil {
		return t.fail(err)
	}
	return t.write(putProgram, p.ID, p.BankID, p.VerificationWindowDays, settings)
}

const putBin = `INSERT INTO bins (bin_id, program_id, vendor, description, is_active, first_body,
		last_body, valid_months)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
	ON CONFLICT (bin_id) DO UPDATE SET program_id = excluded.program_id,
		vendor = excluded.vendor, description = excluded.description,
		is_active = excluded.is_active, first_body = excluded.first_body,
		last_body = excluded.last_body, valid_months = excluded.valid_months`

func (t programs) PutBin(b program.Bin) error {
	return t.write(putBin, b.ID, b.ProgramID, b.Vendor, b.Description, b.IsActive,
		b.FirstBody, b.LastBody, b.ValidMonths)
}
