package sqlstore

import "mintmark/internal/customer"

// Addresses are JSON text: nothing is looked for by their parts. To read them costs more than all
// the rest, so what most acts look at comes first and is also read without them.
const (
	briefColumns = `u.customer_id, u.program_id, u.status, u.access_type, u.is_active,
		u.is_locked, u.deceased_on, u.born_on`
	customerColumns = briefColumns + `, u.first_name, u.last_name,
		u.mobile_phone, u.home_phone, u.mailing, u.residence`
)

// briefInto are where the values of briefColumns go.
func briefInto(c *customer.Customer) []any {
	return []any{&c.ID, &c.ProgramID, &c.Status,
		&c.AccessType, &c.IsActive, &c.IsLocked, timeColumn{&c.Deceased}, timeColumn{&c.Birth}}
}

// customerInto are where the values of customerColumns go.
func customerInto(c *customer.Customer) []any {
	return append(briefInto(c), &c.FirstName, &c.LastName, &c.MobilePhone, &c.HomePhone,
		jsonColumn{&c.Mailing}, jsonColumn{&c.Residence})
}

const (
	findBrief   = `SELECT ` + briefColumns + ` FROM customers u ` + whereCustomer
	findCreator = `SELECT ` + briefColumns + `
	FROM cards c JOIN customers u ON u.customer_id = c.customer_id
	WHERE c.program_id = $1 AND c.card_id = $2`
	whereCustomer = `WHERE u.program_id = $1 AND u.customer_id = $2`
)

// briefly is a query for a customer without names, telephones and addresses.
func briefly(c *customer.Customer, text string, args ...any) question {
	return one(briefInto(c), text, args...)
}

const findCustomer = `SELECT ` + customerColumns + `
	FROM customers u ` + whereCustomer

func (r *reader) FindCustomer(programID, customerID int) (customer.Customer, error) {
	var c customer.Customer
	err := r.row(findCustomer, programID, customerID)(customerInto(&c)...)
	if err != nil {
		return customer.Customer{}, err
	}
	return c, nil
}

// Whatever comes from the operator replaces what had the same number, in full.
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

func (t *tx) PutCustomer(c customer.Customer) error {
	mailing, err := jsonText(c.Mailing)
	if err != nil {
		return t.failed(err)
	}
	residence, err := jsonText(c.Residence)
	if err != nil {
		return t.failed(err)
	}
	t.touched.more = true
	return t.write(putCustomer, c.ID, c.ProgramID, c.Status, c.AccessType,
		c.IsActive, c.IsLocked, dateMillis(c.Deceased), dateMillis(c.Birth),
		c.FirstName, c.LastName, c.MobilePhone, c.HomePhone, mailing, residence)
}
