package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/domain/fault"
	"mintmark/internal/face/api"
)

// badRequests holds invalid requests, as the request line, further headers and the body, each with
// its error code.
var badRequests = []struct {
	name, line, headers, body string
	code                      int
}{
	{"a NUL for a card", "GET /card/get/1001/%00", "", "", 154101},
	{"control characters for a card", "GET /card/get/1001/%0d%0a", "", "", 154101},
	{"invalid UTF-8 for a card", "GET /card/get/1001/%ff%fe", "", "", 154101},
	{"a NUL for a customer", "GET /card/get/%00/5001", "", "", 60001},
	{"a sign for a customer", "GET /card/list/+1001", "", "", 60001},
	{"other digits for a customer", "GET /card/list/%D9%A1%D9%A0%D9%A0%D9%A1", "", "", 60001},
	{"a fraction for a customer", "GET /card/list/1001.0", "", "", 60001},
	{"a space before a customer", "GET /card/list/%201001", "", "", 60001},
	{"a very long tag", "GET /card/getbytag/1001/" + strings.Repeat("x", 8000), "", "", 154002},
	{"a tag that is no text", "GET /card/getbytag/1001/%ff%00%ff", "", "", 154002},
	{"a tag of slashes", "GET /card/getbytag/1001/%2F%2F%2F", "", "", 154002},
	{"a tag that is a statement", "GET /card/getbytag/1001/'%20OR%20'1'='1", "", "", 154002},
	{"no tag", "GET /card/getbytag/1001/", "", "", 154002},
	{"a status of control characters", "GET /card/list/1001?status=%00%01", "", "", 59956},
	{"two statuses", "GET /card/list/1001?status=All&status=All", "", "", 59956},
	{"a status that is no text", "GET /card/list/1001?status=%ff", "", "", 59956},
	{"a document beside the bank", "GET /bankdocument/download/..%2F..%2Fetc/80", "", "", 68304},
	{"one segment too many", "GET /card/get/1001/5001/5001", "", "", 50404},
	{"one segment too few", "GET /card/get/1001", "", "", 154101},
	{"two segments too few", "GET /card/get", "", "", 50404},
	{"no segment at all", "GET /", "", "", 50404},
	{"dots in a path", "GET /card/../card/get/1001/5001", "", "", 50404},
	{"slashes within a segment", "GET /card%2Fget/1001/5001", "", "", 50404},
	{"nothing but slashes", "GET " + strings.Repeat("/", 4000), "", "", 50404},
	{"a read that is posted", "POST /card/get/1001/5001", "", "{}", 50405},
	{"an act that is read", "GET /card/archive", "", "", 50405},
	{"an act that is deleted", "DELETE /card/archive", "", "", 50405},
	{"a trace", "TRACE /program/get", "", "", 50405},

	{"no body", "POST /card/lock", "", "", 59958},
	{"white space for a body", "POST /card/lock", "", " \r\n\t", 59958},
	{"a byte order mark alone", "POST /card/lock", "", "\xef\xbb\xbf", 59958},
	{"NUL for a body", "POST /card/lock", "", "\x00\x00\x00\x00", 59958},
	{"a list for a body", "POST /card/lock", "", `[{"customerId":1001}]`, 59958},
	{"an image for a body", "POST /card/lock", "Content-Type: image/png\r\n",
		"\x89PNG\r\n\x1a\n", 59958},
	{"deep nesting", "POST /card/lock", "", `{"x":` + strings.Repeat("[", 60000), 59949},
	{"a huge number", "POST /card/lock", "",
		`{"customerId":` + strings.Repeat("9", 60000) + "}", 59956},
	{"a huge text for a tag", "POST /card/initiate", "",
		ledger.NewCard(`"tag":"` + strings.Repeat("é", 20000) + `"`), 59956},
	{"a tag of one character too many", "POST /card/initiate", "",
		ledger.NewCard(`"tag":"` + strings.Repeat("é", 51) + `"`), 59956},
	{"control characters in a name", "POST /card/initiate", "",
		ledger.NewCard(`"firstName":"A\u0000\u0007"`), 150240},
	{"half a surrogate in a name", "POST /card/initiate", "",
		ledger.NewCard(`"firstName":"A\ud800"`), 59956},
	{"invalid UTF-8 in a name", "POST /card/initiate", "",
		ledger.NewCard("\"lastName\":\"A\xff\""), 59956},
	{"an object for a number", "POST /card/lock", "",
		`{"customerId":{},"cardId":5001,"lockReasonTypeCode":"TMP"}`, 59956},
	{"a truth value for a number", "POST /card/lock", "",
		`{"customerId":true,"cardId":5001,"lockReasonTypeCode":"TMP"}`, 59956},
}

// TestBadRequests checks that each bad request is rejected with its code, in the envelope.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	before := listAll(world)
	for _, bad := range badRequests {
		t.Run(bad.name, func(t *testing.T) {
			reply := exchange(t, world, fmt.Sprintf(
				"%s HTTP/1.1\r\n%s%sContent-Length: %d\r\nConnection: close\r\n\r\n%s",
				bad.line, authorized, bad.headers, len(bad.body), bad.body))
			if len(reply.Errors) == 0 || reply.Errors[0].Code != bad.code {
				t.Errorf("answered %s, want %d", reply.Raw, bad.code)
			}
			if problem := isRefusal(reply); problem != "" {
				t.Errorf("%s: %s", problem, reply.Raw)
			}
		})
	}
	if after := listAll(world); after != before {
		t.Errorf("bad requests have changed the cards from\n%s\nto\n%s", before, after)
	}
}

// TestOddPaths sends requests that look odd but are valid: segments match in any letter case, and
// repeated or trailing slashes do not count.
func TestOddPaths(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for _, target := range []string{
		"//card//get//1001//5001/", "/CARD/Get/1001/5001", "http://localhost/card/get/1001/5001",
		"/%63ard/get/1001/5001", "/card/get/1001/5001?", "/card/get/1001/5001?a=%zz&;&b",
		"/card/get/%31001/5001",
	} {
		reply := exchange(t, world, "GET "+target+" HTTP/1.1\r\n"+authorized+"\r\n")
		if reply.HTTP != http.StatusOK || cardID(t, reply) != "5001" {
			t.Errorf("%s is answered %s", target, reply.Raw)
		}
	}
}

// TestBadCredentials sends invalid credentials and gets the same response each time.
func TestBadCredentials(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	basic := func(text string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(text))
	}
	first := ""
	for _, value := range []string{
		"", "Basic", "Basic ", "basic ====", "Basic !!!!", "Bearer " + basic("example1:example1"),
		"ZXhhbXBsZTE6ZXhhbXBsZTE=", basic(""), basic(":"), basic("example1"),
		basic("example1:"), basic(":example1"), basic("example1:example1 "),
		basic("example1:EXAMPLE1"), basic("EXAMPLE1:example1"), basic("example1:\xff"),
		basic("example1\x00:example1"), basic("example1:example1\x00"), basic("expired:expired"),
		basic(strings.Repeat("x", 6000) + ":y"), basic("x:" + strings.Repeat("y", 6000)),
		basic("example1:example1") + basic("example1:example1"),
	} {
		reply := exchange(t, world, "GET /card/list/1001 HTTP/1.1\r\nHost: localhost\r\n"+
			"Authorization: "+value+"\r\n\r\n")
		if len(reply.Errors) != 1 || reply.Errors[0].Code != 50401 ||
			reply.Header.Get("WWW-Authenticate") != "Basic" {
			t.Errorf("%.80q: %s %v", value, reply.Raw, reply.Header)
		}
		answer := without(reply, "\x00")
		if first == "" {
			first = answer
		}
		same(t, "the answer", answer, first)
	}
	anonymous := exchange(t, world, "GET /card/list/1001 HTTP/1.1\r\nHost: localhost\r\n\r\n")
	same(t, "the answer without credentials", without(anonymous, "\x00"), first)
	scheme := exchange(t, world, "GET /program/get HTTP/1.1\r\nHost: localhost\r\n"+
		"Authorization:  bAsIc   "+
		base64.StdEncoding.EncodeToString([]byte("example1:example1"))+" \r\n\r\n")
	same(t, "the scheme in another case", scheme.HTTP, http.StatusOK)
}

// TestAnyBody sends damaged bodies to every operation that has one; undamaged, they would be valid
// for a customer who does not exist. Each answer must be a refusal from the catalogue.
func TestAnyBody(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	before := listAll(world)
	var operations []api.Operation
	for _, op := range api.Operations() {
		if op.Request != nil {
			operations = append(operations, op)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		op := rapid.SampledFrom(operations).Draw(rt, "operation")
		text := damaged(rt, op)
		reply := world.Send(ledger.Request{Method: op.Method, Path: op.Path, Body: text})
		if problem := isRefusal(reply); problem != "" {
			rt.Errorf("%s: %s", problem, reply.Raw)
		}
	})
	if after := listAll(world); after != before {
		t.Errorf("damaged bodies have changed the cards from\n%s\nto\n%s", before, after)
	}
}

// damaged returns a request in which some values, and then some bytes, are damaged.
func damaged(rt *rapid.T, op api.Operation) string {
	scalar := rapid.SampledFrom([]string{
		"null", "true", "0", "-1", "1e999", "2147483648", `""`, `"4711"`, `"\u0000"`, `"\ud800"`,
		`{}`, `[]`, `[[[]]]`, `{"a":{"b":null}}`, `"2026-02-30"`,
		`"` + strings.Repeat("x", 300) + `"`,
		"'single'", "NaN", "undefined", "/* nothing */1", "new Date(0)", "\"\xff\xfe\"", "\x00",
	})
	text := body(op, func(name string) string {
		if strings.HasSuffix(name, "Id") {
			return everywhere[never]
		}
		return "A"
	})
	for range rapid.IntRange(0, 3).Draw(rt, "values") {
		parts := strings.Split(text, ",")
		i := rapid.IntRange(0, len(parts)-1).Draw(rt, "member")
		name, _, _ := strings.Cut(parts[i], ":")
		parts[i] = name + ":" + scalar.Draw(rt, "value")
		text = strings.Join(parts, ",")
	}
	bytes := []byte(text)
	for range rapid.IntRange(0, 4).Draw(rt, "bytes") {
		at := rapid.IntRange(0, len(bytes)).Draw(rt, "place")
		switch inserted := rapid.Byte().Draw(rt, "byte"); {
		case at == len(bytes):
			bytes = append(bytes, inserted)
		case rapid.Bool().Draw(rt, "cut"):
			bytes = bytes[:at]
		default:
			bytes[at] = inserted
		}
	}
	return string(bytes)
}

// isRefusal returns what an answer lacks to be the refusal of a request: an envelope that matches
// the response, has no data, and quotes the catalogue, without any fault of the service.
func isRefusal(r ledger.Reply) string {
	switch {
	case r.HTTP != r.Status || r.HTTP < 400 || r.HTTP >= 500:
		return fmt.Sprintf("HTTP status %d, status %d", r.HTTP, r.Status)
	case r.Header.Get("Content-Type") != "application/json; charset=utf-8":
		return "it is of type " + r.Header.Get("Content-Type")
	case r.Data != nil || len(r.Errors) == 0 || r.RequestID == "" || !json.Valid(r.Raw):
		return "it is no envelope of a failure"
	}
	for _, e := range r.Errors {
		if !catalogued[e.Code] || e.Message == "" {
			return fmt.Sprintf("%d is not in the catalogue", e.Code)
		}
	}
	return ""
}

var catalogued = func() map[int]bool {
	codes := make(map[int]bool)
	for _, entry := range fault.Entries() {
		codes[entry.Code] = true
	}
	return codes
}()

// listAll lists every card of customer 1001.
func listAll(world *ledger.World) string {
	world.T.Helper()
	return string(world.Send(ledger.Request{Path: "/card/list/1001"}).Data)
}
