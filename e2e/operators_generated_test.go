package e2e

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/face/openapi"
)

// TestGeneratedOperators generates requests from admin.openapi.yaml, valid and invalid ones, and
// sends them to a sandbox from several concurrent operators. There must be no internal error, and
// each answer must be one that the document describes for the operation.
func TestGeneratedOperators(t *testing.T) {
	t.Parallel()
	const operators = 4
	count, seed := setting(t, "MINTMARK_REQUESTS", 600), setting(t, "MINTMARK_SEED", 1)
	t.Logf("MINTMARK_REQUESTS=%d MINTMARK_SEED=%d", count, seed)
	var log logText
	world := ledger.NewWorld(t, app.Settings{
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	document := operatorsDocument(t)
	var tally tally
	t.Run("operators", func(t *testing.T) {
		for operator := range operators {
			t.Run(strconv.Itoa(operator), func(t *testing.T) {
				t.Parallel()
				g := &operatorGenerator{generator: generator{
					Rand: rand.New(rand.NewPCG(uint64(seed), uint64(operator))), caller: operator,
				}}
				for range count / operators {
					op := document[g.IntN(len(document))]
					request := g.request(t, op, world.App.AdminURL())
					status, problem := op.exchange(t, request)
					tally.add(op.ID, status)
					if problem != "" {
						t.Errorf("%s %s: %s", request.Method, request.URL, problem)
					}
				}
			})
		}
	})
	if errors := log.String(); errors != "" {
		t.Errorf("the service has logged errors:\n%s", errors)
	}
	t.Logf("%d requests, answered %v", count, tally.statuses)
	for _, status := range []int{200, 422} {
		if tally.statuses[status] < count/20 {
			t.Errorf("only %d of %d answers are %d", tally.statuses[status], count, status)
		}
	}
}

// operatorRow is an operation of admin.openapi.yaml.
type operatorRow struct {
	ID, method, path string
	*openapi3.Operation
	answers map[string]*jsonschema.Schema // by status and media type
}

// operatorsDocument reads the operations in path order.
func operatorsDocument(t *testing.T) []operatorRow {
	t.Helper()
	loaded, err := openapi3.NewLoader().LoadFromData(openapi.Operators())
	if err != nil {
		t.Fatal(err)
	}
	text, err := loaded.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:///doc.json", whole); err != nil {
		t.Fatal(err)
	}
	var rows []operatorRow
	for _, path := range loaded.Paths.InMatchingOrder() {
		operations := loaded.Paths.Value(path).Operations()
		for _, method := range sorted(operations) {
			op := operations[method]
			row := operatorRow{op.OperationID, method, path, op, map[string]*jsonschema.Schema{}}
			for status, answer := range op.Responses.Map() {
				for media := range answer.Value.Content {
					at := "/paths/" + escaped(path) + "/" + strings.ToLower(method) +
						"/responses/" + status
					if answer.Ref != "" {
						at = strings.TrimPrefix(answer.Ref, "#")
					}
					kind, _, _ := strings.Cut(media, ";")
					row.answers[status+" "+kind] = compiler.MustCompile(
						"mem:///doc.json#" + at + "/content/" + escaped(media) + "/schema")
				}
				if len(answer.Value.Content) == 0 {
					row.answers[status] = nil
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// escaped returns a name as a segment of a JSON pointer in a URL fragment.
func escaped(name string) string {
	return url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}

// exchange sends a request and returns what is wrong with the response.
func (r operatorRow) exchange(t *testing.T, request *http.Request) (status int, problem string) {
	t.Helper()
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	status = answer.StatusCode
	if status == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") != "" &&
		strings.Contains(string(text), "Other rows are being received") {
		return status, "" // two of the operators sent rows at once
	}
	if status >= 500 {
		return status, string(text)
	}
	media, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	key := strconv.Itoa(status)
	schema, known := r.answers[key]
	if media != "" {
		schema, known = r.answers[key+" "+media]
	}
	if !known {
		schema, known = r.answers["default "+media]
		known = known && status >= 400
	}
	if !known {
		return status, fmt.Sprintf("%d with %s is not described: %s", status, media, text)
	}
	if schema == nil || !strings.Contains(media, "json") || media == "application/x-ndjson" {
		return status, ""
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		return status, fmt.Sprintf("%d: %v: %s", status, err, text)
	}
	return status, ""
}
