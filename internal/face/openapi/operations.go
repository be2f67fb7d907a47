package openapi

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/face/api"
)

// latest is the latest version of the interface.
const latest = apikey.LatestVersion

// describePaths describes every operation under each form of its path.
func describePaths(operations []api.Operation, schemas *schemas) *yaml.Node {
	paths := object()
	for _, op := range operations {
		for _, f := range formsOf(op) {
			add(paths, f.path, object(strings.ToLower(op.Method), f.describe(schemas)))
		}
	}
	return paths
}

// form is one form of an operation's path. OpenAPI has no optional path parameters, so each number
// of parameters is a separate path.
type form struct {
	api.Operation
	path    string
	present []string // parameters that the path has
	short   bool     // the last parameter is absent
}

// formsOf returns the forms of an operation, the longest first, without those that can only fail.
func formsOf(op api.Operation) []form {
	fewest := len(op.Parameters) - op.Optional
	if slices.Contains(op.Faults, fault.DownloadPartMissing) ||
		slices.Contains(op.Faults, fault.GetCardInvalid) {
		fewest = len(op.Parameters)
	}
	var forms []form
	path := op.Path
	for n := len(op.Parameters); n >= fewest; n-- {
		forms = append(forms, form{op, path, op.Parameters[:n], n < len(op.Parameters)})
		path = path[:strings.LastIndexByte(path, '/')]
	}
	return forms
}

func (f form) describe(schemas *schemas) *yaml.Node {
	node := object(
		"operationId", f.id(),
		"tags", names(tags[f.words()[0]]),
		"summary", f.Summary,
		"description", descriptions[f.id()],
	)
	if f.ReplacedBy != "" {
		add(node, "deprecated", true, "x-replaced-by", f.ReplacedBy)
	}
	if first := before[f.id()]; first != nil {
		add(node, "x-mintmark-before", names(first...))
	}
	add(node, "x-mintmark-versions", f.versions(), "parameters", f.parameters())
	if f.Request != nil {
		add(node, "requestBody", object("required", true, "content", object(
			"application/json", object(
				"schema", schemas.reference(f.RequestName, f.Request, true),
				"example", exampleRequest(f.RequestName, f.Request)))))
	}
	add(node, "responses", f.answers(schemas))
	return node
}

// words returns the static segments of the path.
func (f form) words() []string {
	static, _, _ := strings.Cut(f.path, "/{")
	return strings.Split(strings.Trim(static, "/"), "/")
}

// id returns the operation's name for code generators and for its recorded example.
func (f form) id() string {
	id := strings.Join(f.words(), "-")
	if f.short {
		id += "-short"
	}
	return id
}

var tags = map[string]string{
	"program": "Program", "card": "Card", "bankdocument": "Bank documents",
}

// before lists the operations whose examples must be sent first, so that an operation's example has
// its own card in the required status.
var before = map[string][]string{
	"card-verify":              {"card-initiate"},
	"card-lock":                inUse,
	"card-unlock":              {"card-initiate", "card-verify", "card-lock"},
	"card-hotlist":             inUse,
	"card-lostOrStolen":        inUse,
	"card-reissue":             inUse,
	"card-archive":             inUse,
	"card-resetpin":            inUse,
	"card-addAccount":          inUse,
	"card-removeAccount":       {"card-initiate", "card-verify", "card-addAccount"},
	"card-reprioritizeAccount": inUse,
}

// inUse creates a card that its holder uses.
var inUse = []string{"card-initiate", "card-verify"}

// descriptions complements the summaries of operations.
var descriptions = map[string]string{
	"program-get": "The settings are at most 5 minutes old.",
	"card-list": "The cards that the customer created or holds, by cardId. Without status, and " +
		"with All, every one.",
	"card-getbytag-short": "For callers who send the tag in the query.",
	"card-initiate": "The card is printed and sent; its holder verifies it on arrival. The " +
		"sandbox accepts the last digits 1111 at once.",
	"card-createdigital": "The card is usable at once, in a wallet.",
	"card-verify": "After five wrong answers in a day the card is not checked for the rest of " +
		"it, and the answer stays 150303.",
	"card-reissue": "DMG keeps the card and its number. LST, STL and FRD lock it permanently, and " +
		"the answer is the card that replaces it. DMG does the same to a card that is " +
		"already locked permanently.",
	"card-archive": "This cannot be undone. The answer holds no data.",
	"card-resetpin": "The request is accepted at once; the card processor carries it out later. " +
		"A card takes five PINs an hour.",
	"bankdocument-list": "With a kind of document, only those. Only documents in force are " +
		"listed, by type. The culture is found in any letter case.",
	"bankdocument-list-short": "Every document of the culture that is in force; none for a " +
		"culture that is not known.",
	"bankdocument-download": "The content of the example is cut short.",
}

func (f form) versions() *yaml.Node {
	last := f.LastVersion
	if last == 0 {
		last = latest
	}
	var all []int
	for version := 1; version <= last; version++ {
		all = append(all, version)
	}
	return names(all...)
}

// parameters returns the parameters of the path, the query and the headers.
func (f form) parameters() *yaml.Node {
	all := list[any]()
	for _, name := range f.present {
		all.Content = append(all.Content, parameter("path", name, true))
	}
	for _, name := range f.Query {
		// A tag in the path makes the one in the query unnecessary.
		if !slices.Contains(f.present, name) {
			all.Content = append(all.Content,
				parameter("query", name, slices.Contains(f.Parameters, name)))
		}
	}
	all.Content = append(all.Content, ref("parameters", "RequestId"))
	if f.Method == "POST" {
		all.Content = append(all.Content, ref("parameters", "IdempotencyKey"))
	}
	return all
}

// parameterWords describes the parameters outside of a body.
var parameterWords = map[string]word{
	"customerId":   {says: "The customer making the request.", from: 1, example: 1001},
	"cardId":       {says: "Card.", from: 1, example: 5001},
	"tag":          {says: "Tag of the card.", length: card.MaxTag, example: "demo-5001"},
	"status":       {says: statusWords, example: "HotListed"},
	"culture":      {says: "Language and region.", length: bankdoc.MaxCulture, example: "en-US"},
	"documentType": {says: "Kind of document.", example: "CardInfo"},
	"documentId":   {says: "Document.", from: 1, example: 80},
}

const statusWords = "One card status, or one of the groups All, Default (those in use), " +
	"HotListed (those with a permanent lock) and Pending (those Initiated). Letter case does not " +
	"matter."

func parameter(in, name string, required bool) *yaml.Node {
	w := parameterWords[name]
	schema := object("type", "string")
	if w.from > 0 {
		schema = object("type", "integer", "format", "int32", "minimum", w.from)
	}
	if w.length > 0 {
		add(schema, "maxLength", w.length)
	}
	node := object("name", name, "in", in)
	if required {
		add(node, "required", true)
	}
	add(node, "description", w.says, "schema", schema, "example", w.example)
	return node
}

// commonParameters returns the headers that any request may have.
func commonParameters() *yaml.Node {
	header := func(name, says string, schema *yaml.Node) *yaml.Node {
		return object("name", name, "in", "header", "description", says, "schema", schema)
	}
	return object(
		"RequestId", header("X-Request-Id", "Identifier of the request, taken over as requestId.",
			object("type", "string", "format", "uuid")),
		"IdempotencyKey", header("Idempotency-Key", "The same key and body within 24 hours get "+
			"the first answer again, and the effect happens once.",
			object("type", "string", "pattern", "^[!-~]+$", "maxLength", 255)),
	)
}
