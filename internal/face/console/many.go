package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

// selection is a list with acts on several chosen items.
type selection struct {
	*pages
	one, many string // nouns, such as "order" and "orders"
	back      string // path of the page with the list
}

var selections = sync.OnceValue(func() []selection {
	all := []selection{
		{&pages{resourceAt("cards"), "cards", "cards/{id}", "cards"}, "card", "cards", "cards"},
		{&pages{resourceAt("webhooks/{id}/deliveries"), "webhooks/{id}/deliveries",
			"webhooks/{id}/deliveries/{event}", "webhooks"}, "delivery", "deliveries",
			"webhooks/{id}"},
	}
	for _, p := range described() {
		all = append(all, selection{p, p.noun(), p.many(), p.at})
	}
	return slices.DeleteFunc(all, func(s selection) bool {
		return !slices.ContainsFunc(s.Acts, func(op *admin.Op) bool { return op.Many })
	})
})

// selectionAt returns the selection at a path of the console.
func selectionAt(at string) (selection, bool) {
	all := selections()
	index := slices.IndexFunc(all, func(s selection) bool { return s.at == at })
	if index < 0 {
		return selection{}, false
	}
	return all[index], true
}

func manyRows() []row {
	var rows []row
	for _, s := range selections() {
		for _, op := range s.Acts {
			if op.Many {
				acts := form(s.at+"/"+op.Name, s.section, "many", s.show(op), s.do(op))
				acts[0].answer = s.selected(acts[0].answer)
				rows = append(rows, reserved(acts, op.Roles.Names()...)...)
			}
		}
	}
	return rows
}

// manyAct is an act on the chosen items of a list.
type manyAct struct {
	Verb, To string
	All      string // address for all items on the page that need it; empty if irreversible
	Count    int    // number of those items
	Risky    bool
}

// manyActs returns the acts that at least one of the items allows.
func manyActs[T any](v *visit, at string, items []T) []manyAct {
	s, ok := selectionAt(at)
	if !ok {
		return nil
	}
	var acts []manyAct
	for _, op := range s.Acts {
		if !op.Many || !v.may(op) {
			continue
		}
		act := manyAct{Verb: capital(op.Name), Risky: op.Risky, To: Prefix + v.consolePath(s.at+"/"+op.Name)}
		all := url.Values{}
		possible := false
		for _, item := range items {
			if !allows(item, op) {
				continue
			}
			possible = true
			if d, ok := any(item).(wire.Delivery); !ok || d.State != "delivered" {
				all.Add("id", idOf(item))
			}
		}
		if !possible {
			continue
		}
		act.Count = len(all["id"])
		if !op.Risky {
			if v.programID != 0 {
				all.Set("programId", itoa(v.programID))
			}
			act.All = act.To + "?" + all.Encode()
		}
		acts = append(acts, act)
	}
	return acts
}

// allows reports whether the state of an item allows an act.
func allows(item any, op *admin.Op) bool {
	switch item := item.(type) {
	case wire.Order:
		return isPossible(item, op.Name)
	case wire.Card:
		return item.Status != "Archived"
	}
	return !isOver(item)
}

// manyPage is the page of an act on several items: the items, the effect and one reason.
type manyPage struct {
	formPage
	Effect string
	Risky  bool
	Heads  []head
	Items  []chosen
	Left   int // items to act on: all but those that are left out
}

// chosen is one of the items, with the outcome of the act on it.
type chosen struct {
	line
	Revision int
	Waits    []wire.Approval // requests about it that wait for approval
	LeftOut  bool            // the same act already waits for approval
	Outcome  mark
	Says     string
	Asked    string // address of the approval that it waits for
}

// maxChosen bounds the items of an act.
const maxChosen = 200

// wrongSelection rejects a selection of no items or too many, allWait an act that already waits for
// approval on each of the items.
var (
	wrongSelection = "Select 1 to " + itoa(maxChosen) + " rows of the list."
	allWait        = "This act already waits for approval on each of the selected rows."
)

func refusedSelection(why string) error {
	return &wire.Problem{
		Type: "/problems/" + wire.Conflict, Title: "Refused", Status: http.StatusConflict, Detail: why,
	}
}

// ids returns the identifiers of the items in the form or the address.
func (v *visit) ids() ([]string, error) {
	ids := slices.Clone(v.query["id"])
	if v.form != nil {
		ids = slices.Clone(v.form["id"])
	}
	if len(ids) == 0 || len(ids) > maxChosen {
		return nil, refusedSelection(wrongSelection)
	}
	return ids, nil
}

// each calls do for each item, with its identifier among the path parameters.
func (s selection) each(v *visit, ids []string, do func(id string) error) error {
	if v.params == nil {
		v.params = map[string]string{}
	}
	defer delete(v.params, s.ID.Name)
	for _, id := range ids {
		v.params[s.ID.Name] = id
		if err := do(id); err != nil {
			return err
		}
	}
	return nil
}

// selected returns a handler that shows the list again if the address names no items or too many.
func (s selection) selected(show handler) handler {
	return func(ctx context.Context, v *visit) (web.Response, error) {
		if _, err := v.ids(); err == nil {
			return show(ctx, v)
		}
		list, err := url.Parse(v.To(v.consolePath(s.back)))
		if err != nil {
			return web.Response{}, err
		}
		v.row = v.console.rowAt(s.back)
		v.frame.address, v.query, v.Told = list, list.Query(), wrongSelection
		return v.row.answer(ctx, v)
	}
}

// label returns the label of the button, such as "Retry 3 orders".
func (s selection) label(op *admin.Op, count int) string {
	return capital(op.Name) + " " + plural(count, s.one, s.many)
}

// shownColumns bounds the members that the page of an act shows of each item, mostCommands the
// commands that it suggests.
const shownColumns, mostCommands = 3, 3

func (s selection) show(op *admin.Op) func(context.Context, *visit) (manyPage, error) {
	return func(ctx context.Context, v *visit) (manyPage, error) {
		ids, err := v.ids()
		if err != nil {
			return manyPage{}, err
		}
		shown := manyPage{formPage: formPage{Confirm: noSecond}, Effect: op.Effect, Risky: op.Risky}
		columns := s.columns()
		columns = columns[:min(len(columns), shownColumns)]
		err = s.each(v, ids, func(string) error {
			item, err := s.find(ctx, v)
			if err != nil {
				return err
			}
			c := chosen{line: s.lineOf(v, columns, item), Revision: revisionOf(item), Waits: v.Waits()}
			c.LeftOut = waitsFor(c.Waits, op.Name) != 0
			shown.Items = append(shown.Items, c)
			if c.LeftOut {
				return nil
			}
			var dryRun *dryRunResult
			if op.FourEyes {
				dryRun, err = s.try(ctx, v, op, revisionOf(item))
				if err != nil {
					return err
				}
			}
			if told := s.confirm(v, op, dryRun, noSecond); told != noSecond {
				shown.Confirm = told
			}
			shown.Left++
			if shown.Left <= mostCommands {
				words := []string{s.Noun, op.Name}
				for _, p := range op.Params {
					words = append(words, v.params[p.Name])
				}
				v.command(append(words, `--reason "…"`)...)
			}
			return nil
		})
		switch {
		case err != nil:
			return manyPage{}, err
		case shown.Left == 0:
			return manyPage{}, refusedSelection(allWait)
		}
		if shown.Left > 1 {
			shown.Effect = op.Effects
		}
		for _, h := range s.heads(v, columns, shown.Items[0].line) {
			shown.Heads = append(shown.Heads, head{Text: h.Text, Class: h.Class})
		}
		back, label := v.consolePath(s.back), s.label(op, shown.Left)
		v.crumbs(label, capital(s.many), back)
		reason := reasonField("One for all of them. Each has an audit entry of its own.")
		shown.formPage.Fields, shown.formPage.Once = ask(reason).afterRefusal(v), v.once()
		shown.formPage.Button = label
		if shown.Confirm != noSecond {
			shown.formPage.Button = v.confirmLabel(label)
		}
		shown.formPage.Back, shown.formPage.BackText = v.To(back), "Back to the "+s.many
		return shown, nil
	}
}

// do performs the act on each item and shows the outcomes. A refusal affects only its item; an
// error of the service ends the run.
func (s selection) do(op *admin.Op) func(context.Context, *visit) (outcome, error) {
	return func(ctx context.Context, v *visit) (outcome, error) {
		ids, err := v.ids()
		if err != nil {
			return outcome{}, err
		}
		if v.typed("reason") == "" {
			return outcome{}, incomplete("reason", "is required")
		}
		shown := manyPage{Items: make([]chosen, 0, len(ids))}
		done := 0
		err = s.each(v, ids, func(id string) error {
			c := chosen{line: line{Name: id, To: v.To(v.consolePath(s.item))}}
			r := admin.Request{}
			r.IfMatch = tagOf(v.revisionOf("revision-" + id))
			if key := v.typed("once"); key != "" {
				r.IdempotencyKeys = []string{key + "-" + id}
			}
			item, err := v.perform(ctx, op, r, properties{})
			refused := (*wire.Problem)(nil)
			switch {
			case err == nil:
				c.Name, c.Outcome = nameOf(item), mark{"ok", "", "Done"}
				c.Mark = s.mark(v, item)
				done++
			case !errors.As(err, &refused):
				return err
			case refused.Name() == wire.NeedsApproval:
				c.Outcome = mark{"warn", "half", "Asked"}
				c.Says = "Approval " + itoa(refused.ApprovalID)
				c.Asked = v.To("approvals/" + itoa(refused.ApprovalID))
			default:
				c.Outcome, c.Says = mark{"bad", "cross", problemTitle(refused)}, sentence(refused)
			}
			shown.Items = append(shown.Items, c)
			return nil
		})
		if err != nil {
			return outcome{}, err
		}
		v.isOpen = false // the acts changed the counts in the frame
		back := v.consolePath(s.back)
		v.crumbs(s.label(op, len(ids))+": "+count(done)+" done", capital(s.many), back)
		v.command(s.Noun, "list")
		shown.formPage.Back, shown.formPage.BackText = v.To(back), "Back to the "+s.many
		return once("manydone", shown), nil
	}
}
