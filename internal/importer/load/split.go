package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// wholeBytes is the greatest size of a file that is parsed as a whole. The tree of a file takes
// fifty times the memory of its text, so a larger file is cut by its lines between the entries of
// its lists, and parsed in pieces. For that each entry must begin on a line of its own, at one
// indentation.
const wholeBytes = 2 << 20

// batchItems is how many entries of a list are parsed together.
const batchItems = 500

// section is a list of the file.
type section struct {
	batches []*batch
}

// batch is a part of a list: its text, or the parsed entries.
type batch struct {
	list   string
	first  int // the number of its first entry in the list
	count  int
	text   []byte
	before int // how many lines of the file stand before the text
	nodes  []*yaml.Node

	differs bool // an entry is not stored as the file has it
	bytes   int  // of the documents that differ
}

// item is an entry of a list and where it stands.
type item struct {
	path   string // such as customers[17]
	node   *yaml.Node
	index  int // in its list
	before int // how many lines of the file stand before those that the node counts
}

// nested returns the entries of a list inside an entry.
func (at item) nested(list string, problems problems) []item {
	_, found := memberOf(at.node, list)
	if found == nil || isBlank(found) {
		return nil
	}
	found = resolve(found)
	if found.Kind != yaml.SequenceNode {
		problems.add(at, list, "must be a list")
		return nil
	}
	items := make([]item, len(found.Content))
	for i, node := range found.Content {
		items[i] = item{fmt.Sprintf("%s.%s[%d]", at.path, list, i), node, i, at.before}
	}
	return items
}

// items parses a batch, and notes the problems with its text.
func (b *batch) items(problems problems) []item {
	nodes := b.nodes
	if nodes == nil {
		list, err := parse(b.text)
		if err != nil {
			problems.Add(b.before+syntaxLine(err), "", "%s", syntaxText(err))
			return nil
		}
		nodes = list.Content
		if list.Kind != yaml.SequenceNode || len(nodes) != b.count {
			problems.Add(b.before+1, b.list, "the entries from here on cannot be told apart: "+
				"each must begin on a line of its own, at one indentation")
			return nil
		}
	}
	items := make([]item, len(nodes))
	for i, node := range nodes {
		at := b.first + i
		items[i] = item{fmt.Sprintf("%s[%d]", b.list, at), node, at, b.before}
		problems.older.rename(b.list, items[i])
	}
	return items
}

// takeWhole takes a file apart by its tree.
func (d *Data) takeWhole(text []byte) error {
	root, err := parse(text)
	if err != nil {
		return err
	}
	if root.Kind != yaml.MappingNode {
		d.problems.Add(max(1, root.Line), "", "must be a mapping of names to values")
		return nil
	}
	for i := 0; i < len(root.Content); i += 2 {
		d.takeList(root.Content[i], root.Content[i+1], 0)
	}
	return nil
}

// takeList takes in a list that was parsed.
func (d *Data) takeList(key, list *yaml.Node, before int) {
	list = resolve(list)
	switch {
	case !d.begin(key.Value, before+key.Line) || isBlank(list):
	case list.Kind != yaml.SequenceNode:
		d.problems.Add(before+key.Line, key.Value, "must be a list")
	default:
		s, first := d.sections[key.Value], 0
		for nodes := range slices.Chunk(list.Content, batchItems) {
			s.batches = append(s.batches, &batch{
				list: key.Value, first: first, count: len(nodes), nodes: nodes, before: before,
			})
			first += len(nodes)
		}
	}
}

// begin notes that a list begins, and reports whether it may.
func (d *Data) begin(name string, line int) bool {
	if _, known := kindOf(name); !known {
		d.problems.Add(line, name, "is not known here")
		return false
	}
	if d.sections[name] != nil {
		d.problems.Add(line, name, "is given twice")
		return false
	}
	d.sections[name] = &section{}
	return true
}

// heading is the name of a list and what stands behind it.
var heading = regexp.MustCompile(`^([A-Za-z]+):(?:\s+(.*))?$`)

// cutter takes a file apart by its lines.
type cutter struct {
	*Data
	text   []byte
	name   string // of the list that the lines belong to
	line   int    // of its name
	start  int    // where its name begins in the text
	plain  bool   // its entries begin on lines of their own
	indent int    // of the entries; -1 before the first
	starts []mark
	ended  bool // the document has ended
}

// mark is where an entry begins.
type mark struct{ offset, line int }

// takeLines takes a file apart by its lines.
func (d *Data) takeLines(text []byte) {
	c := &cutter{Data: d, text: text}
	number, offset := 0, 0
	for line := range bytes.Lines(text) {
		number++
		if c.take(string(bytes.TrimRight(line, "\r\n")), offset, number) {
			return
		}
		offset += len(line)
	}
	c.finish(len(text))
}

// take looks at one line, and reports whether the rest can be skipped.
func (c *cutter) take(line string, offset, number int) (over bool) {
	content := strings.TrimLeft(line, " ")
	indent := len(line) - len(content)
	entry := content == "-" || strings.HasPrefix(content, "- ")
	switch {
	case content == "" || content[0] == '#':
	case c.ended:
		c.problems.Add(number, "", "a second document begins here")
		return true
	case indent == 0 && (strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...")):
		return c.takeMarker(line, offset, number)
	case indent == 0 && !entry:
		found := heading.FindStringSubmatch(line)
		if found == nil {
			c.problems.Add(number, "", "the name of a list is expected here")
			return true
		}
		c.finish(offset)
		rest := strings.TrimSpace(found[2])
		c.name, c.line, c.start, c.indent = found[1], number, offset, -1
		c.plain = rest == "" || rest[0] == '#'
	case c.name == "":
		c.problems.Add(number, "", "must be a mapping of names to values")
		return true
	case c.plain && c.indent < 0:
		c.plain = entry
		c.indent = indent
		c.starts = append(c.starts, mark{offset, number})
	case c.plain && entry && indent == c.indent:
		c.starts = append(c.starts, mark{offset, number})
	}
	return false
}

// marker is a line that begins or ends the document and holds nothing of it.
var marker = regexp.MustCompile(`^(---|\.\.\.)(?:\s+#.*|\s*)$`)

// takeMarker looks at a line that begins or ends the document, and reports whether the rest can be
// skipped.
func (c *cutter) takeMarker(line string, offset, number int) (over bool) {
	found := marker.FindStringSubmatch(line)
	switch {
	case found == nil:
		c.problems.Add(number, "", "the name of a list is expected here")
		return true
	case c.name != "" && found[1] == "---":
		c.problems.Add(number, "", "a second document begins here")
		return true
	case c.name != "":
		c.finish(offset)
		c.ended = true
	}
	return false
}

// finish takes in the list that ends before an offset.
func (c *cutter) finish(end int) {
	name, starts := c.name, c.starts
	c.name, c.starts = "", nil
	if name == "" {
		return
	}
	if !c.plain {
		root, err := parse(c.text[c.start:end])
		if err != nil {
			c.problems.Add(c.line-1+syntaxLine(err), "", "%s", syntaxText(err))
			return
		}
		c.takeList(root.Content[0], root.Content[1], c.line-1)
		return
	}
	if !c.begin(name, c.line) {
		return
	}
	for first := 0; first < len(starts); first += batchItems {
		last := min(first+batchItems, len(starts))
		until := end
		if last < len(starts) {
			until = starts[last].offset
		}
		c.sections[name].batches = append(c.sections[name].batches, &batch{
			list: name, first: first, count: last - first,
			text: c.text[starts[first].offset:until], before: starts[first].line - 1,
		})
	}
}

// parse returns the root of the one YAML document that the text holds.
func parse(text []byte) (*yaml.Node, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	}
	if err != nil {
		return nil, err
	}
	var second yaml.Node
	err = decoder.Decode(&second)
	if err == nil {
		return nil, fmt.Errorf("line %d: a second document begins here", second.Line)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return document.Content[0], nil
}
