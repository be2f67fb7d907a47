// Package openapi prints the OpenAPI 3.1 description of the JSON face: the file openapi.yaml of the
// repository, which the running service also serves. Each fact comes from its source: the
// operations from the route table of package api, the schemas from the Go types of requests and
// responses, the codes from the catalogue of package fault.
//
// It owns what those sources lack: the meaning of a property, its allowed values, examples, and the
// order of the checks. A test prints the tables of docs/interface.md from the same sources
// (page_test.go). Package app serves the document, and the tests in e2e compare responses with it.
package openapi

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/api"
)

// Document returns the description as YAML. The output is deterministic.
var Document = sync.OnceValue(func() []byte { return DocumentOf(Service{URL: "/"}) })

// Service describes the service that the document is for.
type Service struct {
	Version  string // of the program; may be empty
	URL      string // where callers reach it
	Remark   string // precedes the introduction; may be empty
	Appendix string // follows the introduction; may be empty
}

// DocumentOf returns the description of a service.
func DocumentOf(service Service) []byte { return printed(document(api.Operations(), service)) }

func document(operations []api.Operation, service Service) *yaml.Node {
	schemas := newSchemas()
	paths := describePaths(operations, schemas)
	return object(
		"openapi", "3.1.0",
		"info", object(
			"title", strings.TrimSpace("Mintmark "+service.Version),
			"version", "2",
			"summary", "Issues and manages payment cards.",
			"description", service.Remark+introduction+service.Appendix,
			"license", object("name", "Apache License 2.0", "identifier", "Apache-2.0"),
		),
		"servers", list(object("url", service.URL)),
		"security", list(object("credentials", names[string]())),
		"tags", list(
			object("name", "Program", "description", "Settings of the caller's program."),
			object("name", "Card", "description", "The life of a card."),
			object("name", "Bank documents", "description",
				"Documents that a customer must read and accept."),
		),
		"paths", paths,
		"components", object(
			"securitySchemes", object("credentials", object(
				"type", "http", "scheme", "basic",
				"description", "The API key as user name, its secret as password.")),
			"parameters", commonParameters(),
			"headers", headers(),
			"responses", commonAnswers(),
			"schemas", schemas.node(),
		),
		"x-mintmark-errors", catalogue(),
	)
}

const introduction = "Every answer is an envelope: `data`, `errors`, `requestId`, `status`. On " +
	"success the status is 200 and `errors` is empty; on failure there is no `data`, and " +
	"`errors` holds a code and a message for each fault of the first stage of checks that found " +
	"one. The HTTP status is always `status`.\n\n" +
	"The version of the interface belongs to the API key. `x-mintmark-versions` says of each " +
	"operation which versions have it; in a version without it the operation answers 50404.\n\n" +
	"The examples succeed in a fresh sandbox, sent in the order of this page. " +
	"`x-mintmark-before` lets an example succeed again and again: it names the operations whose " +
	"examples, sent first with a tag and a nickname of their own, make a card for it.\n\n" +
	"Paths are matched without regard to letter case. Members of a request that are not known " +
	"are ignored. HTTP/1.1 is required.\n\n" +
	"The page [Errors](" + ErrorsPath + ") says of every code what it means and what to do; for " +
	"programs, the same is in `x-mintmark-errors`. Not listed with the operations are the " +
	"codes of requests that reach none: 50404 for an unknown path, 50405 for a method that the " +
	"path does not take.\n"

// ErrorsPath is the path of the error catalogue in a running service.
const ErrorsPath = "/docs/errors"

// catalogue returns all faults, including reserved ones, for code generators.
func catalogue() *yaml.Node {
	rows := list[any]()
	for _, e := range fault.Entries() {
		rows.Content = append(rows.Content, object("code", e.Code, "status", e.HTTP,
			"message", e.Message, "meaning", e.Meaning, "cure", e.Cure, "reserved", e.Reserved))
	}
	return rows
}

// printed encodes the document as YAML.
func printed(root *yaml.Node) []byte {
	var text bytes.Buffer
	text.WriteString("# Printed from the route table. After a change there, run: make docs\n")
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		panic(fmt.Sprintf("openapi: the document cannot be written: %v", err))
	}
	return text.Bytes()
}
