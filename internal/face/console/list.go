package console

import (
	"cmp"
	"context"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"mintmark/internal/face/admin"
)

// listPage is a page of a list of a resource.
type listPage struct {
	Help, One, Many string
	Heads           []head
	Lines           []line
	Next            string
	Filters         []*control
	Filtered        bool
	Action, All     string // addresses of the list, without and with its program
	New, NewText    string // the form that creates one; empty for who may not
	Empty           string
	More            crumb // another page about the same
}

type head struct{ Text, Class string }

// line is an item of a list: its name with where it leads, its state, its members.
type line struct {
	To, Name, ID string
	Mark         *mark
	Cells        []fact
}

// widths are the classes of the columns behind name and state: a narrow page shows the first.
var widths = []string{"", "md", "md", "lg", "lg", "xl"}

func width(column int) string { return widths[min(column, len(widths)-1)] }

func (p *pages) list(ctx context.Context, v *visit) (listPage, error) {
	shown := listPage{
		Help: strings.TrimSuffix(p.Help, "."), One: p.noun(), Many: p.many(),
		Action: Prefix + v.here(p.at), All: v.To(v.here(p.at)), Empty: p.Empty,
	}
	names := p.filters()
	query := v.filter(names...)
	if slices.ContainsFunc(p.List.Filters, isProgram) && v.Program != nil {
		query.Set("programId", itoa(v.Program.ID))
	}
	answer, err := v.perform(ctx, p.List, admin.Request{Query: query}, nil)
	if err != nil {
		return listPage{}, err
	}
	reply := reflect.ValueOf(answer)
	shown.Next, shown.Filtered = reply.FieldByName("Next").String(), v.filtered(names...)
	items := reply.FieldByName("Items")
	columns := p.columns()
	for i := range items.Len() {
		shown.Lines = append(shown.Lines, p.lineOf(v, columns, items.Index(i).Interface()))
	}
	if len(shown.Lines) > 0 {
		shown.Heads = p.heads(columns, shown.Lines[0])
	}
	if shown.Next != "" || shown.Filtered || v.Asked("cursor") != "" || len(names) > 1 {
		shown.Filters = p.asked(v, names)
	}
	if v.may(p.Create) {
		shown.New, shown.NewText = v.To(p.newPath()), p.heading(p.Create, "")
	}
	p.way(v, p.title(), nil)
	words := []string{v.flags(names...)}
	if query.Has("programId") {
		words = append([]string{v.programFlag()}, words...)
	}
	p.line(v, p.List, words...)
	return shown, nil
}

// filters are the members of the query that the page asks for.
func (p *pages) filters() []string {
	var names []string
	for _, f := range p.List.Filters {
		if f.On != admin.WireOnly && !isProgram(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// isProgram reports whether a filter is the program of the page.
func isProgram(f admin.Field) bool { return f.Name == "programId" }

func (p *pages) asked(v *visit, names []string) []*control {
	var all []*control
	for _, f := range p.List.Filters {
		if !slices.Contains(names, f.Name) {
			continue
		}
		one := &control{
			Name: f.Name, Label: cmp.Or(f.Label, "Search"), Kind: textField, Asks: true,
			Value: v.Asked(f.Name),
		}
		if f.Name == "q" {
			one.Kind = searchField
		}
		if len(f.Choices) > 0 {
			all := append([]option{{Label: "All"}}, optionsOf(f.Choices)...)
			one.Kind, one.Options = choiceField, choose(all, v.Asked(f.Name))
		}
		all = append(all, one)
	}
	return all
}

// inFirst are the members that the first column shows, or the frame.
var inFirst = []string{"id", "name", "title", "number", "sequence", "revision", "programId", "allBanks"}

// columns are the fields of the columns behind name and state.
func (p *pages) columns() []admin.Field {
	var all []admin.Field
	for _, name := range p.Columns {
		if slices.Contains(inFirst, name) || slices.Contains(inMark, name) {
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

func (p *pages) heads(columns []admin.Field, first line) []head {
	heads := []head{{Text: capital(p.noun())}}
	if first.Mark != nil {
		heads = append(heads, head{Text: "State"})
	}
	for i, f := range columns {
		heads = append(heads, head{f.Label, first.Cells[i].Class})
	}
	return heads
}

// mostInCell is how many entries of a list a cell shows.
const mostInCell = 2

func (p *pages) lineOf(v *visit, columns []admin.Field, item any) line {
	shown := line{Name: nameOf(item), Mark: p.mark(v, item)}
	if id := idOf(item); id != shown.Name && p.ID.Number {
		shown.ID = id
	}
	if p.Show != nil {
		path := strings.Replace(p.item, "{"+p.ID.Name+"}", url.PathEscape(idOf(item)), 1)
		shown.To = v.To(v.here(path))
	}
	for i, f := range columns {
		cell := v.fact(f, item)
		if at, ok := member(item, f.Name).(time.Time); ok {
			cell.At = v.Recent(at)
		}
		if all := texts(member(item, f.Name)); len(all) > mostInCell && len(f.Choices) == 0 {
			cell.Text = all[0] + " and " + itoa(len(all)-1) + " more"
		}
		cell.Class = width(i)
		if cell.Number {
			cell.Class = strings.TrimSpace(cell.Class + " num")
		}
		shown.Cells = append(shown.Cells, cell)
	}
	return shown
}
