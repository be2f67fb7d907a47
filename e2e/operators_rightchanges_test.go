package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"mintmark/client/admin"
	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/testrun"
)

// rightChange is a request that the service carries out. Generated values cannot produce it,
// because it needs something in a certain state, or values that belong together.
type rightChange struct {
	path  string
	of    string // the resource whose revision is sent; empty for what is created
	body  string
	media string // of a body that is not valid JSON
	token string // of the sender; empty for an administrator
}

func (c rightChange) request(t *testing.T, op operatorRow, server string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), op.method,
		server+admin.Prefix+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	if c.media != "" {
		request.Header.Set("Content-Type", c.media)
	}
	if c.of == "" {
		return request
	}
	resource, err := admin.Get[struct{ Revision int }](t.Context(),
		admin.New(server, "sandbox-administrator"), c.of)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("If-Match", fmt.Sprintf(`"%d"`, resource.Revision))
	return request
}

// setUp creates the subjects of changes, as an administrator of a sandbox.
type setUp struct {
	*testing.T
	*admin.Client
	server string
}

// makes creates something and returns its id.
func (s setUp) makes(path string, members map[string]any) string {
	s.Helper()
	members["reason"] = "to be tried"
	created, err := admin.Do[struct{ ID int }](s.Context(), s.Client, admin.Request{
		Method: http.MethodPost, Path: path, Body: members,
	})
	if err != nil {
		s.Fatalf("%s: %v", path, err)
	}
	return fmt.Sprint(created.ID)
}

// until polls a list until it has an item, because no event announces its state.
func (s setUp) until(path string, query url.Values) (id string) {
	s.Helper()
	testrun.Within(s.T, path+"?"+query.Encode()+" has an item", func() bool {
		list, err := admin.Page[struct{ ID string }](s.Context(), s.Client, path, query)
		if err != nil {
			s.Fatal(err)
		}
		if len(list.Items) > 0 {
			id = list.Items[0].ID
		}
		return id != ""
	})
	return id
}

// rightChanges returns the requests that generated values cannot produce, by operation, after it
// has created their subjects.
func rightChanges(t *testing.T, world *ledger.World, db *sql.DB) map[string]rightChange {
	t.Helper()
	server := world.App.AdminURL()
	s := setUp{t, admin.New(server, "sandbox-administrator"), server}
	s.makes("tokens", map[string]any{"name": "one", "roles": []string{"auditor"}, "allBanks": true})
	s.makes("operators",
		map[string]any{"name": "two", "roles": []string{"auditor"}, "allBanks": true})
	pdf, err := os.ReadFile("../internal/app/demo/documents/en-US/fee-schedule.pdf")
	if err != nil {
		t.Fatal(err)
	}
	document := "banks/1/documents/" + s.makes("banks/1/documents", map[string]any{
		"culture": "en-US", "documentType": "CardInfo", "title": "t", "html": "<p>t</p>",
	})
	replaced := s.makes("banks/3/encryption-keys/4/rotate", map[string]any{})
	s.makes("banks/3/encryption-keys/4/rotate", map[string]any{})
	right := map[string]rightChange{
		"banks-bank-keys-retire-post": {path: "banks/3/bank-keys/" + replaced + "/retire",
			body: `{}`},
		"feed-post": {path: "feed", media: "application/x-ndjson",
			body: `{"source":"core","programId":1,"sequence":1}
{"kind":"account","op":"put","accountId":2001,"tag":"fed"}`},
		"card-imports-post": {path: "card-imports", media: "application/x-ndjson",
			body: `{"source":"old platform","programId":1,"sequence":1}
{"number":"4005511234567892","expireMonth":3,"expireYear":2029,"customerId":1001,` +
				`"accounts":[{"accountId":2001,"priority":1}],"typeCode":"DBT","vendorTypeCode":"VS",` +
				`"status":"Verified","nickName":"everyday","firstName":"ADA","lastName":"EXAMPLE",` +
				`"createdDate":"2024-03-14T09:30:00Z","verifiedDate":"2024-03-20T17:05:00Z"}`},
		"compromises-post": {path: "compromises",
			body: `{"name":"breach","programId":1,"act":"lock","reason":"r",` +
				`"numbers":["4005511234567892"]}`},
		"reconciliations-post": {path: "reconciliations", media: "application/x-ndjson",
			body: `{"kind":"balances","programId":1,"at":"2026-03-14T03:00:00Z"}
{"accountId":2001,"accountBalance":1}`},
		"programs-keys-rotate-post": {path: "programs/1/keys/example2/rotate", body: `{}`},
		"programs-bins-patch": {path: "programs/1/bins/1", of: "programs/1/bins/1",
			body: `{"description":"other"}`},
		"banks-documents-patch":        {path: document, of: document, body: `{"title":"u"}`},
		"banks-documents-delete":       {path: document, of: document},
		"banks-documents-publish-post": {path: document + "/publish", of: document, body: `{}`},
		"banks-documents-pdf-put": {
			path: document + "/pdf", of: document, body: string(pdf), media: "application/pdf",
		},
		"banks-encryption-keys-patch": {path: "banks/1/encryption-keys/1",
			of: "banks/1/encryption-keys/1", body: `{"status":2}`},
		"programs-post": {path: "programs", body: `{"bankId":1,"name":"Fleet","decimalCount":2,
			"timeZone":"America/New_York","publicKeyAlgorithms":"RSA-OAEP-SHA256-MGF1",
			"bank":{"name":"B","timeZone":"America/New_York"}}`},
		"programs-keys-patch": {path: "programs/1/keys/example1", of: "programs/1/keys/example1",
			body: `{"ratePerSecond":5,"burst":5}`},
		"customers-post": {path: "customers", body: `{"id":1901,"programId":1,"status":"Verified",
			"access":"FULL","firstName":"G","lastName":"H","birthDate":"1990-07-01"}`},
		"accounts-post": {path: "accounts", body: `{"id":2901,"programId":1,"customerId":1001,
			"type":"Checking","status":"Open","name":"T","accountNumber":"12345678"}`},
		"programs-accounts-post": {path: "programs/1/accounts", body: `{"accountId":7,
			"type":"CardSettlement","accountNumber":"1234567","isActive":true}`},
		"programs-externalAccounts-post": {path: "programs/1/externalAccounts",
			body: `{"externalAccountId":7,"type":"Miscellaneous","routingNumber":"011000015",
			"accountNumber":"1234567","isActive":true}`},
	}
	for part, patch := range map[string]string{
		"accounts": `{"description":"other"}`, "externalAccounts": `{"description":"other"}`,
		"products": `{"description":"other"}`,
	} {
		path := "programs/1/" + part + "/1"
		right["programs-"+part+"-patch"] = rightChange{path: path, of: path, body: patch}
		right["programs-"+part+"-delete"] = rightChange{path: path, of: path}
	}
	s.hold(right)
	s.deliver(world, right)
	s.order(db, right)
	s.leak(db, right)
	s.askForApproval(right)
	return right
}

// hold makes the card processor request a purchase, whose hold can be released.
func (s setUp) hold(right map[string]rightChange) {
	s.Helper()
	authorized, err := controls.Do[controls.Authorized](s.Context(), controls.New(s.server),
		http.MethodPost, "cards/5001/authorizations",
		controls.Authorization{Amount: "25.50", Kind: "purchase"})
	if err != nil || !authorized.Approved {
		s.Fatalf("%+v, %v", authorized, err)
	}
	right["holds-release-post"] = rightChange{
		path: "holds/" + authorized.HoldID + "/release", body: `{}`,
	}
}

// deliver delivers an event about a lock to a webhook.
func (s setUp) deliver(world *ledger.World, right map[string]rightChange) {
	s.Helper()
	subscriber := httptest.NewServer(http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) {}))
	s.Cleanup(subscriber.Close)
	hook := "webhooks/" + s.makes("programs/1/webhooks", map[string]any{
		"name": "one", "url": subscriber.URL, "types": []string{"card.locked"},
	})
	for _, path := range []string{"/card/lock", "/card/unlock", "/card/lock"} {
		body := `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`
		if path == "/card/unlock" {
			body = `{"customerId":1001,"cardId":5001}`
		}
		if got := world.Send(ledger.Request{Path: path, Body: body}); got.HTTP != http.StatusOK {
			s.Fatalf("%s: %s", path, got.Raw)
		}
	}
	var event string
	for told := 0; told < 2; { // no event announces the end of a delivery
		list, err := admin.Page[admin.Delivery](s.Context(), s.Client, hook+"/deliveries", nil)
		if err != nil {
			s.Fatal(err)
		}
		told = 0
		for _, delivery := range list.Items {
			if delivery.State == "delivered" {
				told, event = told+1, delivery.ID
			}
		}
	}
	right["webhooks-deliveries-resend-post"] = rightChange{
		path: hook + "/deliveries/" + event + "/resend", body: `{}`,
	}
	right["webhooks-replay-post"] = rightChange{
		path: hook + "/replay", body: `{"from":"2020-01-01T00:00:00Z"}`,
	}
}

// order sets orders of the locks to each state that an operator acts on, which no processor causes
// here.
func (s setUp) order(db *sql.DB, right map[string]rightChange) {
	s.Helper()
	ids := map[string]string{}
	for _, state := range []string{"failed", "held", "waiting"} {
		s.until("orders", url.Values{"state": {"done"}})
		far := time.Now().Add(24 * time.Hour).UnixMilli()
		_, err := db.ExecContext(s.Context(), fmt.Sprintf(`UPDATE orders
			SET state = '%s', done_at = NULL, next_try_at = %d, revision = revision + 1
			WHERE order_id = (SELECT max(order_id) FROM orders WHERE state = 'done')`, state, far))
		if err != nil {
			s.Fatal(err)
		}
		ids[state] = s.until("orders", url.Values{"state": {state}})
	}
	for act, state := range map[string]string{
		"retry": "failed", "drop": "failed", "release": "held", "hold": "waiting",
	} {
		path := "orders/" + ids[state]
		right["orders-"+act+"-post"] = rightChange{path: path + "/" + act, of: path, body: `{}`}
	}
}

// leak creates a running list of compromised numbers, all of whose cards for the day are handled,
// and a paused one.
func (s setUp) leak(db *sql.DB, right map[string]rightChange) {
	s.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		s.Fatal(err)
	}
	for act, state := range map[string]string{"pause": "running", "resume": "paused"} {
		path := "compromises/" + s.makes("compromises", map[string]any{
			"name": act, "programId": 1, "act": "replace", "perDay": 1,
			"numbers": []string{map[string]string{
				"pause": "4111111111111111", "resume": "4012888888881881"}[act]},
		})
		_, err := db.ExecContext(s.Context(), fmt.Sprintf(`UPDATE compromises SET state = '%s',
			day = '%s', of_day = 1 WHERE name = '%s'`, state,
			time.Now().In(zone).Format(time.DateOnly), act))
		if err != nil {
			s.Fatal(err)
		}
		right["compromises-"+act+"-post"] = rightChange{path: path + "/" + act, body: `{}`}
	}
}

// askForApproval turns four eyes on and makes another operator request a key.
func (s setUp) askForApproval(right map[string]rightChange) {
	s.Helper()
	before, err := admin.Get[admin.Program](s.Context(), s.Client, "programs/1")
	if err != nil {
		s.Fatal(err)
	}
	_, err = s.Send(s.Context(), admin.Request{
		Method: http.MethodPatch, Path: "programs/1", Body: map[string]bool{"fourEyes": true},
		Revision: before.Revision,
	})
	if err != nil {
		s.Fatal(err)
	}
	const asker = "sandbox-security"
	ask := func(name string) string {
		_, err = admin.New(s.server, asker).Send(s.Context(), admin.Request{
			Method: http.MethodPost, Path: "programs/1/keys", Body: map[string]any{
				"name": name, "version": 1, "allow": []string{"127.0.0.0/8"},
			},
		})
		waits := (*admin.Problem)(nil)
		if !errors.As(err, &waits) || waits.ApprovalID == 0 {
			s.Fatalf("the key does not wait for approval: %v", err)
		}
		return fmt.Sprint("approvals/", waits.ApprovalID)
	}
	path, approved := ask("asked-for"), ask("approved")
	approver := tokenOf(s.T, s.server, "operator")
	do[admin.Approval](s.T, admin.New(s.server, approver), admin.Request{
		Method: http.MethodPost, Path: approved + "/approve", Reason: "approved",
	})
	for end, token := range map[string]string{
		"approve": approver, "reject": approver, "withdraw": asker,
	} {
		right["approvals-"+end+"-post"] = rightChange{
			path: path + "/" + end, of: path, body: `{}`, token: token,
		}
	}
	right["approvals-result-post"] = rightChange{path: approved + "/result", token: asker}
}
