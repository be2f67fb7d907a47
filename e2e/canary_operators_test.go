package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"mintmark/client/admin"
)

// operate performs operators' acts on a card, found by its full number if one is given, and on
// callers' keys. It returns the secrets that were shown, and all answers of the operators'
// interface except those that show a secret once.
func (c *circle) operate(
	cardID int, number string,
) (secrets []canary, answers map[string][]byte) {
	c.Helper()
	printed := c.done("token", "create", "canary", "--role", "administrator",
		"--config", c.config)
	token := tokenPrinted.FindString(printed)
	ops, ctx := admin.New(c.node.adminURL(), token), c.Context()
	answers = make(map[string][]byte)
	ask := func(request admin.Request) {
		answer, err := ops.Send(ctx, request)
		if err != nil {
			c.Errorf("%s %s: %v", request.Method, request.Path, err)
		}
		answers["the answer to "+request.Method+" "+request.Path] = answer.Body
	}
	key, err := admin.Do[admin.Key](ctx, ops, admin.Request{
		Method: http.MethodPost, Path: "programs/1/keys", Reason: "a canary",
		Body: admin.NewKey{Name: "by-hand", Version: 1, Allow: []string{"127.0.0.0/8"}},
	})
	if err != nil || key.Secret == "" {
		c.Fatalf("the key is %+v, %v", key, err)
	}
	card := fmt.Sprintf("cards/%d", cardID)
	if number != "" {
		ask(admin.Request{Method: http.MethodPost, Path: "cards/search",
			Body: map[string]string{"number": number}})
	}
	for _, act := range []string{"lock", "unlock"} {
		body := map[string]string{}
		if act == "lock" {
			body["lockReasonTypeCode"] = "ADM"
		}
		ask(admin.Request{Method: http.MethodPost, Path: card + "/" + act, Reason: "a canary",
			Body: body})
	}
	for _, path := range []string{
		"me", "overview", "banks", "programs", "programs/1", "programs/1/keys",
		"programs/1/bins", "programs/1/webhooks", "customers", "customers/1001", "accounts",
		"cards", card, card + "/history", "orders", "events", "jobs", "operators", "tokens",
		"approvals", "audit", "audit/export", "audit/checkpoint", "audit/key",
	} {
		ask(admin.Request{Method: http.MethodGet, Path: path})
	}
	brought := oldNumber(1)
	file := `{"source":"canary","programId":1,"sequence":1}` + "\n"
	rows := map[string]string{
		file + oldCard(1, customer, 2001): "", file + `{"number":"` + brought + `"}`: admin.Invalid,
		file + oldCard(2, customer, 2001) + strings.ReplaceAll(oldCard(3, customer, 2001), "DBT",
			brought): admin.Invalid,
	}
	for text, refused := range rows {
		answer, err := ops.Send(ctx, admin.Request{Method: http.MethodPost, Path: "card-imports",
			FileType: "application/x-ndjson", File: []byte(text)})
		if problem := (*admin.Problem)(nil); (refused != "") != errors.As(err, &problem) {
			c.Errorf("cards are brought in: %v", err)
		}
		answers["the answer to cards that are brought in "+refused] = fmt.Append(answer.Body, err)
	}
	leaked := oldNumber(4)
	for what, r := range map[string]admin.Request{
		"numbers by line": {FileType: "text/plain", File: []byte(brought + "\n" + leaked),
			Query: url.Values{"programId": {"1"}, "name": {"canary"}, "act": {"lock"}}},
		"wrong numbers": {FileType: "text/plain", File: []byte(brought + "\n" + leaked + "0\nx" + leaked)},
		"numbers in an object": {Body: map[string]any{"programId": 1, "name": "canary",
			"act": "replace", "numbers": []string{brought, leaked}}},
		"a number as the name": {FileType: "text/plain", File: []byte(leaked),
			Query: url.Values{"programId": {"1"}, "name": {leaked}, "act": {"lock"}}},
	} {
		r.Method, r.Path, r.Reason = http.MethodPost, "compromises", "a canary"
		answer, err := ops.Send(ctx, r)
		refused := strings.HasPrefix(what, "wrong") || strings.HasPrefix(what, "a number")
		if problem := (*admin.Problem)(nil); refused != errors.As(err, &problem) {
			c.Errorf("%s: %v", what, err)
		}
		answers["the answer to "+what] = fmt.Append(answer.Body, err)
	}
	for _, path := range []string{"compromises", "compromises/1", "compromises/1/cards"} {
		ask(admin.Request{Method: http.MethodGet, Path: path})
	}
	secrets = []canary{{"number of a card that was brought in", brought}, {"leaked number", leaked}}
	secrets = append(secrets, []canary{{"token of an operator", token}, {"secret of an issued key", key.Secret}}...)
	return secrets, answers
}
