package sqlstore

import (
	"time"

	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// programs implements store.Programs on the tables programs and bins.
type programs struct{ *tx }

// Settings are JSON in the form that callers see. Parsing them costs more than reading the rest of
// the row, and a new card does not need them, so findIssuing leaves them out.
const (
	findProgram = `SELECT program_id, bank_id, verification_window_days, renewal, balances,
			settings, four_eyes, currency, fenced_at, revision
		FROM programs WHERE program_id = $1`
	findIssuing = `SELECT program_id, bank_id, verification_window_days, renewal, balances
		FROM programs WHERE program_id = $1`
	listProgramPciKeys = selectPciKeys + `
		WHERE k.bank_id = (SELECT bank_id FROM programs WHERE program_id = $1)
		ORDER BY k.pci_key_id`
	listBins = `SELECT bin_id, program_id, vendor, description, is_active, first_body, last_body,
			valid_months, revision
		FROM bins WHERE program_id = $1 ORDER BY bin_id`
)

func (t programs) Find(programID int) (program.Program, error) {
	var p program.Program
	into := append(issuingInto(&p.Issuing), db.JSON{To: &p.Settings}, &p.FourEyes,
		&p.Currency, db.Time{To: &p.Fenced}, &p.Revision)
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

func (t programs) FindIssuing(programID int) (program.Issuing, error) {
	var p program.Issuing
	err := t.session.Query(issuingQueries(&p, programID)...)
	if err == nil && p.ID == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return program.Issuing{}, err
	}
	return p, nil
}

// issuingQueries returns the queries for the parts of a program that a new card needs.
func issuingQueries(p *program.Issuing, programID int) []db.Query {
	return append(keyQueries(p, programID), db.Row(issuingInto(p), findIssuing, programID))
}

func issuingInto(p *program.Issuing) []any {
	return []any{&p.ID, &p.BankID, &p.VerificationWindowDays, &p.Renewal, &p.Balances}
}

func keyQueries(p *program.Issuing, programID int) []db.Query {
	return []db.Query{
		db.Rows(&p.PciKeys, readInto(pciKeyInto), listProgramPciKeys, programID),
		db.Rows(&p.Bins, readInto(binInto), listBins, programID),
	}
}

func binInto(b *program.Bin) []any {
	return []any{&b.ID, &b.ProgramID, &b.Vendor, &b.Description, &b.IsActive, &b.FirstBody,
		&b.LastBody, &b.ValidMonths, &b.Revision}
}

func (t programs) List() ([]int, error) {
	return db.List(t.session, readInto(func(number *int) []any { return []any{number} }),
		`SELECT program_id FROM programs ORDER BY program_id`)
}

func (t programs) ListNames() ([]store.ProgramName, error) {
	// Of the settings, only the members that ProgramName has are decoded.
	return db.List(t.session, readInto(func(p *store.ProgramName) []any {
		return []any{&p.ID, &p.BankID, db.JSON{To: p}, &p.FourEyes}
	}), `SELECT program_id, bank_id, settings, four_eyes FROM programs ORDER BY program_id`)
}

const (
	insertProgram = `INSERT INTO programs (program_id, bank_id, verification_window_days, settings,
			renewal, balances, four_eyes, currency)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	updateProgram = `UPDATE programs SET bank_id = $2, verification_window_days = $3,
			settings = $4, renewal = $5, balances = $6, four_eyes = $7, currency = $8,
			revision = revision + 1
		WHERE program_id = $1 AND revision = $9`
)

// Put does not write the program's BINs and encryption keys: PutBin and PutPciKey do.
func (t programs) Put(p program.Program) error {
	exact, err := p.Settings.Exact()
	if err != nil {
		return t.session.Fail(err)
	}
	settings, err := db.JSONText(exact)
	if err != nil {
		return t.session.Fail(err)
	}
	return db.Put(t.session, p.Revision, insertProgram, updateProgram, p.ID, p.BankID,
		p.VerificationWindowDays, settings, string(p.Renewal), string(p.Balances), p.FourEyes,
		p.Currency)
}

const (
	putFence = `UPDATE programs SET fenced_at = $2, revision = revision + 1
		WHERE program_id = $1`
	listFenced = `SELECT program_id FROM programs WHERE fenced_at IS NOT NULL
		ORDER BY program_id`
)

func (t programs) PutFence(programID int, since time.Time) error {
	if err := t.session.Change(putFence, programID, db.Millis(since)); err != nil {
		return err
	}
	return t.session.Change(countAccess)
}

func (t programs) ListFenced() ([]int, error) {
	return db.List(t.session, readInto(func(id *int) []any { return []any{id} }), listFenced)
}

const (
	insertBin = `INSERT INTO bins (bin_id, program_id, vendor, description, is_active, first_body,
			last_body, valid_months)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	updateBin = `UPDATE bins SET program_id = $2, vendor = $3, description = $4, is_active = $5,
			first_body = $6, last_body = $7, valid_months = $8, revision = revision + 1
		WHERE bin_id = $1 AND revision = $9`
)

func (t programs) PutBin(b program.Bin) error {
	return db.Put(t.session, b.Revision, insertBin, updateBin, b.ID, b.ProgramID, b.Vendor,
		b.Description,
		b.IsActive, b.FirstBody, b.LastBody, b.ValidMonths)
}
