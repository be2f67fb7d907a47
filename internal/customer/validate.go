package customer

import (
	"strings"
	"time"

	"mintmark/internal/problem"
)

// oldest is how many years a living person may have.
const oldest = 130

// Validate returns what is wrong with a customer that an operator wants kept.
func (c Customer) Validate(now time.Time) problem.List {
	var found problem.List
	switch {
	case c.Birth.After(now):
		found.Add("birthDate", "lies in the future")
	case !c.Birth.IsZero() && c.Birth.Before(now.AddDate(-oldest, 0, 0)):
		found.Add("birthDate", "lies more than %d years ago", oldest)
	}
	switch {
	case c.Deceased.IsZero():
	case c.Deceased.Before(c.Birth):
		found.Add("deceasedDate", "lies before birthDate")
	case c.Deceased.After(now):
		found.Add("deceasedDate", "lies in the future")
	}
	for name, phone := range map[string]string{
		"mobilePhone": c.MobilePhone, "homePhone": c.HomePhone,
	} {
		if phone != "" && !isPhone(phone) {
			found.Add(name, "%q is no telephone number", phone)
		}
	}
	return found
}

// isPhone allows what people write between the digits, and wants as many digits as the shortest
// numbers have.
func isPhone(text string) bool {
	const leastDigits = 5
	digits := 0
	for _, letter := range text {
		switch {
		case letter >= '0' && letter <= '9':
			digits++
		case !strings.ContainsRune("+()-./ x", letter):
			return false
		}
	}
	return digits >= leastDigits
}
