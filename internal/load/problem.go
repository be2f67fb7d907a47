package load

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
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

	root *yaml.Node
}

// Error lists the problems, one a line, as FILE:LINE: what is wrong.
func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, problem := range p.List {
		lines[i] = fmt.Sprintf("%s:%d: ", p.Name, problem.Line)
		if problem.Path != "" {
			lines[i] += problem.Path + ": "
		}
		lines[i] += problem.Text
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

// add notes a problem with the value at a path. A second problem with the same value is not worth
// a line: it mostly follows from the first.
func (p *Problems) add(path, format string, args ...any) {
	p.addAt(lineOf(p.root, path), path, format, args...)
}

func (p *Problems) addAt(line int, path, format string, args ...any) {
	same := func(known Problem) bool { return known.Path == path && known.Line == line }
	if slices.ContainsFunc(p.List, same) {
		return
	}
	p.List = append(p.List, Problem{line, path, fmt.Sprintf(format, args...)})
}

// lineOf returns the line on which the value at a path begins. For a value that is missing it is
// the line of what should hold it.
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
			for i := 0; i < len(node.Content) && !found; i += 2 {
				if found = node.Content[i].Value == step; found {
					line = node.Content[i].Line
					node = node.Content[i+1]
				}
			}
		}
		if !found {
			break
		}
	}
	return line
}

// resolve returns what an alias stands for.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// syntaxProblem reads the line out of an error of the YAML parser, such as "yaml: line 3: did not
// find expected key".
func syntaxProblem(err error) Problem {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	rest, numbered := strings.CutPrefix(text, "line ")
	number, what, cut := strings.Cut(rest, ": ")
	line, bad := strconv.Atoi(number)
	if !numbered || !cut || bad != nil {
		return Problem{Line: 1, Text: text}
	}
	return Problem{Line: line, Text: what}
}
