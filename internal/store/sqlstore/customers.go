package sqlstore

import (
	"mintmark/internal/customer"
	"mintmark/internal/store/sqlstore/db"
)

// customers are the rows of the table customers.
type customers struct{ *tx }

// Addresses are JSON text, because no query searches their parts. Parsing them costs more than the
// rest of the row, so most acts read only standingColumns.
const (
	standingColumns = `u.customer_id, u.program_id, u.status, u.access_type, u.is_active,
		u.is_locked, u.deceased_on, u.born_on`
	customerColumns = standingColumns + `, u.first_name, u.last_name,
		u.mobile_phone, u.home_phone, u.mailing, u.residence`
)

// standingInto returns where the values of standingColumns go.
func standingInto(s *customer.Standing) []any {
	return []any{&s.ID, &s.ProgramID, &s.Status,
		&s.AccessType, &s.IsActive, &s.IsLocked, db.Time{To: &s.Deceased}, db.Time{To: &s.Birth}}
}

// customerInto returns where the values of customerColumns go.
func customerInto(c *customer.Customer) []any {
	return append(standingInto(&c.Standing),
		&c.FirstName, &c.LastName, &c.MobilePhone, &c.HomePhone,
		db.JSON{To: &c.Mailing}, db.JSON{To: &c.Residence})
}

const (
	findStanding = `SELECT ` + standingColumns + `
		FROM customers u WHERE u.program_id = $1 AND u.customer_id = $2`
	findCreator = `SELECT ` + standingColumns + `
		FROM cards c JOIN customers u ON u.customer_id = c.customer_id
		WHERE c.program_id = $1 AND c.card_id = $2`
	findCustomer = `SELECT ` + customerColumns + `
		FROM customers u WHERE u.program_id = $1 AND u.customer_id = $2`
)

func (t customers) Find(programID, customerID int) (customer.Customer, error) {
	var c customer.Customer
	err := t.find(customerInto(&c), findCustomer, programID, customerID)
	if err != nil {
		return customer.Customer{}, err
	}
	return c, nil
}

const findCustomers = `SELECT ` + customerColumns + ` FROM customers u WHERE u.customer_id IN `

func (t customers) FindMany(customerIDs []int) (map[int]customer.Customer, error) {
	rows, err := db.FindMany(t.session, func(row db.Scan) (customer.Customer, error) {
		var c customer.Customer
		err := row(customerInto(&c)...)
		return c, err
	}, findCustomers, customerIDs)
	found := make(map[int]customer.Customer, len(rows))
	for _, c := range rows {
		found[c.ID] = c
	}
	return found, err
}

const putCustomer = `INSERT INTO customers (customer_id, program_id, status, access_type,
		is_active, is_locked, deceased_on, born_on, first_name, last_name,
		mobile_phone, home_phone, mailing, residence)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
	ON CONFLICT (customer_id) DO UPDATE SET program_id = excluded.program_id,
		status = excluded.status, access_type = excluded.access_type,
		is_active = excluded.is_active, is_locked = excluded.is_locked,
		deceased_on = excluded.deceased_on, born_on = excluded.born_on,
		first_name = excluded.first_name, last_name = excluded.last_name,
		mobile_phone = excluded.mobile_phone, home_phone = excluded.home_phone,
		mailing = excluded.mailing, residence = excluded.residence`

func (t customers) Put(c customer.Customer) error {
	mailing, err := db.JSONText(c.Mailing)
	if err != nil {
		return t.fail(err)
	}
	residence, err := db.JSONText(c.Residence)
	if err != nil {
		return t.fail(err)
	}
	return t.write(putCustomer, c.ID, c.ProgramID, c.Status, c.AccessType,
		c.IsActive, c.IsLocked, db.DateMillis(c.Deceased), db.DateMillis(c.Birth),
		c.FirstName, c.LastName, c.MobilePhone, c.HomePhone, mailing, residence)
}
