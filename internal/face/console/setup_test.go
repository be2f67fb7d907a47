package console

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/audit"
	"mintmark/internal/testkit/golden"
)

// setupAnswers returns the responses of the interface about what a bank sets up, monitors and runs.
func setupAnswers() map[string]any {
	program := fixtures()["programs"].(wire.List[wire.Program]).Items[0]
	for name, value := range map[string]string{
		"timeZone": `"America/Chicago"`, "website": `"https://example.com"`, "decimalCount": `2`,
		"publicKeyAlgorithms":        `"RSA-OAEP-SHA512-MGF1"`,
		"isInterestEnabled":          `true`,
		"perUserDailyWithdrawLimit":  `{"minimumAmount":1.00,"maximumAmount":2500.00}`,
		"perTransactionDepositLimit": `{"maximumAmount":10000.00}`,
		"validAccountTypes":          `["Checking","Savings"]`, "currency": `"USD"`,
		"bin": `[{"binId":1}]`, "regDFeeAmount": `5.00`,
	} {
		program.Settings[name] = json.RawMessage(value)
	}
	key := wire.Key{
		ID: "core-batch", Name: "core-batch", Revision: 4, ProgramID: 1, Version: 2,
		Allow: []string{"192.0.2.0/24", "198.51.100.7"}, RatePerSecond: 15, Burst: 30,
		Expires: agoPointer(-9 * 24 * time.Hour), LastUsed: agoPointer(2 * time.Minute),
		State: "expiring", Key: "mmk_core",
	}
	hook := wire.Webhook{
		ID: 4, Revision: 2, ProgramID: 1, Name: "Core bus", URL: "https://hooks.example.com/cards",
		Types: []string{"card.locked", "card.unlocked"}, State: "failing", FailingSince: agoPointer(170 * time.Minute), LastTry: agoPointer(4 * time.Minute),
		LastAnswer: "502", Waiting: 38, Dead: 2,
		LastSuccess: agoPointer(3 * time.Hour), Created: ago(90 * 24 * time.Hour),
	}
	order := wire.Order{
		ID: "0b6e41c7-9a50-4a7c-8e0e-d2f6a1b4c310", Number: 4402, Revision: 13, ProgramID: 1,
		CardID: 5001, Sequence: 5, Kind: "card.accounts", State: "failed", Attempts: 12,
		LastError: "500 from the processor", Created: ago(26 * time.Hour),
		Ended: agoPointer(2 * time.Hour), Tries: []wire.OrderTry{
			{At: ago(3 * time.Hour), Node: "embedded", Outcome: "unreached",
				Answer: "the card processor is not reached"},
			{At: ago(2 * time.Hour), Node: "embedded", Outcome: "failed",
				Answer: "500 from the processor"},
		},
	}
	waiting := order
	waiting.ID, waiting.Number, waiting.State = "order-2", 4410, "waiting"
	waiting.Ended, waiting.NextTry, waiting.Kind = nil, agoPointer(-13*time.Minute), "card.lock"
	waiting.Urgent, waiting.LastError = true, ""
	person := wire.Operator{
		ID: 2, Revision: 3, Name: "support", Roles: []string{"support"}, Banks: []int{1},
		SignsInBy: "password", State: "active", LastSignIn: agoPointer(26 * time.Minute),
		Created: ago(200 * 24 * time.Hour),
	}
	invited := wire.Operator{
		ID: 7, Revision: 1, Name: "Maren Okafor", Roles: []string{"security", "auditor"},
		AllBanks: true, SignsInBy: "nothing yet", State: "invited", Created: ago(time.Hour),
	}
	token := wire.Token{
		ID: 3, Revision: 1, Name: "nightly-report", Roles: []string{"auditor"}, AllBanks: true,
		Owner: &wire.Actor{Kind: "operator", ID: 2, Name: "ines"},
		State: "active", Created: ago(30 * 24 * time.Hour),
	}
	answers := map[string]any{
		"programs/1":                    program,
		"banks/1":                       wire.Bank{ID: 1, Revision: 1, Name: "Example Bank 1"},
		"banks/1/encryption-keys":       encryptionKeys(),
		"banks/1/encryption-keys/2":     encryptionKeys().Items[0],
		"bank-keys":                     bankKeys(),
		"programs/1/bins":               listOf(bin()),
		"programs/1/products":           listOf(product()),
		"programs/1/products/1":         product(),
		"programs/1/accounts":           listOf(ownAccount()),
		"programs/1/accounts/1":         ownAccount(),
		"programs/1/externalAccounts":   listOf(externalAccount()),
		"programs/1/externalAccounts/1": externalAccount(),
		"programs/1/keys/till%2F7": wire.Key{ID: "till/7", Name: "till/7", ProgramID: 1,
			Revision: 1, Version: 2, State: "active"},
		"programs/1/bins/1":          bin(),
		"programs/1/keys":            listOf(key),
		"programs/1/keys/core-batch": key,
		"programs/1/webhooks":        listOf(hook),
		"webhooks/4":                 hook,
		"webhooks/4/deliveries":      deliveries(),
		"webhooks/4/deliveries/918":  deliveries().Items[0],
		"webhooks/4/replay":          listOf(replayed()),
		"authorizations/auth-2":      wire.AuthorizationDetail{Authorization: declinedOverLimit()},
		"authorizations/auth-1": wire.AuthorizationDetail{
			Authorization: approvedHere(), Hold: new(openedHold()),
		},
		"holds":                                 listOf(openedHold()),
		"holds/abc":                             openedHold(),
		"orders":                                listOf(order, waiting),
		"orders/" + order.ID:                    order,
		"programs/1/order-report":               ordersOfADay(order, waiting),
		"reconciliations":                       listOf(reconciliation("cards"), reconciliation("balances")),
		"reconciliations/7":                     reconciliation("cards"),
		"reconciliations/8":                     reconciliation("balances"),
		"compromises":                           listOf(compromisedList(3, "running"), compromisedList(4, "paused")),
		"compromises/3":                         compromisedList(3, "running"),
		"compromises/4":                         compromisedList(4, "paused"),
		"events":                                listOf(happened()),
		"events/evt_1":                          happened(),
		"jobs":                                  jobs(),
		"jobs/re-encrypt%20under%20bank%20keys": jobs().Items[1],
		"operators":                             listOf(person, invited),
		"operators/2":                           person,
		"operators/7":                           invited,
		"tokens":                                listOf(token),
		"tokens/3":                              token,
		"approvals/12":                          approvals()[0],
	}
	for path, document := range documents() {
		answers[path] = document
	}
	proof, verifier := sealedEntry()
	answers["audit/2/proof"], answers["audit/key"] = proof, verifier
	return answers
}

func listOf[T any](items ...T) wire.List[T] { return wire.List[T]{Items: items} }

func bin() wire.Bin {
	return wire.Bin{
		ID: 1, Revision: 2, ProgramID: 1, VendorTypeCode: "VS", Description: "Debit cards",
		IsActive: true, FirstBody: "400000000000000", LastBody: "400000999999999", ValidMonths: 48,
	}
}

func product() wire.Product {
	on := true
	return wire.Product{
		ID: 1, Revision: 3, Type: "Checking", Category: "Checking", Name: "Everyday",
		Description: "For daily use", IsInterestEnabled: &on,
		BalanceLimit: &wire.Limit{MaximumAmount: "10000.00"},
	}
}

func ownAccount() wire.ProgramAccount {
	return wire.ProgramAccount{
		ID: 1, Revision: 3, AccountID: 9001, Type: "CardSettlement", IsActive: true,
		AccountNumberMasked: "****5678", AccountBalance: "125000.00",
	}
}

func externalAccount() wire.ExternalAccount {
	return wire.ExternalAccount{
		ID: 1, Revision: 3, ExternalAccountID: 9101, Type: "VerificationFund",
		RoutingNumber: "011000015", NachaName: "EXAMPLE", AccountNumberMasked: "****4321",
	}
}

func encryptionKeys() wire.List[wire.EncryptionKey] {
	return listOf(
		wire.EncryptionKey{ID: 2, Revision: 1, BankID: 1, Status: 1},
		wire.EncryptionKey{ID: 1, Revision: 3, BankID: 1, Status: 2},
	)
}

// bankKeys returns the keys of a bank while its data is being encrypted again.
func bankKeys() wire.List[wire.BankKey] {
	return listOf(
		wire.BankKey{BankID: 1, State: "keyset", Numbers: 40},
		wire.BankKey{ID: 1480216243, Revision: 3, BankID: 1, PciKeyID: 1, State: "retired",
			Made: agoPointer(400 * 24 * time.Hour)},
		wire.BankKey{ID: 977120544, Revision: 2, BankID: 1, PciKeyID: 1, State: "decrypt-only",
			Made: agoPointer(35 * 24 * time.Hour), MadeBy: "Maren Okafor"},
		wire.BankKey{ID: 2113094112, Revision: 2, BankID: 1, PciKeyID: 2, State: "compromised",
			Numbers: 560, Pins: 3, Made: agoPointer(30 * 24 * time.Hour), MadeBy: "Maren Okafor"},
		wire.BankKey{ID: 602880917, Revision: 1, BankID: 1, PciKeyID: 2, State: "active",
			Seals: true, Numbers: 9397, Made: agoPointer(time.Minute), MadeBy: "operator"},
	)
}

func deliveries() wire.List[wire.Delivery] {
	return listOf(
		wire.Delivery{
			ID: "evt_1", WebhookID: 4, Sequence: 918, Type: "card.locked", CardID: 5001,
			State: "dead", Tries: 2, Attempts: []wire.Attempt{
				{At: ago(2 * time.Hour), Milliseconds: 10000, Error: "timeout"},
				{At: ago(3 * time.Hour), Status: 502, Milliseconds: 31, Error: "502",
					Answer: "<b>bad gateway</b>"},
			},
		},
		wire.Delivery{
			ID: "evt_2", WebhookID: 4, Sequence: 921, Type: "card.unlocked", CardID: 5001,
			State: "waiting", Tries: 1, Next: agoPointer(-4 * time.Minute),
		},
	)
}

func replayed() wire.Replay {
	return wire.Replay{ID: 2, WebhookID: 4, Count: 120, Sent: 80, Created: ago(time.Hour)}
}

func happened() wire.Event {
	return wire.Event{
		ID: "evt_1", Sequence: 918, Type: "card.locked", At: ago(20 * time.Minute),
		ProgramID: 1, CustomerID: 1001, CardID: 5001,
		Data: json.RawMessage(`{"cardId":5001,"lockTypeCode":"SYS"}`),
	}
}

func jobs() wire.List[wire.Job] {
	return listOf(
		wire.Job{ID: "expire holds", State: "waiting", Node: "node-b", Began: agoPointer(time.Minute),
			Ended: agoPointer(time.Minute), Next: agoPointer(-time.Minute)},
		wire.Job{ID: "re-encrypt under bank keys", State: "running", Node: "node-a",
			Began: agoPointer(time.Minute), Progress: &wire.Progress{Done: 9397, Total: 10000}},
		wire.Job{ID: "renew cards", State: "failing", Node: "node-a", Began: agoPointer(time.Hour),
			Ended: agoPointer(time.Hour), Next: agoPointer(-23 * time.Hour), Error: "no active BIN"},
	)
}

// documents returns the documents of a bank: the disclosure, one with a PDF, one without, and a
// draft.
func documents() map[string]any {
	consent := wire.Document{
		ID: 4, Revision: 2, BankID: 1, Culture: "en-US", DocumentType: "eStatement",
		Title: "Consent to electronic documents", State: "inForce", HasPDF: true,
		EffectiveDate: agoPointer(40 * 24 * time.Hour), Published: agoPointer(41 * 24 * time.Hour),
		HTML: `<h1>Consent to receive documents electronically</h1><p>Before you ` +
			`open an account you may agree to receive documents on a screen.</p>` +
			`<ul><li>Your right to paper.</li></ul>`,
	}
	agreement := consent
	agreement.ID, agreement.DocumentType = 2, "ConsumerDepositAgreement"
	agreement.Title, agreement.HTML = "Deposit account agreement", "<p>Rules.</p>"
	fees := agreement
	fees.ID, fees.DocumentType, fees.Title, fees.HasPDF = 90, "FeeDisclosure", "Fees", false
	draft := agreement
	draft.ID, draft.DocumentType, draft.Title = 13, "PrivacyPolicy", "Privacy notice"
	draft.State, draft.EffectiveDate, draft.Published, draft.HasPDF = "draft", nil, nil, false
	answers := map[string]any{"banks/1/documents": listOf(consent, agreement, fees, draft)}
	for _, d := range []wire.Document{consent, agreement, fees, draft} {
		path := "banks/1/documents/" + strconv.Itoa(d.ID)
		answers[path] = d
		answers[path+"/preview"] = wire.DocumentPreview{HTML: d.HTML, Less: d.ID == 4}
	}
	return answers
}

// sealedEntry returns the proof of an entry in a log of three, and the key of the log.
func sealedEntry() (wire.Proof, string) {
	private, public, err := note.GenerateKey(bytes.NewReader(make([]byte, 64)), "example.com/audit")
	if err != nil {
		panic(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		panic(err)
	}
	var hashes []tlog.Hash
	var second []byte
	read := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var list []tlog.Hash
		for _, index := range indexes {
			list = append(list, hashes[index])
		}
		return list, nil
	})
	for i := range 3 {
		sealed := audit.Sealed{Sequence: i + 1, Entry: audit.Entry{
			At: ago(time.Hour), Act: "lock card", ProgramID: 1, Outcome: "changed",
			Subject: audit.Of(audit.Card, 5001+i), Before: `{"lockTypeCode":"UNL"}`,
			After: `{"lockTypeCode":"SYS","lockReasonTypeCode":"ADM"}`, Actor: audit.Actor{
				Kind: audit.Operator, Name: "support", Address: "192.0.2.9",
				RequestID: "f2a6d790-1e43-4c8a-93b7-6b5d0e8c7a12", Reason: "Until a call back.",
			},
		}}
		added, err := tlog.StoredHashesForRecordHash(int64(i), sealed.LeafHash(), read)
		if err != nil {
			panic(err)
		}
		hashes = append(hashes, added...)
		if i == 1 {
			second, err = json.Marshal(audit.LineOf(sealed))
			if err != nil {
				panic(err)
			}
		}
	}
	root, err := tlog.TreeHash(3, read)
	if err != nil {
		panic(err)
	}
	path, err := tlog.ProveRecord(3, 1, read)
	if err != nil {
		panic(err)
	}
	proof := wire.Proof{Entry: second, Index: 1, Size: 3}
	for _, hash := range path {
		proof.Hashes = append(proof.Hashes, base64.StdEncoding.EncodeToString(hash[:]))
	}
	proof.Checkpoint, err = audit.Checkpoint{
		Origin: "example.com/audit", Size: 3, Root: root,
	}.Sign(signer)
	if err != nil {
		panic(err)
	}
	return proof, public
}

// compromisedList returns a list of compromised cards in a state.
func compromisedList(id int, state string) wire.Compromise {
	return wire.Compromise{
		ID: id, ProgramID: 1, Name: "breach at a shop", Act: "replace", PerDay: 5000,
		Reason: "told by the scheme", Made: ago(9 * time.Hour), By: "anna",
		Digest: strings.Repeat("ab", 32), Numbers: 41_000, Unknown: 1_000, Cards: 40_000,
		Statuses: map[string]int{"Verified": 39_000, "Archived": 1_000}, State: state,
		Waiting: 34_900, Done: 5_000, Left: 98, Refused: 2, Changed: ago(time.Minute),
	}
}

func reconciliation(kind string) wire.Reconciliation {
	r := wire.Reconciliation{
		ID: 7, ProgramID: 1, Kind: kind, At: ago(9 * time.Hour), Made: ago(8 * time.Hour),
		By: "nightly", Digest: strings.Repeat("ab", 32), Compared: 12_040, Equal: 12_036,
		InFlight: 2, Different: 2, Sorts: wire.ReconciledSorts{State: 1, MissingHere: 1},
		Differences: []wire.ReconciledDifference{
			{Sort: "state", CardID: 5001, Here: "hotlisted", There: "open"},
			{Sort: "missingHere", CardID: 77, There: "open"},
		},
	}
	if kind == "balances" {
		r.ID, r.Equal, r.Different, r.Differences = 8, 12_038, 0, nil
	}
	return r
}

// ordersOfADay returns a report with a failed and an unanswered order.
func ordersOfADay(failed, open wire.Order) wire.OrderReport {
	return wire.OrderReport{
		ProgramID: 1, From: ago(24 * time.Hour), To: ago(0), Kinds: []wire.OrderTally{
			{Kind: "card.lock", Written: 9, Done: 7, Sent: 1, Acknowledged: 8, Failed: 1},
		},
		OldestUnanswered: &open.Created, Unanswered: []wire.Order{open},
		Failed: []wire.Order{failed},
	}
}

// newSetupWorld returns a console whose interface also has the responses of this file.
func newSetupWorld(t testing.TB, roles ...string) *world {
	t.Helper()
	w := newWorld(t, true, roles...)
	for path, answer := range setupAnswers() {
		w.answers[path] = answer
	}
	return w
}

// setupPages lists the pages for what a bank sets up, monitors and runs.
var setupPages = []string{
	"programs", "programs/1", "programs/1/edit", "banks/1", "banks/1/encryption-keys/new",
	"banks", "banks/1/encryption-keys", "banks/1/encryption-keys/2",
	"banks/1/encryption-keys/2/edit", "bank-keys", "banks/1/keys",
	"banks/1/encryption-keys/2/rotate", "banks/1/keys/977120544/retire", "bins", "bins/1", "bins/1/edit", "bins/new", "keys", "keys/core-batch",
	"new-key", "keys/core-batch/edit", "keys/core-batch/rotate", "keys/core-batch/revoke",
	"documents", "documents/4", "documents/13", "documents/new", "documents/13/edit",
	"documents/13/pdf", "documents/13/publish", "documents/13/remove", "authorizations",
	"authorizations/auth-1", "authorizations/auth-2", "holds", "holds/abc", "holds/abc/release", "orders",
	"orders/0b6e41c7-9a50-4a7c-8e0e-d2f6a1b4c310",
	"orders/0b6e41c7-9a50-4a7c-8e0e-d2f6a1b4c310/retry",
	"orders/0b6e41c7-9a50-4a7c-8e0e-d2f6a1b4c310/drop", "order-report", "reconciliations",
	"reconciliations/7", "reconciliations/8", "compromises", "compromises/3", "compromises/3/pause",
	"compromises/4", "compromises/new", "webhooks", "webhooks/4", "webhooks/new",
	"webhooks/4/deliveries/918", "webhooks/4/rotate", "webhooks/4/edit",
	"webhooks/4/delete", "webhooks/4/replay", "events", "events/evt_1", "jobs",
	"jobs/re-encrypt%20under%20bank%20keys", "audit",
	"audit/2", "audit/export", "operators", "operators/2", "operators/7", "operators/new",
	"operators/2/edit", "operators/2/end", "operators/7/invite", "tokens", "tokens/3", "tokens/new",
	"tokens/3/revoke", "approvals", "approvals/12", "approvals/12/approve",
	"approvals/12/reject", "programs/new", "banks/new", "banks/1/edit", "products", "products/1",
	"products/1/edit", "products/new", "products/1/remove", "program-accounts", "program-accounts/1",
	"program-accounts/1/edit", "program-accounts/new", "external-accounts", "external-accounts/1",
	"external-accounts/1/edit", "external-accounts/new",
}

// TestSetupPages compares the content of each page, without its frame, with a golden file.
func TestSetupPages(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	for _, path := range setupPages {
		answer := w.get("/console/" + path)
		page := answer.Body.String()
		if answer.Code != http.StatusOK {
			t.Errorf("%s: answered %d: %s", path, answer.Code, page)
			continue
		}
		checkSelfContained(t, path, page)
		_, main, framed := strings.Cut(page, `<main id="main">`)
		main, _, closed := strings.Cut(main, "</main>")
		if !framed || !closed || !strings.Contains(main, "mintmark ") {
			t.Errorf("%s names no command", path)
		}
		if strings.Contains(page, "%7B") {
			t.Errorf("%s links to an address whose parameter is empty", path)
		}
		name := strings.NewReplacer("/", "-", "%20", "-").Replace(path) + ".html"
		golden.Compare(t, filepath.Join("testdata", "setup", name),
			[]byte(blank.ReplaceAllString(main, "\n")))
		dump(t, path, page)
	}
}

// TestFencedProgram checks that the page of a fenced program says so, with the command that lifts
// the fence.
func TestFencedProgram(t *testing.T) {
	w := newSetupWorld(t, "administrator")
	p := w.answers["programs/1"].(wire.Program)
	p.Fenced = agoPointer(3 * time.Hour)
	w.answers["programs/1"] = p
	page := w.get("/console/programs/1").Body.String()
	checkSelfContained(t, "programs/1", page)
	if !strings.Contains(page, "Fenced since") ||
		!strings.Contains(page, "mintmark program unfence --config mintmark.yaml --program 1") {
		t.Errorf("the page does not show the fence:\n%s", page)
	}
}

// TestCommandOfReason checks that the command of an act has the selected reason.
func TestCommandOfReason(t *testing.T) {
	w := newSetupWorld(t, "support")
	page := w.get("/console/cards/10533/lock").Body.String()
	if !strings.Contains(page, "card lock 10533 --reason-code ADM ") {
		t.Errorf("the first page names another reason than it has chosen: %s", page)
	}
	w.refuse = problemOf(http.StatusUnprocessableEntity, wire.Invalid, "/reason", "is required")
	page = w.post("/console/cards/10533/lock?programId=1", url.Values{
		"lockReasonTypeCode": {"STL"},
	}).Body.String()
	if !strings.Contains(page, "card lock 10533 --reason-code STL ") {
		t.Errorf("the page of a refused form does not name its reason: %s", page)
	}
	if !strings.Contains(page, `<span class="temp"> Clearing the lock will need`) {
		t.Errorf("a lock for good is said to be cleared: %s", page)
	}
}

// TestOpenLock checks that the page of a locked card says that every transfer is declined only once
// the processor has applied the lock.
func TestOpenLock(t *testing.T) {
	const claim = "Every transfer with this card is declined"
	w := newSetupWorld(t, "administrator")
	for state, claims := range map[string]bool{"": true, "sent": false, "failed": false} {
		detail := cardAnswer()
		detail.Orders = []wire.Order{{ID: "a", Number: 1, Kind: "card.accounts", State: "sent"}}
		if state != "" {
			detail.Orders = append(detail.Orders, wire.Order{
				ID: "b", Number: 2, Kind: "card.hotlist", Urgent: true, State: state,
			})
		}
		w.answers["cards/5001"] = detail
		page := w.get("/console/cards/5001").Body.String()
		if strings.Contains(page, claim) != claims || strings.Contains(page, "(<code>card.hotlist</code>, "+state) == claims {
			t.Errorf("with an order that is %q the page says:\n%s", state, page)
		}
	}
}

// blank matches the empty lines that templates leave.
var blank = regexp.MustCompile(`\n\s*\n`)

func dump(t *testing.T, path, page string) {
	to := os.Getenv("MINTMARK_PAGES")
	if to == "" {
		return
	}
	page = strings.ReplaceAll(page, style.Path, "style.css")
	name := filepath.Join(to, strings.ReplaceAll(path, "/", "_")+".html")
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "style.css"), style.text, 0o600); err != nil {
		t.Fatal(err)
	}
}
