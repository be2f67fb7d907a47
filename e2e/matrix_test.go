package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/face/api"
)

// send sends the request of an operation with one identifier replaced.
func (m *matrix) send(op api.Operation, identifier string, k kind, value string) ledger.Reply {
	m.world.T.Helper()
	request := ledger.Request{Method: op.Method, Path: op.Path}
	if k == foreign && strings.HasPrefix(op.Path, "/bankdocument/") {
		request.Key = "other1"
	}
	member := func(name string) string {
		own, known := m.own[name]
		switch {
		case name == identifier:
			return value
		case !known:
			m.world.T.Fatalf("%s: there is no value for %s", op.Path, name)
		case op.Path == "/card/addAccount" && name == "accountId":
			return "2003"
		}
		return own
	}
	for _, name := range op.Parameters {
		request.Path = strings.ReplaceAll(request.Path, "{"+name+"}", member(name))
	}
	request.Path = strings.ReplaceAll(request.Path, " ", "%20")
	request.Body = body(op, member)
	return m.world.Send(request)
}

// body returns the body of an operation's request. Numbers are written verbatim, so that they may
// exceed any machine type.
func body(op api.Operation, member func(name string) string) string {
	if op.Request == nil {
		return ""
	}
	var written []string
	for _, name := range members(op.Request) {
		value := member(name)
		// A taken tag would be reported before anything else.
		if name == "tag" || value == everywhere[missing] {
			continue
		}
		if value == everywhere[word] || !isNumber(op.Request, name) {
			value = fmt.Sprintf("%q", value)
		}
		written = append(written, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(written, ",") + "}"
}

func isNumber(request reflect.Type, member string) bool {
	for _, field := range reflect.VisibleFields(request) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != member {
			continue
		}
		of := field.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		return of.Kind() == reflect.Int
	}
	return false
}

// control checks that the requests of the matrix fail only because of the identifier: with the
// customer's own identifier the operation succeeds, or fails at the nickname if it would create a
// card.
func (m *matrix) control(op api.Operation) {
	t := m.world.T
	t.Helper()
	card := m.card()
	if op.Path == "/card/verify" {
		card = fmt.Sprint(ledger.Pending(m.world))
	}
	reply := m.send(op, "cardId", never, card)
	if slices.Contains(creating, "post "+op.Path) {
		if len(reply.Errors) != 1 || reply.Errors[0].Code != 150230 {
			t.Errorf("%s, want 150230 alone", reply.Raw)
		}
		return
	}
	if reply.HTTP != http.StatusOK {
		t.Errorf("with what is the customer's own: %s", reply.Raw)
	}
}

// everyCard lists the cards of all customers in the matrix.
func (m *matrix) everyCard() string {
	m.world.T.Helper()
	var all strings.Builder
	for _, of := range []struct{ key, customer string }{
		{"example1", "1001"}, {"example1", "1010"}, {"example1", "1002"}, {"other1", "9001"},
	} {
		all.Write(m.must(ledger.Request{Key: of.key, Path: "/card/list/" + of.customer}).Data)
		all.WriteByte('\n')
	}
	return all.String()
}

// without returns an answer without the parts that must differ: the request id and what the caller
// has sent.
func without(r ledger.Reply, echoed string) string {
	text := strings.ReplaceAll(string(r.Raw), r.RequestID, "REQUEST")
	return strings.ReplaceAll(text, echoed, "SENT")
}

// cardID returns the id of the card in an answer.
func cardID(t *testing.T, r ledger.Reply) string {
	t.Helper()
	var card struct {
		CardID json.Number `json:"cardId"`
	}
	if err := json.Unmarshal(r.Data, &card); err != nil {
		t.Fatalf("%s: %v", r.Raw, err)
	}
	return card.CardID.String()
}
