package admin

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"

	wire "mintmark/client/admin"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
)

// Resource is a kind of thing that operators work on. Everything that operators see of it is
// derived from this: routes, rights, bodies, the document of the interface, commands and pages.
type Resource struct {
	Noun string // "key": for commands and pages; empty if it has none
	Path string // of the collection: "programs/{id}/keys"
	Item string // of an item: "programs/{id}/keys/{name}"
	In   Param  // parameter of Path: the owner of the collection, such as the program
	ID   Param  // last parameter of Item
	Help string // "Keys of calling programs: issue, rotate, revoke."
	Nav  Nav    // place in the console; the zero value for none
	// Empty is the text of the console for an empty list.
	Empty string
	// Roles are the default roles of the operations.
	Roles   operator.Roles
	Fields  []Field  // members that List, Show, Create and Change read and return
	Columns []string // members that a list shows

	List           *Op   // GET Path
	CollectionActs []*Op // acts on the collection, such as a search: Path plus their name
	Show           *Op   // GET Item
	Create         *Op   // POST Path
	Change         *Op   // PATCH Item
	Remove         *Op   // DELETE Item
	Acts           []*Op // acts on an item: Item plus their name

	ops []*Op // all of these, after complete
}

// Nav is the entry of a list in the navigation of the console.
type Nav struct{ Group, Title string }

// Param is a path parameter.
type Param struct {
	Name   string // "id"
	Flag   string // in commands: "program"; empty for an argument
	Help   string // "Number of the program."
	Number bool
}

// Field describes a member beyond its Go type. The type determines the control on a page and the
// flag of a command.
type Field struct {
	Name     string // of the member in JSON
	Flag     string // in commands, if not derived from Name
	Label    string
	Help     string
	Choices  []Choice
	Any      string // in a filter: label for no choice; default "All"
	Default  string
	Required bool
	Secret   bool   // a secret or card numbers, which a page must not pass on to another
	On       Places // 0 for all forms
}

// FlagName returns the name of the field's flag in commands: bankId is --bank.
func (f Field) FlagName() string {
	return cmp.Or(f.Flag, value.Kebab(strings.TrimSuffix(f.Name, "Id")))
}

// Choice is a value of a field.
type Choice struct {
	Value, Label, Help string
	Irreversible       bool
}

// Places is a set of places where a field appears.
type Places int

// Places where a field appears.
const (
	Creating Places = 1 << iota
	Changing
	Shown    // in answers only
	Typed    // in commands, but on no form
	WireOnly // on no form and in no command
)

// Kind is the type of a filter's value.
type Kind int

// The types of a filter's value.
const (
	Text   Kind = iota
	Number      // a positive integer
	Truth       // true or false
	Moment      // a time or a day
)

// Kind returns the kind of a filter, derived from its name and choices.
func (f Field) Kind() Kind {
	switch {
	case f.Name == "from", f.Name == "to":
		return Moment
	case strings.HasSuffix(f.Name, "Id"), f.Name == "perDay":
		return Number
	case len(f.Choices) == 1:
		return Truth
	}
	return Text
}

// Op is an operation on a resource. The constructors in route.go create it.
type Op struct {
	Name    string // verb of the command, and last segment of an act's path: "rotate"
	Path    string // if not derived from the resource
	Summary string
	Help    string // for the command, in addition to Summary
	Example string // a command
	// Roles are the roles allowed, besides administrators and, if nothing is changed, auditors. If
	// the resource has none either, every signed-in operator is allowed.
	Roles      operator.Roles
	Together   bool    // all of Roles are needed
	NotAuditor bool    // excludes auditors from a GET, or from a search by POST
	Reads      bool    // a POST that changes nothing, such as a search
	Reason     bool    // is required, for the audit
	ReasonHelp string  // hint on the form for the reason
	FourEyes   bool    // some requests need a second operator; the act decides
	Filters    []Field // query parameters besides those of the engine; any other is a problem
	Location   string  // path of a created resource, if not the resource's Item
	Members    bool    // the command takes --set name=value instead of flags

	// Texts on the page of an act. {id} stands for the name of the resource.
	Title    string // default Button
	Button   string
	Effect   string // a sentence
	Risky    bool
	Many     bool     // the console also offers it for several items
	Effects  string   // Effect for several items
	Fields   []Field  // of the body, if they are not the resource's
	Once     []string // members that are shown only once
	OnceHelp string   // advice on the members shown once

	// Set by the resource and the constructor.
	Params   []Param // of Path, in order
	Method   string
	Status   int          // of success
	List     bool         // the answer is a page of a list
	Revision bool         // requires If-Match
	Request  reflect.Type // type of a JSON body, nil for none
	Reply    reflect.Type // type of a JSON answer, nil for none
	Upload   string       // media type of a body other than JSON
	Download string       // media type of an answer other than JSON
	Long     bool         // the body may not fit into memory: Sender.OpenBody

	most     int64    // limit of the body, in bytes
	confirms bool     // performs the act of another operator
	ifMatch  bool     // reads If-Match, required or not
	fixed    []string // members that a patch must not change

	// bind parses the body. Together with the problem of a body, it may return an act on the
	// members that were valid, so that the rules can be tried on them.
	bind func(ctx context.Context, c *call) (bound, error)
}

// bound is an act or a read with its parsed body.
type bound func(ctx context.Context, c *call) (any, error)

// route returns the name of the operation in log and audit.
func (o *Op) route() string { return o.Method + " " + wire.Prefix + o.Path }

// Resources returns the resources of the interface without a service behind them. All callers share
// them.
var Resources = sync.OnceValue(func() []*Resource {
	return (&Desk{acts: &acts.Service{}}).resources()
})

// Act returns the act on an item with the given name.
func (r *Resource) Act(name string) *Op {
	return r.Acts[slices.IndexFunc(r.Acts, func(o *Op) bool { return o.Name == name })]
}

// Field returns the field with the given name.
func (r *Resource) Field(name string) Field {
	return r.Fields[slices.IndexFunc(r.Fields, func(f Field) bool { return f.Name == name })]
}

// Ops returns the operations, each completed from the resource.
func (r *Resource) Ops() []*Op { return r.ops }

// complete fills in what each operation inherits from the resource.
func (r *Resource) complete() {
	add := func(o *Op, name, path string) {
		if o == nil {
			return
		}
		if o.Name == "" {
			o.Name = name
		}
		if o.Path == "" {
			o.Path = path
		}
		if o.Roles == nil {
			o.Roles = r.Roles
		}
		o.Params = r.params(o.Path)
		r.ops = append(r.ops, o)
	}
	add(r.List, "list", r.Path)
	for _, o := range r.CollectionActs {
		add(o, o.Name, r.Path+"/"+o.Name)
	}
	add(r.Show, "get", r.Item)
	add(r.Create, "create", r.Path)
	if r.Create != nil && r.Create.Location == "" {
		r.Create.Location = r.Item
	}
	add(r.Change, "update", r.Item)
	for _, f := range r.Fields {
		isFixed := f.On == Shown || f.On == Creating
		if isFixed && r.Change != nil && !slices.Contains(r.Change.fixed, f.Name) {
			r.Change.fixed = append(r.Change.fixed, f.Name)
		}
	}
	add(r.Remove, "remove", r.Item)
	for _, o := range r.Acts {
		add(o, o.Name, r.Item+"/"+o.Name)
	}
}

// params returns the parameters of a path.
func (r *Resource) params(path string) []Param {
	var all []Param
	ofItem := r.Item != r.Path && strings.HasPrefix(path, r.Item)
	for part := range strings.SplitSeq(path, "/") {
		switch name := strings.Trim(part, "{}"); {
		case name == part:
		case name == r.ID.Name && (ofItem || name != r.In.Name):
			all = append(all, r.ID)
		case name == r.In.Name:
			all = append(all, r.In)
		}
	}
	return all
}

// Item returns the type of a list's items, nil if the operation is not a list.
func (o *Op) Item() reflect.Type {
	if o == nil || !o.List {
		return nil
	}
	items, _ := o.Reply.FieldByName("Items")
	return items.Type.Elem()
}

// Patch reports whether the body is a merge patch of the answer.
func (o *Op) Patch() bool { return o.Method == "PATCH" }

func (o *Op) segments() []string { return strings.Split(o.Path, "/") }

// checkParams returns the problem not-found if a numeric path parameter is not a number.
func (c *call) checkParams() error {
	for _, p := range c.row.Params {
		if _, err := c.parameter(p.Name); err != nil && p.Number {
			return err
		}
	}
	return nil
}

// id returns a numeric path parameter that checkParams has checked.
func (c *call) id(name string) int {
	number, _ := c.parameter(name)
	return number
}

// convert converts the result of an act or a read to its wire form.
func convert[T, A any](form func(T) A) func(T, error) (A, error) {
	return func(t T, err error) (A, error) {
		if err != nil {
			var none A
			return none, err
		}
		return form(t), nil
	}
}

// convertAll is convert for a page of a list.
func convertAll[T, A any](form func(T) A) func([]T, string, error) ([]A, string, error) {
	return func(items []T, last string, err error) ([]A, string, error) {
		if err != nil {
			return nil, "", err
		}
		return forms(items, form), last, nil
	}
}

// forms converts each item.
func forms[T, A any](items []T, form func(T) A) []A {
	all := make([]A, len(items))
	for i, item := range items {
		all[i] = form(item)
	}
	return all
}

// byID returns a function that reads the resource whose number is in the path.
func byID[T, A any](
	form func(T) A, read func(context.Context, issuing.Operator, int) (T, error),
) func(context.Context, *call) (A, error) {
	return func(ctx context.Context, c *call) (A, error) {
		return convert(form)(read(ctx, c.who, c.id("id")))
	}
}

// atRevision returns a function that acts on the resource whose number is in the path, at the
// revision that the operator has seen. The body has only the reason.
func atRevision[Q, T, A any](
	form func(T) A, do func(ctx context.Context, who issuing.Operator, id, revision int) (T, error),
) func(context.Context, *call, Q) (A, error) {
	return func(ctx context.Context, c *call, _ Q) (A, error) {
		return convert(form)(do(ctx, c.who, c.id("id"), c.revision))
	}
}

// ofProgram is the parameter of the program that a resource belongs to.
var ofProgram = Param{Name: "id", Flag: "program", Help: "Number of the program.", Number: true}
