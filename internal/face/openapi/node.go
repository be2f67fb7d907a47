package openapi

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// object returns a mapping of alternating keys and values, in order. A nil or empty value omits its
// key, so that a table may have empty columns.
func object(pairs ...any) *yaml.Node {
	return add(&yaml.Node{Kind: yaml.MappingNode}, pairs...)
}

// add appends keys and values to a mapping, which it returns.
func add(node *yaml.Node, pairs ...any) *yaml.Node {
	for i := 0; i < len(pairs); i += 2 {
		key, value := pairs[i], nodeOf(pairs[i+1])
		if value == nil {
			continue
		}
		node.Content = append(node.Content, nodeOf(key), value)
	}
	return node
}

// list returns a sequence.
func list[T any](values ...T) *yaml.Node {
	node := &yaml.Node{Kind: yaml.SequenceNode}
	for _, value := range values {
		node.Content = append(node.Content, nodeOf(value))
	}
	return node
}

// names is like list, but writes its short values on one line.
func names[T any](values ...T) *yaml.Node {
	node := list(values...)
	node.Style = yaml.FlowStyle
	return node
}

// ref returns a reference to a component of the document.
func ref(kind, name string) *yaml.Node { return object("$ref", "#/components/"+kind+"/"+name) }

// nodeOf returns the node of a value, or nil for nil, an empty string or an empty list. The number
// 0 and false are values.
func nodeOf(value any) *yaml.Node {
	switch value := value.(type) {
	case nil:
		return nil
	case *yaml.Node:
		return value
	case string:
		if value == "" {
			return nil
		}
	case []string:
		if len(value) == 0 {
			return nil
		}
		return names(value...)
	}
	node := new(yaml.Node)
	if err := node.Encode(value); err != nil {
		panic(fmt.Sprintf("openapi: %v cannot be written: %v", value, err))
	}
	return node
}

// fromJSON parses an example recorded as JSON, in the style of the document.
func fromJSON(text []byte) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		panic(fmt.Sprintf("openapi: a recorded example is not valid JSON: %v", err))
	}
	inBlocks(&document)
	return document.Content[0]
}

// inBlocks removes the JSON style from a node and its descendants. The encoder quotes strings that
// YAML would read as another type.
func inBlocks(node *yaml.Node) {
	node.Style = 0
	for _, child := range node.Content {
		inBlocks(child)
	}
}
