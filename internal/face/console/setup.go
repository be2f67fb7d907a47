package console

import (
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/face/web"
)

// setupStep is a step towards the first card.
type setupStep struct {
	mark
	Name, Why string
	List      string // address of the list of what was created
	Command   string // command to run on the server, for what the console cannot do
	To, Next  string // button; empty without the right, or before the previous step is done
	Main      bool   // the next step
}

// setupSteps gives, for each step, its purpose, the list that it adds to, the label of its button
// and the step before it.
var setupSteps = map[string]struct{ name, why, at, next, needs string }{
	"bank": {
		"Bank", "Owns programs, encryption keys and documents.", "banks", "Add a bank", "",
	},
	"encryptionKey": {
		"Encryption key", "Cards need one. It encrypts nothing until its first rotation: until " +
			"then the keyset of the installation does.",
		"banks/{id}/encryption-keys", "Add a key", "bank",
	},
	"program": {
		"Program", "Issues the cards, with limits and renewal of its own.",
		"programs", "Add a program", "bank",
	},
	"bin": {
		"BIN", "The range that card numbers are drawn from.", "bins", "Add a BIN", "program",
	},
	"key": {"API key", "Callers send requests with it.", "keys", "Issue a key", "program"},
	"processor": {
		"Card processor", "Takes the orders: set processor.kind in the settings, or they wait.",
		"", "", "",
	},
	"secondOperator": {
		"Second operator", "Four eyes need two people: one operator alone cannot approve a request.", "operators", "Invite an operator", "",
	},
}

// setup returns the steps towards the first card. It is empty once there is a card.
func (v *visit) setup(steps []wire.Step) []setupStep {
	var all []setupStep
	done := map[string]bool{}
	hasNext := false
	for _, step := range steps {
		known := setupSteps[step.Name]
		shown := setupStep{mark: mark{"mute", "ring", "To do"}, Name: known.name, Why: known.why}
		done[step.Name] = step.Done
		switch {
		case step.Done:
			shown.mark = mark{"ok", "", "Done"}
			switch {
			case strings.Contains(known.at, "{"): // the page from which it is rotated
				if len(v.Banks) > 0 && v.May(resourceAt("bank-keys").List.Roles.Names()...) {
					shown.List = v.To("banks/" + itoa(v.Banks[0].ID) + "/keys")
				}
			case known.at != "":
				shown.List = v.openedAt(pagesAt(known.at).section, known.at)
			}
		case known.at != "" && (known.needs == "" || done[known.needs]):
			shown.To, shown.Next = v.newOf(known.at), known.next
		}
		if approval := v.waitingFor(known.at); approval != 0 && !step.Done {
			shown.Why += " Approval " + itoa(approval) + " waits."
		}
		if step.Name == "secondOperator" && !step.Done && len(v.others) == 0 {
			shown.To = "" // no other operator could approve it
			shown.Command = "mintmark operator create NAME --role administrator --config mintmark.yaml"
		}
		shown.Main = shown.To != "" && !hasNext
		hasNext = hasNext || shown.Main
		all = append(all, shown)
	}
	return all
}

// waitingFor returns the ID of the approval that waits to add to a list, 0 for none.
func (v *visit) waitingFor(at string) int {
	if at == "" {
		return 0
	}
	create := pagesAt(at).Create
	for _, a := range v.waiting {
		if _, fits := web.Match(create.Path, web.Segments(relativePath(a))); fits && a.Method == create.Method {
			return a.ID
		}
	}
	return 0
}

// newOf returns the address of the form that adds to a list, empty if the operator may not. For a
// list of a bank it takes the first bank.
func (v *visit) newOf(at string) string {
	p := pagesAt(at)
	if !v.may(p.Create) {
		return ""
	}
	path := p.newPath()
	if len(v.Banks) > 0 {
		path = strings.Replace(path, "{id}", itoa(v.Banks[0].ID), 1)
	}
	return v.To(path)
}

// needs is the page shown in place of a list whose items belong to a program while there is none.
type needs struct {
	Many, To, Next string
}

// missing returns what the page of the current row needs first. It is false for all other pages.
func (v *visit) missing() (needs, bool) {
	if len(v.Programs) > 0 {
		return needs{}, false
	}
	for _, p := range described() {
		if p.at != v.row.path || p.In.Flag == "" || len(v.params) > 0 {
			continue
		}
		v.crumbs(p.title())
		shown := needs{Many: p.title()}
		switch {
		case !v.May("configurator"):
		case len(v.Banks) == 0:
			shown.To, shown.Next = v.To("banks/new"), "Add a bank"
		default:
			shown.To, shown.Next = v.To("programs/new"), "Add a program"
		}
		return shown, true
	}
	return needs{}, false
}
