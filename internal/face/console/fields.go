package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
)

// fieldset is what a form asks an operator for. A form that was refused comes back as it was filled
// in, with each problem beside its field.
type fieldset struct {
	Groups   []group
	Problems []string   // that belong to no field
	Wrong    []*control // fields with problems, for the links above the form
	Stale    []string   // what somebody else has changed meanwhile
	Replaces bool       // the form, sent again, replaces some of that
}

// group are the fields under one heading.
type group struct {
	Name   string
	Fields []*control
}

// control is one field. Its name is the path of the member that it fills in, such as
// perUserDailyDepositLimit.minimumAmount.
type control struct {
	Name, Label, Help string
	Kind              kind
	Value             string
	Options           []option
	Required, Wide    bool
	Asks              bool // one of many that can be left empty, such as a field of a filter
	Problems          []string

	// Of a limit: what it limits, the label beside that, and after its minimum its maximum.
	Of, Short string
	Max       *control

	amount bool     // of money
	stored string   // the value before anything was typed
	was    []string // what a form then sends of it
}

// kind says how a field is shown.
type kind string

const (
	textField   kind = "text"
	numberField kind = "number"
	momentField kind = "datetime-local"
	dateField   kind = "date"
	areaField   kind = "area"
	choiceField kind = "choice" // one of few, in a list that opens
	pickField   kind = "pick"   // one of few, all to be seen
	checksField kind = "checks" // some of few
	switchField kind = "switch" // on or off
	searchField kind = "search"
)

// option is one of the values of a field.
type option struct {
	Value, Label, Help string
	Chosen             bool
	Ends               bool // what cannot be undone
}

// ID names the control within the page.
func (c *control) ID() string { return c.Name }

// HelpID names what describes the control, empty where nothing does.
func (c *control) HelpID() string {
	ids := []string{}
	if c.Help != "" {
		ids = append(ids, "h-"+c.Name)
	}
	if len(c.Problems) > 0 {
		ids = append(ids, "e-"+c.Name)
	}
	return strings.Join(ids, " ")
}

// Several reports whether the field shows all its options.
func (c *control) Several() bool { return c.Kind == pickField || c.Kind == checksField }

// One reports whether one option at most can be chosen.
func (c *control) One() bool { return c.Kind == pickField }

// Optional reports whether a form may be sent without it.
func (c *control) Optional() bool { return !c.Required && !c.Asks }

// Switch reports whether the field is on or off, On which of the two.
func (c *control) Switch() bool { return c.Kind == switchField }

// On reports whether a switch is on.
func (c *control) On() bool { return c.Value == "true" }

// Area reports whether the field holds several lines.
func (c *control) Area() bool { return c.Kind == areaField }

// Choice reports whether the options are in a list that opens.
func (c *control) Choice() bool { return c.Kind == choiceField }

// Numeric reports whether the field holds a number.
func (c *control) Numeric() bool { return c.Kind == numberField }

// Input is the type of a field of one line.
func (c *control) Input() string {
	switch c.Kind {
	case momentField, dateField, searchField:
		return string(c.Kind)
	}
	return "text"
}

// ask returns a fieldset of one group.
func ask(fields ...*control) *fieldset { return &fieldset{Groups: []group{{Fields: fields}}} }

// each calls a function with every field.
func (f *fieldset) each(do func(*control)) {
	for _, g := range f.Groups {
		for _, c := range g.Fields {
			do(c)
		}
	}
}

// fill takes over what an operator has typed.
func (f *fieldset) fill(typed url.Values) *fieldset {
	f.each(func(c *control) {
		c.keep()
		c.fill(typed[c.Name])
	})
	return f
}

// keep remembers what a control holds before anything is typed.
func (c *control) keep() { c.stored, c.was = c.display(), c.sent() }

func (c *control) fill(given []string) {
	c.Value = strings.ReplaceAll(strings.Join(given, "\n"), "\r", "")
	if c.Kind != areaField || !c.Wide {
		c.Value = strings.TrimSpace(c.Value)
	}
	for i := range c.Options {
		c.Options[i].Chosen = slices.Contains(given, c.Options[i].Value)
	}
}

// sent returns what a form submits for a control that the operator leaves as it is.
func (c *control) sent() []string {
	switch {
	case len(c.Options) > 0:
		return append([]string{}, ask(c).chosen(c.Name)...)
	case c.Switch() && !c.On():
		return []string{}
	}
	return []string{c.Value}
}

// wasField is the hidden field that holds Was.
const wasField = "was"

// Was is what the fields say before anything is typed, for the form to send with what they say then.
func (f *fieldset) Was() string {
	was := url.Values{}
	f.each(func(c *control) {
		if c.was == nil {
			c.keep()
		}
		if c.isCompared() {
			was[c.Name] = c.was
		}
	})
	return was.Encode()
}

// isCompared reports whether the form says what the field was. Long texts are left out.
func (c *control) isCompared() bool { return !c.Wide || !c.Area() }

// refresh brings a form back whose object has changed since: what the operator has typed stands
// beside what is saved now.
func (f *fieldset) refresh(typed url.Values) {
	was, err := url.ParseQuery(typed.Get(wasField))
	if err != nil || !typed.Has(wasField) {
		f.fill(typed)
		return
	}
	f.each(func(c *control) {
		c.keep()
		changed := !slices.Equal(c.was, was[c.Name])
		touched := !slices.Equal(lined(typed[c.Name]), was[c.Name])
		if touched {
			c.fill(typed[c.Name])
		}
		switch {
		case changed && !touched:
			f.Stale = append(f.Stale, c.Label+": now “"+c.stored+"”")
		case changed && c.stored != c.display():
			f.Replaces = true
			f.Stale = append(f.Stale,
				c.Label+": saved as “"+c.stored+"”, you entered “"+c.display()+"”")
		}
	})
	if len(f.Stale) == 0 {
		f.Stale = []string{"None of the fields of this form."}
	}
}

// lined are values whose lines end as those of the page do.
func lined(values []string) []string {
	var all []string
	for _, value := range values {
		all = append(all, strings.ReplaceAll(value, "\r", ""))
	}
	return all
}

// display is what a field says, for people.
func (c *control) display() string {
	if c.Switch() {
		return map[bool]string{true: "Yes", false: "No"}[c.On()]
	}
	if len(c.Options) == 0 {
		return c.Value
	}
	var labels []string
	for _, o := range c.Options {
		if o.Chosen {
			labels = append(labels, o.Label)
		}
	}
	return strings.Join(labels, ", ")
}

// refused brings a form back as it was sent, with any problems beside their fields. It does nothing
// for a form that is shown for the first time.
func (f *fieldset) refused(v *visit) *fieldset {
	p := v.frame.Problem
	switch {
	case p == nil && len(v.Typed) == 0:
		return f
	case p == nil:
		return f.restore(v)
	case p.Name() == wire.Stale:
		f.refresh(v.Typed)
		return f
	}
	f.fill(v.Typed)
	if len(p.Errors) == 0 {
		f.Problems = append(f.Problems, sentence(p))
	}
	for _, e := range p.Errors {
		f.accuse(e.Pointer, e.Detail)
	}
	f.collect()
	return f
}

// restore fills in a form that was sent after the session had ended. A field that was not kept stays
// as it is saved, and the operator has then seen it so.
func (f *fieldset) restore(v *visit) *fieldset {
	was, err := url.ParseQuery(v.Typed.Get(wasField))
	f.each(func(c *control) {
		c.keep()
		if _, ok := v.leftOut[c.Name]; ok {
			v.leftOut[c.Name] = c.Label
		} else {
			c.fill(v.Typed[c.Name])
		}
		if c.isCompared() && !was.Has(c.Name) {
			was[c.Name] = c.was
		}
	})
	if err == nil && v.Typed.Has(wasField) {
		v.Typed.Set(wasField, was.Encode())
	}
	return f
}

// incomplete is the problem of a field of a form.
func incomplete(name, text string) error {
	return &wire.Problem{
		Type: "/problems/" + wire.Invalid, Title: "Invalid request",
		Status: http.StatusUnprocessableEntity,
		Errors: []wire.MemberError{{Pointer: "/" + name, Detail: text}},
	}
}

// collect finds the fields with problems.
func (f *fieldset) collect() {
	f.Wrong = nil
	f.each(func(c *control) {
		if len(c.Problems) > 0 {
			f.Wrong = append(f.Wrong, c)
		}
	})
}

// problem is that of fields that could not be read, nil where all could.
func (f *fieldset) problem() error {
	p := &wire.Problem{
		Type: "/problems/" + wire.Invalid, Title: "Invalid request",
		Status: http.StatusUnprocessableEntity,
	}
	f.each(func(c *control) {
		for _, text := range c.Problems {
			p.Errors = append(p.Errors, wire.MemberError{Pointer: "/" + c.Name, Detail: text})
		}
	})
	if len(p.Errors) == 0 {
		return nil
	}
	return p
}

// accuse gives a problem to the field with the longest name that leads to the member. A problem of a
// limit as a whole belongs to its minimum.
func (f *fieldset) accuse(pointer, text string) {
	path := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	best := (*control)(nil)
	f.each(func(c *control) {
		leads := path == c.Name || strings.HasPrefix(path, c.Name+".") ||
			strings.HasPrefix(c.Name, path+".")
		if leads && (best == nil || len(c.Name) > len(best.Name)) {
			best = c
		}
	})
	if best == nil {
		if _, err := strconv.Atoi(path); err == nil {
			path = "" // the text names the line
		}
		f.Problems = append(f.Problems, strings.TrimSpace(path+" "+text))
		return
	}
	if best.Kind == momentField && strings.HasPrefix(text, "must be a moment") {
		text = noMoment
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(path, best.Name), ".")
	if at, err := strconv.Atoi(rest); err == nil {
		text = "entry " + strconv.Itoa(at+1) + " " + text
	}
	best.Problems = append(best.Problems, text)
}

// sentence tells a problem that names no member, with its code.
func sentence(p *wire.Problem) string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

// set fills in a field.
func (f *fieldset) set(name, value string) {
	f.each(func(c *control) {
		if c.Name == name {
			c.Value = value
		}
	})
}

// value returns what a field holds.
func (f *fieldset) value(name string) string {
	value := ""
	f.each(func(c *control) {
		if c.Name == name {
			value = c.Value
		}
	})
	return value
}

// number returns what a field for a whole number holds, 0 for an empty one. A text that is no
// number is a problem of the field.
func (f *fieldset) number(name string) int {
	text := f.value(name)
	if text == "" {
		return 0
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		f.accuse("/"+name, "must be a whole number")
	}
	return number
}

// momentForm is how a browser writes a moment, noMoment what is wrong with another text.
const (
	momentForm = "2006-01-02T15:04"
	noMoment   = "must be a day and a time, such as 2026-02-09T09:14"
)

// readMoment reads a moment as a browser writes it, with seconds or without.
func readMoment(text string, zone *time.Location) (moment time.Time, ok bool) {
	for _, layout := range []string{momentForm, momentForm + ":05"} {
		moment, err := time.ParseInLocation(layout, text, zone)
		if err == nil {
			return moment, true
		}
	}
	return time.Time{}, false
}

// moment returns what a field for a moment holds, in the zone of the page; nil for an empty one.
func (f *fieldset) moment(name string, zone *time.Location) *time.Time {
	text := f.value(name)
	if text == "" {
		return nil
	}
	if moment, ok := readMoment(text, zone); ok {
		return &moment
	}
	f.accuse("/"+name, noMoment)
	return nil
}

// lines returns what a field with a line for each entry holds. Commas part entries, too.
func (f *fieldset) lines(name string) []string {
	return strings.FieldsFunc(f.value(name), func(r rune) bool {
		return r == '\n' || r == ',' || r == ' ' || r == '\t'
	})
}

// chosen returns the options of a field that are chosen.
func (f *fieldset) chosen(name string) []string {
	var chosen []string
	f.each(func(c *control) {
		for _, o := range c.Options {
			if c.Name == name && o.Chosen {
				chosen = append(chosen, o.Value)
			}
		}
	})
	return chosen
}

// choose marks the options that are chosen.
func choose(options []option, chosen ...string) []option {
	marked := slices.Clone(options)
	for i := range marked {
		marked[i].Chosen = slices.Contains(chosen, marked[i].Value)
	}
	return marked
}

// rate returns what a field for a number holds, 0 for an empty one.
func (f *fieldset) rate(name string) float64 {
	text := f.value(name)
	if text == "" {
		return 0
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		f.accuse("/"+name, "must be a number")
	}
	return number
}
