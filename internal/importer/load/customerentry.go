package load

import (
	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

type customerEntry struct {
	CustomerID   int              `json:"customerId"`
	ProgramID    int              `json:"programId"`
	Status       string           `json:"status"`
	Access       string           `json:"access"`
	IsActive     *bool            `json:"isActive"`
	IsLocked     bool             `json:"isLocked"`
	DeceasedDate value.Time       `json:"deceasedDate"`
	BirthDate    value.Time       `json:"birthDate"`
	FirstName    string           `json:"firstName"`
	LastName     string           `json:"lastName"`
	MobilePhone  string           `json:"mobilePhone"`
	HomePhone    string           `json:"homePhone"`
	Mailing      customer.Address `json:"mailing"`
	Residence    customer.Address `json:"residence"`
}

var customerForm = form{
	title: "customers",
	members: map[string]string{
		"customerId":   "Number of the customer.",
		"programId":    "Program of the customer.",
		"status":       "Stage of verification. Only Verified may use cards.",
		"access":       "Rights of the customer: everything, accounts, cards, or nothing.",
		"isActive":     "Whether the customer may do anything; true when left out.",
		"isLocked":     "Whether the customer is locked; false when left out.",
		"deceasedDate": "Date of death, not before birthDate.",
		"birthDate":    "Date of birth, which /card/verify compares.",
		"firstName":    "First name.",
		"lastName":     "Last name.",
		"mobilePhone":  "Mobile phone. A card needs one of the two phones (150231).",
		"homePhone":    "Phone at home.",
		"mailing": "Where mail goes. A card needs one of the two addresses " +
			"(150232).",
		"residence": "Where the customer lives.",
	},
	rules: problem.Describe(customer.Customer{}),
}

var addressForm = form{
	title: "address",
	members: map[string]string{
		"line1":      "Street and house number.",
		"line2":      "Second line.",
		"city":       "City.",
		"region":     "State or region.",
		"postalCode": "Postal code.",
		"country":    "Country.",
	},
	rules: problem.Describe(customer.Address{}),
}

// fill sets the defaults of members that were left out.
func (e *customerEntry) fill() {
	if e.IsActive == nil {
		isActive := true
		e.IsActive = &isActive
	}
}

func entryOfCustomer(c customer.Customer) customerEntry {
	return customerEntry{
		CustomerID: c.ID, ProgramID: c.ProgramID,
		Status: string(c.Status), Access: string(c.AccessType),
		IsActive: &c.IsActive, IsLocked: c.IsLocked,
		DeceasedDate: value.Time{Time: c.Deceased}, BirthDate: value.Time{Time: c.Birth},
		FirstName: c.FirstName, LastName: c.LastName,
		MobilePhone: c.MobilePhone, HomePhone: c.HomePhone,
		Mailing: c.Mailing, Residence: c.Residence,
	}
}

// customer returns the customer, with the dates in the time zones of the file.
func (e *customerEntry) customer() customer.Customer {
	return customer.Customer{
		Standing: customer.Standing{
			ID: e.CustomerID, ProgramID: e.ProgramID,
			Status: customer.Status(e.Status), AccessType: customer.AccessType(e.Access),
			IsActive: *e.IsActive, IsLocked: e.IsLocked,
			Deceased: e.DeceasedDate.Time, Birth: e.BirthDate.Time,
		},
		FirstName: e.FirstName, LastName: e.LastName,
		MobilePhone: e.MobilePhone, HomePhone: e.HomePhone,
		Mailing: e.Mailing, Residence: e.Residence,
	}
}
