package demo

import (
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Thing is an entry of the demo data: its identifier and its description.
type Thing struct{ ID, Is string }

// Guide is an overview of the demo data, in the order of its file.
type Guide struct{ Keys, Customers, Accounts, Cards []Thing }

// ReadGuide returns the guide, the same each time.
var ReadGuide = sync.OnceValue(readGuide)

// file is the part of demo.yaml that the guide shows.
type file struct {
	Keys []struct {
		Name          string
		ProgramID     int `yaml:"programId"`
		Version       int
		Secrets       []struct{ Secret, Expires string }
		Allow         []string
		PerSecond     *float64 `yaml:"perSecond"`
		Compatibility []string
	}
	Customers []struct {
		ID        int `yaml:"customerId"`
		ProgramID int `yaml:"programId"`
		Status    string
		Access    string `yaml:"access"`
		Born      string `yaml:"birthDate"`
		Deceased  string `yaml:"deceasedDate"`
		IsActive  *bool  `yaml:"isActive"`
		IsLocked  bool   `yaml:"isLocked"`
	}
	Accounts []struct {
		ID         int `yaml:"accountId"`
		CustomerID int `yaml:"customerId"`
		Type       string
		Status     string
	}
	Cards []struct {
		ID         int `yaml:"cardId"`
		CustomerID int `yaml:"customerId"`
		Status     string
		Lock       string `yaml:"lockTypeCode"`
		LockReason string `yaml:"lockReasonTypeCode"`
		Tag        string
	}
}

func readGuide() Guide {
	text, err := files.ReadFile("demo.yaml")
	if err != nil {
		panic(err) // embedded
	}
	var read file
	if err := yaml.Unmarshal(text, &read); err != nil {
		panic(fmt.Sprintf("demo: the guide cannot be read: %v", err))
	}
	return Guide{
		Keys: read.keys(), Customers: read.customers(), Accounts: read.accounts(),
		Cards: read.cards(),
	}
}

func (f *file) keys() []Thing {
	var all []Thing
	for _, entry := range f.Keys {
		t := traits{fmt.Sprintf("version %d, program %d", entry.Version, entry.ProgramID)}
		t.add(entry.PerSecond != nil && *entry.PerSecond > 0, "limited to a few requests a second")
		t.add(len(entry.Allow) > 0 && !strings.Contains(entry.Allow[0], "127."), "not from here")
		t.add(len(entry.Compatibility) > 0, strings.Join(entry.Compatibility, ", "))
		for _, secret := range entry.Secrets {
			t.add(secret.Expires != "", "expired on "+secret.Expires)
			all = append(all, Thing{entry.Name + ":" + secret.Secret, t.String()})
		}
	}
	return all
}

func (f *file) customers() []Thing {
	var all []Thing
	for _, entry := range f.Customers {
		t := traits{entry.Status, "access " + entry.Access, "born " + entry.Born}
		t.add(entry.ProgramID != 1, fmt.Sprintf("program %d", entry.ProgramID))
		t.add(entry.IsActive != nil && !*entry.IsActive, "inactive")
		t.add(entry.IsLocked, "locked")
		t.add(entry.Deceased != "", "deceased")
		all = append(all, Thing{fmt.Sprint(entry.ID), t.String()})
	}
	return all
}

func (f *file) accounts() []Thing {
	var all []Thing
	for _, entry := range f.Accounts {
		t := traits{entry.Type, entry.Status, fmt.Sprintf("of customer %d", entry.CustomerID)}
		all = append(all, Thing{fmt.Sprint(entry.ID), t.String()})
	}
	return all
}

func (f *file) cards() []Thing {
	var all []Thing
	for _, entry := range f.Cards {
		t := traits{entry.Status, fmt.Sprintf("of customer %d", entry.CustomerID)}
		t.add(entry.Lock != "", "locked "+entry.Lock+"/"+entry.LockReason)
		t.add(entry.Tag != "", "tag "+entry.Tag)
		all = append(all, Thing{fmt.Sprint(entry.ID), t.String()})
	}
	return all
}

// traits are the parts of a thing's description; the first is always present.
type traits []string

func (t *traits) add(ok bool, trait string) {
	if ok {
		*t = append(*t, trait)
	}
}

func (t traits) String() string { return strings.Join(t, ", ") }
