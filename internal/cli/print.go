package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"mintmark/client/admin"
	"mintmark/internal/base/value"
)

// printRaw prints the JSON of a response, indented.
func printRaw(w io.Writer, body []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(body), "", "  "); err != nil {
		return fmt.Errorf("%w: %w", admin.ErrBrokenAnswer, err)
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(w)
	return err
}

func printJSON(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return printRaw(w, text)
}

// printTable prints a row for each item, with the named members as columns, or all members if
// columns is nil.
func printTable(w io.Writer, columns []string, items []json.RawMessage) error {
	if columns == nil {
		columns = allColumns(items)
	}
	table := newTable(w)
	heads := make([]string, len(columns))
	for i, name := range columns {
		heads[i] = heading(name)
	}
	fmt.Fprintln(table, strings.Join(heads, "\t"))
	for _, item := range items {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(item, &members); err != nil {
			return fmt.Errorf("%w: %w", admin.ErrBrokenAnswer, err)
		}
		cells := make([]string, len(columns))
		for i, name := range columns {
			cells[i] = cell(members[name])
			if name != "why" { // the amounts are at its end
				cells[i] = shortened(cells[i])
			}
			if cells[i] == "" {
				cells[i] = "-"
			}
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// printItems prints the items of a response that is a list.
func (r Remote) printItems(t Terminal, body []byte, columns []string) error {
	var list admin.List[json.RawMessage]
	if err := json.Unmarshal(body, &list); err != nil {
		return fmt.Errorf("%w: %w", admin.ErrBrokenAnswer, err)
	}
	return printTable(t.Out, columns, list.Items)
}

// shortened truncates a text that would make a table too wide; get prints it in full.
func shortened(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// printResource prints a line for each member, and a table for each list of objects, such as the
// changes of a dry run.
func printResource(w io.Writer, body []byte) error {
	all, err := membersOf(body)
	if err != nil {
		return fmt.Errorf("%w: %w", admin.ErrBrokenAnswer, err)
	}
	table := newTable(w)
	var lists []member
	for _, m := range flat("", all) {
		if isList(m.value) {
			lists = append(lists, m)
			continue
		}
		if text := cell(m.value); text != "" {
			fmt.Fprintf(table, "%s\t%s\n", m.name, text)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, m := range lists {
		if err := printList(w, m); err != nil {
			return err
		}
	}
	return nil
}

// printList prints a list within a resource, below its name.
func printList(w io.Writer, list member) error {
	var items []json.RawMessage
	if err := json.Unmarshal(list.value, &items); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s:\n", list.name)
	return printTable(w, nil, items)
}

// allColumns returns the members that occur in any of the items.
func allColumns(items []json.RawMessage) []string {
	var names []string
	seen := map[string]bool{}
	for _, item := range items {
		of, err := membersOf(item)
		if err != nil {
			return nil
		}
		for _, m := range of {
			if !seen[m.name] {
				seen[m.name] = true
				names = append(names, m.name)
			}
		}
	}
	return names
}

func newTable(w io.Writer) *tabwriter.Writer {
	const gap = 2
	return tabwriter.NewWriter(w, 0, 0, gap, ' ', 0)
}

// heading returns the name of a member as words: numberMasked becomes NUMBER MASKED.
func heading(name string) string {
	return strings.ToUpper(strings.ReplaceAll(value.Kebab(name), "-", " "))
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of an object in order.
func membersOf(object []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	opening, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if opening != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var all []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		all = append(all, member{fmt.Sprint(name), value})
	}
	return all, nil
}

// flat flattens nested objects: their members become outer.inner.
func flat(prefix string, all []member) []member {
	var out []member
	for _, m := range all {
		m.name = prefix + m.name
		inner, err := membersOf(m.value)
		if err == nil {
			out = append(out, flat(m.name+".", inner)...)
			continue
		}
		out = append(out, m)
	}
	return out
}

// isList reports whether a value is a list of objects.
func isList(value json.RawMessage) bool {
	var items []map[string]json.RawMessage
	return json.Unmarshal(value, &items) == nil && len(items) > 0
}

// cell formats a value for a table: a string unquoted, a list separated by commas, the members of
// an object separated by spaces, anything else as JSON.
func cell(value json.RawMessage) string {
	var text string
	var list []json.RawMessage
	switch {
	case len(value) == 0 || string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return printable(text)
	case json.Unmarshal(value, &list) == nil:
		cells := make([]string, len(list))
		for i, item := range list {
			cells[i] = cell(item)
		}
		return strings.Join(cells, ", ")
	}
	if of, err := membersOf(value); err == nil {
		cells := make([]string, len(of))
		for i, m := range of {
			cells[i] = cell(m.value)
		}
		return strings.Join(cells, " ")
	}
	return printable(string(value))
}

// printable replaces characters that could move the cursor or color the terminal: names and reasons
// are written by others.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
