package openapi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/program"
	"mintmark/internal/face/api"
)

// schemas holds the named schemas of the document, which are built from Go types on first reference
// and printed in that order.
type schemas struct {
	order  []string
	byName map[string]*yaml.Node
}

func newSchemas() *schemas {
	s := &schemas{byName: make(map[string]*yaml.Node)}
	s.put("Failure", failureSchema())
	s.put("RequestId", object("type", "string", "pattern", requestIDPattern,
		"description", "Identifier of the request. Quote it when you report a fault."))
	s.put("DateTime", object("type", "string", "pattern", dateTimePattern,
		"description", "A date-time in the time zone of the program, with three fraction digits "+
			"and a numeric offset.",
		"examples", list("2026-01-15T09:30:00.000-05:00")))
	s.put("Amount", object("type", "number", "description",
		"An amount of money, with exactly as many digits after the decimal point as decimalCount says."))
	s.put("Rate", object("type", "number", "description",
		fmt.Sprintf("An interest rate in percent, with at most %d digits after the decimal point.",
			value.RateDigits)))
	return s
}

// The formats of date-times and of request ids in responses.
const (
	dateTimePattern  = `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}[+-]\d{2}:\d{2}$`
	requestIDPattern = `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`
)

func (s *schemas) put(name string, node *yaml.Node) {
	s.order = append(s.order, name)
	s.byName[name] = node
}

func (s *schemas) node() *yaml.Node {
	all := object()
	for _, name := range s.order {
		add(all, name, s.byName[name])
	}
	return all
}

// shape is the form of a Go type at one place of the interface.
type shape struct {
	name     string
	request  bool
	without  []string          // properties that are never present
	always   []string          // properties always present, even if optional in the type
	elements map[string]string // shapes of list elements, if they differ
}

// shapes has the types whose properties differ between places. The response of /card/addAccount has
// more account properties; that of /card/initiate shows the card number differently (interface §5.3
// and §5.2).
var shapes = map[string]shape{
	"Account": {
		without: []string{"customerId", "balanceLastModifiedDate", "lastModifiedDate"},
		always:  []string{"priority"},
	},
	"AccountAdded": {
		always: []string{
			"cardPriority", "customerId", "balanceLastModifiedDate", "lastModifiedDate"},
	},
	"CardAdded": {elements: map[string]string{"accounts": "AccountAdded"}},
}

// schemaNames has the interface's names for Go types that have another name.
var schemaNames = map[reflect.Type]string{
	reflect.TypeFor[program.Settings]():        "Program",
	reflect.TypeFor[program.ExternalAccount](): "ProgramExternalAccount",
	reflect.TypeFor[program.PublishedBin]():    "Bin",
	reflect.TypeFor[api.File]():                "FileContent",
}

// of returns the schema of a Go type as a member of a response or request.
func (s *schemas) of(t reflect.Type) *yaml.Node {
	switch t {
	case reflect.TypeFor[value.Time]():
		return ref("schemas", "DateTime")
	case reflect.TypeFor[value.Amount]():
		return ref("schemas", "Amount")
	case reflect.TypeFor[value.Rate]():
		return ref("schemas", "Rate")
	case reflect.TypeFor[[]byte]():
		return object("type", "string", "contentEncoding", "base64")
	case reflect.TypeFor[time.Time]():
		return object("type", "string")
	case reflect.TypeFor[struct{}]():
		return object("type", "object", "additionalProperties", false)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.String:
		return object("type", "string")
	case reflect.Bool:
		return object("type", "boolean")
	case reflect.Int:
		return object("type", "integer", "format", "int32")
	case reflect.Slice:
		return s.listOf(s.of(t.Elem()), t.Elem())
	case reflect.Map:
		return object("type", "object", "additionalProperties", s.of(t.Elem()))
	case reflect.Struct:
		name := schemaNames[t]
		if name == "" {
			name = t.Name()
		}
		return s.reference(name, t, false)
	}
	panic(fmt.Sprintf("openapi: there is no schema for the type %s", t))
}

// listOf returns the schema of a list. A list of struct{} is always empty.
func (s *schemas) listOf(elements *yaml.Node, of reflect.Type) *yaml.Node {
	if of == reflect.TypeFor[struct{}]() {
		return object("type", "array", "maxItems", 0)
	}
	return object("type", "array", "items", elements)
}

// reference returns a reference to the schema of a struct, which it builds on first use.
func (s *schemas) reference(name string, t reflect.Type, request bool) *yaml.Node {
	if s.byName[name] == nil {
		s.put(name, object())
		shown := shapes[name]
		shown.name, shown.request = name, request
		s.byName[name] = s.structure(t, shown)
	}
	return ref("schemas", name)
}

// structure returns the schema of a struct. A response has no other properties; a request may, and
// they are ignored.
func (s *schemas) structure(t reflect.Type, shown shape) *yaml.Node {
	properties := object()
	var required []string
	for _, p := range propertiesOf(t) {
		if slices.Contains(shown.without, p.Name) {
			continue
		}
		add(properties, p.Name, s.property(shown, p.Name, p.Type))
		if slices.Contains(shown.always, p.Name) || isRequired(shown, p) {
			required = append(required, p.Name)
		}
	}
	node := object("type", "object", "required", required, "properties", properties)
	if !shown.request {
		add(node, "additionalProperties", false)
	}
	return node
}

// propertiesOf returns the properties of an object, from its table or its fields.
func propertiesOf(t reflect.Type) []api.Property {
	properties := api.PropertiesOf(t)
	if properties != nil {
		return properties
	}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		properties = append(properties, api.Property{
			Name: name, Type: field.Type, Optional: strings.HasPrefix(options, "omit"),
		})
	}
	return properties
}

// isRequired reports whether a property is always present. The type decides for responses; the
// table optional decides for requests.
func isRequired(shown shape, p api.Property) bool {
	if !shown.request {
		return !p.Optional
	}
	// A PIN is optional for a new card, and required for /card/resetpin.
	if shown.name == "CardResetPinRequest" && p.Name == "newPin" {
		return true
	}
	return !slices.Contains(optional, p.Name)
}

// property returns the schema of a property, including its description.
func (s *schemas) property(shown shape, name string, t reflect.Type) *yaml.Node {
	said := wordsOf(shown, name)
	node := s.of(t)
	if other := shown.elements[name]; other != "" {
		node = s.listOf(s.reference(other, t.Elem(), false), t.Elem())
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Int {
		least := 0
		if strings.HasSuffix(name, "Id") || said.from > 0 {
			least = max(1, said.from)
		}
		add(node, "minimum", least)
		if said.to > 0 {
			add(node, "maximum", said.to)
		}
	}
	if said.length > 0 {
		add(node, "maxLength", said.length)
	}
	add(node, "pattern", said.pattern, "enum", said.oneOf, "description", said.says)
	if said.deprecated {
		add(node, "deprecated", true)
	}
	if said.example != nil && t.Kind() != reflect.Slice {
		add(node, "examples", list(said.example))
	}
	return node
}
