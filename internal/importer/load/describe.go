package load

import "reflect"

// Description describes a member of an entry, as docs/load.md does.
type Description struct {
	Name    string // a.b for a member of a mapping
	Value   string // its type and its constraints
	Meaning string
	Needed  bool
	Text    bool // its value is a string
}

// Describe describes the members of the entries of a list. For a list inside the entries of another
// one, path has both names. It returns nil if there is no such list.
func Describe(path ...string) []Description {
	kind := reflect.TypeFor[entries]()
	for _, list := range path {
		entry := reflect.Type(nil)
		for _, m := range membersOf(kind) {
			if m.name == list && m.kind.Kind() == reflect.Slice {
				entry = m.kind.Elem()
			}
		}
		if entry == nil {
			return nil
		}
		kind = entry
	}
	return describe(kind, "", true)
}

func describe(kind reflect.Type, prefix string, needed bool) []Description {
	var all []Description
	for _, m := range membersOf(kind) {
		d := Description{
			Name: prefix + m.name, Value: m.value(), Meaning: forms[kind].members[m.name],
			Needed: needed && m.need, Text: m.kind.Kind() == reflect.String,
		}
		switch {
		case isMapping(m.kind):
			all = append(all, describe(m.kind, d.Name+".", d.Needed)...)
			continue
		case m.kind.Kind() == reflect.Slice && isMapping(m.kind.Elem()):
			d.Value = "list of " + forms[m.kind.Elem()].title
		}
		all = append(all, d)
	}
	return all
}
