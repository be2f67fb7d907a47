package openapi

import (
	"embed"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/domain/fault"
)

// examples holds the responses of a fresh sandbox to the example requests, sent in the order of the
// route table. A test in e2e records and compares them.
//
//go:embed examples
var examples embed.FS

// exampleID replaces the id of a request.
const exampleID = "6f9619ff-8b86-4011-b42d-00cf4fc964ff"

// recorded returns the recorded response of an operation, nil for a new operation.
func recorded(id string) *yaml.Node {
	text, err := examples.ReadFile("examples/" + id + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		panic(err)
	}
	return fromJSON(text)
}

// exampleRequest returns a request that succeeds in a fresh sandbox if the examples are sent in the
// order of the route table.
func exampleRequest(name string, request reflect.Type) *yaml.Node {
	example := object()
	for _, field := range reflect.VisibleFields(request) {
		member, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		add(example, member, wordsOf(shape{name: name, request: true}, member).example)
	}
	return example
}

// exampleFault returns a fault that the operation may return.
func (f form) exampleFault() *fault.Fault {
	switch {
	case slices.Contains(f.Faults, fault.CustomerInvalid):
		return fault.New(fault.CustomerInvalid, "4711")
	case slices.Contains(f.Faults, fault.DocumentUnknown):
		return fault.New(fault.DocumentUnknown, "4711")
	}
	return fault.New(fault.BodyUnreadable, "The request is not valid HTTP/1.1.")
}

func exampleFailure(status int, f *fault.Fault) *yaml.Node {
	return object(
		"errors", list(object("code", f.Code(), "message", f.Message())),
		"requestId", exampleID, "status", status)
}
