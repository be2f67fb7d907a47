package console

import (
	"slices"

	"mintmark/internal/domain/operator"
)

// entry is a page that the navigation leads to, with the roles that may open it. Without any,
// everybody may.
type entry struct {
	Group   string
	Section string
	Path    string
	Text    string
	roles   operator.Roles
}

// The entries in their order. Groups follow each other.
var entries = []entry{
	{"", "overview", "", "Overview", nil},
	{"Issuing", "cards", "cards", "Cards", operator.Roles{operator.Support, operator.Auditor}},
	{"Issuing", "customers", "customers", "Customers",
		operator.Roles{operator.Support, operator.Auditor}},
	{"Issuing", "orders", "orders", "Orders",
		operator.Roles{operator.Support, operator.Configurator, operator.Auditor}},
	{"Set-up", "programs", "programs", "Programs", nil},
	{"Set-up", "bins", "bins", "Bins", operator.Roles{operator.Configurator, operator.Auditor}},
	{"Set-up", "documents", "documents", "Documents",
		operator.Roles{operator.Configurator, operator.Auditor}},
	{"Set-up", "keys", "keys", "Keys", operator.Roles{operator.Security, operator.Auditor}},
	{"Set-up", "bank-keys", "bank-keys", "Keys of banks",
		operator.Roles{operator.Security, operator.Auditor}},
	{"Watch", "webhooks", "webhooks", "Webhooks",
		operator.Roles{operator.Configurator, operator.Auditor}},
	{"Watch", "events", "events", "Events",
		operator.Roles{operator.Configurator, operator.Auditor}},
	{"Watch", "jobs", "jobs", "Jobs", operator.Roles{operator.Configurator, operator.Auditor}},
	{"Watch", "reconciliations", "reconciliations", "Reconciliations",
		operator.Roles{operator.Support, operator.Configurator, operator.Auditor}},
	{"Watch", "audit", "audit", "Audit", operator.Roles{operator.Auditor}},
	{"People", "operators", "operators", "Operators",
		operator.Roles{operator.Security, operator.Auditor}},
	{"People", "tokens", "tokens", "Tokens", operator.Roles{operator.Security, operator.Auditor}},
	{"People", "approvals", "approvals", "Approvals", nil},
	{"Sandbox", sandboxSection, "sandbox", "World and clock", nil},
}

// sandboxSection is the entry that production has not.
const sandboxSection = "sandbox"

// navGroup is a heading of the navigation and the pages below it that the operator may open.
type navGroup struct {
	Name    string
	Entries []entry
}

// Nav returns the navigation of the operator.
func (f *frame) Nav() []navGroup {
	var groups []navGroup
	for _, one := range entries {
		if !f.opens(one) {
			continue
		}
		last := len(groups) - 1
		if last < 0 || groups[last].Name != one.Group {
			groups = append(groups, navGroup{Name: one.Group})
			last++
		}
		groups[last].Entries = append(groups[last].Entries, one)
	}
	return groups
}

func (f *frame) opens(one entry) bool {
	if one.Section == sandboxSection && !f.About.Sandbox {
		return false
	}
	if len(one.roles) == 0 {
		return true
	}
	var roles []string
	for _, role := range one.roles {
		roles = append(roles, string(role))
	}
	return f.May(roles...)
}

// opened is the address of a page of the navigation, empty for one that the operator may not open.
func (f *frame) opened(section string, pairs ...string) string {
	at := slices.IndexFunc(entries, func(one entry) bool { return one.Section == section })
	if at < 0 || !f.opens(entries[at]) {
		return ""
	}
	return f.To(entries[at].Path, pairs...)
}

// Current reports whether the page belongs to an entry.
func (f *frame) Current(one entry) bool { return one.Section == f.section }
