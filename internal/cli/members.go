package cli

import (
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/importer/load"
)

// fileMembers are the members of what a command makes by its members. They are those that an entry
// of the file of load has, but for its number, and for what has commands or a moment of its own.
type fileMembers struct {
	list    []string // of the file
	number  string   // id here; what the bank has not given, Mintmark does
	without []string
}

const masked = "accountNumberMasked"

// membersOfFile are the members by nouns.
var membersOfFile = map[string]fileMembers{
	"program": {[]string{"programs"}, "programId", []string{
		"bins", "webhooks", "products", "accounts", "externalAccounts", "eCodeProducts",
	}},
	"product":         {[]string{"programs", "products"}, "productId", nil},
	"program-account": {[]string{"programs", "accounts"}, "programAccountId", []string{masked}},
	"external-account": {
		[]string{"programs", "externalAccounts"}, "programExternalAccountId", []string{masked},
	},
	"customer": {[]string{"customers"}, "customerId", nil},
	"account": {
		[]string{"accounts"}, "accountId",
		[]string{"balanceLastModifiedDate", "lastModifiedDate"},
	},
}

// all describes the members, in their order.
func (m fileMembers) all() []load.Description {
	if m.list == nil {
		return nil
	}
	byBank := m.number == "customerId" || m.number == "accountId"
	var all []load.Description
	for _, d := range load.Describe(m.list...) {
		if slices.Contains(m.without, d.Name) {
			continue
		}
		if d.Name == m.number {
			d.Name, d.Needed = "id", byBank
		}
		if m.number == "customerId" {
			d.Value = strings.TrimPrefix(d.Value, "date-time, ")
		}
		all = append(all, d)
	}
	if m.number == "programId" {
		all = append(all, load.Description{
			Name: "fourEyes", Value: "true or false",
			Meaning: "Whether some acts wait for a second operator.",
		})
	}
	return all
}

// help lists the members below a text.
func (m fileMembers) help(text string) string {
	var b strings.Builder
	b.WriteString(text + "\n\nMembers; those with a star are required:\n\n")
	for _, d := range m.all() {
		if d.Needed {
			d.Name += "*"
		}
		fmt.Fprintf(&b, "  %s: %s. %s\n", d.Name, d.Value, d.Meaning)
	}
	return b.String()
}

// isText reports whether the value of a member is a text.
func (m fileMembers) isText(name string) bool {
	return slices.ContainsFunc(m.all(), func(d load.Description) bool {
		return d.Name == name && d.Text
	})
}
