package cli

import (
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/importer/load"
)

// resource is what a command makes or changes by its members. They are those that an entry of the
// file of load has, but for its number, and for what has commands or a moment of its own.
type resource struct {
	list    []string // of the file
	number  string   // id here; what the bank has not given, Mintmark does
	without []string
}

var (
	programs = resource{[]string{"programs"}, "programId", []string{
		"bins", "webhooks", "products", "accounts", "externalAccounts", "eCodeProducts",
	}}
	bins      = resource{[]string{"bins"}, "binId", []string{"programId"}}
	customers = resource{[]string{"customers"}, "customerId", nil}
	accounts  = resource{
		[]string{"accounts"}, "accountId",
		[]string{"balanceLastModifiedDate", "lastModifiedDate"},
	}
)

// members describes the members, in their order.
func (r resource) members() []load.Description {
	var all []load.Description
	if r.list == nil {
		return nil
	}
	for _, m := range load.Describe(r.list...) {
		if slices.Contains(r.without, m.Name) {
			continue
		}
		if m.Name == r.number {
			m.Name = "id"
			m.Needed = r.number == customers.number || r.number == accounts.number
		}
		if r.number == customers.number {
			m.Value = strings.TrimPrefix(m.Value, "date-time, ")
		}
		all = append(all, m)
	}
	if r.number == programs.number {
		all = append(all, load.Description{
			Name: "fourEyes", Value: "true or false",
			Meaning: "Whether some acts wait for a second operator.",
		})
	}
	return all
}

// help lists the members below a text.
func (r resource) help(text string) string {
	var b strings.Builder
	b.WriteString(text + "\n\nMembers; those with a star are needed:\n\n")
	for _, m := range r.members() {
		if m.Needed {
			m.Name += "*"
		}
		fmt.Fprintf(&b, "  %s: %s. %s\n", m.Name, m.Value, m.Meaning)
	}
	return b.String()
}

// isText reports whether the value of a member is a text.
func (r resource) isText(name string) bool {
	return slices.ContainsFunc(r.members(), func(m load.Description) bool {
		return m.Name == name && m.Text
	})
}
