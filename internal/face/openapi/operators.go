package openapi

import (
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
)

// Operators returns the description of the operators' interface as YAML: admin.openapi.yaml.
var Operators = sync.OnceValue(func() []byte { return OperatorsOf(Service{URL: "/"}) })

// OperatorsOf returns the description of the operators' interface for a service.
func OperatorsOf(service Service) []byte {
	schemas := &schemas{byName: make(map[string]*yaml.Node)}
	schemas.put("Problem", problemSchema())
	paths := object()
	var order []string
	byPath := map[string]*yaml.Node{}
	for _, r := range admin.Resources() {
		for _, row := range r.Ops() {
			path := wire.Prefix + row.Path
			if byPath[path] == nil {
				byPath[path] = object()
				order = append(order, path)
			}
			add(byPath[path], strings.ToLower(row.Method), describeRow(row, schemas))
		}
	}
	for _, path := range order {
		add(paths, path, byPath[path])
	}
	return printed(object(
		"openapi", "3.1.0",
		"info", object(
			"title", strings.TrimSpace("Mintmark for operators "+service.Version),
			"version", "1",
			"summary", "Sets up, watches and answers for a card program.",
			"description", operatorsIntroduction,
			"license", object("name", "Apache License 2.0", "identifier", "Apache-2.0"),
		),
		"servers", list(object("url", service.URL)),
		"security", list(object("token", names[string]())),
		"paths", paths,
		"components", object(
			"securitySchemes", object("token", object(
				"type", "http", "scheme", "bearer",
				"description", "A token of an operator.")),
			"parameters", operatorsParameters(),
			"responses", problemAnswers(),
			"schemas", schemas.node(),
		),
	))
}

const operatorsIntroduction = "Every request carries a token. Its roles and banks say what it " +
	"may do; what is outside its banks answers as if it did not exist.\n\n" +
	"Each refusal is a problem (RFC 9457). Its type is /problems/ and a name; `errors` " +
	"are all problems of the query, or of the body, each with a JSON pointer.\n\n" +
	"A list has a page of items; `next` is the cursor of the page behind it. A resource has " +
	"`id`, `revision` and an ETag. PATCH is a JSON merge patch: what is left out stays, null " +
	"removes.\n\n" +
	"A change with `dryRun=true` answers what would be, with `changes`, and keeps nothing. A " +
	"change with an Idempotency-Key is made once. An act that needs a second operator answers " +
	"202, needs-approval.\n"

func describeRow(row *admin.Op, schemas *schemas) *yaml.Node {
	node := object(
		"operationId", operationID(row), "tags", names(strings.Split(row.Path, "/")[0]),
		"summary", row.Summary, "description", rolesText(row),
		"parameters", rowParameters(row),
	)
	switch {
	case row.Upload != "":
		content := object(row.Upload, object("schema", object("type", "string")))
		if row.Request != nil { // either is accepted
			add(content, "application/json", object("schema", schemas.request(row)))
		}
		add(node, "requestBody", object("required", true, "content", content))
	case row.Request != nil:
		schema := schemas.request(row)
		add(node, "requestBody", object("required", row.Patch(),
			"content", object("application/json", object("schema", schema))))
	}
	return add(node, "responses", rowAnswers(row, schemas))
}

// operationID returns an operation's name for code generators: the static words of its path, then
// the verb.
func operationID(row *admin.Op) string {
	var words []string
	for segment := range strings.SplitSeq(row.Path, "/") {
		if !strings.HasPrefix(segment, "{") {
			words = append(words, segment)
		}
	}
	verb := strings.ToLower(row.Method)
	if row.List {
		verb = "list"
	}
	if strings.HasSuffix(row.Path, "}") && row.Method == "GET" {
		verb = "read"
	}
	return strings.Join(words, "-") + "-" + verb
}

// rolesText returns the roles that may perform the operation.
func rolesText(row *admin.Op) string {
	text := "For every role."
	if len(row.Roles) > 0 {
		all := append(operator.Roles{}, row.Roles...)
		if !row.Changes() && !row.NotAuditor && !all.Has(operator.Auditor) {
			all = append(all, operator.Auditor)
		}
		all = append(all, operator.Administrator)
		texts := make([]string, len(all))
		for i, role := range all {
			texts[i] = string(role)
		}
		text = "Roles: " + strings.Join(texts, ", ") + "."
		if row.Together {
			text = "Roles: " + strings.Join(texts[:len(texts)-1], " and ") + " together; or " +
				texts[len(texts)-1] + "."
		}
	}
	if row.Reason {
		text += " A reason is required."
	}
	if row.FourEyes {
		text += " May need a second operator."
	}
	return text
}

func rowParameters(row *admin.Op) *yaml.Node {
	all := list[any]()
	for segment := range strings.SplitSeq(row.Path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			all.Content = append(all.Content, object("name", strings.TrimSuffix(name, "}"),
				"in", "path", "required", true, "schema", object("type", "string")))
		}
	}
	for _, p := range row.Filters {
		all.Content = append(all.Content, object("name", p.Name, "in", "query",
			"description", p.Help, "schema", querySchema(p)))
	}
	common := []string{"RequestId"}
	if row.List {
		common = append(common, "Limit", "Cursor", "Sort", "Count")
	}
	if row.Changes() {
		common = append(common, "DryRun")
		if !row.Long {
			common = append(common, "IdempotencyKey")
		}
		common = append(common, "Reason", "IfMatch")
	}
	for _, name := range common {
		if name == "IfMatch" && row.Revision {
			name = "Revision"
		}
		all.Content = append(all.Content, ref("parameters", name))
	}
	return all
}

// querySchema returns the schema of a filter.
func querySchema(f admin.Field) *yaml.Node {
	switch f.Kind() {
	case admin.Number:
		return object("type", "integer", "format", "int32", "minimum", 1)
	case admin.Moment:
		return object("type", "string", "format", "date-time")
	case admin.Truth:
		return object("type", "boolean")
	}
	return object("type", "string")
}

// operatorsParameters returns the parameters that operations share.
func operatorsParameters() *yaml.Node {
	parameter := func(in, name, says string, schema *yaml.Node) *yaml.Node {
		return object("name", name, "in", in, "description", says, "schema", schema)
	}
	text := func() *yaml.Node { return object("type", "string") }
	revision := parameter("header", "If-Match", "The ETag of the resource that is changed.", text())
	return object(
		"RequestId", parameter("header", "X-Request-Id", "Identifier of the request, taken over "+
			"as requestId.", object("type", "string", "format", "uuid")),
		"Limit", parameter("query", "limit", "How many items a page has at most.",
			object("type", "integer", "minimum", 1, "maximum", 200, "default", 50)),
		"Cursor", parameter("query", "cursor", "The `next` of the page before.", text()),
		"Sort", parameter("query", "sort", "A member to sort by, with - before it for the greatest "+
			"first. Of more than 10,000 items none are sorted.", text()),
		"Count", parameter("query", "count", "Answers `total`, too: 10,000 are counted at most.",
			object("type", "boolean")),
		"DryRun", parameter("query", "dryRun", "Answers what would be, and keeps nothing.",
			object("type", "boolean")),
		"IdempotencyKey", parameter("header", "Idempotency-Key", "The same request within 24 "+
			"hours gets the first answer again, without secrets, and is done once.",
			object("type", "string", "pattern", "^[!-~]+$", "maxLength", 255)),
		"Reason", parameter("header", "Mintmark-Reason", "For the audit; a member `reason` of "+
			"the body says the same.", object("type", "string", "maxLength", 500)),
		"IfMatch", parameter("header", "If-Match", "The ETag of the resource; without it, any.",
			text()),
		"Revision", add(revision, "required", true),
	)
}

// rowAnswers describes the success and the problems of an operation.
func rowAnswers(row *admin.Op, schemas *schemas) *yaml.Node {
	success := object("description", "Success.")
	switch {
	case row.Download != "":
		add(success, "content", object(row.Download, object("schema", object())))
	case row.Reply != nil:
		add(success, "content", object("application/json",
			object("schema", schemas.reply(row))))
	}
	answers := object(strconv.Itoa(row.Status), success)
	if row.Changes() && row.Status != 200 {
		add(answers, "200", object("description", "The answer to a dry run.",
			"content", object("application/json", object("schema", schemas.dryRun(row)))))
	}
	if strings.HasSuffix(row.Path, "/result") {
		add(answers, "201", success)
	}
	if row.FourEyes {
		add(answers, "202", ref("responses", "NeedsApproval"))
	}
	return add(answers, "default", ref("responses", "Problem"))
}

func problemAnswers() *yaml.Node {
	content := object("application/problem+json", object("schema", ref("schemas", "Problem")))
	return object(
		"NeedsApproval", object(
			"description", "The act waits for another operator; approvalId names it.",
			"content", content),
		"Problem", object("description", "The problem. `type` is one of /problems/"+
			strings.Join(problemNames, ", ")+".", "content", content),
	)
}

var problemNames = []string{
	wire.NotSignedIn, wire.NotAllowed, wire.NotFound, wire.Invalid, wire.Conflict, wire.Stale,
	wire.IfMatchRequired, wire.NeedsApproval, wire.TooMany, wire.MethodNotAllowed, wire.TooLarge,
	wire.Unavailable, wire.Internal,
}

func problemSchema() *yaml.Node {
	types := make([]string, len(problemNames))
	for i, name := range problemNames {
		types[i] = "/problems/" + name
	}
	text := func(says string) *yaml.Node { return object("type", "string", "description", says) }
	whole := func(says string) *yaml.Node { return object("type", "integer", "description", says) }
	return object("type", "object",
		"required", names("type", "title", "status", "detail", "requestId"),
		"properties", object(
			"type", object("enum", types, "description", "Kind of the problem."),
			"title", text("The kind in words."), "status", whole("HTTP status."),
			"detail", text("The problem, with the name of the thing."),
			"requestId", text(sharedWords["requestId"]),
			"code", whole("Code of a conflict, as callers are answered it."),
			"approvalId", whole("Number of the approval that the act waits for."),
			"errors", object("type", "array", "items", object("type", "object",
				"required", names("pointer", "detail"),
				"properties", object(
					"pointer", text("Member of the body (RFC 6901); empty for the whole body."),
					"detail", text("The problem of the member.")),
				"additionalProperties", false), "description", "All that is wrong with the body.")),
		"additionalProperties", false)
}
