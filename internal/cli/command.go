package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/alecthomas/kong"

	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

// command is the command of an operation.
type command struct {
	Grammar  kong.Plugins `embed:""` // a struct: the flags common to its kind, then the inputs
	resource *admin.Resource
	op       *admin.Op
	inputs   []input
}

// input is an argument or a flag of an operation.
type input struct {
	name     string
	place    place
	required bool
	span     bool // a time that may be given as how long ago it was
}

// place is the part of the request that an input is sent in.
type place int

const (
	inPath place = iota
	inQuery
	inBody
)

// newCommand returns the command of an operation. Its inputs are derived from the path parameters,
// the filters and the fields of the body.
func newCommand(r *admin.Resource, o *admin.Op) command {
	c := command{resource: r, op: o}
	var g grammar
	g.add(kindOf(r, o), "embed", "")
	for _, p := range o.Params {
		c.addParam(&g, p)
	}
	for _, f := range o.Filters {
		if f.On != admin.WireOnly {
			c.addField(&g, inQuery, f, filterType(o, f))
		}
	}
	for _, f := range bodyOf(r, o) {
		c.addField(&g, inBody, f, memberType(o.Request, f.Name))
	}
	c.Grammar = kong.Plugins{g.pointer()}
	return c
}

// kindOf returns the flags common to a kind of command. A revision is that of the resource, so
// operations at another path have no flag for it.
func kindOf(r *admin.Resource, o *admin.Op) any {
	switch {
	case o.List:
		return Listing{}
	case o.Method == http.MethodGet, o.Download != "":
		return Remote{}
	case o.Patch():
		return Update{}
	case o.Members:
		return MembersFlags{}
	case strings.HasPrefix(o.Path, r.Item):
		return Change{}
	}
	return CreateFlags{}
}

// bodyOf returns the fields of the body that are flags or arguments.
func bodyOf(r *admin.Resource, o *admin.Op) []admin.Field {
	if o.Request == nil || o.Members || o.Patch() {
		return nil
	}
	all := o.Fields
	if all == nil && (o == r.Create || o == r.Change) {
		all = r.Fields
	}
	var fields []admin.Field
	for _, f := range all {
		if f.On == 0 || f.On&(admin.Creating|admin.Typed) != 0 {
			fields = append(fields, f)
		}
	}
	return fields
}

// filterType returns the type of a filter: a bool if it has a single choice, an int if the item's
// member of that name is one, otherwise a string.
func filterType(o *admin.Op, f admin.Field) reflect.Type {
	if f.Kind() == admin.Truth {
		return reflect.TypeFor[bool]()
	}
	if kind := memberType(o.Item(), f.Name); kind != nil && kind.Kind() == reflect.Int {
		return kind
	}
	return reflect.TypeFor[string]()
}

// memberType returns the type of a member, nil if there is none. A dotted name denotes a nested
// member.
func memberType(of reflect.Type, name string) reflect.Type {
	for part := range strings.SplitSeq(name, ".") {
		if of == nil || of.Kind() != reflect.Struct {
			return nil
		}
		of = strictjson.Fields(of)[part].Type
		if of != nil && of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
	}
	return of
}

func (c *command) add(g *grammar, in input, value any, tag ...string) {
	c.inputs = append(c.inputs, in)
	g.add(value, tag...)
}

// addParam adds a path parameter: a flag for what the resource belongs to, otherwise an argument.
func (c *command) addParam(g *grammar, p admin.Param) {
	value := any("")
	if p.Number {
		value = 0
	}
	tag := []string{"name", p.Flag, "required", "", "placeholder", "ID", "help", p.Help}
	if p.Flag == "" {
		name, isID := strings.CutSuffix(p.Name, "Id")
		if isID && c.op.Params[0].Flag != "" { // otherwise there are two arguments
			name = "id"
		}
		tag = []string{"name", name, "arg", "", "help", p.Help}
	}
	c.add(g, input{name: p.Name, place: inPath}, value, tag...)
}

// addField adds a filter or a member of the body. The name of a new resource is an argument.
// Defaults are left to the service: a command sends what it is given.
func (c *command) addField(g *grammar, place place, f admin.Field, kind reflect.Type) {
	in := input{
		name: f.Name, place: place, required: f.Required && f.Default == "",
		span: f.Kind() == admin.Moment,
	}
	value, placeholder := any(""), strings.ToUpper(f.FlagName())
	switch {
	case f.Name == "q":
		placeholder = "TEXT"
	case in.span, kind == reflect.TypeFor[time.Time]():
		placeholder = "MOMENT"
	case kind.Kind() != reflect.String && kind.Kind() != reflect.Slice:
		placeholder = "N"
		fallthrough
	default:
		value = reflect.Zero(kind).Interface()
	}
	if strings.HasSuffix(strings.ToLower(f.Name), "id") {
		placeholder = "ID"
	}
	help := helpOf(f, in, kind)
	tag := []string{"name", f.FlagName(), "placeholder", placeholder, "help", help}
	switch {
	case place == inQuery:
		tag = append(tag, "group", "Filter")
	case f.Name == "name":
		tag = []string{"name", f.Name, "arg", "", "help", help}
		if !in.required {
			tag = append(tag, "optional", "")
		}
	case in.required && f.Choices != nil:
		tag = append(tag, "required", "", "enum", strings.Join(valuesOf(f), ","))
	case in.required:
		tag = append(tag, "required", "")
	}
	c.add(g, in, value, tag...)
}

// helpOf returns the help text of a field.
func helpOf(f admin.Field, in input, kind reflect.Type) string {
	label, help := strings.TrimRight(f.Label, "?"), f.Help
	switch {
	case in.place == inQuery && help != "":
		if f.Kind() == admin.Truth {
			help = strings.TrimPrefix(help, f.Choices[0].Value+": ")
		}
		if len(help) > 1 && !unicode.IsUpper(rune(help[1])) {
			help = strings.ToLower(help[:1]) + help[1:]
		}
		help = label + ": " + strings.TrimSuffix(help, ".") + "."
		if in.span {
			help += " Or so long ago, such as 24h."
		}
		return help
	case f.Choices != nil:
		label += ": " + strings.Join(choicesOf(f), ", ")
	case in.span:
		label += ": a moment (RFC 3339), a day, or so long ago, such as 24h"
	case kind == reflect.TypeFor[time.Time]():
		label += " (RFC 3339)"
	}
	if kind != nil && kind.Kind() == reflect.Slice {
		help += " May be repeated."
	}
	return strings.TrimSpace(label + ". " + help)
}

// choicesOf returns the values that a field may have, each with its meaning.
func choicesOf(f admin.Field) []string {
	texts := valuesOf(f)
	for i, choice := range f.Choices {
		switch {
		case choice.Irreversible:
			texts[i] += " (" + choice.Label + ", for good)"
		case choice.Label != choice.Value:
			texts[i] += " (" + choice.Label + ")"
		}
	}
	return texts
}

func valuesOf(f admin.Field) []string {
	values := make([]string, len(f.Choices))
	for i, choice := range f.Choices {
		values[i] = choice.Value
	}
	return values
}

// Help returns the help text below the summary.
func (c *command) Help() string {
	help := strings.TrimSpace(c.op.Help + "\n\n" + c.op.Example)
	if c.op.Members {
		return membersOfFile[c.resource.Noun].help(help)
	}
	return help
}

// Run sends the request and prints the response.
func (c *command) Run(ctx context.Context, t Terminal) error {
	given := reflect.ValueOf(c.Grammar[0]).Elem()
	path, query, members := c.op.Path, url.Values{}, body{}
	for i, in := range c.inputs {
		value := given.Field(i + 1).Interface()
		if in.span {
			from, err := moment("--"+in.name, fmt.Sprint(value))
			if err != nil {
				return err
			}
			value = from
		}
		switch {
		case in.place == inPath:
			path = strings.Replace(path, "{"+in.name+"}", url.PathEscape(fmt.Sprint(value)), 1)
		case in.place == inQuery:
			addQuery(query, in.name, value)
		case in.required:
			members[in.name] = value
		default:
			members.with(in.name, value)
		}
	}
	kind := given.Field(0).Interface()
	switch kind := kind.(type) {
	case Listing:
		return kind.list(ctx, t, path, query, c.columns())
	case Remote:
		request := pathOf(path, query)
		request.Method = c.op.Method
		if c.op.Download != "" && c.op.Download != web.JSONType {
			return kind.copy(ctx, t, request)
		}
		return kind.show(ctx, t, request)
	case Update:
		return kind.update(ctx, t, path, c.isText)
	case MembersFlags:
		return kind.create(ctx, t, path, c.isText)
	case CreateFlags:
		return kind.post(ctx, t, path, members)
	}
	change, _ := kind.(Change)
	switch c.op.Method {
	case http.MethodDelete:
		return change.change(ctx, t, c.op.Method, path, nil)
	case http.MethodPut:
		return change.put(ctx, t, path, members)
	}
	return change.act(ctx, t, path, members)
}

// columns returns the columns of a list's table: those of the resource that its items are.
func (c *command) columns() []string {
	items := c.op.Item()
	for _, r := range admin.Resources() {
		if c.op != r.List && (items == r.List.Item() || r.Show != nil && items == r.Show.Reply) {
			return r.Columns
		}
	}
	return c.resource.Columns
}

// columnsOf returns the columns of the lists of a noun.
func columnsOf(noun string) []string {
	at := slices.IndexFunc(admin.Resources(), func(r *admin.Resource) bool { return r.Noun == noun })
	return admin.Resources()[at].Columns
}

// amount is the type of decimal numbers.
var amount = reflect.TypeFor[json.Number]()

// isText reports whether the value of a member is a string.
func (c *command) isText(name string) bool {
	kind := memberType(c.op.Request, name)
	return kind != nil && kind.Kind() == reflect.String && kind != amount ||
		membersOfFile[c.resource.Noun].isText(name)
}
