package demo

import (
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Thing is an entry of the demo data: what it is found by, and what it is like.
type Thing struct{ ID, Is string }

// Guide is the demo data at a glance, in the order of its file.
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
	for _, one := range f.Keys {
		is := traits{fmt.Sprintf("version %d, program %d", one.Version, one.ProgramID)}
		is.add(one.PerSecond != nil && *one.PerSecond > 0, "limited to a few requests a second")
		is.add(len(one.Allow) > 0 && !strings.Contains(one.Allow[0], "127."), "not from here")
		is.add(len(one.Compatibility) > 0, strings.Join(one.Compatibility, ", "))
		for _, secret := range one.Secrets {
			is.add(secret.Expires != "", "expired on "+secret.Expires)
			all = append(all, Thing{one.Name + ":" + secret.Secret, is.String()})
		}
	}
	return all
}

func (f *file) customers() []Thing {
	var all []Thing
	for _, one := range f.Customers {
		is := traits{one.Status, "access " + one.Access, "born " + one.Born}
		is.add(one.ProgramID != 1, fmt.Sprintf("program %d", one.ProgramID))
		is.add(one.IsActive != nil && !*one.IsActive, "inactive")
		is.add(one.IsLocked, "locked")
		is.add(one.Deceased != "", "deceased")
		all = append(all, Thing{fmt.Sprint(one.ID), is.String()})
	}
	return all
}

func (f *file) accounts() []Thing {
	var all []Thing
	for _, one := range f.Accounts {
		is := traits{one.Type, one.Status, fmt.Sprintf("of customer %d", one.CustomerID)}
		all = append(all, Thing{fmt.Sprint(one.ID), is.String()})
	}
	return all
}

func (f *file) cards() []Thing {
	var all []Thing
	for _, one := range f.Cards {
		is := traits{one.Status, fmt.Sprintf("of customer %d", one.CustomerID)}
		is.add(one.Lock != "", "locked "+one.Lock+"/"+one.LockReason)
		is.add(one.Tag != "", "tag "+one.Tag)
		all = append(all, Thing{fmt.Sprint(one.ID), is.String()})
	}
	return all
}

// traits are what a thing is like, the first of them always.
type traits []string

func (t *traits) add(is bool, trait string) {
	if is {
		*t = append(*t, trait)
	}
}

func (t traits) String() string { return strings.Join(t, ", ") }
