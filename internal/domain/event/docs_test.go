package event

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/testkit/golden"
)

const page = "../../../docs/events.md"

var (
	byKey = audit.Actor{
		Kind: audit.APIKey, Name: "example1", RequestID: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
	}
	byProcessor = audit.Actor{Kind: audit.Processor, Name: "processor"}
)

func byJob(name string) audit.Actor { return audit.Actor{Kind: audit.Job, Name: name} }

// cardExample returns the entry of an act on a card.
func cardExample(
	actor audit.Actor, act, outcome string, change func(*card.Card),
) audit.Entry {
	before := full()
	before.Archived, before.Denied, before.Expired = time.Time{}, time.Time{}, time.Time{}
	before.Reissued = time.Time{}
	after := before
	e := audit.Entry{Actor: actor, Act: act, Outcome: outcome, CustomerID: 1001}
	switch act {
	case "report shipped":
		before.Status, before.Verified = card.Initiated, time.Time{}
		after = before
	case "/card/verify", "expire":
		before.Status, before.Verified = card.PendingVerification, time.Time{}
		after = before
	case "report refused":
		before.Status, before.Verified = card.Initiated, time.Time{}
		after = before
	case "/card/unlock":
		before.Lock = card.Lock{Type: card.Customer, Reason: card.Temporary}
	}
	if outcome == "created" {
		before = card.Card{}
		after.Status, after.Verified = card.Initiated, time.Time{}
	}
	if change != nil {
		change(&after)
	}
	e.Before, e.After = audit.Diff(before, after)
	return e
}

// transfer returns the entry of a processor's act that moves money.
func transfer(act, outcome, before, after string) audit.Entry {
	return audit.Entry{Actor: byProcessor, Act: act, Outcome: outcome, Before: before, After: after}
}

// jobEntry returns the entry of a job about an object that is not a card.
func jobEntry(job, act string, about audit.Subject, after string) audit.Entry {
	return audit.Entry{
		Actor: byJob(job), Act: act, Outcome: "noted", Subject: about, After: after,
	}
}

// examples returns an entry for each type of event.
func examples() []audit.Entry {
	at := full().Created.Add(time.Hour)
	lock := func(kind card.LockType, reason card.Reason) func(*card.Card) {
		return func(c *card.Card) { c.Lock = card.Lock{Type: kind, Reason: reason} }
	}
	status := func(to card.Status, moment func(*card.Card) *time.Time) func(*card.Card) {
		return func(c *card.Card) { c.Status, *moment(c) = to, at }
	}
	return []audit.Entry{
		cardExample(byKey, "/card/initiate", "created", nil),
		cardExample(byProcessor, "report shipped", "changed", func(c *card.Card) {
			c.Status = card.PendingVerification
		}),
		cardExample(byKey, "/card/verify", "changed",
			status(card.Verified, func(c *card.Card) *time.Time { return &c.Verified })),
		cardExample(byKey, "/card/lock", "changed", lock(card.Customer, card.Temporary)),
		cardExample(byKey, "/card/unlock", "changed", lock(card.Unlocked, card.Unknown)),
		cardExample(byKey, "/card/hotlist", "changed", lock(card.Customer, card.Stolen)),
		cardExample(byKey, "/card/reissue", "changed", func(c *card.Card) {
			c.Status, c.Reissued, c.ReplacedBy = card.Reissued, at, 10002
		}),
		cardExample(byJob("renew cards"), "renew", "changed", func(c *card.Card) {
			c.Requested = at
		}),
		cardExample(byProcessor, "report refused", "changed",
			status(card.Denied, func(c *card.Card) *time.Time { return &c.Denied })),
		cardExample(byJob("expire unverified cards"), "expire", "changed",
			status(card.Expired, func(c *card.Card) *time.Time { return &c.Expired })),
		cardExample(byKey, "/card/archive", "changed",
			status(card.Archived, func(c *card.Card) *time.Time { return &c.Archived })),
		cardExample(byKey, "/card/addAccount", "changed", func(c *card.Card) {
			c.Slots.Savings = []int{2005, 2006}
		}),
		cardExample(byKey, "/card/resetpin", "PIN ordered", nil),
		cardExample(byProcessor, "report pinSet", "unchanged", nil),
		cardExample(byProcessor, "report pinTriesExceeded", "changed",
			lock(card.System, card.PinRetries)),
		transfer("authorize", "approved", `{"accountBalance":250,"availableBalance":250}`,
			`{"accountBalance":250,"accountId":2001,"amount":12.5,"approved":true,`+
				`"authorizationId":"A-1","availableBalance":237.5,"category":"Checking",`+
				`"holdId":"A-1","kind":"purchase","reason":"approved"}`),
		transfer("authorize", "declined", "",
			`{"amount":12.5,"approved":false,"authorizationId":"A-2","category":"Checking",`+
				`"kind":"purchase","reason":"insufficientFunds"}`),
		transfer("reverse", "partlyReversed", `{"accountBalance":250,"availableBalance":237.5}`,
			`{"accountBalance":250,"accountId":2001,"amount":5,"authorizationId":"A-1",`+
				`"availableBalance":242.5,"currency":"USD","holdId":"A-1","kind":"purchase",`+
				`"merchant":{"name":"Corner Shop","city":"Springfield","country":"US",`+
				`"mcc":"5411"},"original":{"amount":11.5,"currency":"EUR"},"reversalId":"R-1"}`),
		transfer("advise", "approved", `{"accountBalance":250,"availableBalance":242.5}`,
			`{"accountBalance":250,"accountId":2001,"amount":300,"approved":true,`+
				`"authorizationId":"A-3","availableBalance":-57.5,"by":"standIn",`+
				`"holdId":"A-3","kind":"purchase","wouldHave":"insufficientFunds"}`),
		transfer("post", "created", `{"accountBalance":250,"availableBalance":237.5}`,
			`{"accountBalance":237.5,"accountId":2001,"amount":12.5,"availableBalance":237.5,`+
				`"authorizationId":"A-1","holdId":"A-1","kind":"purchase","postingId":"P-1"}`),
		{Actor: byJob("deliver orders"), Act: "deliver orders", Outcome: "order failed",
			Before: `{"orderId":"17-apipknflnjmlegjp","kind":"card.make","state":"waiting"}`,
			After:  `{"orderId":"17-apipknflnjmlegjp","kind":"card.make","state":"failed"}`},
		jobEntry("warn about expiring keys", "key expiring", audit.Subject{Kind: audit.Key, ID: "example1"},
			`{"expires":"2026-06-15T00:00:00Z"}`),
		keyAct("issue key", "created", `{"expires":"2026-12-01T00:00:00Z"}`),
		keyAct("rotate key", "changed", `{"expires":"2027-06-01T00:00:00Z"}`),
		keyAct("revoke key", "changed", `{"revoked":true}`),
		jobEntry("announce documents", "document effective", audit.Subject{Kind: "document", ID: "17"},
			`{"culture":"en-US","documentType":"FeeDisclosure",`+
				`"effectiveDate":"2026-06-01T00:00:00Z"}`),
		jobEntry("announce documents", "document expired", audit.Subject{Kind: "document", ID: "17"},
			`{"culture":"en-US","documentType":"FeeDisclosure",`+
				`"expireDate":"2026-06-01T00:00:00Z"}`),
		{Actor: audit.Actor{Kind: audit.Operator, Name: "anna"}, Act: "document published",
			Subject: audit.Of(audit.Document, 17), Outcome: "noted",
			After: `{"culture":"en-US","documentType":"FeeDisclosure",` +
				`"effectiveDate":"2026-07-01T00:00:00Z"}`},
		{Actor: audit.Actor{Kind: audit.Operator, Name: "ada"}, Act: "change customer",
			Subject: audit.Of(audit.Customer, 1001), Outcome: "changed",
			Before: `{"isLocked":false,"mobilePhone":"***"}`,
			After:  `{"isLocked":true,"mobilePhone":"***"}`},
		{Actor: audit.Actor{Kind: audit.Operator, Name: "ada"}, Act: "change account",
			Subject: audit.Of(audit.Account, 2001), Outcome: "changed",
			Before: `{"status":"Open"}`, After: `{"status":"Closed"}`},
	}
}

// keyAct returns the entry of an operator's act on a key.
func keyAct(act, outcome, after string) audit.Entry {
	return audit.Entry{
		Actor: audit.Actor{Kind: audit.Operator, Name: "ada"}, Act: act, Outcome: outcome,
		Subject: audit.Subject{Kind: audit.Key, ID: "example1"}, After: after,
	}
}

// eventsOfExamples returns the event of each example.
func eventsOfExamples(t *testing.T) []Event {
	t.Helper()
	var all []Event
	for i, entry := range examples() {
		entry.At, entry.ProgramID = full().Created.Add(time.Hour), 1
		if entry.Subject.Kind == "" {
			entry.Subject = audit.Of(audit.Card, 5001)
		}
		e, ok := New("example", LogPosition{Entry: 2*i + 7, Event: i + 4}, entry)
		same := func(other Event) bool { return other.Type == e.Type }
		if !ok || slices.ContainsFunc(all, same) {
			t.Fatalf("example %d, %s, is the event %s again, or none", i, entry.Act, e.Type)
		}
		all = append(all, e)
	}
	for _, kind := range Types() {
		if !slices.ContainsFunc(all, func(e Event) bool { return e.Type == kind }) {
			t.Errorf("%s has no example", kind)
		}
	}
	return all
}

// printed returns an event as printed on the page, on several lines.
func printed(t *testing.T, e Event) string {
	t.Helper()
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("```json\n%s\n```\n", text)
}

// tabulated returns a table row for each event.
func tabulated(t *testing.T, events []Event) string {
	t.Helper()
	var out strings.Builder
	out.WriteString("| Type | Actor | Also has | `data` |\n|---|---|---|---|\n")
	for _, e := range events {
		data, err := json.Marshal(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		var members []string
		for name, has := range map[string]bool{
			"cardId": e.CardID != 0, "customerId": e.CustomerID != 0, "requestId": e.RequestID != "",
		} {
			if has {
				members = append(members, name)
			}
		}
		slices.Sort(members)
		actor := string(e.Actor.Kind)
		if e.Actor.Kind == audit.Job {
			actor += " `" + e.Actor.Name + "`"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | `%s` |\n", e.Type, actor,
			strings.Join(members, ", "), data)
	}
	return out.String()
}

// TestGoldenExamples compares the examples of docs/events.md with the events sent.
func TestGoldenExamples(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	events := eventsOfExamples(t)
	now := string(text)
	for begin, content := range map[string]string{
		"<!-- example: printed by a test -->\n":  printed(t, events[3]),
		"<!-- examples: printed by a test -->\n": tabulated(t, events),
	} {
		before, rest, ok := strings.Cut(now, begin)
		_, after, ended := strings.Cut(rest, "<!-- end -->\n")
		if !ok || !ended {
			t.Fatalf("the page has no place for %s", begin)
		}
		now = before + begin + "\n" + content + "\n<!-- end -->\n" + after
	}
	golden.Compare(t, page, []byte(now))
}
