package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"mintmark/internal/face/openapi"
)

// document is the description of the interface, with a compiled schema for each answer.
type document struct {
	root    map[string]any
	failure *answer

	mu       sync.Mutex // the compiler is not safe for concurrent use
	compiler *jsonschema.Compiler
	answers  map[string]*answer // by JSON pointer
}

// answer is the description of one status of one operation.
type answer struct {
	schema  *jsonschema.Schema
	headers []string // required headers
}

const resource = "https://mintmark.example/openapi.json"

func newDocument() *document {
	var root map[string]any
	if err := yaml.Unmarshal(openapi.Document(), &root); err != nil {
		panic(err)
	}
	// The schema compiler needs the types that its own JSON decoder returns.
	text, err := json.Marshal(root)
	if err != nil {
		panic(err)
	}
	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	d := &document{
		root: plain.(map[string]any), compiler: jsonschema.NewCompiler(),
		answers: make(map[string]*answer),
	}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	if err := d.compiler.AddResource(resource, plain); err != nil {
		panic(err)
	}
	d.failure = &answer{schema: d.compile("/components/schemas/Failure")}
	return d
}

// find returns the description of an answer.
func (d *document) find(a Answer) (*answer, error) {
	path, known := d.route(a.Method, a.Target)
	if !known {
		return d.failure, nil
	}
	at := pointer("paths", path, strings.ToLower(a.Method), "responses", strconv.Itoa(a.Status))
	value, ok := d.at(at)
	if !ok {
		return nil, fmt.Errorf("%s %s may not answer %d", a.Method, path, a.Status)
	}
	if shared, ok := value["$ref"].(string); ok {
		at = strings.TrimPrefix(shared, "#")
	}
	return d.answer(at), nil
}

// answer returns the description at a place in the document, compiled on first use.
func (d *document) answer(at string) *answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.answers[at]; known != nil {
		return known
	}
	described, _ := d.at(at)
	compiled := &answer{schema: d.compile(at + "/content/application~1json/schema")}
	headers, _ := described["headers"].(map[string]any)
	for name, header := range headers {
		place, _ := header.(map[string]any)["$ref"].(string)
		component, _ := d.at(strings.TrimPrefix(place, "#"))
		if component["required"] == true {
			compiled.headers = append(compiled.headers, name)
		}
	}
	d.answers[at] = compiled
	return compiled
}

func (d *document) compile(at string) *jsonschema.Schema {
	return d.compiler.MustCompile(resource + "#" + (&url.URL{Fragment: at}).EscapedFragment())
}

// route returns the path in the document that matches a request, in the way the service matches
// paths: in any letter case, with any number of slashes.
func (d *document) route(method string, target *url.URL) (path string, known bool) {
	segments, err := split(target.EscapedPath())
	if err != nil {
		return "", false
	}
	paths, _ := d.at("/paths")
	for path, item := range paths {
		_, takes := item.(map[string]any)[strings.ToLower(method)]
		if takes && fits(path, segments) {
			return path, true
		}
	}
	return "", false
}

func fits(path string, segments []string) bool {
	wanted, _ := split(path)
	if len(wanted) != len(segments) {
		return false
	}
	for i, segment := range wanted {
		if !strings.HasPrefix(segment, "{") && !strings.EqualFold(segment, segments[i]) {
			return false
		}
	}
	return true
}

func split(path string) ([]string, error) {
	var segments []string
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" {
			continue
		}
		decoded, err := url.PathUnescape(segment)
		if err != nil {
			return nil, err
		}
		segments = append(segments, decoded)
	}
	return segments, nil
}

// at returns the object at a JSON pointer.
func (d *document) at(pointer string) (map[string]any, bool) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	var node any = d.root
	for key := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		object, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		node = object[unescape.Replace(key)]
	}
	object, ok := node.(map[string]any)
	return object, ok
}

func pointer(keys ...string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var b strings.Builder
	for _, key := range keys {
		b.WriteString("/" + escape.Replace(key))
	}
	return b.String()
}
