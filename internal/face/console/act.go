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

// fact is a property of an object: text, a link or a mark.
type fact struct {
	Name, Text, To string
	Mark           *mark
	At             moment
	Ago            string // time since At, in words
	Code           bool   // shown as code, such as an identifier
	Copy           bool   // shown as code, with a button that copies it
	Number         bool
	Block          bool   // preformatted, on several lines
	Class          string // CSS class of its table cell
}

// formPage is a page with a form.
type formPage struct {
	Fields   *fieldset
	Revision int    // of the object; 0 for a new one
	Once     string // idempotency key of a form that creates something
	Note     string
	Confirm  string // who must confirm the act; empty if it never needs a second operator
	Button   string
	Review   bool   // the changes are reviewed before they are sent
	Back     string // address
	BackText string
	Upload   string // label of the file field; empty for a form without one
	Accept   string // file types that the file field offers
	Get      string // address of a form that is sent by GET; empty for one that changes something
	Facts    []fact
}

// MaxFile returns the size of the largest file that a form takes.
func (formPage) MaxFile() int { return admin.MaxBodyBytes }

// actPage is the page on which an operator confirms an act. It shows the object, who must confirm
// the act, its effect in a sentence, the field for the reason and the button.
type actPage struct {
	formPage
	Effect string
	Risky  bool
	Trial  *dryRunResult // nil if there was no dry run
}

// dryRunResult is the result of a dry run: the changes, or why the act is not possible now.
type dryRunResult struct {
	Title   string
	Changed []change
	Told    string // set if nothing would change
	NotNow  string

	NeedsOther bool // a second operator must approve the act
}

// reasonField returns the field for the reason. It has no default.
func reasonField(help string) *control {
	return &control{
		Name: "reason", Label: "Reason, for the audit", Kind: areaField, Required: true, Help: help,
	}
}

// Texts that name who must confirm an act.
const (
	noSecond = "No second approval needed. Takes effect immediately."

	confirmedBySecond = "A second operator with the role security, within 24 hours. Asking " +
		"changes nothing yet. You cannot confirm it yourself."
)

// secondOperator returns the text that names who must confirm an act in the program of the page,
// with or without four eyes.
func (v *visit) secondOperator(op *admin.Op) string {
	if v.Program != nil && v.Program.FourEyes {
		return "A second operator, within 24 hours, because four eyes is on for " +
			v.Program.Name + ". Asking changes nothing yet. You cannot confirm it yourself." +
			v.unapproved(op, true)
	}
	return noSecond
}

// unapproved returns a warning if no other operator can approve the request, otherwise an empty
// string. With ofProgram, an approver needs only the bank of the page's program in scope.
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

// confirmLabel returns the label of a button. With four eyes, the button requests the act.
func (v *visit) confirmLabel(label string) string {
	if v.Program != nil && v.Program.FourEyes {
		return askTo(label)
	}
	return label
}

// askTo returns the label of a button that requests an act from a second operator.
func askTo(label string) string { return "Ask to " + lowerFirst(label) }

// secretPage is a page with secrets that are shown once.
type secretPage struct {
	Told     string // what to do with the secrets
	Secrets  []shownOnce
	Gone     string // what to do if they were shown before
	Back     string
	BackText string
}

type shownOnce struct{ Name, Label, Value string }

// properties are the members of a JSON object. As a merge patch, they leave all other members
// unchanged.
type properties map[string]json.RawMessage

func (m properties) json() json.RawMessage {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // the values are valid JSON
	}
	return text
}

func (m properties) set(name string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings, numbers and lists of them always encode
	}
	m[name] = text
}

// reasoned is the body of an act that takes only a reason, which is sent in a header.
var reasoned = wire.Reasoned{}

// reserved restricts rows to operators with one of the roles. The interface rejects others as well,
// but only after they have filled in the form.
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

// once returns the idempotency key of a form: the ID of the request that rendered it. A form that
// is sent twice creates one object, also if the first request is still at work or its answer was
// lost: then the form keeps its key.
func (v *visit) once() string {
	if p := v.frame.Problem; p != nil && !v.WasSent && strings.Contains(p.Detail, "Idempotency-Key") {
		return v.typed("once")
	}
	return v.exchange.ID
}

// filtered reports whether the address of a list sets any of these filters.
func (v *visit) filtered(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return v.Asked(name) != "" })
}

// flags returns the filters of a list page as flags of the list's command.
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
