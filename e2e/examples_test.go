package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/face/openapi"
	"mintmark/internal/testkit/golden"
)

// TestExamples sends the example requests of openapi.yaml to a new sandbox, in order, and compares
// the answers with the examples next to them.
func TestExamples(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for _, op := range describedOperations(t) {
		reply := world.Send(op.example(t))
		if reply.HTTP != http.StatusOK {
			t.Errorf("the example of %s fails: %s", op.ID, reply.Raw)
			continue
		}
		got := repeatable(t, reply, world.App.URL())
		file := filepath.Join("..", "internal", "face", "openapi", "examples", op.ID+".json")
		if golden.Updating() {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s differs; if that is meant, run make docs (-file +now):\n%s", file, diff)
		}
	}
}

// TestExamplesAgain sends each example three times, after those that x-mintmark-before names, in
// any order.
func TestExamplesAgain(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	operations := describedOperations(t)
	byID := make(map[string]described)
	for _, op := range operations {
		byID[op.ID] = op
	}
	created, taken := 0, 0
	send := func(op described, cardID int) ledger.Reply {
		request := op.example(t)
		if request.Body != "" {
			body := op.RequestBody.Content["application/json"].Example
			changed := maps.Clone(body)
			if _, named := body["tag"]; named {
				created++
				changed["tag"] = fmt.Sprint("own-", created)
				changed["nickName"] = fmt.Sprint("Own ", created)
			}
			if cardID != 0 {
				changed["cardId"] = cardID
			}
			text, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			request.Body = string(text)
		}
		return world.Send(request)
	}
	for round := range 3 {
		rand.Shuffle(len(operations), func(i, j int) {
			operations[i], operations[j] = operations[j], operations[i]
		})
		for _, op := range operations {
			var card struct {
				CardID int `json:"cardId"`
			}
			for _, id := range op.Before {
				reply := send(byID[id], card.CardID)
				if err := json.Unmarshal(reply.Data, &card); err != nil {
					t.Fatalf("%s before %s: %s", id, op.ID, reply.Raw)
				}
				taken = max(taken, card.CardID)
			}
			if reply := send(op, card.CardID); reply.HTTP != http.StatusOK {
				t.Errorf("round %d: the example of %s fails: %s", round, op.ID, reply.Raw)
			}
		}
	}
	if taken < 10000+3*10 {
		t.Errorf("the last card that was made is %d", taken)
	}
}

// described is an operation as openapi.yaml describes it.
type described struct {
	method, path string
	ID           string   `yaml:"operationId"`
	Before       []string `yaml:"x-mintmark-before"`
	Parameters   []struct {
		Name, In string
		Example  any
		Schema   schema
	}
	RequestBody struct {
		Content map[string]struct {
			Example map[string]any
			Schema  schema
		}
	} `yaml:"requestBody"`
	members map[string]schema // of the request
}

// schema is the part of a schema that the tests need.
type schema struct {
	Ref        string `yaml:"$ref"`
	Type       string
	Properties map[string]schema
	MaxLength  int `yaml:"maxLength"`
	Enum       []string
}

// describedOperations reads the operations in document order.
func describedOperations(t *testing.T) []described {
	t.Helper()
	var document struct {
		Paths      yaml.Node
		Components struct{ Schemas map[string]schema }
	}
	if err := yaml.Unmarshal(openapi.Document(), &document); err != nil {
		t.Fatal(err)
	}
	var all []described
	for i := 0; i < len(document.Paths.Content); i += 2 {
		var methods map[string]described
		if err := document.Paths.Content[i+1].Decode(&methods); err != nil {
			t.Fatal(err)
		}
		for method, op := range methods {
			op.method, op.path = strings.ToUpper(method), document.Paths.Content[i].Value
			request := op.RequestBody.Content["application/json"].Schema.Ref
			op.members = document.Components.Schemas[path.Base(request)].Properties
			all = append(all, op)
		}
	}
	return all
}

// example returns the example request of the operation.
func (op described) example(t *testing.T) ledger.Request {
	t.Helper()
	request := ledger.Request{Method: op.method, Path: op.path}
	for _, p := range op.Parameters {
		value := url.PathEscape(fmt.Sprint(p.Example))
		switch p.In {
		case "path":
			request.Path = strings.ReplaceAll(request.Path, "{"+p.Name+"}", value)
		case "query":
			request.Path += "?" + p.Name + "=" + value
		}
	}
	if example := op.RequestBody.Content["application/json"].Example; example != nil {
		body, err := json.Marshal(example)
		if err != nil {
			t.Fatal(err)
		}
		request.Body = string(body)
	}
	return request
}

// The values that replace what differs each time.
const (
	sameID     = "6f9619ff-8b86-4011-b42d-00cf4fc964ff"
	sameTime   = "2026-03-02T09:30:00.000-05:00"
	sameExpiry = `"expireMonth":3,"expireYear":2030`
	sameURL    = "http://127.0.0.1:8080"
)

var (
	dateTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d`)
	newCards = regexp.MustCompile(
		`"expireMonth":\d+,"expireYear":\d+([^{}]*"createdDate":"` + sameTime + `")`)
	longContent = regexp.MustCompile(`("content":"[^"]{64})[^"]*"`)
)

// repeatable returns an answer without what differs each time. It keeps only the first of a list of
// documents, and the beginning of a file.
func repeatable(t *testing.T, reply ledger.Reply, address string) []byte {
	t.Helper()
	var documents []json.RawMessage
	text := string(reply.Raw)
	isList := json.Unmarshal(reply.Data, &documents) == nil
	if isList && len(documents) > 1 {
		text = strings.Replace(text, string(reply.Data), "["+string(documents[0])+"]", 1)
	}
	text = strings.ReplaceAll(text, reply.RequestID, sameID)
	text = strings.ReplaceAll(text, address, sameURL)
	text = dateTime.ReplaceAllStringFunc(text, func(written string) string {
		at, err := time.Parse(time.RFC3339, written)
		if err == nil && time.Since(at).Abs() < time.Hour {
			return sameTime
		}
		return written
	})
	text = newCards.ReplaceAllString(text, sameExpiry+"$1")
	text = longContent.ReplaceAllString(text, `$1"`)
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	indented.WriteByte('\n')
	return indented.Bytes()
}
