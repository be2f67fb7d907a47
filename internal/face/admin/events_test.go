package admin

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/event"
	"mintmark/internal/face/web"
)

// TestEventsAreWhatWebhooksAreSent checks that operators see the same bytes that a webhook's
// receiver gets.
func TestEventsAreWhatWebhooksAreSent(t *testing.T) {
	t.Parallel()
	for _, by := range []audit.Actor{
		{Kind: audit.APIKey, Name: "a<b", RequestID: uuid.NewString()},
		{Kind: audit.Job, Name: "expire"},
	} {
		e, ok := event.New("here", event.LogPosition{Entry: 7, Event: 4}, audit.Entry{
			At: start, Actor: by, Act: "/card/lock", Outcome: "changed", ProgramID: 1,
			Subject: audit.Of(audit.Card, 5001), CustomerID: 1001,
			Before: `{"lockTypeCode":"UNL"}`, After: `{"lockTypeCode":"CST"}`,
		})
		if !ok {
			t.Fatal("the entry is no event")
		}
		sent, err := e.Body()
		if err != nil {
			t.Fatal(err)
		}
		item, err := eventOf(e)
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := json.Marshal(item); err != nil || !bytes.Equal(shown, sent) {
			t.Errorf("operators are shown %s, %v; the webhook is sent %s", shown, err, sent)
		}
	}
}

// TestFollow checks the valid and invalid queries on an empty log. The response is immediate if the
// query names no position or one past the end of the log.
func TestFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who = "configurator"
	for _, query := range []string{
		"wait=30s", "after=0", "after=0&wait=0s", "after=7&wait=60s",
		"after=0&limit=1&programId=1&cardId=5001&type=card.*",
	} {
		got := read[wire.EventList](w, who, "events?"+query)
		if got.After == nil || *got.After != 0 || got.Items == nil || len(got.Items) != 0 {
			t.Errorf("events?%s: %+v", query, got)
		}
	}
	for _, query := range []string{
		"after=-1", "after=x", "after=0&wait=61s", "after=0&wait=20", "after=0&wait=-1s",
		"after=0&wait=x", "after=0&limit=0", "after=0&cursor=x", "after=0&type=nothing",
	} {
		w.problem(as(who, "GET", "events?"+query, ""), wire.Invalid)
	}
	w.problem(as("elsewhere", "GET", "events?after=0&programId=1", ""), wire.NotFound)
	w.problem(as(who, "GET", "events/tail", ""), wire.NotFound)

	// A wait may exceed the answer timeout.
	w.handler = web.NewHost(slog.New(slog.DiscardHandler), uuid.NewString,
		web.Settings{AnswerTimeout: 10 * time.Millisecond}).Handler(New(w.desk))
	read[wire.EventList](w, who, "events?after=0&wait=20ms")
}
