package openapi

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/domain/precedence"
	"mintmark/internal/face/api"
)

// parsed is the part of the generated document that the page needs.
type parsed struct {
	Components struct {
		Schemas map[string]*property `yaml:"schemas"`
	} `yaml:"components"`
}

// property is the schema of an object or of a member in the document.
type property struct {
	Ref         string    `yaml:"$ref"`
	Type        string    `yaml:"type"`
	MaxLength   int       `yaml:"maxLength"`
	Minimum     *int      `yaml:"minimum"`
	Maximum     *int      `yaml:"maximum"`
	Enum        []string  `yaml:"enum"`
	Says        string    `yaml:"description"`
	Deprecated  bool      `yaml:"deprecated"`
	Encoding    string    `yaml:"contentEncoding"`
	Items       *property `yaml:"items"`
	Required    []string  `yaml:"required"`
	Properties  yaml.Node `yaml:"properties"` // a mapping, in the document's order
	EachElement yaml.Node `yaml:"additionalProperties"`
}

// member is a property with its name.
type member struct {
	name string
	*property
}

func parse(document []byte) (*parsed, error) {
	p := new(parsed)
	if err := yaml.Unmarshal(document, p); err != nil {
		return nil, fmt.Errorf("openapi: the description cannot be read back: %w", err)
	}
	return p, nil
}

// properties returns the members of an object in document order.
func (p *property) properties() []member {
	var all []member
	for i := 0; i+1 < len(p.Properties.Content); i += 2 {
		m := member{p.Properties.Content[i].Value, new(property)}
		// The document has been parsed as a whole, so decoding a member cannot fail.
		if err := p.Properties.Content[i+1].Decode(m.property); err != nil {
			panic(fmt.Sprintf("openapi: the member %s cannot be read: %v", m.name, err))
		}
		all = append(all, m)
	}
	return all
}

// extended maps objects to the object whose properties they extend. The page prints the difference.
var extended = map[string]string{"AccountAdded": "Account"}

// printProperties prints one line per property of an object in responses.
func (p *parsed) printProperties(name string) []byte {
	rows := p.printMembers(name, "always", "if any")
	if base, ok := extended[name]; ok {
		rows = without(rows, p.printMembers(base, "always", "if any"))
	}
	return table("| Property | Type | Present | Meaning |", rows)
}

// aboutCard is the request whose members are in every request about a card. The page prints them
// once.
const aboutCard = "CardUnlockRequest"

// printRequest prints one line per member of a request, except those of every request about a card.
func (p *parsed) printRequest(name string) []byte {
	rows, common := p.printMembers(name, "yes", "no"), p.printMembers(aboutCard, "yes", "no")
	if name == aboutCard {
		return table(requestHeader, rows)
	}
	return table(requestHeader, without(rows, common))
}

const requestHeader = "| Member | Type | Required | Meaning |"

// table returns rows with a header, or nothing if there are no rows.
func table(header string, rows []byte) []byte {
	if len(rows) == 0 {
		return nil
	}
	return fmt.Appendf(nil, "%s\n|---|---|---|---|\n%s", header, rows)
}

// without returns the rows that are not among others.
func without(rows, others []byte) []byte {
	var left []byte
	for row := range bytes.Lines(rows) {
		if !bytes.Contains(others, row) {
			left = append(left, row...)
		}
	}
	return left
}

func (p *parsed) printMembers(name, required, optional string) []byte {
	var out bytes.Buffer
	schema := p.Components.Schemas[name]
	for _, m := range schema.properties() {
		when := optional
		if slices.Contains(schema.Required, m.name) {
			when = required
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", m.name, m.kind(), when, m.meaning())
	}
	return out.Bytes()
}

// printOperation prints an operation's response, the members of its request, and its checks in
// their order.
func (p *parsed) printOperation(op api.Operation) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "Answer: %s.\n\n", answerOf(op))
	if whole, ok := alike[op.Path]; ok {
		out.WriteString(p.printDifference(op, whole))
		return out.Bytes()
	}
	if op.Request != nil && op.RequestName != aboutCard {
		if members := p.printRequest(op.RequestName); members != nil {
			fmt.Fprintf(&out, "%s\n", members)
		}
	}
	all := precedence.Operations[op.Path]
	if all == nil {
		out.WriteString("No checks beyond those of [every request](#72-every-request).\n")
		return out.Bytes()
	}
	out.Write(printStages(all))
	return out.Bytes()
}

// alike maps operations to another one that has all their members and checks.
var alike = map[string]string{
	"/card/createdigital": "/card/initiate",
	"/card/lostOrStolen":  "/card/hotlist",
}

// printDifference names the operation that has all members and checks of op, and lists those that
// op lacks.
func (p *parsed) printDifference(op api.Operation, path string) string {
	all := api.Operations()
	whole := all[slices.IndexFunc(all, func(o api.Operation) bool { return o.Path == path })]
	text := "Members and checks: those of `" + path + "`"
	own := p.Components.Schemas[op.RequestName].properties()
	for _, m := range p.Components.Schemas[whole.RequestName].properties() {
		if !slices.ContainsFunc(own, func(o member) bool { return o.name == m.name }) {
			text += ", without `" + m.name + "`"
		}
	}
	checks := precedence.Operations[op.Path]
	for i, stage := range precedence.Operations[path] {
		if !slices.ContainsFunc(checks, func(s precedence.Stage) bool { return slices.Equal(s, stage) }) {
			text += fmt.Sprintf(", without stage %d", i+1)
		}
	}
	return text + ".\n"
}

// answerOf describes the member data of a response.
func answerOf(op api.Operation) string {
	if op.Answer == nil {
		return "no `data`"
	}
	document := &property{}
	if err := newSchemas().of(op.Answer).Decode(document); err != nil {
		panic(fmt.Sprintf("openapi: the answer of %s cannot be read: %v", op.Path, err))
	}
	known := outcomes[op.Path]
	answer := document.kind()
	if known.schema != "" {
		answer = known.schema
	}
	var facts []string
	for _, name := range []string{"status", "lockTypeCode", "isDigitalOnly"} {
		if value, given := known.properties[name]; given {
			facts = append(facts, fmt.Sprintf("`%s` %v", name, value))
		}
	}
	if len(facts) > 0 {
		answer += " with " + strings.Join(facts, " and ")
	}
	return answer
}

// kind returns the type of a member for a reader, with its maximum length.
func (p *property) kind() string {
	switch {
	case p.Ref != "":
		return pageName(p.Ref[strings.LastIndexByte(p.Ref, '/')+1:])
	case p.Items != nil:
		return "list of " + p.Items.kind()
	case p.EachElement.Kind == yaml.MappingNode:
		each := new(property)
		if err := p.EachElement.Decode(each); err == nil {
			return "map of " + each.kind()
		}
	case p.MaxLength > 0:
		return fmt.Sprintf("text (%d)", p.MaxLength)
	case p.Encoding != "":
		return "base64"
	case p.Type == "string":
		return "text"
	case p.Type == "array":
		return "list"
	}
	return p.Type
}

// pageName returns the name of a schema on the page.
func pageName(schema string) string {
	switch schema {
	case "DateTime":
		return "date-time"
	case "Amount":
		return "amount"
	case "Rate":
		return "rate"
	}
	return schema
}

// meaning returns the meaning of a member and the values it may have.
func (p *property) meaning() string {
	says := p.Says
	if len(p.Enum) > 0 {
		says += " One of " + strings.Join(p.Enum, ", ") + "."
	}
	if p.Minimum != nil && p.Maximum != nil {
		says += fmt.Sprintf(" From %d to %d.", *p.Minimum, *p.Maximum)
	}
	if p.Deprecated {
		says += " Deprecated."
	}
	return strings.TrimSpace(says)
}
