package openapi

import (
	"iter"
	"maps"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/testkit/golden"
)

// TestGoldenOperatorsDocument compares the file in the repository with the table that it is printed
// from.
func TestGoldenOperatorsDocument(t *testing.T) {
	golden.Compare(t, "../../../admin.openapi.yaml", Operators())
}

// TestOperatorsDocumentIsValid has another library judge the document.
func TestOperatorsDocumentIsValid(t *testing.T) {
	if err := load(t, Operators()).Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestOperatorsDocumentDescribesMembers holds that the document says what each member of each
// request and answer is, and that each of sharedWords is about a member.
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
		delete(said, words) // and nothing is said twice
	}
}

// collectWords collects what the schemas below a node say of their members.
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

// pairs are the keys and values of a mapping.
func pairs(mapping *yaml.Node) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		for pair := range slices.Chunk(mapping.Content, 2) {
			if !yield(pair[0].Value, pair[1]) {
				return
			}
		}
	}
}
