package sqlstore

import (
	"strings"

	"mintmark/internal/customer"
)

// Addresses are JSON text: nothing is looked for by their parts.
const customerColumns = `u.customer_id, u.program_id, u.status, u.access_type, u.is_active,
		u.is_locked, u.deceased_on, u.born_on, u.first_name, u.last_name,
		u.mobile_phone, u.home_phone, u.mailing, u.residence`

// customerInto are where the values of customerColumns go.
func customerInto(c *customer.Customer) []any {
	return []any{&c.ID, &c.ProgramID, &c.Status,
		&c.AccessType, &c.IsActive, &c.IsLocked, timeColumn{&c.Deceased}, timeColumn{&c.Birth},
		&c.FirstName, &c.LastName, &c.MobilePhone, &c.HomePhone,
		addressColumn{&c.Mailing}, addressColumn{&c.Residence}}
}

const findCustomer = `SELECT ` + customerColumns + `
	FROM customers u WHERE u.program_id = $1 AND u.customer_id = $2`

func (r *reader) FindCustomer(programID, customerID int) (customer.Customer, error) {
	var c customer.Customer
	err := r.row(findCustomer, programID, customerID)(customerInto(&c)...)
	if err != nil {
		return customer.Customer{}, err
	}
	return c, nil
}

// addressColumn reads an address.
type addressColumn struct{ to *customer.Address }

// Scan takes the column over. Nearly every request reads two addresses, and nearly none has
// anything in it that JSON would write in another way, so a general reader is asked only then.
func (c addressColumn) Scan(column any) error {
	text, ok := column.(string)
	if ok && !strings.Contains(text, `\`) && c.cut(strings.Split(text, `"`)) {
		return nil
	}
	*c.to = customer.Address{}
	return jsonColumn{c.to}.Scan(column)
}

// cut reads an address that was cut at the quotation marks, such as
// {"city":"Springfield","country":"US"}, and reports whether it was of that form.
func (c addressColumn) cut(parts []string) bool {
	const field = 4 // parts: the name, a colon, the value, and what is between it and the next
	*c.to = customer.Address{}
	if parts[0] != "{" || len(parts)%field != 1 || parts[len(parts)-1] != "}" {
		return false
	}
	for i := 1; i < len(parts); i += field {
		into := c.field(parts[i])
		if into == nil || parts[i+1] != ":" || parts[i+3] != "," && i+field < len(parts) {
			return false
		}
		*into = parts[i+2]
	}
	return true
}

func (c addressColumn) field(name string) *string {
	switch name {
	case "line1":
		return &c.to.Line1
	case "line2":
		return &c.to.Line2
	case "city":
		return &c.to.City
	case "region":
		return &c.to.Region
	case "postalCode":
		return &c.to.PostalCode
	case "country":
		return &c.to.Country
	}
	return nil
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
