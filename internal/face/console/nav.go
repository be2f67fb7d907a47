package console

import (
	"path"
	"slices"
	"sync"

	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
)

// entry is a page in the navigation. Without roles, every operator may open it.
type entry struct {
	Group   string
	Section string
	Path    string
	Text    string
	roles   operator.Roles
}

// groups are the headings of the navigation, with the lists that come first under each. All other
// lists follow.
var groups = []struct {
	name  string
	first []string
}{
	{"Issuing", []string{"cards", "customers", "authorizations", "holds", "orders"}},
	{"Set-up", []string{"programs", "bins", "documents", "keys", "bank-keys"}},
	{"Watch", []string{"webhooks", "events", "jobs", "reconciliations", "audit"}},
	{"People", []string{"operators", "tokens", "approvals"}},
}

// entries returns the navigation: overview, charts, the lists of resources, and the sandbox.
var entries = sync.OnceValue(func() []entry {
	all := []entry{
		{Section: "overview", Text: "Overview"},
		{Section: "activity", Path: "activity", Text: "Activity"},
	}
	for _, group := range groups {
		lists := make([]entry, len(group.first))
		for _, r := range admin.Resources() {
			if r.Nav.Group != group.name {
				continue
			}
			name := path.Base(r.Path)
			roles := slices.Clone(r.List.Roles)
			if len(roles) > 0 {
				roles = append(roles, operator.Auditor)
			}
			list := entry{r.Nav.Group, name, name, r.Nav.Title, roles}
			if at := slices.Index(group.first, name); at >= 0 {
				lists[at] = list
			} else {
				lists = append(lists, list)
			}
		}
		all = append(all, lists...)
	}
	return append(all, entry{"Sandbox", sandboxSection, "sandbox", "Sandbox controls", nil})
})

// resourceOf returns the resource of a navigation entry.
func resourceOf(name string) *admin.Resource {
	resources := admin.Resources()
	return resources[slices.IndexFunc(resources, func(r *admin.Resource) bool {
		return r.Nav.Title != "" && path.Base(r.Path) == name
	})]
}

// sandboxSection is the entry that production lacks.
const sandboxSection = "sandbox"

// navGroup is a heading of the navigation with the pages that the operator may open.
type navGroup struct {
	Name    string
	Entries []entry
}

// Nav returns the navigation of the operator.
func (f *frame) Nav() []navGroup {
	var groups []navGroup
	for _, e := range entries() {
		if !f.opens(e) {
			continue
		}
		last := len(groups) - 1
		if last < 0 || groups[last].Name != e.Group {
			groups = append(groups, navGroup{Name: e.Group})
			last++
		}
		groups[last].Entries = append(groups[last].Entries, e)
	}
	return groups
}

func (f *frame) opens(e entry) bool {
	if e.Section == sandboxSection && !f.About.Sandbox {
		return false
	}
	if len(e.roles) == 0 {
		return true
	}
	return f.May(e.roles.Names()...)
}

// opened returns the address of a page in the navigation, empty if the operator may not open it.
func (f *frame) opened(section string, pairs ...string) string {
	at := slices.IndexFunc(entries(), func(e entry) bool { return e.Section == section })
	if at < 0 || !f.opens(entries()[at]) {
		return ""
	}
	return f.To(entries()[at].Path, pairs...)
}

// openedAt returns the address of a page below one in the navigation, empty if opened returns an
// empty string for the latter.
func (f *frame) openedAt(section, path string, pairs ...string) string {
	if f.opened(section) == "" {
		return ""
	}
	return f.To(path, pairs...)
}

// navCount is the number of things on a page that need an operator, in all programs in scope, with
// the address that lists them.
type navCount struct {
	Count          int
	Tone, Text, To string
}

// count sets the counts in the navigation.
func (f *frame) count(names admin.Frame) {
	orders, webhooks := f.To("orders", "state", "failed"), f.To("webhooks")
	if len(f.Programs) > 1 { // the overview lists the webhooks of all programs
		orders, webhooks = f.To("orders", "state", "failed", "programId", allPrograms), f.To("")
	}
	f.counts = map[string]navCount{
		"approvals": {len(names.Waiting), "warn", "open", f.To("approvals", "state", "waiting")},
		"orders":    {names.FailedOrders, "bad", "failed", orders},
		"webhooks":  {names.FailingWebhooks, "bad", "failing", webhooks},
	}
}

// Count returns the count of an entry, zero if it has none.
func (f *frame) Count(e entry) navCount { return f.counts[e.Section] }

// Current reports whether the page belongs to the entry.
func (f *frame) Current(e entry) bool { return e.Section == f.section }
