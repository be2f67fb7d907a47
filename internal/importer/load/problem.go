package load

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/base/problem"
	"mintmark/internal/importer"
)

// Problems lists everything that is wrong with a file, in line order.
type Problems = importer.Problems

// problems records problems by the entry that has them.
type problems struct {
	*importer.Problems
	older *formerNames
}

func newProblems(name string) problems { return problems{importer.NewProblems(name), &formerNames{}} }

func (p problems) copy() problems { return problems{p.Copy(), p.older} }

// add records a problem with a member of an entry.
func (p problems) add(at item, path, format string, args ...any) {
	p.Add(lineOf(at.node, path), problem.Join(at.path, path), format, args...)
}

// addAll records the problems that the rules of the domain report for an entry, each at the line of
// its member, and returns whether there are none. Members of a value that could not be decoded are
// skipped.
func (p problems) addAll(at item, list problem.List) bool {
	for _, wrong := range list {
		if !p.Inside(problem.Join(at.path, wrong.Path)) {
			p.add(at, wrong.Path, "%s", wrong.Text)
		}
	}
	return len(list) == 0
}

// lineOf returns the line on which the value at a path begins. For a missing value it returns the
// line of the mapping or list that should contain it.
func lineOf(node *yaml.Node, path string) int {
	line := max(1, node.Line)
	steps := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	for _, step := range steps {
		node = resolve(node)
		ok := false
		switch node.Kind {
		case yaml.SequenceNode:
			i, err := strconv.Atoi(step)
			if ok = err == nil && i < len(node.Content); ok {
				node = node.Content[i]
				line = node.Line
			}
		case yaml.MappingNode:
			var key *yaml.Node
			key, node = memberOf(node, step)
			if ok = key != nil; ok {
				line = key.Line
			}
		}
		if !ok {
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

// numberIn returns the id that an entry has in a member, or 0 if it has none.
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

// resolve returns the target of an alias, and any other node unchanged.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// syntaxLine returns the line of a YAML parser error, such as "yaml: line 3: did not find expected
// key", and syntaxText its message.
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
