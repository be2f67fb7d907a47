package openapi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/api"
)

// answers describes the responses: success, and failures by HTTP status.
func (f form) answers(schemas *schemas) *yaml.Node {
	success := object("type", "object",
		"required", names(f.envelope()...),
		"properties", object("data", f.data(schemas),
			"errors", object("type", "array", "maxItems", 0),
			"requestId", ref("schemas", "RequestId"), "status", object("const", 200)),
		"additionalProperties", false)
	answers := object("200", object("description", "Success.", "headers", f.successHeaders(),
		"content", jsonContent(success, recorded(f.id()))))
	// Only the codes of 400 differ between operations; the other responses are shared.
	codes := codesByStatus(f.faults())
	for _, status := range slices.Sorted(maps.Keys(codes)) {
		key := strconv.Itoa(status)
		if answerNames[status] != "" {
			add(answers, key, ref("responses", answerNames[status]))
			continue
		}
		add(answers, key, failure(status, codes[status], f.exampleFault()))
	}
	return answers
}

// envelope returns the members of the envelope.
func (f form) envelope() []string {
	if f.Answer == nil {
		return []string{"errors", "requestId", "status"}
	}
	return []string{"data", "errors", "requestId", "status"}
}

// data returns the schema of the data member. Some acts describe their card more precisely.
func (f form) data(schemas *schemas) *yaml.Node {
	if f.Answer == nil {
		return nil
	}
	if f.Answer != reflect.TypeFor[api.Card]() {
		return schemas.of(f.Answer)
	}
	outcome := outcomes[f.path]
	name := outcome.schema
	if name == "" {
		name = "Card"
	}
	card := schemas.reference(name, f.Answer, false)
	if outcome.properties == nil {
		return card
	}
	properties := object()
	for _, property := range slices.Sorted(maps.Keys(outcome.properties)) {
		add(properties, property, object("const", outcome.properties[property]))
	}
	return object("allOf", list(card, object("properties", properties)))
}

// outcome describes the card in a response beyond its schema.
type outcome struct {
	schema     string // empty for Card
	properties map[string]any
}

var outcomes = map[string]outcome{
	"/card/initiate":      {"CardOrdered", map[string]any{"status": "Initiated"}},
	"/card/createdigital": {"", map[string]any{"status": "Verified", "isDigitalOnly": true}},
	"/card/verify":        {"", map[string]any{"status": "Verified"}},
	"/card/lock":          {"", map[string]any{"lockTypeCode": "CST"}},
	"/card/hotlist":       {"", map[string]any{"lockTypeCode": "CST"}},
	"/card/lostOrStolen":  {"", map[string]any{"lockTypeCode": "CST"}},
	"/card/unlock":        {"", map[string]any{"lockTypeCode": "UNL"}},
	"/card/reissue":       {"CardReissued", nil},
	"/card/addAccount":    {"CardAdded", nil},
}

// failureSchema returns the envelope of every failure. It is closed, so that it excludes data.
func failureSchema() *yaml.Node {
	entry := object("type", "object", "required", names("code", "message"),
		"properties", object("code", object("type", "integer"),
			"message", object("type", "string", "minLength", 1)),
		"additionalProperties", false)
	return object("type", "object", "required", names("errors", "requestId", "status"),
		"properties", object(
			"errors", object("type", "array", "minItems", 1, "items", entry),
			"requestId", ref("schemas", "RequestId"),
			"status", object("type", "integer", "minimum", 400)),
		"additionalProperties", false)
}

// failure describes the response of an HTTP status: the envelope of a failure with these codes.
func failure(status int, kinds []fault.Kind, example *fault.Fault) *yaml.Node {
	// Two kinds may share a code, and an enum must not have duplicates.
	var codes []int
	for _, kind := range kinds {
		codes = append(codes, fault.Lookup(kind).Code)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	schema := object("allOf", list(ref("schemas", "Failure"), object("properties", object(
		"status", object("const", status),
		"errors", object("items", object("properties", object(
			"code", object("enum", names(codes...)))))))))
	return object("description", explain(kinds), "headers", failureHeaders(status),
		"content", jsonContent(schema, exampleFailure(status, example)))
}

// explain lists the faults with meaning and cure. The many faults of an unreadable body are the
// same everywhere and get one line.
func explain(kinds []fault.Kind) string {
	var lines []string
	broken := false
	for _, kind := range kinds {
		e := fault.Lookup(kind)
		if slices.Contains(bodyFaults, kind) && kind != fault.ValueNotAcceptable {
			broken = true
			continue
		}
		lines = append(lines, fmt.Sprintf("- [%[1]d](%[2]s#%[1]d): `%[3]s` %[4]s *Cure:* "+
			"%[5]s\n", e.Code, ErrorsPath, e.Message, e.Meaning, e.Cure))
	}
	if broken {
		lines = append(lines, fmt.Sprintf("- [59900 to 59999](%s#59900): the request cannot be "+
			"read. The message says what is wrong with it, and where.\n", ErrorsPath))
	}
	return strings.Join(lines, "")
}

// codesByStatus groups faults by HTTP status, in the order of the checks.
func codesByStatus(kinds []fault.Kind) map[int][]fault.Kind {
	groups := make(map[int][]fault.Kind)
	for _, kind := range kinds {
		status := fault.Lookup(kind).HTTP
		if !slices.Contains(groups[status], kind) {
			groups[status] = append(groups[status], kind)
		}
	}
	return groups
}

// answerNames names the responses of statuses whose codes are the same in every operation.
var answerNames = map[int]string{
	401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 429: "TooManyRequests",
	500: "InternalServerError", 501: "NotImplemented", 503: "ServiceUnavailable",
	504: "GatewayTimeout", 505: "HTTPVersionNotSupported",
}

// commonAnswers returns the responses that operations share.
func commonAnswers() *yaml.Node {
	answers := object()
	codes := codesByStatus(append(slices.Clone(anyFaults), fault.RouteUnknown))
	for _, status := range slices.Sorted(maps.Keys(codes)) {
		// Any request may get 59999, but its status is described with each operation.
		if answerNames[status] != "" {
			kind := codes[status][0]
			example := fault.New(kind)
			if kind == fault.Incident {
				example = fault.New(kind, exampleID)
			}
			add(answers, answerNames[status],
				failure(status, codes[status], example))
		}
	}
	return answers
}

func jsonContent(schema, example *yaml.Node) *yaml.Node {
	return object("application/json", object("schema", schema, "example", example))
}
