package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

func approvalRows() []row {
	rows := []row{
		page("approvals", "approvals", "approvals", showApprovals),
		page("approvals/{id}", "approvals", "approval", showApproval),
		button("approvals/{id}/result", readResult),
	}
	for _, d := range decisions {
		path := "approvals/{id}/" + d.name()
		rows = append(rows, form(path, "approvals", "act", d.show, d.do)...)
	}
	return rows
}

type approvalList struct {
	Items   []approvalLine
	Next    string
	Filters []*control
	Guarded []string // acts that may need approval; set only for an empty list
}

type approvalLine struct {
	wire.Approval
	On crumb
}

// Shown returns the state to display: an act that was approved and then rejected by a rule counts
// as refused, not done.
func (a approvalLine) Shown() string {
	if a.State == "done" && a.ResultStatus >= http.StatusBadRequest {
		return "refused"
	}
	return a.State
}

// Result reports whether the operator made the request and can read its result, which is shown
// once, such as a secret.
func (a approvalLine) Result() bool {
	op := opOf(a.Method, relativePath(a.Approval))
	return a.Mine && a.HasResult && a.Refused() == "" && op != nil && len(op.Once) > 0
}

// Refused returns why a rule rejected an approved act, if necessary derived from the HTTP status.
// It is empty for any other approval.
func (a approvalLine) Refused() string {
	switch {
	case a.Shown() != "refused":
		return ""
	case a.Refusal != "":
		return a.Refusal
	case a.ResultStatus == http.StatusForbidden:
		return "The requester no longer has the role or the bank for it."
	case a.ResultStatus == http.StatusNotFound:
		return "The object does not exist any more."
	case a.ResultStatus == http.StatusConflict:
		return "The state of the object does not allow it."
	case a.ResultStatus == http.StatusPreconditionFailed:
		return "The object had changed since the request."
	}
	return "The request is not valid (status " + itoa(a.ResultStatus) + ")."
}

func (v *visit) approvalLine(a wire.Approval) approvalLine {
	return approvalLine{a, v.On(subjectOf(a), a.ProgramID)}
}

func showApprovals(ctx context.Context, v *visit) (approvalList, error) {
	l, err := readPage[wire.Approval](ctx, v, "approvals", v.filter("state", "sort"))
	if err != nil {
		return approvalList{}, err
	}
	p := pages{Resource: resourceAt("approvals")}
	list := approvalList{Next: l.Next, Filters: p.filterFields(v, []string{"state"})}
	for _, a := range l.Items {
		list.Items = append(list.Items, v.approvalLine(a))
	}
	if len(list.Items) == 0 {
		list.Guarded = guarded()
	}
	v.crumbs("Approvals")
	v.command("approval list", v.flags(p.List, "state", "sort"))
	return list, nil
}

// guarded returns the acts that may need a second operator.
func guarded() []string {
	var all []string
	for _, r := range admin.Resources() {
		for _, op := range r.Ops() {
			if op.FourEyes {
				summary, _, _ := strings.Cut(op.Summary, ";")
				all = append(all, summary)
			}
		}
	}
	return all
}

// approvalPage is an approval: waiting, or decided.
type approvalPage struct {
	approvalLine
	Facts  []fact
	Object approvalObject
	Asks   []change // requested changes, one per member
	Decide bool     // whether the operator may decide
}

func showApproval(ctx context.Context, v *visit) (approvalPage, error) {
	a, err := readNamed[wire.Approval](ctx, v, "approvals/{id}")
	if err != nil {
		return approvalPage{}, err
	}
	v.crumbs("Approval "+itoa(a.ID), "Approvals", "approvals")
	v.command("approval get", itoa(a.ID))
	line := v.approvalLine(a)
	shown := approvalPage{
		approvalLine: line, Facts: v.approvalFacts(line)[2:],
		Asks:   v.asks(a),
		Decide: a.MayEnd,
	}
	shown.Object, err = v.approvalObjectOf(ctx, a)
	return shown, err
}

// asks returns the members of the request except the reason, which the page shows separately.
func (v *visit) asks(a wire.Approval) []change {
	return v.worded(a, slices.DeleteFunc(changes(wire.Entry{After: a.Body}), func(d change) bool {
		return d.Name == "reason"
	}))
}

func (v *visit) approvalFacts(a approvalLine) []fact {
	m := state("approval", a.Shown())
	facts := []fact{
		{Name: "State", Mark: &m},
		{Name: "Act", Text: a.Act},
		{Name: "On", Text: a.On.Text, To: a.On.To},
		{Name: "Asked by", Text: actorText(a.Requester)},
		{Name: "Asked", At: v.When(a.Asked)},
	}
	if a.State == "waiting" {
		return append(facts, fact{Name: "Expires", At: v.When(a.Lapses)})
	}
	if a.Decider != nil {
		facts = append(facts, fact{Name: "Ended by", Text: actorText(*a.Decider)})
	}
	return append(facts, fact{Name: "Ended", At: v.Maybe(a.Ended)})
}

// actorText returns the name, kind and ID of an actor, so that a token and a person can be told
// apart.
func actorText(a wire.Actor) string {
	text := actorName(a) + ", " + actorKind(a.Kind)
	if a.ID != 0 {
		text += " " + itoa(a.ID)
	}
	return text
}

// actorName returns the name of an actor. For a key, the operators' name for it precedes its user
// name.
func actorName(a wire.Actor) string {
	if a.KeyName != "" {
		return a.KeyName + " (" + a.Name + ")"
	}
	return a.Name
}

// decidedLately returns the operator's own requests that were approved or rejected in the last 24
// hours.
func (v *visit) decidedLately(ctx context.Context) ([]approvalLine, error) {
	list, err := readPage[wire.Approval](ctx, v, "approvals", url.Values{"mine": {"true"}})
	var lines []approvalLine
	for _, a := range list.Items {
		if (a.State == "done" || a.State == "rejected") && a.Ended != nil &&
			v.Now.Sub(*a.Ended) < 24*time.Hour {
			lines = append(lines, v.approvalLine(a))
		}
	}
	return lines, err
}

// decision is a way to end an approval.
type decision struct{ verb, effect string }

var decisions = []decision{
	{"Approve", "The request takes effect now, as shown."},
	{"Reject", "Nothing is changed. The requester reads your reason."},
	{"Withdraw", "The request ends. Nothing is changed."},
}

// name returns the name of the act: the verb in lower case.
func (d decision) name() string { return strings.ToLower(d.verb) }

// over returns who ended an approval, or that it expired. It is empty while the approval waits.
func (a approvalLine) over() string {
	switch {
	case a.MayEnd || a.Mine && a.State == "waiting":
		return ""
	case a.State == "done":
		return a.EndedBy + " has approved it."
	case a.State == "lapsed":
		return "It has expired."
	case a.State == "withdrawn" || a.State == "rejected":
		return a.EndedBy + " has " + a.State + " it."
	}
	return ""
}

// show returns the page on which an operator decides.
func (d decision) show(ctx context.Context, v *visit) (actPage, error) {
	a, err := readNamed[wire.Approval](ctx, v, "approvals/{id}")
	if err != nil {
		return actPage{}, err
	}
	id := itoa(a.ID)
	title := d.verb + " approval " + id
	v.crumbs(title, "Approvals", "approvals", id, "approvals/"+id)
	v.command("approval", d.name(), id, `--reason "…"`)
	line := v.approvalLine(a)
	facts := append(v.approvalFacts(line), fact{Name: "Reason for the request", Text: a.Reason})
	object, err := v.approvalObjectOf(ctx, a)
	if err != nil {
		return actPage{}, err
	}
	if len(object.Changes) == 0 {
		object.Changes = v.asks(a)
	}
	for _, c := range object.Changes {
		text := c.To
		if c.From != "" {
			text = c.From + " → " + c.To
		}
		facts = append(facts, fact{Name: c.Name, Text: text})
	}
	if card := object.Card; card != nil {
		facts = append(facts, fact{Name: "Holder", Text: card.HolderName})
		if card.Lock != nil {
			facts = append(facts, fact{Name: "Locked", Text: lockReason(card.Lock.ReasonTypeCode) +
				", “" + card.Lock.Reason + "”"})
		}
	}
	facts = append(facts, object.Facts...)
	effect := d.effect
	if d.verb == "Approve" {
		if object.Effect != "" {
			effect += " " + object.Effect
		}
		if a.IfMatch != 0 {
			effect += " It is refused if the object has changed since."
		}
	}
	confirm := "You are the second operator. The audit names " + a.AskedBy +
		", who made the request, and you."
	if d.verb == "Withdraw" {
		confirm = noSecond
	}
	var trial *dryRunResult
	switch over := line.over(); {
	case over != "":
		trial = &dryRunResult{NotNow: over}
	case a.Mine && d.verb != "Withdraw":
		trial = &dryRunResult{NotNow: "You cannot approve or reject your own request."}
	case d.verb == "Approve" && object.Stale:
		trial = &dryRunResult{NotNow: "The object has changed since the request. Reject it, or have " +
			"it withdrawn and made again."}
	}
	return actPage{
		formPage: formPage{
			Confirm: confirm,
			Fields:  ask(reasonField("Your checks.")).afterRefusal(v),
			Facts:   facts, Revision: a.Revision, Button: title, Back: v.To("approvals/" + id),
			BackText: "Back to the approval",
		},
		Effect: effect, Trial: trial,
	}, nil
}

func (d decision) do(ctx context.Context, v *visit) (outcome, error) {
	path := "approvals/" + v.param("id")
	_, err := act[wire.Approval](ctx, v, path+"/"+d.name(), reasoned)
	return redirectTo(v.To(path)), err
}

// readResult shows the requester the result of an approved act, once.
func readResult(ctx context.Context, v *visit) (outcome, error) {
	id := v.param("id")
	type shownOnceOf struct{ Name, Key, Secret, Token, Link string }
	s, err := valueOf[shownOnceOf](v.do(ctx, admin.Request{
		Method: http.MethodPost, Path: "approvals/" + id + "/result",
	}))
	refused := (*wire.Problem)(nil)
	if err != nil && (!errors.As(err, &refused) || refused.Name() != wire.NotFound) {
		return outcome{}, err
	}
	title := "Result of approval " + id
	v.crumbs(title, "Approvals", "approvals", id, "approvals/"+id)
	v.command("approval result", id)
	shows := secretPage{
		Back: v.To("approvals/" + id), BackText: "To the approval",
		Told: "Only a digest of it is stored.",
		Gone: "There is no result, or it was already read.",
	}
	for _, item := range []shownOnce{
		{"name", "Name", s.Name}, {"key", "Key (user name)", s.Key}, {"secret", "Secret", s.Secret},
		{"token", "Token", s.Token}, {"link", "Link", s.Link},
	} {
		if item.Value != "" {
			shows.Secrets = append(shows.Secrets, item)
		}
	}
	return once("secret", shows), nil
}
