package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxBytes is the maximum size of a file. The file is parsed as a whole: a load takes forty times
// the memory of its text.
const maxBytes = 64 << 20

// batchItems is the number of entries of a list that are read from the store in one snapshot.
const batchItems = 500

// batch is a part of a list.
type batch struct {
	list  string
	first int // index of its first entry in the list
	nodes []*yaml.Node

	differs bool // the store differs from at least one entry
	bytes   int  // of the documents that differ
}

// item is an entry of a list with its location.
type item struct {
	path  string // such as customers[17]
	node  *yaml.Node
	index int // in its list
}

// has reports whether an entry has a member.
func (at item) has(member string) bool {
	key, _ := memberOf(at.node, member)
	return key != nil
}

// nested returns the entries of a list inside an entry.
func (at item) nested(list string, problems problems) []item {
	_, n := memberOf(at.node, list)
	if n == nil || isBlank(n) {
		return nil
	}
	n = resolve(n)
	if n.Kind != yaml.SequenceNode {
		problems.add(at, list, "must be a list")
		return nil
	}
	items := make([]item, len(n.Content))
	for i, node := range n.Content {
		items[i] = item{path: fmt.Sprintf("%s.%s[%d]", at.path, list, i), node: node, index: i}
	}
	return items
}

// items returns the entries of a batch, with the current names of their members.
func (b *batch) items(problems problems) []item {
	items := make([]item, len(b.nodes))
	for i, node := range b.nodes {
		at := b.first + i
		items[i] = item{path: fmt.Sprintf("%s[%d]", b.list, at), node: node, index: at}
		problems.older.rename(b.list, items[i])
	}
	return items
}

// take splits a file into its lists.
func (d *Data) take(text []byte) error {
	root, err := parse(text)
	if err != nil {
		return err
	}
	if root.Kind != yaml.MappingNode {
		d.problems.Add(max(1, root.Line), "", "must be a mapping of names to values")
		return nil
	}
	for i := 0; i < len(root.Content); i += 2 {
		d.takeList(root.Content[i], root.Content[i+1])
	}
	return nil
}

// takeList splits a list into batches.
func (d *Data) takeList(key, list *yaml.Node) {
	name := key.Value
	list = resolve(list)
	_, known := kindOf(name)
	_, twice := d.lists[name]
	switch {
	case !known:
		d.problems.Add(key.Line, name, "is unknown")
		return
	case twice:
		d.problems.Add(key.Line, name, "is given twice")
		return
	case !isBlank(list) && list.Kind != yaml.SequenceNode:
		d.problems.Add(key.Line, name, "must be a list")
	}
	d.lists[name] = nil
	if list.Kind != yaml.SequenceNode {
		return
	}
	first := 0
	for nodes := range slices.Chunk(list.Content, batchItems) {
		d.lists[name] = append(d.lists[name], &batch{list: name, first: first, nodes: nodes})
		first += len(nodes)
	}
}

// parse returns the root node of a text that must hold exactly one YAML document.
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
