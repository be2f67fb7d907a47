package openapi

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/api"
	"mintmark/internal/testkit/golden"
)

// TestGoldenDocument compares the file in the repository with the document generated from the
// tables.
func TestGoldenDocument(t *testing.T) {
	golden.Compare(t, "../../../openapi.yaml", Document())
}

func TestDocumentIsTheSameEachTime(t *testing.T) {
	first, second := DocumentOf(Service{URL: "/"}), DocumentOf(Service{URL: "/"})
	if !bytes.Equal(first, second) {
		t.Error("two prints of the same tables differ")
	}
}

// TestDocumentIsValid validates the document, and its examples against the schemas.
func TestDocumentIsValid(t *testing.T) {
	loaded := load(t, Document())
	if err := loaded.Validate(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestJudgeSeesMistakes checks that the validation detects mistakes.
func TestJudgeSeesMistakes(t *testing.T) {
	for was, now := range map[string]string{
		"      operationId: card-get\n": "      operationId: card-list\n",
		"              cardId: 5001\n":  "              cardId: nobody\n",
		"          required: true\n":    "          required: false\n",
	} {
		broken := bytes.Replace(Document(), []byte(was), []byte(now), 1)
		if bytes.Equal(broken, Document()) {
			t.Errorf("nothing in the document reads %q", was)
			continue
		}
		if err := load(t, broken).Validate(t.Context()); err == nil {
			t.Errorf("the judge accepts %q", now)
		}
	}
}

func load(t *testing.T, text []byte) *openapi3.T {
	t.Helper()
	loaded, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// TestEveryOperationIsDescribed compares the paths of the document, with all their forms, with the
// route table.
func TestEveryOperationIsDescribed(t *testing.T) {
	loaded := load(t, Document())
	for _, op := range api.Operations() {
		item := loaded.Paths.Value(op.Path)
		if item == nil || item.GetOperation(op.Method) == nil {
			t.Errorf("%s %s is not described", op.Method, op.Path)
		}
	}
	forms := []string{"/card/getbytag/{customerId}", "/bankdocument/list/{culture}"}
	for _, path := range forms {
		if loaded.Paths.Value(path) == nil {
			t.Errorf("the form %s is not described", path)
		}
	}
	if got, want := loaded.Paths.Len(), len(api.Operations())+len(forms); got != want {
		t.Errorf("%d paths, want %d", got, want)
	}
}

// TestEveryPropertyIsExplained compares the descriptions with the schemas, both ways.
func TestEveryPropertyIsExplained(t *testing.T) {
	used := make(map[string]bool)
	for name, schema := range load(t, Document()).Components.Schemas {
		for property, value := range schema.Value.Properties {
			for _, row := range []string{name + "." + property, "request." + property, property} {
				used[row] = true
			}
			if name != "Failure" && value.Value.Description == "" {
				t.Errorf("nothing is said about %s.%s", name, property)
			}
		}
	}
	for row, w := range words {
		if !used[row] {
			t.Errorf("%s is explained and stands nowhere", row)
		}
		if w.says != "" && !strings.HasSuffix(w.says, ".") {
			t.Errorf("%s: %q is no sentence", row, w.says)
		}
	}
}

// TestAnswersAreClosed checks that a response with an unknown property is invalid.
func TestAnswersAreClosed(t *testing.T) {
	for name, schema := range load(t, Document()).Components.Schemas {
		if len(schema.Value.Properties) == 0 {
			continue
		}
		has := schema.Value.AdditionalProperties.Has
		closed := has != nil && !*has
		if request := strings.HasSuffix(name, "Request"); closed == request {
			t.Errorf("%s: closed is %v", name, closed)
		}
	}
}

// TestEveryFaultHasItsPlace checks that the document lists every fault that the service returns.
func TestEveryFaultHasItsPlace(t *testing.T) {
	for _, e := range fault.Entries() {
		answered := len(AnsweredBy(e.Kind)) > 0
		if reserved := e.Reserved != ""; answered == reserved {
			t.Errorf("%d: answered is %v, reserved is %v", e.Code, answered, reserved)
		}
	}
	for kind, want := range map[fault.Kind][]string{
		fault.TagUnknown:         {"`GET /card/getbytag/{customerId}/{tag}`"},
		fault.Unauthorized:       {"every operation"},
		fault.RouteUnknown:       {"any request that fits no operation"},
		fault.BodySemicolon:      {"every POST operation"},
		fault.BodyUnreadable:     {"every operation"},
		fault.TagTaken:           {"`POST /card/initiate`", "`POST /card/createdigital`"},
		fault.ValueNotAcceptable: {"every POST operation", "`GET /card/list/{customerId}`"},
	} {
		if got := AnsweredBy(kind); !slices.Equal(got, want) {
			t.Errorf("%d is answered by %q, want %q", fault.Lookup(kind).Code, got, want)
		}
	}
}

func TestEmptyValuesLeaveTheirKeyOut(t *testing.T) {
	text, err := yaml.Marshal(object("a", "", "b", nil, "c", []string(nil), "d", 0, "e", false,
		"f", fromJSON([]byte(`{"g":"2026-01-15","h":[1.50],"i":"1"}`))))
	if err != nil {
		t.Fatal(err)
	}
	want := "d: 0\ne: false\nf:\n    g: \"2026-01-15\"\n    h:\n        - 1.50\n    i: \"1\"\n"
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestExamplesAreRecorded compares the recorded responses with the operations, both ways.
func TestExamplesAreRecorded(t *testing.T) {
	files, err := examples.ReadDir("examples")
	if err != nil {
		t.Fatal(err)
	}
	left := make(map[string]bool)
	for _, file := range files {
		left[file.Name()] = true
	}
	for _, op := range api.Operations() {
		for _, f := range formsOf(op) {
			if !left[f.id()+".json"] {
				t.Errorf("no answer of %s is recorded", f.id())
			}
			delete(left, f.id()+".json")
		}
	}
	for name := range left {
		t.Errorf("%s belongs to no operation", name)
	}
}
