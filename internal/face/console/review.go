package console

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/value"
	"mintmark/internal/face/admin"
)

// reviewPage is the second step of a form about rights, keys or money: the changes, and the reason.
type reviewPage struct {
	formPage
	Changed []change
	Typed   []typedField // values of the form's first step
}

type typedField struct{ Name, Value string }

// typedFields returns the hidden fields that carry over the values of a form.
func typedFields(form url.Values) (all []typedField) {
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range form[name] {
			all = append(all, typedField{name, value})
		}
	}
	return all
}

// isReviewed reports whether the form that changes an item has a second step.
func (p *pages) isReviewed() bool {
	return p.Change.FourEyes || slices.ContainsFunc(p.Fields, func(f admin.Field) bool {
		return strings.HasSuffix(f.Name, "Limit")
	})
}

// wasReviewed reports whether a form comes from its second step and has a reason.
func (v *visit) wasReviewed() bool { return v.typed("reviewed") != "" && v.typed("reason") != "" }

// review shows the changes of a form, by label. Problems found by the dry run are shown in the
// form.
func (v *visit) review(
	ctx context.Context, show func(context.Context, *visit) (formPage, error), r admin.Request,
	body properties,
) (outcome, error) {
	r.Query = url.Values{"dryRun": {"true"}}
	if v.typed("reason") == "" {
		r.Reason = tryReason
	}
	result, err := v.change(ctx, r, body)
	if err != nil {
		return outcome{}, err
	}
	shown, err := show(ctx, v)
	if err != nil {
		return outcome{}, err
	}
	page := reviewPage{formPage: shown}
	shown.Fields.fill(v.form).each(func(c *control) {
		member, _, _ := strings.Cut(c.Name, ".")
		if _, sent := body[member]; sent && c.stored != c.display() {
			after := c.display()
			if c.amount {
				after = cmp.Or(savedAs(c.Name, result.Changes), after)
			}
			page.Changed = append(page.Changed, change{c.Label,
				c.written(c.stored, v.decimals(0)), c.written(after, v.decimals(0))})
		}
	})
	typed := maps.Clone(v.form)
	delete(typed, "reason")
	delete(typed, "reviewed")
	page.Typed = typedFields(typed)
	v.asCommand(body)
	page.Confirm = noSecond
	if result.NeedsOther {
		page.Confirm = confirmedBySecond +
			v.unapproved(opOf(r.Method, r.Path), strings.HasPrefix(r.Path, "programs/"))
		page.Button = askTo(page.Button)
	}
	reason := reasonField("")
	reason.Value = v.typed("reason")
	if v.typed("reviewed") != "" {
		reason.Problems = []string{"is required"}
	}
	page.Fields = ask(reason)
	page.Fields.collect()
	return once("review", page), nil
}

// savedAs returns the amount of a limit as a dry run would save it, empty if its changes do not
// include it.
func savedAs(name string, changes []wire.Change) string {
	path := "/" + strings.ReplaceAll(name, ".", "/")
	for _, c := range changes {
		part, ok := strings.CutPrefix(path, c.Pointer)
		switch {
		case ok && part == "":
			return text(c.To)
		case ok:
			return members(c.To)[strings.TrimPrefix(part, "/")]
		}
	}
	return ""
}

// asCommand adds the values of the form to the page's command.
func (v *visit) asCommand(body properties) {
	last := len(v.Commands) - 1
	words, _, _ := strings.Cut(v.Commands[last], " --set ")
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if value := string(body[name]); value == "null" {
			words += " --unset " + name
		} else {
			words += " --set " + quoted(name+"="+value)
		}
	}
	v.Commands[last] = words + " --revision " + itoa(v.revision()) + ` --reason "…"`
}

// written formats the value of a field as pages do: an amount has at least the given number of
// decimal digits.
func (c *control) written(text string, decimals int) string {
	number := ungrouped(text)
	if _, err := strconv.ParseFloat(number, 64); err != nil || !c.Numeric() {
		return text
	}
	if amount, err := value.ParseAmount(number); err == nil && c.amount {
		_, fraction, _ := strings.Cut(number, ".")
		number = amount.Fixed(max(decimals, len(fraction))).String()
	}
	return money(json.Number(number))
}
