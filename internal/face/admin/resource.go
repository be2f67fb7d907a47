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

// Resource is a kind of thing that operators work on. Everything that operators see of it follows
// from this: routes, rights, bodies, the document of the interface, commands and pages.
type Resource struct {
	Noun string // "key": of its commands and pages; empty for one without
	Path string // of the collection: "programs/{id}/keys"
	Item string // of a single one: "programs/{id}/keys/{name}"
	In   Param  // of Path: what the collection belongs to, such as the program
	ID   Param  // of Item: the last one
	Help string // "Keys of calling programs: issue, rotate, revoke."
	Nav  Nav    // where the console shows it; nowhere for the zero value
	// Empty is what the console says where there is none yet.
	Empty string
	// Roles are those of each operation that has none of its own.
	Roles   operator.Roles
	Fields  []Field  // members of what List, Show, Create and Change read and answer
	Columns []string // members that a list shows

	List   *Op   // GET Path
	OnAll  []*Op // acts on the collection, such as a search: Path and their name
	Show   *Op   // GET Item
	Create *Op   // POST Path
	Change *Op   // PATCH Item
	Remove *Op   // DELETE Item
	Acts   []*Op // acts on a single one: Item and their name

	ops []*Op // all of these, complete
}

// Nav is the entry of a list in the navigation of the console.
type Nav struct{ Group, Title string }

// Param is a part of an address.
type Param struct {
	Name   string // "id"
	Flag   string // of commands, "program"; empty for an argument
	Help   string // "Number of the program."
	Number bool
}

// Field says of a member what no Go type can say. What kind of control or flag it has follows from
// the type of the member.
type Field struct {
	Name     string // of the member in JSON
	Flag     string // of commands, where it does not follow from Name
	Label    string
	Help     string
	Choices  []Choice
	Any      string // in a filter, no choice, where that is not "All"
	Default  string
	Required bool
	Secret   bool // a secret or card numbers, which no page carries on to another
	On       When // on all forms for 0
}

// FlagName is the name of the field's flag in commands: bankId is --bank.
func (f Field) FlagName() string {
	return cmp.Or(f.Flag, value.Kebab(strings.TrimSuffix(f.Name, "Id")))
}

// Choice is a value of a field.
type Choice struct {
	Value, Label, Help string
	ForGood            bool // nothing undoes it
}

// When says where a field stands.
type When int

// Where a field stands.
const (
	Creating When = 1 << iota
	Changing
	Shown    // and on no form
	Typed    // in commands, and on no form
	WireOnly // on no form and in no command
)

// Kind is what a filter holds.
type Kind int

// What a filter holds.
const (
	Text   Kind = iota
	Number      // a positive whole number
	Truth       // true or false
	Moment      // or a day
)

// Kind follows from the name of a filter, and from its choices.
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

// Op is something to do with a resource. One of the constructors of route.go makes it.
type Op struct {
	Name    string // verb of the command, and last part of the path of an act: "rotate"
	Path    string // where it does not follow from the resource
	Summary string
	Help    string // of the command, beside Summary
	Example string // a command
	// Roles are those that may, beside administrators and, where nothing is changed, auditors.
	// Where the resource has none, either, everybody who has signed in may.
	Roles      operator.Roles
	Together   bool    // all of Roles are needed
	NotAuditor bool    // keeps auditors from a GET, or from a search by POST
	Reads      bool    // a POST that changes nothing, such as a search
	Reason     bool    // is demanded, for the audit
	ReasonHelp string  // what a form asks the reason to say
	FourEyes   bool    // some requests need a second operator; which ones is decided by the act
	Filters    []Field // of the query, beside those that the engine reads; any other is a problem
	Location   string  // of what is made, where that is not the resource's Item
	Members    bool    // the command takes members by name, --set name=value, instead of flags

	// What the page of an act says. {id} stands for the name of the resource.
	Title    string // where it is not Button
	Button   string
	Effect   string // a sentence
	Risky    bool
	Many     bool     // the console also does it to several at once
	Effects  string   // the sentence about several
	Fields   []Field  // of the body, where those of the resource are not meant
	Once     []string // members that are shown once
	OnceHelp string   // what to do with them

	// What the resource and the constructor have set.
	Params   []Param // of Path, in their order
	Method   string
	Status   int          // of success
	List     bool         // answers page by page
	Revision bool         // demands If-Match
	Request  reflect.Type // of a body of JSON, nil without one
	Reply    reflect.Type // of an answer of JSON, nil without one
	Upload   string       // media type of a body that is no JSON
	Download string       // media type of an answer that is no JSON
	Long     bool         // the body may be longer than memory: Sender.OpenBody

	most     int64    // greatest body, in bytes
	confirms bool     // carries out the act of another operator
	ifMatch  bool     // reads If-Match, whether it demands it or not
	fixed    []string // members that a patch leaves as they are

	// bind reads what the body asks for. Beside the problem of a body it may return an act on what
	// could be read, for the rules to be tried.
	bind func(ctx context.Context, c *call) (bound, error)
}

// bound is an act, or a read, that knows its body.
type bound func(ctx context.Context, c *call) (any, error)

// route is the name of the operation in log and audit.
func (o *Op) route() string { return o.Method + " " + wire.Prefix + o.Path }

// Resources returns the resources of the interface, without a service that does what they say. All
// who ask share them.
var Resources = sync.OnceValue(func() []*Resource {
	return (&Desk{acts: &acts.Service{}}).resources()
})

// Act returns the act on a single one with a name.
func (r *Resource) Act(name string) *Op {
	return r.Acts[slices.IndexFunc(r.Acts, func(o *Op) bool { return o.Name == name })]
}

// Field returns the field with a name.
func (r *Resource) Field(name string) Field {
	return r.Fields[slices.IndexFunc(r.Fields, func(f Field) bool { return f.Name == name })]
}

// Ops returns the operations, each with what follows from the resource.
func (r *Resource) Ops() []*Op { return r.ops }

// complete gives each operation what follows from the resource.
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
	for _, o := range r.OnAll {
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

// Item is the type of the items of a list, nil where an operation is none.
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

// checkParams is the problem of a path with a number that is none: it names nothing.
func (c *call) checkParams() error {
	for _, p := range c.row.Params {
		if _, err := c.parameter(p.Name); err != nil && p.Number {
			return err
		}
	}
	return nil
}

// id returns a parameter of the path that is a number, which checkParams has found.
func (c *call) id(name string) int {
	number, _ := c.parameter(name)
	return number
}

// convert returns the form of what an act or a read has answered on the wire.
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

// forms returns the form of each item.
func forms[T, A any](items []T, form func(T) A) []A {
	all := make([]A, len(items))
	for i, item := range items {
		all[i] = form(item)
	}
	return all
}

// byID reads what the number of the path names.
func byID[T, A any](
	form func(T) A, read func(context.Context, issuing.Operator, int) (T, error),
) func(context.Context, *call) (A, error) {
	return func(ctx context.Context, c *call) (A, error) {
		return convert(form)(read(ctx, c.who, c.id("id")))
	}
}

// atRevision acts on what the number of the path names, at the revision that the operator has seen.
// The body has nothing but the reason.
func atRevision[Q, T, A any](
	form func(T) A, do func(ctx context.Context, who issuing.Operator, id, revision int) (T, error),
) func(context.Context, *call, Q) (A, error) {
	return func(ctx context.Context, c *call, _ Q) (A, error) {
		return convert(form)(do(ctx, c.who, c.id("id"), c.revision))
	}
}

// ofProgram is the program that a resource belongs to.
var ofProgram = Param{Name: "id", Flag: "program", Help: "Number of the program.", Number: true}
