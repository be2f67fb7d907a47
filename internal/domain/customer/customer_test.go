package customer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/fault"
)

var birth = time.Date(1985, time.March, 14, 0, 0, 0, 0, time.UTC)

// ordinary returns a customer who passes every check.
func ordinary() Customer {
	return Customer{
		Standing: Standing{
			ID: 1001, Status: Verified, AccessType: Full, IsActive: true, Birth: birth,
		},
		MobilePhone: "+1 555 0100", Mailing: Address{Line1: "1 Main Street"},
	}
}

// wantFault compares an error with the text of the one expected fault; none means success.
func wantFault(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	for _, f := range fault.All(err) {
		got += f.Error()
	}
	if got != want {
		t.Errorf("fault %q, want %q", got, want)
	}
}

const (
	inactive    = "60002: Customer id 1001 is inactive. Inactive customers can perform no actions."
	notVerified = "60003: Customer id 1001 is not in a verified status. " +
		"Unverified customers can do nothing except call /customer/verify."
	locked   = "60004: Customer id 1001 is locked."
	deceased = "60005: Customer id 1001 is marked as deceased."
)

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Customer)
		want   string
	}{
		"ordinary":      {func(*Customer) {}, ""},
		"inactive":      {func(c *Customer) { c.IsActive = false }, inactive},
		"archived":      {func(c *Customer) { c.Status = Archived }, inactive},
		"deceased":      {func(c *Customer) { c.Deceased = birth }, deceased},
		"locked":        {func(c *Customer) { c.IsLocked = true }, locked},
		"initiated":     {func(c *Customer) { c.Status = Initiated }, notVerified},
		"manual review": {func(c *Customer) { c.Status = ManualReview }, notVerified},
		"denied":        {func(c *Customer) { c.Status = Denied }, notVerified},
		"access type":   {func(c *Customer) { c.AccessType = None }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := ordinary()
			test.change(&c)
			wantFault(t, c.Check(), test.want)
		})
	}
}

// TestCheckOrder removes one reason after the other from a customer who has them all.
func TestCheckOrder(t *testing.T) {
	c := ordinary()
	c.IsActive, c.IsLocked, c.Deceased, c.Status = false, true, birth, Denied
	wantFault(t, c.Check(), inactive)
	c.IsActive = true
	wantFault(t, c.Check(), deceased)
	c.Deceased = time.Time{}
	wantFault(t, c.Check(), locked)
	c.IsLocked = false
	wantFault(t, c.Check(), notVerified)
}

func TestCheckHolder(t *testing.T) {
	refused := map[Status]bool{Denied: true, Archived: true}
	for _, status := range Statuses {
		c := ordinary()
		c.Status = status
		want := ""
		if refused[status] {
			want = "150206: Assigned Customer 1001 status is " + string(status) +
				". Must be Initiated, Manual Review, or Verified."
		}
		wantFault(t, c.CheckHolder(), want)
	}
	for _, access := range append(AccessTypes, "") {
		c := ordinary()
		c.AccessType = access
		want := ""
		if access == None || access == "" {
			want = "150207: Assigned Customer 1001 access type is " + string(access) +
				". Must be FULL, ACCT, or CARD."
		}
		wantFault(t, c.CheckHolder(), want)
	}
	for want, change := range map[string]func(*Customer){
		"Inactive": func(c *Customer) { c.IsActive, c.IsLocked, c.Deceased = false, true, birth },
		"Deceased": func(c *Customer) { c.IsLocked, c.Deceased, c.Status = true, birth, Denied },
		"Locked":   func(c *Customer) { c.IsLocked, c.AccessType = true, None },
	} {
		c := ordinary()
		change(&c)
		wantFault(t, c.CheckHolder(), "150206: Assigned Customer 1001 status is "+want+
			". Must be Initiated, Manual Review, or Verified.")
	}
	both := ordinary()
	both.Status, both.AccessType = Denied, None
	wantFault(t, both.CheckHolder(), "150206: Assigned Customer 1001 status is Denied. "+
		"Must be Initiated, Manual Review, or Verified.")
}

func TestCheckReachable(t *testing.T) {
	const phone = "150231: The primary customer 1001 must have its Mobile or Home phone " +
		"specified prior to creating a card."
	const address = "150232: The primary customer 1001 must have its Mailing or Residence " +
		"address specified prior to creating a card."
	home := Address{City: "Springfield"}
	for _, test := range []struct {
		mobile, landline   string
		mailing, residence Address
		want               string
	}{
		{"1", "", home, Address{}, ""},
		{"", "1", Address{}, home, ""},
		{"1", "1", home, home, ""},
		{"", "", home, home, phone},
		{"1", "1", Address{}, Address{}, address},
		{"", "", Address{}, Address{}, phone},
	} {
		c := Customer{
			Standing: Standing{
				ID: 1001,
			},
			MobilePhone: test.mobile, HomePhone: test.landline, Mailing: test.mailing,
			Residence: test.residence,
		}
		wantFault(t, c.CheckReachable(), test.want)
	}
}

func TestManagesAccounts(t *testing.T) {
	got := make(map[AccessType]bool)
	for _, access := range AccessTypes {
		got[access] = Customer{Standing: Standing{AccessType: access}}.ManagesAccounts()
	}
	want := map[AccessType]bool{"FULL": true, "ACCT": true, "CARD": false, "NONE": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("who manages accounts (-want +got):\n%s", diff)
	}
}

func TestBornOn(t *testing.T) {
	c := ordinary()
	if !c.BornOn(1985, time.March, 14) {
		t.Error("the birth date does not fit itself")
	}
	for _, days := range []int{-1, 1, -365, 365, -31, 31} {
		year, month, day := birth.AddDate(0, 0, days).Date()
		if c.BornOn(year, month, day) {
			t.Errorf("the date %d days off fits", days)
		}
	}
	if c.BornOn(1985, time.April, 14) || c.BornOn(1985, time.February, 14) {
		t.Error("another month fits")
	}
}
