package cli

import (
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/importer/load"
)

// fileMembers describes the members of a resource that is created from its members. They are those
// of an entry in the file of load, except that its number is called id. Members with their own
// commands, masked numbers and modification dates are left out.
type fileMembers struct {
	list    []string // path of the list in the file
	number  string   // called id here; required if the bank assigns it, otherwise Mintmark can
	without []string
}

const masked = "accountNumberMasked"

// membersOfFile maps nouns to their members.
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

// all returns the descriptions of the members, in order.
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

// help appends the list of members to a text.
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

// isText reports whether the value of a member is a string.
func (m fileMembers) isText(name string) bool {
	return slices.ContainsFunc(m.all(), func(d load.Description) bool {
		return d.Name == name && d.Text
	})
}
