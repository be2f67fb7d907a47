package customer

import (
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	now := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	for want, change := range map[string]func(*Customer){
		"":                              func(*Customer) {},
		"birthDate: lies in the future": func(c *Customer) { c.Birth = now.AddDate(0, 0, 1) },
		"deceasedDate: lies in the future": func(c *Customer) {
			c.Deceased = now.AddDate(0, 0, 1)
		},
		"deceasedDate: lies before birthDate": func(c *Customer) {
			c.Deceased = birth.AddDate(0, 0, -1)
		},
		"birthDate: lies more than 130 years ago": func(c *Customer) {
			c.Birth = now.AddDate(-131, 0, 0)
		},
		`mobilePhone: "none" is no telephone number`: func(c *Customer) { c.MobilePhone = "none" },
		`homePhone: "12" is no telephone number`:     func(c *Customer) { c.HomePhone = "12" },
	} {
		c := ordinary()
		change(&c)
		got := ""
		for _, found := range c.Validate(now) {
			got += found.Path + ": " + found.Text
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
