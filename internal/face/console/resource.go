package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
)

// pages are the pages of a resource of the operators' interface: its list, the page of one item,
// the forms that create and change it, and a page for each act. They are derived from its
// description.
type pages struct {
	*admin.Resource
	at      string // path of the list: "keys"
	item    string // path of one item: "keys/{name}"
	section string
}

// others are the resources, by path in the interface, whose pages are all written by hand or that
// are shown on the pages of another resource.
var others = []string{
	"bank-keys", "cards", "customers", "accounts", "audit", "approvals",
	"programs/{id}/feeds", "webhooks/{id}/deliveries", "webhooks/{id}/replay",
}

// described returns the pages of all other resources with a list. Resources outside the navigation
// belong to the section of programs; those of a bank have its number in their path. A page written
// by hand at the same path replaces a derived one.
var described = sync.OnceValue(func() []*pages {
	var all []*pages
	for _, r := range admin.Resources() {
		if r.List == nil || slices.Contains(others, r.Path) {
			continue
		}
		at := r.Noun + "s"
		section := at
		if r.Nav.Title == "" {
			section = "programs"
			if strings.HasPrefix(r.Path, "banks/") {
				at = r.Path
			}
		}
		all = append(all, &pages{r, at, at + "/{" + r.ID.Name + "}", section})
	}
	return all
})

// resourceAt returns the resource whose list is at a path of the interface.
func resourceAt(path string) *admin.Resource {
	all := admin.Resources()
	return all[slices.IndexFunc(all, func(r *admin.Resource) bool { return r.Path == path })]
}

// pagesAt returns the pages of the resource whose list is at a path.
func pagesAt(path string) *pages {
	all := described()
	return all[slices.IndexFunc(all, func(p *pages) bool { return p.at == path })]
}

// resourceRows returns the derived pages of all resources, except those written by hand.
func resourceRows(byHand []row) []row {
	var rows []row
	for _, p := range described() {
		rows = append(rows, p.rows()...)
	}
	return slices.DeleteFunc(rows, func(r row) bool {
		return slices.ContainsFunc(byHand, func(other row) bool {
			return other.method == r.method && other.path == r.path
		})
	})
}

// rows returns the rows of the pages. Forms come first: the path of an item matches any word after
// that of the list.
func (p *pages) rows() []row {
	var rows []row
	if p.Create != nil {
		rows = append(rows, p.form(p.Create, p.newPath(), p.showNew)...)
	}
	if p.Change != nil {
		rows = append(rows, p.form(p.Change, p.item+"/edit", p.showChange)...)
	}
	for _, op := range append(slices.Clone(p.Acts), p.Remove) {
		if !p.isAct(op) {
			continue
		}
		acts := form(p.item+"/"+op.Name, p.section, "act", p.showAct(op, p.find), p.do(op))
		rows = append(rows, reserved(acts, op.Roles.Names()...)...)
	}
	if p.List != nil {
		rows = append(rows, page(p.at, p.section, "list", p.list))
	}
	if p.Show != nil {
		rows = append(rows, page(p.item, p.section, "show", p.show))
	}
	return rows
}

// isAct reports whether an operation is an act on one item, with a JSON body or none.
func (p *pages) isAct(op *admin.Op) bool {
	return op != nil && op.Changes() && op.Upload == "" && strings.HasPrefix(op.Path, p.Item)
}

func (p *pages) form(
	op *admin.Op, path string, show func(context.Context, *visit) (formPage, error),
) []row {
	return reserved(form(path, p.section, "form", show, p.do(op)), op.Roles.Names()...)
}

// newPath returns the path of the form that creates an item. It avoids "new" below the list if that
// can be the name of an item.
func (p *pages) newPath() string {
	if p.ID.Number {
		return p.at + "/new"
	}
	return "new-" + p.Noun
}

// noun returns the singular of the resource's name for people, many the plural.
func (p *pages) noun() string { return strings.ReplaceAll(p.Noun, "-", " ") }
func (p *pages) many() string { return p.noun() + "s" }

// capital returns a text with a capital first letter.
func capital(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(text[:size]) + text[size:]
}

// article returns a noun with its indefinite article.
func article(noun string) string {
	if strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

func (p *pages) title() string { return cmp.Or(p.Nav.Title, capital(p.many())) }

// label returns the label of an operation's button.
func (p *pages) label(op *admin.Op, name string) string {
	usual := capital(op.Name) + " " + p.noun() + " {id}"
	switch op {
	case p.Create:
		usual = "Add " + article(p.noun())
	case p.Change:
		usual = "Change " + p.noun() + " {id}"
	}
	return strings.ReplaceAll(cmp.Or(op.Button, usual), "{id}", name)
}

// heading returns the title of an operation's page.
func (p *pages) heading(op *admin.Op, name string) string {
	if op.Title != "" {
		return strings.ReplaceAll(op.Title, "{id}", name)
	}
	return p.label(op, name)
}

// fillPath fills in the parameters of a path from the page's address and program.
func (v *visit) fillPath(path string) (string, error) { return v.fill(path, v.params) }

// fill is fillPath for other parameters than those of the page's address.
func (v *visit) fill(path string, params map[string]string) (string, error) {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		name, ok := strings.CutPrefix(part, "{")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "}")
		value, ok := params[name]
		switch {
		case ok && isNumber(path, name) && strings.Trim(value, "0123456789") != "":
			return "", notFound()
		case ok:
			parts[i] = url.PathEscape(value)
		case i > 0 && parts[i-1] == "programs" && v.programID != 0:
			parts[i] = itoa(v.programID)
		case i > 0 && parts[i-1] == "banks" && v.Bank != nil:
			parts[i] = itoa(v.Bank.ID)
		default:
			return "", notFound()
		}
	}
	return strings.Join(parts, "/"), nil
}

// isNumber reports whether a parameter in a path of the interface is a number.
func isNumber(path, name string) bool {
	for _, r := range admin.Resources() {
		for _, op := range r.Ops() {
			if op.Path == path {
				return slices.ContainsFunc(op.Params, func(p admin.Param) bool {
					return p.Name == name && p.Number
				})
			}
		}
	}
	return false
}

// consolePath is fillPath for a path of the console. It returns an empty string on an error.
func (v *visit) consolePath(path string) string {
	filled, err := v.fillPath(path)
	if err != nil {
		return ""
	}
	return filled
}

// perform carries out an operation and returns the value of its reply, nil for none.
func (v *visit) perform(
	ctx context.Context, op *admin.Op, r admin.Request, body any,
) (any, error) {
	path, err := v.fillPath(op.Path)
	if err != nil {
		return nil, err
	}
	r.Method, r.Path = op.Method, path
	var result admin.Result
	if op.Method == http.MethodGet {
		result, err = v.do(ctx, r)
	} else {
		result, err = v.change(ctx, r, body)
	}
	if err != nil || op.Reply == nil || result.Raw == nil {
		return result.Value, err
	}
	return decode(result, op.Reply)
}

// find reads the item in the address, and makes its program that of the page.
func (p *pages) find(ctx context.Context, v *visit) (any, error) {
	item, err := v.perform(ctx, p.Show, admin.Request{}, nil)
	v.object = v.consolePath(p.Show.Path)
	v.chooseOf(item)
	return item, err
}

// readNamed is find for a type and a path of the interface.
func readNamed[A any](ctx context.Context, v *visit, path string) (A, error) {
	path, err := v.fillPath(path)
	if err != nil {
		var none A
		return none, err
	}
	item, err := read[A](ctx, v, path)
	v.object = path
	v.chooseOf(item)
	return item, err
}

// chooseOf makes an item's program that of the page.
func (v *visit) chooseOf(item any) {
	if id, ok := strictjson.Member(item, "programId").(int); ok && id != 0 {
		v.choose(id)
	}
}

// isOfProgram reports whether the four-eyes setting of a program applies to acts on the resource.
func (p *pages) isOfProgram() bool {
	if p.Show == nil {
		return false
	}
	_, ok := strictjson.Fields(p.Show.Reply)["programId"]
	return ok
}

// setTitleAndCrumbs sets the title of a page and the path to it, which includes the item on the
// pages of its acts.
func (p *pages) setTitleAndCrumbs(v *visit, title string, item any) {
	var pairs []string
	if p.Nav.Title == "" {
		pairs = append(pairs, "Programs", "programs")
		if strings.HasPrefix(p.Path, "programs/") && v.Program != nil {
			pairs = append(pairs, v.Program.Name, "programs/"+itoa(v.Program.ID))
		}
	}
	if item != nil || v.row.path != p.at {
		pairs = append(pairs, p.title(), v.consolePath(p.at))
	}
	if item != nil && v.row.path != p.item {
		pairs = append(pairs, nameOf(item), v.consolePath(p.item))
	}
	v.crumbs(title, pairs...)
}

// line adds the command of an operation on the subject of the page.
func (p *pages) line(v *visit, op *admin.Op, words ...string) {
	command := []string{p.Noun, op.Name}
	if id := v.params[p.ID.Name]; id != "" {
		command = append(command, quoted(id))
	}
	parts := strings.Split(v.consolePath(op.Path), "/")
	above := strings.HasPrefix(op.Path, parts[0]+"/{"+p.In.Name+"}") &&
		(p.In.Name != p.ID.Name || !strings.HasPrefix(op.Path, p.Item))
	if p.In.Flag != "" && above {
		command = append(command, "--"+p.In.Flag, parts[1])
	}
	v.command(append(command, words...)...)
}

// may reports whether the operator's roles allow an operation.
func (v *visit) may(op *admin.Op) bool { return op != nil && v.May(op.Roles.Names()...) }

// itemPage is the page of one item with its acts.
type itemPage struct {
	Facts   []fact
	Mark    *mark
	Acts    []offered
	History []crumb // links to its entries in the audit
	Noun    string
}

// audited are the resources that are subjects of audit entries, under the same noun.
var audited = []string{"key", "bin", "webhook", "document", "operator", "token"}

// acting are the resources that are actors in the audit.
var acting = []string{"key", "operator", "token"}

func (p *pages) show(ctx context.Context, v *visit) (itemPage, error) {
	item, err := p.find(ctx, v)
	if err != nil {
		return itemPage{}, err
	}
	return p.page(v, item), nil
}

func (p *pages) page(v *visit, item any) itemPage {
	p.setTitleAndCrumbs(v, capital(p.noun())+" "+nameOf(item), item)
	p.line(v, p.Show)
	shown := itemPage{Facts: p.facts(v, item), Mark: p.mark(v, item), Noun: p.noun()}
	if !isOver(item) {
		shown.Acts = p.offeredActs(v)
	}
	if !v.May(string(operator.Auditor)) {
		return shown
	}
	id, name := idOf(item), nameOf(item)
	if key, ok := item.(wire.Key); ok {
		id, name = key.Key, key.Key // the audit names a key by the user name that callers send
	}
	// The links name no program: entries about operators and tokens belong to none.
	if slices.Contains(audited, p.Noun) {
		shown.History = append(shown.History, crumb{"History in the audit log",
			v.To("audit", "subject", p.Noun+":"+id, "programId", allPrograms)})
	}
	if slices.Contains(acting, p.Noun) {
		shown.History = append(shown.History, crumb{"Acts by this " + p.noun(),
			v.To("audit", "actor", p.Noun+":"+name, "programId", allPrograms)})
	}
	return shown
}

// offeredActs returns the acts that the operator may perform.
func (p *pages) offeredActs(v *visit) []offered {
	var all []offered
	add := func(op *admin.Op, label, path string, risky bool) {
		if v.may(op) {
			all = append(all, offered{path, label, v.To(v.consolePath(p.item + "/" + path)), risky})
		}
	}
	add(p.Change, "Change", "edit", false)
	for _, op := range p.Acts {
		if p.isAct(op) {
			add(op, capital(op.Name)+"…", op.Name, op.Risky)
		}
	}
	if p.Remove != nil {
		add(p.Remove, "Remove…", p.Remove.Name, true)
	}
	return all
}

// showNew shows the form that creates an item.
func (p *pages) showNew(_ context.Context, v *visit) (formPage, error) {
	if _, err := v.fillPath(p.Create.Path); err != nil {
		return formPage{}, err
	}
	p.setTitleAndCrumbs(v, p.heading(p.Create, ""), nil)
	if p.Create.Example != "" {
		v.Commands = append(v.Commands, p.Create.Example)
	} else {
		p.line(v, p.Create)
	}
	in := p.inputs(v, p.Create, nil)
	return formPage{
		Fields: in.fields(p.Create).afterRefusal(v), Once: v.once(),
		Button: p.confirmLabel(v, p.Create, nil, p.label(p.Create, "")), Note: p.Create.Effect,
		Confirm: p.confirm(v, p.Create, nil, ""), Back: v.To(v.consolePath(p.at)), BackText: "Back to the " + p.many(),
	}, nil
}

// showChange shows the form that changes an item.
func (p *pages) showChange(ctx context.Context, v *visit) (formPage, error) {
	item, err := p.find(ctx, v)
	if err != nil {
		return formPage{}, err
	}
	name, revision := nameOf(item), revisionOf(item)
	p.setTitleAndCrumbs(v, p.heading(p.Change, name), item)
	words := []string{"--set NAME=VALUE --revision", itoa(revision)}
	if p.Change.Reason {
		words = append(words, `--reason "…"`)
	}
	p.line(v, p.Change, words...)
	in := p.inputs(v, p.Change, item)
	return formPage{
		Fields: in.fields(p.Change).afterRefusal(v), Revision: revision,
		Button: p.label(p.Change, name), Review: p.isReviewed(), Note: p.Change.Effect,
		Confirm: p.confirm(v, p.Change, nil, ""), Back: v.To(v.consolePath(p.item)),
		BackText: "Back to the " + p.noun(),
	}, nil
}

// showAct returns the page of an act: the object, who must confirm it, the effect and the reason.
func (p *pages) showAct(
	op *admin.Op, find func(context.Context, *visit) (any, error),
) func(context.Context, *visit) (actPage, error) {
	return func(ctx context.Context, v *visit) (actPage, error) {
		item, err := find(ctx, v)
		if err != nil {
			return actPage{}, err
		}
		name := nameOf(item)
		p.setTitleAndCrumbs(v, p.heading(op, name), item)
		in := p.inputs(v, op, nil)
		if op.Example == "" { // it has no command
			p.line(v, p.Show)
		} else {
			p.line(v, op, append(in.flags(v), `--reason "…"`)...)
		}
		facts := p.facts(v, item)
		if mark := p.mark(v, item); mark != nil {
			facts = append([]fact{{Name: "State", Mark: mark}}, facts...)
		}
		var dryRun *dryRunResult
		if len(in) == 0 {
			dryRun, err = p.try(ctx, v, op, revisionOf(item))
		}
		return actPage{
			formPage: formPage{
				Fields: in.fields(op).afterRefusal(v), Facts: facts, Revision: revisionOf(item),
				Once: v.once(), Button: p.confirmLabel(v, op, dryRun, p.label(op, name)),
				Confirm: p.confirm(v, op, dryRun, noSecond), Back: v.To(v.consolePath(p.item)),
				BackText: "Back to the " + p.noun(),
			},
			Effect: strings.ReplaceAll(op.Effect, "{id}", name),
			Risky:  op.Risky || op == p.Remove, Trial: dryRun,
		}, err
	}
}

// tryReason is the placeholder for the reason of a dry run.
const tryReason = "what would change"

// try makes a dry run of an act that takes only a reason. It returns nil for a refusal that the
// form will report.
func (p *pages) try(
	ctx context.Context, v *visit, op *admin.Op, revision int,
) (*dryRunResult, error) {
	path, err := v.fillPath(op.Path)
	if err != nil {
		return nil, err
	}
	result, err := v.change(ctx, admin.Request{
		Method: op.Method, Path: path, IfMatch: tagOf(revision), Reason: tryReason,
		Query: url.Values{"dryRun": {"true"}},
	}, nil)
	refused := (*wire.Problem)(nil)
	switch {
	case errors.As(err, &refused) && refused.Name() == wire.Conflict:
		return &dryRunResult{NotNow: refused.Detail}, nil
	case refused != nil && refused.Status < http.StatusInternalServerError:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &dryRunResult{
		Title: "Changes", Changed: p.changes(v, result.Changes), NeedsOther: result.NeedsOther,
	}, nil
}

// changes returns the changes of a dry run for people: each member by its label, without lists and
// without the placeholder of the reason.
func (p *pages) changes(v *visit, list []wire.Change) []change {
	var all []change
	for _, c := range list {
		name := strings.TrimPrefix(c.Pointer, "/")
		from, to := shownJSON(c.From), shownJSON(c.To)
		if to == tryReason || strings.HasPrefix(from+to, "[") {
			continue
		}
		for _, f := range p.Fields {
			if f.Name == name && f.Label != "" {
				name = f.Label
			}
		}
		all = append(all, change{name, v.inZone(from), v.inZone(to)})
	}
	return all
}

// confirm returns the text that names who must confirm an operation, or otherwise if it needs no
// second operator. The dry run decides; without one, the setting of the program or installation.
func (p *pages) confirm(v *visit, op *admin.Op, dryRun *dryRunResult, otherwise string) string {
	alone := v.unapproved(op, p.isOfProgram())
	switch {
	case !op.FourEyes, dryRun != nil && !dryRun.NeedsOther:
		return otherwise
	case !p.isOfProgram() && (dryRun != nil || v.fourEyes):
		return confirmedBySecond + alone
	case !p.isOfProgram(), v.Program == nil || !v.Program.FourEyes:
		return noSecond
	case op == p.Change:
		return "Some changes need a second operator, because four eyes is on for " +
			v.Program.Name + "." + alone
	}
	return v.secondOperator(op)
}

// confirmLabel returns the label of a button, which requests the act if a second operator must
// approve it.
func (p *pages) confirmLabel(v *visit, op *admin.Op, dryRun *dryRunResult, label string) string {
	switch {
	case dryRun != nil && dryRun.NeedsOther,
		op.FourEyes && dryRun == nil && !p.isOfProgram() && v.fourEyes:
		return askTo(label)
	case op.FourEyes && dryRun == nil && p.isOfProgram():
		return v.confirmLabel(label)
	}
	return label
}

// do returns the handler of a form that carries out an operation.
func (p *pages) do(op *admin.Op) func(context.Context, *visit) (outcome, error) {
	return func(ctx context.Context, v *visit) (outcome, error) {
		r := admin.Request{IfMatch: tagOf(v.revision())}
		if key := v.typed("once"); key != "" {
			r.IdempotencyKeys = []string{key}
		}
		body := properties{}
		switch op {
		case p.Change:
			item, err := p.find(ctx, v)
			if err != nil {
				return outcome{}, err
			}
			in := p.inputs(v, op, item)
			body = in.mergePatch(v)
			if len(body) == 0 {
				return redirectTo(v.To(v.consolePath(p.item))), nil
			}
			if err := in.checkAmounts(value.AmountDigits); err != nil {
				_, others := v.perform(ctx, op, v.dryRun(r), body)
				return outcome{}, addProblems(err, others)
			}
			if p.isReviewed() && !v.wasReviewed() {
				r.Method, r.Path = op.Method, v.consolePath(op.Path)
				return v.review(ctx, p.showChange, r, body)
			}
		case p.Remove:
		default:
			in := p.inputs(v, op, nil)
			body = in.newBody(v)
			if err := in.checkAmounts(value.AmountDigits); err != nil {
				_, others := v.perform(ctx, op, v.dryRun(r), body)
				return outcome{}, addProblems(err, others)
			}
		}
		var sent any = body
		if op == p.Remove {
			sent = nil
		}
		answer, err := v.perform(ctx, op, r, sent)
		if err != nil {
			return outcome{}, err
		}
		return p.after(v, op, answer), nil
	}
}

// after returns the outcome of an operation: results that are shown once, or a redirect to the
// object.
func (p *pages) after(v *visit, op *admin.Op, answer any) outcome {
	if op == p.Create {
		if v.params == nil {
			v.params = map[string]string{}
		}
		v.params[p.ID.Name] = idOf(answer)
	}
	switch {
	case len(op.Once) > 0:
		return p.once(v, op, answer)
	case op == p.Remove:
		return redirectTo(v.To(v.consolePath(p.at)))
	}
	return redirectTo(v.To(v.consolePath(p.item)))
}

// once returns the page with the results that an operation shows once.
func (p *pages) once(v *visit, op *admin.Op, answer any) outcome {
	title := capital(p.noun()) + " " + nameOf(answer) + " is changed"
	if op == p.Create {
		title = capital(p.noun()) + " " + nameOf(answer) + " is created"
	}
	p.setTitleAndCrumbs(v, title, answer)
	p.line(v, p.Show)
	shown := secretPage{
		Back: v.To(v.consolePath(p.item)), BackText: "To the " + p.noun(), Told: op.OnceHelp,
		Gone: "It was shown in the answer to this form. " + op.OnceHelp,
	}
	hidden := false
	for _, f := range p.Fields {
		if !slices.Contains(op.Once, f.Name) {
			continue
		}
		value, _ := strictjson.Member(answer, f.Name).(string)
		hidden = hidden || value == ""
		shown.Secrets = append(shown.Secrets, shownOnce{f.Name, f.Label, value})
	}
	if hidden {
		shown.Secrets = nil
	}
	return once("secret", shown)
}
