package console

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/admin"
)

// listPage is a page of a list of a resource.
type listPage struct {
	Help, One    string
	Several      string // "orders"
	Heads        []head
	Lines        []line
	Next         string
	Filters      []*control
	Filtered     bool
	Post         bool   // the filters are sent by POST, because a card number may be among them
	Action, All  string // addresses of the list: of the filter form, and with the program
	New, NewText string // form that creates an item; empty if the operator may not
	Empty        string
	More         crumb // another page on the subject
	Many         []manyAct
	plotted
	total
}

// head is a column heading. Sort is the address that sorts the list by the column, empty if it
// cannot be sorted by it.
type head struct{ Text, Class, Sort, Sorted string }

// total is the number of items in a list, or the address that counts them.
type total struct {
	Counted string // "1,234"
	Count   string // address; empty if they are counted already, or all on the page
	Later   bool   // the page is not the first
}

// totalOf returns the total of a list. Next is the cursor of the page after this one.
func (f *frame) totalOf(counted *int, next string) total {
	switch {
	case counted != nil && *counted >= maxExported:
		return total{Counted: count(*counted) + " or more"}
	case counted != nil:
		return total{Counted: count(*counted)}
	case next == "" && f.Asked("cursor") == "":
		return total{}
	}
	return total{Count: f.Here("count", "true"), Later: f.Asked("cursor") != ""}
}

// line is an item in a list: a link with its name, its state and its members.
type line struct {
	To, Name, ID string // ID also holds the program in a list of all programs
	Short, Below string // on narrow screens: replaces a long identifier, and follows it
	Pick         string // identifies the item in a selection
	Mark         *mark
	Cells        []fact
}

// widths are the CSS classes of the columns after name and state. A narrow screen shows only the
// first column.
var widths = []string{"", "md", "md", "lg", "lg", "xl"}

func width(column int) string { return widths[min(column, len(widths)-1)] }

func (p *pages) list(ctx context.Context, v *visit) (listPage, error) {
	shown := listPage{
		Help: strings.TrimSuffix(p.Help, "."), One: p.noun(), Several: p.many(),
		Action: Prefix + v.consolePath(p.at), All: v.To(v.consolePath(p.at)), Empty: p.Empty,
	}
	if v.AllPrograms() {
		shown.All = v.To(v.consolePath(p.at), "programId", allPrograms)
	}
	names := p.filters()
	query := v.listQuery(p.List)
	if slices.ContainsFunc(p.List.Filters, isProgram) && v.Program != nil {
		query.Set("programId", itoa(v.Program.ID))
	}
	p.setTitleAndCrumbs(v, p.title(), nil)
	answer, err := v.perform(ctx, p.List, admin.Request{Query: query}, nil)
	if err != nil {
		shown.Filters = p.filterFields(v, names)
		return shown, v.refuseFilters(shown.Filters, err)
	}
	reply := reflect.ValueOf(answer)
	shown.Next, shown.Filtered = reply.FieldByName("Next").String(), v.filtered(names...)
	shown.total = v.totalOf(reply.FieldByName("Total").Interface().(*int), shown.Next)
	values := reply.FieldByName("Items")
	columns := p.columns()
	var items []any
	for i := range values.Len() {
		item := values.Index(i).Interface()
		items = append(items, item)
		shown.Lines = append(shown.Lines, p.lineOf(v, columns, item))
	}
	if len(items) > 0 {
		shown.Heads = p.heads(v, columns, shown.Lines[0])
		shown.Many = manyActs(v, p.at, items)
	}
	if shown.Next != "" || shown.Filtered || v.Asked("cursor") != "" || len(names) > 1 {
		shown.Filters = p.filterFields(v, names)
	}
	if v.may(p.Create) {
		shown.New, shown.NewText = v.To(v.consolePath(p.newPath())), p.heading(p.Create, "")
	}
	words := []string{v.flags(p.List, append(names, "sort")...)}
	if query.Has("programId") {
		words = append([]string{v.programFlag()}, words...)
	}
	p.line(v, p.List, words...)
	return shown, nil
}

// isSpan reports whether a filter is the beginning or end of a time span.
func isSpan(name string) bool { return name == "from" || name == "to" }

// listQuery returns the query of a list for the query of its page. Times in the page are in its
// zone.
func (v *visit) listQuery(list *admin.Op) url.Values {
	query := v.filter("sort", "count")
	for _, f := range list.Filters {
		value := strings.TrimSpace(v.query.Get(f.Name))
		if value == "" || isProgram(f) && value == allPrograms {
			continue
		}
		query.Set(f.Name, v.filterValue(f.Name, value))
	}
	return query
}

// filterValue returns the value of a filter as the interface and commands expect it.
func (v *visit) filterValue(name, value string) string {
	if at, ok := readMoment(value, v.Zone); ok && isSpan(name) {
		return at.UTC().Format(isoMillis)
	}
	if name == "act" {
		return actsNamed(value)
	}
	return value
}

// filters returns the names of the filters that the page shows.
func (p *pages) filters() []string {
	var names []string
	for _, f := range p.List.Filters {
		if f.On != admin.WireOnly && !isProgram(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// isProgram reports whether a filter is the program.
func isProgram(f admin.Field) bool { return f.Name == "programId" }

// filterFields returns the fields of the named filters, with the values in the address.
func (p *pages) filterFields(v *visit, names []string) []*control {
	var all []*control
	for _, f := range p.List.Filters {
		if !slices.Contains(names, f.Name) {
			continue
		}
		c := &control{
			Name: f.Name, Label: cmp.Or(f.Label, "Search"), Kind: textField, MayBeEmpty: true,
			Value: v.Asked(f.Name),
		}
		switch {
		case f.Name == "subject":
			c.Help = "Such as card 5001"
		case f.Name == "q":
			c.Kind = searchField
		case isSpan(f.Name):
			c.Kind = momentField
		}
		if len(f.Choices) > 0 {
			all := append([]option{{Label: cmp.Or(f.Any, "All")}}, optionsOf(f.Choices)...)
			c.Kind, c.Options = choiceField, choose(all, v.Asked(f.Name))
		}
		all = append(all, c)
	}
	return all
}

// refuseFilters adds problems of filters to their fields, so that the page is shown without items.
// It returns any other error.
func (v *visit) refuseFilters(filters []*control, err error) error {
	refused := (*wire.Problem)(nil)
	if !errors.As(err, &refused) || refused.Name() != wire.Invalid {
		return err
	}
	for _, e := range refused.Errors {
		for _, c := range filters {
			if text, ok := strings.CutPrefix(e.Detail, "the parameter "+c.Name+" "); ok {
				c.Problems = append(c.Problems, text)
				v.frame.Problem = refused
			}
		}
	}
	if v.frame.Problem == nil {
		return err
	}
	return nil
}

// firstColumnMembers are the members that the first column or the frame shows.
var firstColumnMembers = []string{"id", "name", "title", "number", "sequence", "revision", "programId", "allBanks"}

// columns returns the fields of the columns after name and state.
func (p *pages) columns() []admin.Field {
	var all []admin.Field
	for _, name := range p.Columns {
		withAmount := name == "currency" && slices.Contains(p.Columns, "amount")
		if slices.Contains(firstColumnMembers, name) || slices.Contains(markMembers, name) || withAmount {
			continue
		}
		at := slices.IndexFunc(p.Fields, func(f admin.Field) bool { return f.Name == name })
		if at < 0 {
			all = append(all, admin.Field{Name: name, Label: capital(name)})
			continue
		}
		all = append(all, p.Fields[at])
	}
	return all
}

func (p *pages) heads(v *visit, columns []admin.Field, first line) []head {
	heads := []head{p.head(v, capital(p.noun()), "", firstColumnMembers...)}
	if first.Mark != nil {
		heads = append(heads, p.head(v, "State", "", markMembers...))
	}
	for i, f := range columns {
		heads = append(heads, p.head(v, f.Label, first.Cells[i].Class, f.Name))
	}
	return heads
}

// head returns the heading of a column, which sorts by the first of the members that the list can
// be sorted by.
func (p *pages) head(v *visit, text, class string, members ...string) head {
	for _, name := range members {
		if slices.Contains(p.Columns, name) && p.List.Sortable(name) {
			return v.Head(text, class, name)
		}
	}
	return head{Text: text, Class: class}
}

// Head returns the heading of a column that sorts by a member. Its link cycles through ascending,
// descending and unsorted.
func (f *frame) Head(text, class, member string) head {
	shown := head{Text: text, Class: class, Sort: f.Here("sort", member, "cursor", "")}
	switch f.Asked("sort") {
	case member:
		shown.Sorted, shown.Sort = "ascending", f.Here("sort", "-"+member, "cursor", "")
	case "-" + member:
		shown.Sorted, shown.Sort = "descending", f.Here("sort", "", "cursor", "")
	}
	return shown
}

// longName is the length above which a narrow screen shows only the end of an identifier.
// belowNameMembers are the members that it shows below the name, since their columns are hidden.
const longName = 16

var belowNameMembers = []string{"cardId", "amount"}

// brief returns the text of a cell outside its column. A link needs its name, an amount does not.
func brief(cell fact) string {
	if cell.To == "" {
		return cell.Text
	}
	return cell.Name + " " + cell.Text
}

// maxInCell bounds the entries of a list that a cell shows.
const maxInCell = 2

func (p *pages) lineOf(v *visit, columns []admin.Field, item any) line {
	shown := line{Name: nameOf(item), Mark: p.mark(v, item), Pick: idOf(item)}
	if id := idOf(item); id != shown.Name && p.ID.Number {
		shown.ID = id
	}
	if id, ok := strictjson.Member(item, "programId").(int); ok && v.AllPrograms() {
		shown.ID = v.ProgramName(id)
	}
	if p.Show != nil {
		path := strings.Replace(p.item, "{"+p.ID.Name+"}", url.PathEscape(idOf(item)), 1)
		shown.To = v.To(v.consolePath(path))
	}
	if shown.Name == idOf(item) && len(shown.Name) > longName {
		shown.Short = short(shown.Name)
	}
	for i, f := range columns {
		cell := v.fact(f, item)
		if f.Name == "amount" && cell.Text != "" {
			currency := plain(strictjson.Member(item, "currency"))
			cell.Text = strings.TrimSpace(cell.Text + " " + currency)
		}
		if at, ok := strictjson.Member(item, f.Name).(time.Time); ok {
			cell.At = v.Recent(at)
		}
		if all := texts(strictjson.Member(item, f.Name)); len(all) > maxInCell && len(f.Choices) == 0 {
			cell.Text = all[0] + " and " + itoa(len(all)-1) + " more"
		}
		cell.Class = width(i)
		if cell.Number {
			cell.Class = strings.TrimSpace(cell.Class + " num")
		}
		if width(i) != "" && cell.Text != "" && slices.Contains(belowNameMembers, f.Name) {
			shown.Below = joinNonEmpty(shown.Below, brief(cell))
		}
		shown.Cells = append(shown.Cells, cell)
	}
	return shown
}
