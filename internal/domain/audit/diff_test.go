package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// example is a change of a card.
type example struct {
	name          string
	before, after card.Card
}

// examples returns a new card, each property changed alone, and changes with unusually formatted
// values.
func examples() []example {
	zone := time.FixedZone("", 5*60*60+30*60)
	at := time.Date(2026, time.June, 1, 12, 30, 0, 120_000_000, zone)
	full := card.Card{
		ID: 5001, ProgramID: 1, CustomerID: 1001, HolderID: 1002, Type: "DBT", Vendor: "VS",
		BinID: 3, Status: card.Verified,
		Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		Tag:  "demo-5001", NickName: "Card 1", Name: card.NewName("Ada", "B", "Example"),
		Attributes: card.Attributes{QualifierCode: "A1"},
		LastFour:   "1111", ExpireMonth: 6, ExpireYear: 2030,
		Slots:           card.Slots{Checking: []int{2001, 2002}, Savings: []int{2005}},
		PrimaryCategory: customer.Checking, Created: at, Requested: at, Verified: at, Modified: at,
		Revision: 4,
	}
	all := []example{{"new", card.Card{}, full}, {"nothing", full, full}}
	change := func(name string, how func(*card.Card)) {
		after := full
		how(&after)
		all = append(all, example{name, full, after})
	}
	later := at.Add(time.Hour + time.Millisecond)
	for name, moment := range map[string]func(*card.Card) *time.Time{
		"archived":  func(c *card.Card) *time.Time { return &c.Archived },
		"denied":    func(c *card.Card) *time.Time { return &c.Denied },
		"expired":   func(c *card.Card) *time.Time { return &c.Expired },
		"reissued":  func(c *card.Card) *time.Time { return &c.Reissued },
		"requested": func(c *card.Card) *time.Time { return &c.Requested },
		"shipped":   func(c *card.Card) *time.Time { return &c.Shipped },
		"verified":  func(c *card.Card) *time.Time { return &c.Verified },
	} {
		change(name, func(c *card.Card) { *moment(c) = later })
	}
	change("date taken away", func(c *card.Card) { c.Verified = time.Time{} })
	change("same moment in another zone", func(c *card.Card) { c.Verified = at.UTC() })
	change("creator", func(c *card.Card) { c.CustomerID = 7 })
	change("holder", func(c *card.Card) { c.HolderID = 7 })
	change("type", func(c *card.Card) { c.Type = "CDT" })
	change("vendor", func(c *card.Card) { c.Vendor = "MC" })
	change("bin", func(c *card.Card) { c.BinID = 4 })
	change("status", func(c *card.Card) { c.Status = card.Archived })
	change("lock", func(c *card.Card) {
		c.Lock = card.Lock{Type: card.Customer, Reason: card.Lost}
	})
	change("lock reason", func(c *card.Card) { c.Lock.Reason = card.Temporary })
	change("tag", func(c *card.Card) { c.Tag = "" })
	change("tag with a card number", func(c *card.Card) { c.Tag = "4111.1111.1111.1111" })
	change("many accounts", func(c *card.Card) { c.Slots.Checking = []int{4111, 1111, 1111, 1111} })
	change("nickname", func(c *card.Card) { c.NickName = "<a> & \"b\" \\ \u2028 Zürich \x01\xff" })
	change("name", func(c *card.Card) { c.Name.Last = "O'NEIL & SONS" })
	change("name beyond what is printed", func(c *card.Card) {
		c.Name.Last = "EXAMPLE" + strings.Repeat(" ", 40)
	})
	change("qualifier", func(c *card.Card) { c.QualifierCode = "" })
	change("last four", func(c *card.Card) { c.LastFour = "2222" })
	change("digital", func(c *card.Card) { c.DigitalOnly = true })
	change("primary category", func(c *card.Card) { c.PrimaryCategory = customer.Savings })
	change("order of accounts", func(c *card.Card) { c.Slots.Checking = []int{2002, 2001} })
	change("no savings", func(c *card.Card) { c.Slots.Savings = nil })
	change("expiry", func(c *card.Card) { c.ExpireMonth, c.ExpireYear = 5, 2031 })
	change("replacement", func(c *card.Card) { c.Replaces = 5000 })
	change("replaced", func(c *card.Card) { c.ReplacedBy = 5002 })
	change("what is not shown", func(c *card.Card) {
		c.Revision, c.Modified, c.Created = 5, later, later
	})
	return all
}

// TestDiff compares the text of changes with texts recorded when the format was defined: the same
// programs read the entries of every version.
func TestDiff(t *testing.T) {
	text, err := os.ReadFile("testdata/changes.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string][2]string
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	cases := examples()
	if len(recorded) != len(cases) {
		t.Errorf("%d changes are recorded, and %d tried", len(recorded), len(cases))
	}
	for _, c := range cases {
		was, now := Diff(c.before, c.after)
		if got := [2]string{was, now}; got != recorded[c.name] {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, recorded[c.name])
		}
	}
}

// TestDiffShowsEveryProperty changes each field of a card alone. A field that is added to a card
// must appear in the audit, or be listed here as an exception.
func TestDiffShowsEveryProperty(t *testing.T) {
	hidden := map[string]bool{
		"ID": true, "ProgramID": true, // separate columns
		"Created": true, "Modified": true, "Orders": true, "Revision": true, // from the rest
	}
	base := card.Card{ID: 1, Slots: card.Slots{Checking: []int{1}, Savings: []int{2}},
		PrimaryCategory: customer.Checking}
	for _, declared := range reflect.VisibleFields(reflect.TypeFor[card.Card]()) {
		if declared.Anonymous {
			continue // its own fields follow
		}
		after := base
		field := reflect.ValueOf(&after).Elem().FieldByIndex(declared.Index)
		name := declared.Name
		switch value := field.Addr().Interface().(type) {
		case *card.Slots:
			value.Savings = nil
		case *card.Name:
			value.First = "ADA"
		case *card.Lock:
			value.Reason = card.Lost
		case *card.Category:
			*value = customer.Savings
		case *time.Time:
			*value = time.Unix(1, 0)
		default:
			set(t, name, field)
		}
		_, now := Diff(base, after)
		if (now == "") != hidden[name] {
			t.Errorf("%s changed, and the entry shows %q", name, now)
		}
	}
}

func set(t *testing.T, name string, field reflect.Value) {
	t.Helper()
	switch field.Kind() {
	case reflect.Int:
		field.SetInt(field.Int() + 1)
	case reflect.String:
		field.SetString("other")
	case reflect.Bool:
		field.SetBool(!field.Bool())
	default:
		t.Fatalf("the test cannot change %s, a %s", name, field.Kind())
	}
}

// TestSubject parses the id from the text of a subject.
func TestSubject(t *testing.T) {
	for _, test := range []struct {
		subject Subject
		kind    SubjectKind
		want    int
	}{
		{Of(Card, 5001), Card, 5001},
		{Of(Card, 5001), Customer, 0},
		{Subject{Key, "5001"}, Card, 0},
		{Subject{Card, "x"}, Card, 0},
		{Subject{}, Card, 0},
	} {
		if got := test.subject.Number(test.kind); got != test.want {
			t.Errorf("%v as a %s has the number %d, want %d",
				test.subject, test.kind, got, test.want)
		}
	}
	if text := fmt.Sprint(Of(Program, 1)); text != "{program 1}" {
		t.Errorf("program 1 is %s", text)
	}
}

// BenchmarkDiff measures the cost of the audit entry for a changed lock.
func BenchmarkDiff(b *testing.B) {
	before := examples()[0].after
	after := before
	after.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
	for b.Loop() {
		Diff(before, after)
	}
}
