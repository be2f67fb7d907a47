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

// fieldset holds the fields of a form. A rejected form is shown again as it was filled in, with
// each problem next to its field.
type fieldset struct {
	Groups   []group
	Problems []string   // of no particular field
	Wrong    []*control // fields with problems, for the links above the form
	Stale    []string   // changes by others since the form was shown
	Replaces bool       // sending the form again overwrites some of them
}

// group holds the fields under a heading.
type group struct {
	Name   string
	Fields []*control
}

// control is a field of a form. Its name is the path of the member that it fills in, such as
// perUserDailyDepositLimit.minimumAmount.
type control struct {
	Name, Label, Help string
	Kind              kind
	Value             string
	Options           []option
	Required, Wide    bool
	MayBeEmpty        bool   // one of many that may stay empty, such as a filter
	Flag              string // of the page's command, which names the choice; empty for none
	Problems          []string

	// Of a limit: its name, the label of this bound, and for the minimum the control of the
	// maximum.
	Of, Short string
	Max       *control

	amount bool     // of money
	stored string   // display value before the operator typed
	was    []string // the values that a form would then submit
}

// kind is the kind of input that a field is shown as.
type kind string

const (
	textField   kind = "text"
	numberField kind = "number"
	momentField kind = "datetime-local"
	dateField   kind = "date"
	areaField   kind = "area"
	choiceField kind = "choice" // one of a few options, in a drop-down list
	pickField   kind = "pick"   // one of a few options, all visible
	checksField kind = "checks" // any of a few options
	switchField kind = "switch"
	searchField kind = "search"
)

// option is a choice of a field.
type option struct {
	Value, Label, Help string
	Chosen             bool
	Ends               bool // cannot be undone
}

// ID returns the HTML id of the control.
func (c *control) ID() string { return c.Name }

// HelpID returns the HTML ids of the elements that describe the control, empty if there are none.
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

// One reports whether at most one option can be chosen.
func (c *control) One() bool { return c.Kind == pickField }

// Optional reports whether the field may stay empty and is labelled as optional.
func (c *control) Optional() bool { return !c.Required && !c.MayBeEmpty }

// Switch reports whether the field is a switch.
func (c *control) Switch() bool { return c.Kind == switchField }

// On reports whether a switch is on.
func (c *control) On() bool { return c.Value == "true" }

// Area reports whether the field holds several lines.
func (c *control) Area() bool { return c.Kind == areaField }

// Choice reports whether the options are in a drop-down list.
func (c *control) Choice() bool { return c.Kind == choiceField }

// Numeric reports whether the field holds a number.
func (c *control) Numeric() bool { return c.Kind == numberField }

// Input returns the HTML input type of a field of one line.
func (c *control) Input() string {
	switch c.Kind {
	case momentField, dateField, searchField:
		return string(c.Kind)
	}
	return "text"
}

// ask returns a fieldset with one group.
func ask(fields ...*control) *fieldset { return &fieldset{Groups: []group{{Fields: fields}}} }

// each calls do for every field.
func (f *fieldset) each(do func(*control)) {
	for _, g := range f.Groups {
		for _, c := range g.Fields {
			do(c)
		}
	}
}

// fill sets the fields to what an operator typed.
func (f *fieldset) fill(typed url.Values) *fieldset {
	f.each(func(c *control) {
		c.keep()
		c.fill(typed[c.Name])
	})
	return f
}

// keep records the value of a control before anything is typed.
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

// sent returns the values that a form submits for the control.
func (c *control) sent() []string {
	switch {
	case len(c.Options) > 0:
		return append([]string{}, ask(c).chosen(c.Name)...)
	case c.Switch() && !c.On():
		return []string{}
	}
	return []string{c.Value}
}

// wasField is the name of the hidden field with the result of Was.
const wasField = "was"

// Was returns the values of the fields before anything is typed. The form submits them with the new
// ones.
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

// isCompared reports whether the form submits the old value of the field. Long texts are left out.
func (c *control) isCompared() bool { return !c.Wide || !c.Area() }

// refresh shows a form again whose object has changed since: next to what the operator typed it
// lists what is saved now.
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

// lined returns values with line ends as the page has them, without carriage returns.
func lined(values []string) []string {
	var all []string
	for _, value := range values {
		all = append(all, strings.ReplaceAll(value, "\r", ""))
	}
	return all
}

// display returns the value of a field for people.
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

// afterRefusal restores a form that was sent and is shown again, with any problems next to their
// fields. It does nothing to a form that is shown for the first time.
func (f *fieldset) afterRefusal(v *visit) *fieldset {
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
		f.addProblem(e.Pointer, e.Detail)
	}
	f.collect()
	return f
}

// restore fills in a form that was sent after the session had ended. A field that was left out
// shows the saved value, which then counts as the one that the operator saw.
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

// incomplete returns the problem of a single field.
func incomplete(name, text string) error {
	return invalid(wire.MemberError{Pointer: "/" + name, Detail: text})
}

// invalid returns the error of a form with the given problems.
func invalid(problems ...wire.MemberError) error {
	return &wire.Problem{
		Type: "/problems/" + wire.Invalid, Title: "Invalid request",
		Status: http.StatusUnprocessableEntity, Errors: problems,
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

// problem returns the problems of all fields, nil if there are none.
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

// addProblem adds a problem to the field with the longest name that matches the pointer. A problem
// of a limit as a whole goes to its minimum.
func (f *fieldset) addProblem(pointer, text string) {
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
			path = "" // the text already names the line
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

// sentence returns the text of a problem that names no member.
func sentence(p *wire.Problem) string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Detail
}

func (f *fieldset) set(name, value string) {
	f.each(func(c *control) {
		if c.Name == name {
			c.Value = value
		}
	})
}

// value returns the value of a field.
func (f *fieldset) value(name string) string {
	value := ""
	f.each(func(c *control) {
		if c.Name == name {
			value = c.Value
		}
	})
	return value
}

// number returns the value of a field for a whole number, or 0 if it is empty. Any other value adds
// a problem to the field.
func (f *fieldset) number(name string) int {
	text := f.value(name)
	if text == "" {
		return 0
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		f.addProblem("/"+name, "must be a whole number")
	}
	return number
}

// momentForm is the format in which a browser sends a time, noMoment the problem of any other text.
const (
	momentForm = "2006-01-02T15:04"
	noMoment   = "must be a day and a time, such as 2026-02-09T09:14"
)

// readMoment parses a time as sent by a browser, with or without seconds.
func readMoment(text string, zone *time.Location) (moment time.Time, ok bool) {
	for _, layout := range []string{momentForm, momentForm + ":05"} {
		moment, err := time.ParseInLocation(layout, text, zone)
		if err == nil {
			return moment, true
		}
	}
	return time.Time{}, false
}

// moment returns the value of a field for a time, in the zone of the page; nil if it is empty.
func (f *fieldset) moment(name string, zone *time.Location) *time.Time {
	text := f.value(name)
	if text == "" {
		return nil
	}
	if moment, ok := readMoment(text, zone); ok {
		return &moment
	}
	f.addProblem("/"+name, noMoment)
	return nil
}

// lines returns the entries of a field with one entry per line. Commas and spaces also separate
// entries.
func (f *fieldset) lines(name string) []string {
	return strings.FieldsFunc(f.value(name), func(r rune) bool {
		return r == '\n' || r == ',' || r == ' ' || r == '\t'
	})
}

// chosen returns the chosen options of a field.
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

// choose returns the options with the chosen ones marked.
func choose(options []option, chosen ...string) []option {
	marked := slices.Clone(options)
	for i := range marked {
		marked[i].Chosen = slices.Contains(chosen, marked[i].Value)
	}
	return marked
}

// rate returns the value of a field for a number, or 0 if it is empty.
func (f *fieldset) rate(name string) float64 {
	text := f.value(name)
	if text == "" {
		return 0
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		f.addProblem("/"+name, "must be a number")
	}
	return number
}
