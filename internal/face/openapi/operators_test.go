package openapi

import (
	"iter"
	"maps"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/testkit/golden"
)

// TestGoldenOperatorsDocument compares the file in the repository with the document generated from
// the table.
func TestGoldenOperatorsDocument(t *testing.T) {
	golden.Compare(t, "../../../admin.openapi.yaml", Operators())
}

// TestOperatorsDocumentIsValid validates the document with an independent library.
func TestOperatorsDocumentIsValid(t *testing.T) {
	if err := load(t, Operators()).Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestOperatorsDocumentDescribesMembers checks that the document describes each member of each
// request and response, and that each entry of sharedWords describes a member.
func TestOperatorsDocumentDescribesMembers(t *testing.T) {
	var document yaml.Node
	if err := yaml.Unmarshal(Operators(), &document); err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	collectWords(t, "", document.Content[0], said)
	for name, words := range sharedWords {
		if !said[words] {
			t.Errorf("there is no member %s to say %q of", name, words)
		}
		delete(said, words) // each text is listed once
	}
}

// collectWords collects the descriptions of members in the schemas below a node.
func collectWords(t *testing.T, of string, node *yaml.Node, said map[string]bool) {
	t.Helper()
	if node.Kind != yaml.MappingNode {
		for _, inner := range node.Content {
			collectWords(t, of, inner, said)
		}
		return
	}
	for name, value := range pairs(node) {
		if name == "properties" {
			for member, schema := range pairs(value) {
				words := maps.Collect(pairs(schema))["description"]
				if words == nil {
					t.Errorf("%s: nothing says what %s is", of, member)
					continue
				}
				said[words.Value] = true
			}
		}
		collectWords(t, of+"/"+name, value, said)
	}
}

// pairs iterates over the keys and values of a mapping.
func pairs(mapping *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		for pair := range slices.Chunk(mapping.Content, 2) {
			if !yield(pair[0].Value, pair[1]) {
				return
			}
		}
	}
}
