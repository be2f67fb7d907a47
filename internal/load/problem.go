package load

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/problem"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	Line int
	Path string // for example programs[0].bins[1].validMonths; empty for the whole file
	Text string
}

// Problems is everything that is wrong with a file, in the order of its lines.
type Problems struct {
	Name string // of the file
	List []Problem
	More int // how many are not listed

	noted int // how often a problem was noted, repeated ones included
	known map[spot]bool
	paths map[string]bool // of the members that have a problem
}

// spot is where a problem was noted.
type spot struct {
	line int
	path string
}

// maxListed is how many problems are listed. A file of many rows may have the same one in each.
const maxListed = 1000

func newProblems(name string) *Problems {
	return &Problems{
		Name: name, known: make(map[spot]bool), paths: make(map[string]bool),
	}
}

// copy returns the same problems, to be added to.
func (p *Problems) copy() *Problems {
	other := newProblems(p.Name)
	for _, one := range p.List {
		other.addAt(one.Line, one.Path, "%s", one.Text)
	}
	return other
}

// Error lists the problems, one a line, as FILE:LINE: what is wrong.
func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, one := range p.List {
		lines[i] = fmt.Sprintf("%s:%d: ", p.Name, one.Line)
		if one.Path != "" {
			lines[i] += one.Path + ": "
		}
		lines[i] += one.Text
	}
	if p.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", p.More))
	}
	return strings.Join(lines, "\n")
}

// err returns the problems as an error, or nil when there are none.
func (p *Problems) err() error {
	if len(p.List) == 0 {
		return nil
	}
	slices.SortStableFunc(p.List, func(a, b Problem) int {
		return cmp.Or(a.Line-b.Line, strings.Compare(a.Path, b.Path))
	})
	return p
}

// add notes a problem with a member of an entry. A second problem with the same member is left out:
// it mostly follows from the first.
func (p *Problems) add(at item, path, format string, args ...any) {
	p.addAt(at.before+lineOf(at.node, path), problem.Join(at.path, path), format, args...)
}

func (p *Problems) addAt(line int, path, format string, args ...any) {
	p.noted++
	if p.known[spot{line, path}] {
		return
	}
	p.known[spot{line, path}] = true
	p.paths[path] = true
	if len(p.List) == maxListed {
		p.More++
		return
	}
	p.List = append(p.List, Problem{line, path, fmt.Sprintf(format, args...)})
}

// addAll notes the problems that the rules of the domain have found in an entry, each at the line
// of its member, and reports whether there is none. A value that could not be read hides its
// members.
func (p *Problems) addAll(at item, found problem.List) bool {
	for _, one := range found {
		if !p.inside(problem.Join(at.path, one.Path)) {
			p.add(at, one.Path, "%s", one.Text)
		}
	}
	return len(found) == 0
}

// inside reports whether a value around a member has a problem.
func (p *Problems) inside(path string) bool {
	for i := len(path) - 1; i > 0; i-- {
		if (path[i] == '.' || path[i] == '[') && p.paths[path[:i]] {
			return true
		}
	}
	return false
}

// lineOf returns the line on which the value at a path begins. For a missing value it is the line
// of the mapping or list that should hold it.
func lineOf(node *yaml.Node, path string) int {
	line := max(1, node.Line)
	steps := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	for _, step := range steps {
		node = resolve(node)
		found := false
		switch node.Kind {
		case yaml.SequenceNode:
			i, err := strconv.Atoi(step)
			if found = err == nil && i < len(node.Content); found {
				node = node.Content[i]
				line = node.Line
			}
		case yaml.MappingNode:
			var key *yaml.Node
			key, node = memberOf(node, step)
			if found = key != nil; found {
				line = key.Line
			}
		}
		if !found {
			break
		}
	}
	return line
}

// memberOf returns the key and the value of a name in a mapping, or nil.
func memberOf(node *yaml.Node, name string) (key, item *yaml.Node) {
	node = resolve(node)
	if node.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}

// numberIn returns the number that an entry is known by, or 0 when it has none.
func numberIn(node *yaml.Node, name string) int {
	_, item := memberOf(node, name)
	if item == nil {
		return 0
	}
	number, err := strconv.ParseInt(resolve(item).Value, 10, 32)
	if err != nil {
		return 0
	}
	return int(number)
}

// resolve returns what an alias stands for.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// syntaxLine reads the line out of an error of the YAML parser, such as "yaml: line 3: did not
// find expected key", and syntaxText what is wrong.
func syntaxLine(err error) int {
	line, _ := syntax(err)
	return line
}

func syntaxText(err error) string {
	_, text := syntax(err)
	return text
}

func syntax(err error) (line int, text string) {
	text = strings.TrimPrefix(err.Error(), "yaml: ")
	rest, numbered := strings.CutPrefix(text, "line ")
	number, what, cut := strings.Cut(rest, ": ")
	line, bad := strconv.Atoi(number)
	if !numbered || !cut || bad != nil {
		return 1, text
	}
	return line, what
}
