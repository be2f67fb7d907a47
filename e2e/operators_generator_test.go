package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// operatorGenerator generates requests to the operations of admin.openapi.yaml.
type operatorGenerator struct {
	generator
	clean  bool // the current request is valid on purpose
	always bool // all requests are valid on purpose
}

// slip reports whether a value should be invalid: with a probability of 1/once, unless the request
// must be valid.
func (g *operatorGenerator) slip(once int) bool { return !g.clean && g.IntN(once) == 0 }

// operatorTokens lists tokens of a sandbox, and some invalid ones.
var operatorTokens = []string{
	"sandbox-administrator", "sandbox-administrator", "sandbox-administrator", "sandbox-support",
	"sandbox-configurator", "sandbox-security", "sandbox-auditor", "sandbox-bank2", "example1", "",
}

// request generates a request: a valid one, or one with some changed values.
func (g *operatorGenerator) request(t *testing.T, op operatorRow, server string) *http.Request {
	t.Helper()
	g.made++
	g.clean = g.always || g.IntN(2) == 0
	path, query := op.path, url.Values{}
	for _, p := range op.Parameters {
		switch name := p.Value.Name; {
		case p.Value.In == "path":
			text := g.parameter(op.path, name)
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(text), 1)
		case p.Value.In == "query" && g.IntN(3) == 0:
			query.Set(name, g.queryValue(name))
		}
	}
	if g.slip(40) {
		query.Set("unknown", "1")
	}
	address := server + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	var body string
	if op.RequestBody != nil {
		body = g.operatorBody(op)
	}
	request, err := http.NewRequestWithContext(t.Context(), op.method, address,
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	token := operatorTokens[0]
	if !g.clean {
		token = pick(&g.generator, operatorTokens...)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if g.IntN(2) == 0 {
		request.Header.Set("If-Match", pick(&g.generator, `"1"`, `"1"`, `"1"`, `"2"`, "1", "*"))
	}
	if g.clean || g.IntN(2) == 0 {
		request.Header.Set("Mintmark-Reason", "generated")
	}
	if g.IntN(5) == 0 {
		request.Header.Set("Idempotency-Key", fmt.Sprint("key", g.IntN(20)))
	}
	if g.slip(50) {
		request.Header.Set("Origin", "https://elsewhere.example")
	}
	return request
}

// parameter returns a value for a path parameter. It never returns the ids of the tokens that the
// test itself uses.
func (g *operatorGenerator) parameter(path, name string) string {
	if g.slip(12) {
		return pick(&g.generator, "0", "-1", "x", "99999999999", "2147483647", "\x00", "ä b", "%2F")
	}
	noun := strings.Split(path, "/")[3]
	switch {
	case name == "customerId" || noun == "customers" && name == "id":
		return fmt.Sprint(1001 + g.IntN(12))
	case name == "name" && noun == "programs":
		return pick(&g.generator, "example1", "example2", "limited", "key 1")
	case name == "name":
		return pick(&g.generator, "seal", "renew", "expire")
	case noun == "cards":
		return fmt.Sprint(5001 + g.IntN(8))
	case noun == "accounts":
		return fmt.Sprint(2001 + g.IntN(14))
	case noun == "tokens":
		return fmt.Sprint(7 + g.IntN(2))
	case noun == "webhooks" || noun == "banks" || noun == "programs" && g.IntN(2) == 0:
		return "1"
	}
	return fmt.Sprint(1 + g.IntN(4))
}

func (g *operatorGenerator) queryValue(name string) string {
	if g.slip(8) {
		return pick(&g.generator, "", "x", "\x00", "-1", "4000001234567899", "ä")
	}
	switch {
	case name == "limit":
		return fmt.Sprint(1 + g.IntN(210))
	case name == "dryRun" || name == "mine":
		return pick(&g.generator, "true", "true", "false")
	case name == "cursor":
		return "AAAA"
	case name == "from" || name == "to":
		return "2026-01-02T03:04:05Z"
	case strings.HasSuffix(name, "Id"):
		return fmt.Sprint(1 + g.IntN(4))
	}
	return pick(&g.generator, "a", "VER", "Verified", "1", "waiting", "example")
}

// operatorBody returns a body with the members of the description, with some invalid values.
func (g *operatorGenerator) operatorBody(op operatorRow) string {
	switch {
	case g.slip(20):
		return pick(&g.generator, "", "[]", "{", "null", `"a"`, "{}{}", "\xff")
	case g.slip(20):
		return `{"nobody":1}`
	}
	media := op.RequestBody.Value.Content.Get("application/json")
	if media == nil {
		return "%PDF-1.4"
	}
	schema := media.Schema.Value
	if len(schema.Properties) == 0 { // a merge patch
		return `{` + pick(&g.generator, `"name":"patched"`, `"roles":["auditor"]`,
			`"allBanks":true`,
			`"fourEyes":true`, `"isActive":false`, `"ratePerSecond":5`, `"revision":9`,
			`"paused":true`, `"title":null`) + `}`
	}
	return g.value(schema, "")
}

// value returns a JSON value for a schema, usually a valid one.
func (g *operatorGenerator) value(schema *openapi3.Schema, name string) string {
	if g.slip(25) {
		return pick(&g.generator, "null", `"x"`, "-1", "1e99", "[]", "{}", "true", `"a\u0000"`)
	}
	switch {
	case schema.Type.Is("object"):
		var members []string
		for _, name := range sorted(schema.Properties) {
			if g.clean && name != "banks" && name != "revision" || !g.clean && g.IntN(5) > 0 {
				members = append(members,
					quoted(name)+":"+g.value(schema.Properties[name].Value, name))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	case schema.Type.Is("array"):
		return "[" + g.value(schema.Items.Value, name) + "]"
	case schema.Type.Is("boolean"):
		if name == "allBanks" && g.clean {
			return "true"
		}
		return pick(&g.generator, "true", "false")
	case schema.Type.Is("integer") && strings.HasSuffix(strings.ToLower(name), "id"):
		return fmt.Sprint(pick(&g.generator, 1, 900+g.IntN(90)))
	case schema.Type.Is("integer"):
		return fmt.Sprint(pick(&g.generator, 1, 1, 1, 2, 5001, 24))
	case schema.Type.Is("number"):
		return pick(&g.generator, "1", "2.5", "100")
	case schema.Format == "date-time":
		return pick(&g.generator, `"2035-01-02T03:04:05Z"`, `"2020-01-01T00:00:00+02:00"`)
	case schema.Type.Is("string"):
		return quoted(g.word(name))
	}
	return `{"a":1}`
}

// word returns a text that is meaningful for a member of the given name.
func (g *operatorGenerator) word(name string) string {
	words := map[string][]string{
		"reason": {"generated"}, "name": {fmt.Sprintf("thing-%d-of-%d", g.made, g.caller)},
		"roles": {"support", "auditor", "security"}, "allow": {"127.0.0.1/32", "10.0.0.0/8"},
		"lockReasonTypeCode": {"ADM", "PIN", "FRD", "LST", "STL"}, "overlap": {"24h", "0s", "-1h"},
		"reissueReasonTypeCode": {"DMG", "LST", "STL", "FRD"}, "number": {"4000000000000002"},
		"url": {"http://127.0.0.1:1/hook"}, "types": {"card.*", "card.locked"},
		"culture": {"en-US"}, "documentType": {"CardInfo"}, "access": {"FULL", "RDONLY", "NONE"},
		"vendorTypeCode": {"VS", "MC"}, "firstBody": {"411111000000000"},
		"renewal": {"automatic", "manual"}, "balances": {"core"}, "accountNumber": {"12345678"},
		"routingNumber": {"021000021"}, "compatibility": {"earlier-clients"},
		"category": {"Checking"}, "type": {"Checking", "Savings"},
		"lastBody": {"411111999999999"}, "html": {"<p>text</p>"},
		"secrets": {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
	}
	if known := words[name]; known != nil && !g.slip(8) {
		return pick(&g.generator, known...)
	}
	if g.clean {
		return "text"
	}
	return pick(&g.generator, "a", "text", "", "ä\tb", strings.Repeat("long ", 60))
}
