package customer

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
)

var june = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

// broken breaks one rule of a value, and names the member with the problem.
type broken[T any] struct {
	path   string
	change func(*T)
}

func long(most int) string { return strings.Repeat("é", most+1) }

var brokenCustomers = []broken[Customer]{
	{"customerId", func(c *Customer) { c.ID = 0 }},
	{"programId", func(c *Customer) { c.ProgramID = -1 }},
	{"status", func(c *Customer) { c.Status = "verified" }},
	{"status", func(c *Customer) { c.Status = "" }},
	{"access", func(c *Customer) { c.AccessType = "ALL" }},
	{"birthDate", func(c *Customer) { c.Birth = time.Time{} }},
	{"birthDate", func(c *Customer) { c.Birth = c.Birth.Add(time.Hour) }},
	{"birthDate", func(c *Customer) {
		c.Birth = c.Birth.In(time.FixedZone("", 3600)).Add(-time.Hour)
	}},
	{"birthDate", func(c *Customer) { c.Birth, c.Deceased = date(2026, 6, 2), time.Time{} }},
	{"birthDate", func(c *Customer) { c.Birth = date(1896, 6, 1) }},
	{"deceasedDate", func(c *Customer) { c.Deceased = june }},
	{"deceasedDate", func(c *Customer) { c.Deceased = c.Birth.AddDate(0, 0, -1) }},
	{"deceasedDate", func(c *Customer) { c.Deceased = date(2026, 6, 2) }},
	{"firstName", func(c *Customer) { c.FirstName = "" }},
	{"firstName", func(c *Customer) { c.FirstName = long(MaxFirstName) }},
	{"lastName", func(c *Customer) { c.LastName = long(MaxLastName) }},
	{"mobilePhone", func(c *Customer) { c.MobilePhone = "none" }},
	{"mobilePhone", func(c *Customer) { c.MobilePhone = strings.Repeat("1", MaxPhone+1) }},
	{"homePhone", func(c *Customer) { c.HomePhone = "1234" }},
	{"mailing.line1", func(c *Customer) { c.Mailing.Line1 = "" }},
	{"mailing.line2", func(c *Customer) { c.Mailing.Line2 = long(MaxLine) }},
	{"mailing.city", func(c *Customer) { c.Mailing.City = long(MaxCity) }},
	{"mailing.region", func(c *Customer) { c.Mailing.Region = long(MaxRegion) }},
	{"mailing.postalCode", func(c *Customer) { c.Mailing.PostalCode = "" }},
	{"residence.country", func(c *Customer) {
		c.Residence = c.Mailing
		c.Residence.Country = ""
	}},
}

func date(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// validCustomers draws valid customers.
func validCustomers(t *rapid.T) Customer {
	text := func(name string, most int) string {
		return rapid.StringOfN(rapid.RuneFrom([]rune("aé€ -")), 1, most, -1).Draw(t, name)
	}
	c := Customer{
		Standing: Standing{
			ID: rapid.IntRange(1, problem.MaxID).Draw(t, "id"), ProgramID: 1,
			Status:     rapid.SampledFrom(Statuses).Draw(t, "status"),
			AccessType: rapid.SampledFrom(AccessTypes).Draw(t, "access"),
			Birth:      date(1900, 1, rapid.IntRange(1, 40000).Draw(t, "day")),
		},
		FirstName: text("first", MaxFirstName), LastName: text("last", MaxLastName),
		MobilePhone: rapid.SampledFrom([]string{"", "12345", "+1 (555) 0100-1 x22"}).
			Draw(t, "phone"),
		Mailing: Address{
			Line1: text("line1", MaxLine), City: text("city", MaxCity),
			PostalCode: text("code", MaxPostalCode), Country: text("country", MaxCountry),
		},
	}
	if rapid.Bool().Draw(t, "dead") {
		c.Deceased = c.Birth.AddDate(0, 0, rapid.IntRange(0, 6000).Draw(t, "days"))
	}
	return c
}

func TestValidateCustomer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := validCustomers(t)
		if problems := c.Validate(june); problems != nil {
			t.Fatalf("%+v\n%v", c, problems)
		}
		for _, b := range brokenCustomers {
			changed := c
			b.change(&changed)
			wantProblem(t, changed.Validate(june), b.path)
		}
	})
}

// wantProblem checks that one member has a problem, and no other does.
func wantProblem(t *rapid.T, problems problem.List, path string) {
	t.Helper()
	if len(problems) != 1 || problems[0].Path != path {
		t.Errorf("want a problem with %s, got %v", path, problems)
	}
}

// TestValidateSays checks the messages of the rules defined in this package.
func TestValidateSays(t *testing.T) {
	for want, change := range map[string]func(*Customer){
		"birthDate: lies in the future": func(c *Customer) { c.Birth = date(2026, 6, 2) },
		"deceasedDate: lies in the future": func(c *Customer) {
			c.Deceased = date(2026, 6, 2)
		},
		"deceasedDate: lies before birthDate": func(c *Customer) {
			c.Deceased = birth.AddDate(0, 0, -1)
		},
		"birthDate: lies more than 130 years ago": func(c *Customer) {
			c.Birth = date(1896, 6, 1)
		},
		`mobilePhone: "none" is not a telephone number`: func(c *Customer) { c.MobilePhone = "none" },
	} {
		c := ordinary()
		c.FirstName, c.LastName, c.ProgramID = "Ann", "Lee", 1
		c.Mailing = Address{Line1: "1 Street", City: "Town", PostalCode: "1", Country: "US"}
		if problems := c.Validate(june); problems != nil {
			t.Fatalf("at first: %v", problems)
		}
		change(&c)
		if got := c.Validate(june).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func amount(tenThousandths int64) value.Amount {
	return value.Amount{TenThousandths: tenThousandths}
}

func TestValidateAccount(t *testing.T) {
	table := []broken[Account]{
		{"accountId", func(a *Account) { a.ID = 0 }},
		{"programId", func(a *Account) { a.ProgramID = 0 }},
		{"customerId", func(a *Account) { a.CustomerID = problem.MaxID + 1 }},
		{"type", func(a *Account) { a.Type = "Loan" }},
		{"status", func(a *Account) { a.Status = "" }},
		{"name", func(a *Account) { a.Name = "" }},
		{"name", func(a *Account) { a.Name = long(MaxAccountName) }},
		{"tag", func(a *Account) { a.Tag = long(MaxAccountTag) }},
		{"accountNumber", func(a *Account) { a.NumberMasked = "" }},
		{"accountNumber", func(a *Account) { a.NumberMasked = "123" }},
		{"accountNumber", func(a *Account) { a.NumberMasked = "123456789" }},
		{"accountNumber", func(a *Account) { a.NumberMasked = "*****678x" }},
		{"accountNumber", func(a *Account) { a.NumberMasked = strings.Repeat("*", 14) + "1234" }},
		{"accountBalance", func(a *Account) { a.Balance = amount(12501) }},
		{"availableBalance", func(a *Account) { a.AvailableBalance = amount(-10) }},
		{"pendingBalance", func(a *Account) { a.PendingBalance = amount(1) }},
	}
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[0-9]{4,17}`).Draw(t, "number")
		a := Account{
			ID: 1, ProgramID: 1, CustomerID: 1,
			Type:         rapid.SampledFrom(AccountTypes).Draw(t, "type"),
			Status:       rapid.SampledFrom(AccountStatuses).Draw(t, "status"),
			Name:         "A",
			NumberMasked: AccountNumber(digits).Masked(),
			Balance:      amount(100 * rapid.Int64Range(-1e9, 1e9).Draw(t, "cents")),
		}
		if problems := a.Validate(2); problems != nil {
			t.Fatalf("%+v\n%v", a, problems)
		}
		for _, b := range table {
			changed := a
			b.change(&changed)
			wantProblem(t, changed.Validate(2), b.path)
		}
	})
}

func TestAccountNumber(t *testing.T) {
	for number, want := range map[string]string{
		"0123456789": "", "1234": "", "12345678901234567": "",
		"123": "accountNumber", "123456789012345678": "accountNumber", "01-23": "accountNumber",
		"": "accountNumber",
	} {
		got := ""
		for _, p := range problem.Check(AccountNumber(number)) {
			got += p.Path
		}
		if got != want {
			t.Errorf("%q: a problem with %q, want %q", number, got, want)
		}
	}
	for number, want := range map[AccountNumber]string{
		"0123456789": "******6789", "******6789": "******6789", "1234": "1234", "12": "12",
	} {
		if got := number.Masked(); got != want {
			t.Errorf("%s is masked as %s", number, got)
		}
	}
}

func TestValidateAccess(t *testing.T) {
	for _, kind := range AccountAccesses {
		if problems := (Access{CustomerID: 1, AccountID: 2, Type: kind}).Validate(); problems != nil {
			t.Errorf("%s: %v", kind, problems)
		}
	}
	want := "customerId: must be a whole number from 1 to 2147483647\n" +
		"accountId: must be a whole number from 1 to 2147483647\n" +
		`access: "READ" is not one of: FULL, RDONLY, NONE`
	if got := (Access{Type: "READ"}).Validate().String(); got != want {
		t.Errorf("got %s", got)
	}
}
