package admin

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	wire "mintmark/client/admin"
	"mintmark/internal/audit"
	"mintmark/internal/event"
)

// TestEventsAreWhatWebhooksAreSent holds that operators are shown the bytes of the webhook.
func TestEventsAreWhatWebhooksAreSent(t *testing.T) {
	t.Parallel()
	for _, by := range []audit.Actor{
		{Kind: audit.APIKey, Name: "a<b", RequestID: uuid.NewString()},
		{Kind: audit.Job, Name: "expire"},
	} {
		made, ok := event.New("here", event.Place{Entry: 7, Event: 4}, audit.Entry{
			At: start, Actor: by, Act: "/card/lock", Outcome: "changed", ProgramID: 1,
			Subject: audit.Of(audit.Card, 5001), CustomerID: 1001,
			Before: `{"lockTypeCode":"UNL"}`, After: `{"lockTypeCode":"CST"}`,
		})
		if !ok {
			t.Fatal("the entry is no event")
		}
		sent, err := made.Body()
		if err != nil {
			t.Fatal(err)
		}
		item, err := eventOf(made)
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := json.Marshal(item); err != nil || !bytes.Equal(shown, sent) {
			t.Errorf("operators are shown %s, %v; the webhook is sent %s", shown, err, sent)
		}
	}
}

// TestTail holds that an empty log is answered at once where its end is asked for, or lies in front
// of the place, and what a query may hold.
func TestTail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who = "configurator"
	for _, query := range []string{
		"", "?after=0&wait=0", "?after=7&wait=20", "?programId=1&cardId=5001&type=card.*",
	} {
		got := read[wire.EventTail](w, who, "events/tail"+query)
		if got.After != 0 || got.Items == nil || len(got.Items) != 0 {
			t.Errorf("events/tail%s: %+v", query, got)
		}
	}
	for _, query := range []string{"after=-1", "after=x", "wait=21", "wait=x", "type=nothing"} {
		w.problem(as(who, "GET", "events/tail?"+query, ""), wire.Invalid)
	}
	w.problem(as("elsewhere", "GET", "events/tail?programId=1", ""), wire.NotFound)
}
