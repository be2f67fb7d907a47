package console

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

// fact is a property of an object: text, or a link, or a mark.
type fact struct {
	Name, Text, To string
	Mark           *mark
	At             moment
	Ago            string // how long ago At was
	Code           bool   // for a machine to read
	Copy           bool   // Code that operators take elsewhere
	Number         bool
	Block          bool   // in lines
	Class          string // of the cell of a table
}

// asking is the page of a form that changes an object.
type asking struct {
	Fields   *fieldset
	Revision int    // of the object, 0 for something new
	Once     string // Idempotency-Key, for what is made
	Note     string
	Confirm  string // who must confirm; empty where nobody else ever must
	Button   string
	Review   bool   // what it changes is reviewed before
	Back     string // address
	BackText string
	Upload   string // label of a file, empty without one
	Accept   string // which files may be chosen for it
	Get      string // address of a form that only asks, empty for one that changes something
	Facts    []fact
}

// actPage is the page of an act that asks to be confirmed: what it is about, who must confirm, what
// it does in a sentence, the reason, the button.
type actPage struct {
	asking
	Effect string
	Risky  bool
	Trial  *dryRunResult // what a dry run has found; nil where none is made
}

// dryRunResult is what a dry run has found: what would be changed, or why nothing can be done now.
type dryRunResult struct {
	Title   string
	Changed []change
	Told    string // where nothing would be changed
	NotNow  string

	NeedsOther bool // a second operator
}

// reasonField asks why. It is never filled in.
func reasonField(help string) *control {
	return &control{
		Name: "reason", Label: "Reason, for the audit", Kind: areaField, Required: true, Help: help,
	}
}

// Who must confirm an act.
const (
	noSecond = "No second approval needed. Takes effect immediately."

	confirmedByRule = "A second operator with the role security, where the settings of this " +
		"server ask for four eyes. Otherwise it takes effect immediately."
)

// confirmedBySecond is confirmedByRule where the settings ask for four eyes.
const confirmedBySecond = "A second operator with the role security, within 24 hours. Asking " +
	"changes nothing yet. You cannot confirm it yourself."

// secondOperator tells who must confirm an act in a program that four eyes guard.
func (v *visit) secondOperator(op *admin.Op) string {
	if v.Program != nil && v.Program.FourEyes {
		return "A second operator, within 24 hours, because four eyes is on for " +
			v.Program.Name + ". Asking changes nothing yet. You cannot confirm it yourself." +
			v.unapproved(op, true)
	}
	return noSecond
}

// unapproved warns that no other operator can approve the request; it is empty where one can.
func (v *visit) unapproved(op *admin.Op, ofProgram bool) string {
	for _, other := range v.others {
		sees := v.who.Scope.Within(other.Scope)
		if ofProgram && v.Program != nil {
			sees = other.Scope.Includes(v.Program.BankID)
		}
		if sees && slices.ContainsFunc(op.Roles, other.Roles.Has) {
			return ""
		}
	}
	return " No other operator can approve a request now: it would expire."
}

// confirmLabel is the label of a button: what is guarded by four eyes is asked for.
func (v *visit) confirmLabel(label string) string {
	if v.Program != nil && v.Program.FourEyes {
		return askTo(label)
	}
	return label
}

// askTo is the label of a button that asks a second operator.
func askTo(label string) string { return "Ask to " + lowered(label) }

// secretPage is a page with what is shown once.
type secretPage struct {
	Told     string // what to do with it
	Secrets  []shownOnce
	Gone     string // what to do where it was shown already
	Back     string
	BackText string
}

type shownOnce struct{ Name, Label, Value string }

// properties are the members of a merge patch: those that it does not name stay.
type properties map[string]json.RawMessage

func (m properties) json() json.RawMessage {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // of JSON
	}
	return text
}

func (m properties) set(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // a text, a number or a list of them
	}
	m[name] = text
}

// reasoned is the body of an act that says nothing but its reason, which travels in the header.
var reasoned = wire.Reasoned{}

// reserved keeps rows to operators with one of the roles. The interface refuses others all the
// same; here nobody fills in a form in vain.
func reserved(rows []row, roles ...string) []row {
	for i := range rows {
		answer := rows[i].answer
		rows[i].answer = func(ctx context.Context, v *visit) (web.Response, error) {
			if !v.May(roles...) {
				return web.Response{}, &wire.Problem{
					Type: "/problems/" + wire.NotAllowed, Title: "Not allowed",
					Status: http.StatusForbidden,
					Detail: "This needs the role " + strings.Join(roles, " or ") + ".",
				}
			}
			return answer(ctx, v)
		}
	}
	return rows
}

// once names the form, so that what it makes is made once.
func (v *visit) once() string { return v.exchange.ID }

// filtered reports whether the address of a list says any of its filters.
func (v *visit) filtered(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return v.Asked(name) != "" })
}

// flags write the filter of the page of a list as those of its command.
func (v *visit) flags(list *admin.Op, names ...string) string {
	var words []string
	for _, name := range names {
		if value := v.filterValue(name, v.Asked(name)); value != "" {
			f := admin.Field{Name: name}
			if at := slices.IndexFunc(list.Filters, func(of admin.Field) bool { return of.Name == name }); at >= 0 {
				f = list.Filters[at]
			}
			flag := "--" + f.FlagName()
			switch {
			case value == "true":
				words = append(words, flag)
			case strings.HasPrefix(value, "-"):
				words = append(words, flag+"="+quoted(value))
			default:
				words = append(words, flag+" "+quoted(value))
			}
		}
	}
	return strings.Join(words, " ")
}
