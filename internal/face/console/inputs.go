package console

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/admin"
)

// input is a field of a form and the member of the body that it fills in.
type input struct {
	admin.Field
	member   reflect.Type
	controls []*control
}

type inputs []input

// inputs returns the inputs of an operation, with the values of an item or else the defaults.
func (p *pages) inputs(v *visit, op *admin.Op, item any) inputs {
	fields, when := op.Fields, admin.Creating
	switch op {
	case p.Create:
		fields = p.Fields
	case p.Change:
		fields, when = p.Fields, admin.Changing
	}
	if op.Request == nil {
		return nil
	}
	return v.inputsOf(fields, when, op.Request, item)
}

// inputsOf returns the inputs for the fields that are on a form and are members of the type.
func (v *visit) inputsOf(
	fields []admin.Field, when admin.Places, of reflect.Type, item any,
) inputs {
	var all inputs
	members := strictjson.Fields(of)
	for _, f := range fields {
		field, ok := members[f.Name]
		if !ok || f.On != 0 && f.On&when == 0 {
			continue
		}
		in := input{Field: f, member: field.Type}
		if in.member.Kind() == reflect.Pointer {
			in.member = in.member.Elem()
		}
		in.controls = v.controlsOf(in, item)
		all = append(all, in)
	}
	return all
}

// controls returns the controls of all inputs.
func (all inputs) controls() []*control {
	var controls []*control
	for _, in := range all {
		controls = append(controls, in.controls...)
	}
	return controls
}

// fields returns the controls of a form, with one for the reason if the operation takes one.
func (all inputs) fields(op *admin.Op) *fieldset {
	f := &fieldset{Groups: make([]group, 1)}
	for _, in := range all {
		if in.member == addressType {
			f.Groups = append(f.Groups, group{in.Label, in.controls})
			continue
		}
		f.Groups[0].Fields = append(f.Groups[0].Fields, in.controls...)
	}
	if op.Reason || op.Method == http.MethodDelete || op.Status == http.StatusOK && !op.Patch() ||
		op.ReasonHelp != "" || op.FourEyes && !op.Patch() { // of a patch, the second step asks
		reason := reasonField(cmp.Or(op.ReasonHelp, "Cause and source of the request."))
		reason.Required = op.Reason || len(all) == 0
		if len(f.Groups) > 1 {
			f.Groups = append(f.Groups, group{})
		}
		last := &f.Groups[len(f.Groups)-1]
		last.Fields = append(last.Fields, reason)
	}
	return f
}

var (
	momentType  = reflect.TypeFor[time.Time]()
	limitType   = reflect.TypeFor[wire.Limit]()
	amountType  = reflect.TypeFor[json.Number]()
	addressType = reflect.TypeFor[wire.Address]()
)

// addressLines are the members of an address, with their labels.
var addressLines = [][2]string{
	{"line1", "Line 1"}, {"line2", "Line 2"}, {"city", "City"}, {"region", "Region"},
	{"postalCode", "Postal code"}, {"country", "Country"},
}

// addressControls returns the controls of an address, which are empty without one.
func addressControls(in input, value any) []*control {
	var controls []*control
	address, _ := value.(wire.Address)
	for _, line := range addressLines {
		controls = append(controls, &control{
			Name: in.Name + "." + line[0], Label: in.Label + ", " + lowerFirst(line[1]), Short: line[1],
			Kind: textField, Value: strictjson.Member(address, line[0]).(string),
		})
	}
	return controls
}

// controlsOf returns the controls of a member. Their kind follows from its type and its choices.
func (v *visit) controlsOf(in input, item any) []*control {
	c := &control{
		Name: in.Name, Label: in.Label, Help: in.Help, Kind: textField, Required: in.Required,
	}
	value := strictjson.Member(item, in.Name)
	if item == nil {
		value = in.Default
		if slices.Contains(linked, in.Name) && v.Asked(in.Name) != "" {
			value = v.Asked(in.Name)
		}
	}
	in.Choices = v.choicesOf(in.Field)
	switch kind := in.member.Kind(); {
	case in.member == limitType:
		limit, _ := value.(wire.Limit)
		greatest := &control{
			Name: in.Name + ".maximumAmount", Label: in.Label + ", maximum", Short: "Maximum",
			Of: in.Label, Kind: numberField, amount: true, Value: limit.MaximumAmount.String(),
		}
		return []*control{{
			Name: in.Name + ".minimumAmount", Label: in.Label + ", minimum", Short: "Minimum",
			Of: in.Label, Kind: numberField, amount: true, Value: limit.MinimumAmount.String(),
			Max: greatest,
		}, greatest}
	case in.member == addressType:
		return addressControls(in, value)
	case len(in.Choices) > 0:
		c.Options = choose(optionsOf(in.Choices), texts(value)...)
		if item == nil && in.Required && len(c.Options) == 1 {
			c.Options[0].Chosen = true
		}
		const few = 6
		many := len(in.Choices) > few
		switch {
		case kind == reflect.Slice:
			c.Kind, c.Wide = checksField, many
		case many:
			c.Kind = choiceField
		default:
			c.Kind = pickField
		}
		return []*control{c}
	case in.member == momentType:
		c.Kind, c.Help = momentField, strings.TrimSpace("In "+v.Zone.String()+". "+in.Help)
		if at, ok := value.(time.Time); ok {
			c.Value = at.In(v.Zone).Format(momentForm)
		}
		return []*control{c}
	case kind == reflect.String && strings.HasSuffix(in.Name, "Date"):
		c.Kind = dateField
	case memberDisplays[in.Name].long:
		c.Kind, c.Wide = areaField, true
	case kind == reflect.Slice:
		c.Kind, c.Help = areaField, strings.TrimSpace(in.Help+" One per line.")
	case kind == reflect.Bool:
		c.Kind, c.Required = switchField, false
	case kind != reflect.String || in.member == amountType:
		c.Kind, c.amount = numberField, in.member == amountType
	}
	c.Value = strings.Join(texts(value), "\n")
	return []*control{c}
}

// linked are the members that an address may fill in, because links of the console do. No other is
// accepted from an address, since anyone could have written the link.
var linked = []string{"bankId", "culture", "documentType", "title"}

// choicesOf returns the choices of a field. Banks are those in the operator's scope, roles those
// that the operator has.
func (v *visit) choicesOf(f admin.Field) []admin.Choice {
	switch f.Name {
	case "banks", "bankId":
		var banks []admin.Choice
		for _, bank := range v.Banks {
			banks = append(banks, admin.Choice{
				Value: itoa(bank.ID), Label: bank.Name, Help: "Bank " + itoa(bank.ID),
			})
		}
		return banks
	case "roles":
		return slices.DeleteFunc(slices.Clone(f.Choices), func(c admin.Choice) bool {
			return !v.May(c.Value)
		})
	}
	return f.Choices
}

func optionsOf(choices []admin.Choice) []option {
	options := make([]option, len(choices))
	for i, c := range choices {
		options[i] = option{Value: c.Value, Label: c.Label, Help: c.Help, Ends: c.Irreversible}
	}
	return options
}

// flags returns the chosen or default values as flags of a command, and gives each choice its flag:
// the script changes the command when the operator chooses another.
func (all inputs) flags(v *visit) []string {
	var words []string
	for _, in := range all {
		c, flag := in.controls[0], "--"+in.FlagName()
		switch {
		case c.Kind == switchField && v.Typed.Get(in.Name) != "":
			words = append(words, flag)
		case in.Default != "" && in.member.Kind() == reflect.String:
			words = append(words, flag+" "+quoted(cmp.Or(v.Typed.Get(in.Name), in.Default)))
		}
		if c.Kind == switchField || c.Kind == pickField && in.Default != "" {
			c.Flag = flag
		}
	}
	return words
}

// newBody returns the body of a form that was sent, without empty members.
func (all inputs) newBody(v *visit) properties {
	body := all.submittedBody(v)
	for name, value := range body {
		if text := string(value); text == "null" || text == "[]" {
			delete(body, name)
		}
	}
	return body
}

// mergePatch returns a merge patch of the members that the form changes.
func (all inputs) mergePatch(v *visit) properties {
	before := all.currentBody(v)
	body := all.submittedBody(v)
	for name := range body {
		if string(before[name]) == string(body[name]) {
			delete(body, name)
		}
	}
	return body
}

// submittedBody returns the body of a form that was sent.
func (all inputs) submittedBody(v *visit) properties {
	for _, in := range all {
		ask(in.controls...).fill(v.form)
	}
	return all.currentBody(v)
}

// checkAmounts rejects amounts that would not be saved as typed: those with an exponent, or with
// more decimal digits than are stored.
func (all inputs) checkAmounts(decimals int) error {
	f := ask(all.controls()...)
	f.each(func(c *control) {
		_, fraction, _ := strings.Cut(c.Value, ".")
		switch {
		case !c.amount || c.stored == c.display() || !json.Valid([]byte(ungrouped(c.Value))):
		case strings.ContainsAny(c.Value, "eE"):
			c.Problems = append(c.Problems, "must be written without an exponent")
		case len(fraction) > decimals:
			c.Problems = append(c.Problems,
				"has more decimal digits than the program's "+itoa(decimals))
		}
	})
	return f.problem()
}

// addProblems adds the problems that a dry run found in other fields to those of the amounts.
func addProblems(amounts, dryRun error) error {
	first, more := (*wire.Problem)(nil), (*wire.Problem)(nil)
	if !errors.As(amounts, &first) || !errors.As(dryRun, &more) {
		return amounts
	}
	for _, e := range more.Errors {
		name := strings.ReplaceAll(strings.TrimPrefix(e.Pointer, "/"), "/", ".")
		isKnown := func(f wire.MemberError) bool { return f.Pointer == "/"+name }
		if !slices.ContainsFunc(first.Errors, isKnown) {
			first.Errors = append(first.Errors, e)
		}
	}
	return first
}

// dryRun turns a request into a dry run, with a placeholder if the form does not ask for the reason
// yet.
func (v *visit) dryRun(r admin.Request) admin.Request {
	r.Query, r.IdempotencyKeys = url.Values{"dryRun": {"true"}}, nil
	if !v.form.Has("reason") {
		r.Reason = tryReason
	}
	return r
}

// decimals returns the number of decimal digits of amounts: the one in the form, or the given
// default.
func (v *visit) decimals(otherwise int) int {
	if number, err := strconv.Atoi(v.typed("decimalCount")); err == nil {
		return number
	}
	return otherwise
}

// currentBody returns the current values of the controls, by member. An empty one is null.
func (all inputs) currentBody(v *visit) properties {
	body := properties{}
	for _, in := range all {
		switch in.member {
		case limitType:
			body[in.Name] = limitJSON(in.controls[0].Value, in.controls[1].Value)
		case addressType:
			body[in.Name] = in.addressJSON()
		default:
			body[in.Name] = in.json(in.controls[0], v.Zone)
		}
	}
	return body
}

// addressJSON returns an address as JSON, null if all its lines are empty.
func (in input) addressJSON() json.RawMessage {
	address, empty := properties{}, true
	for i, c := range in.controls {
		address[addressLines[i][0]] = valueJSON(reflect.TypeFor[string](), c.Value, nil)
		empty = empty && c.Value == ""
	}
	if empty {
		return json.RawMessage("null")
	}
	return address.json()
}

func limitJSON(least, greatest string) json.RawMessage {
	if least == "" && greatest == "" {
		return json.RawMessage("null")
	}
	limit := properties{
		"minimumAmount": numberJSON(least), "maximumAmount": numberJSON(greatest),
	}
	return limit.json()
}

// json returns the value of a control as JSON. A value that does not parse as its type stays a
// string, so that the interface reports the problem.
func (in input) json(c *control, zone *time.Location) json.RawMessage {
	kind := in.member.Kind()
	switch {
	case kind == reflect.Bool:
		return json.RawMessage(strconv.FormatBool(c.On()))
	case kind == reflect.Slice && in.member.Elem().Kind() != reflect.Uint8:
		list := []json.RawMessage{}
		for _, entry := range c.entries() {
			list = append(list, valueJSON(in.member.Elem(), entry, zone))
		}
		text, err := json.Marshal(list)
		if err != nil {
			panic(err) // strings and numbers always encode
		}
		return text
	case len(c.Options) > 0:
		return valueJSON(in.member, strings.Join(c.entries(), ""), zone)
	}
	return valueJSON(in.member, c.Value, zone)
}

// entries returns the chosen options of a control, or its lines. Commas also separate entries.
func (c *control) entries() []string {
	if len(c.Options) == 0 {
		return ask(c).lines(c.Name)
	}
	return ask(c).chosen(c.Name)
}

func valueJSON(t reflect.Type, text string, zone *time.Location) json.RawMessage {
	switch {
	case text == "":
		return json.RawMessage("null")
	case t == momentType:
		return momentJSON(text, zone)
	case t.Kind() == reflect.String && t != amountType:
		return textJSON(text)
	}
	return numberJSON(text)
}

func textJSON(text string) json.RawMessage {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return encoded
}

// grouped matches a number with commas between groups of three digits.
var grouped = regexp.MustCompile(`^-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)

// ungrouped removes the commas between groups of digits from a number. It returns any other text
// unchanged: 12,50 has a decimal comma and must not be read as 1250.
func ungrouped(text string) string {
	if grouped.MatchString(text) {
		return strings.ReplaceAll(text, ",", "")
	}
	return text
}

func numberJSON(text string) json.RawMessage {
	plain := ungrouped(text)
	if _, err := strconv.ParseFloat(plain, 64); err == nil && json.Valid([]byte(plain)) {
		return json.RawMessage(plain)
	}
	if text == "" {
		return json.RawMessage("null")
	}
	return textJSON(text)
}

func momentJSON(text string, zone *time.Location) json.RawMessage {
	if at, ok := readMoment(text, zone); ok {
		return textJSON(at.Format(time.RFC3339))
	}
	return textJSON(text)
}
