package admin

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

// detachingSender is a sender that cancels the request's context as soon as the act detaches from
// its deadline.
type detachingSender struct {
	body string
	end  context.CancelFunc
}

func (p detachingSender) ReadBodyOf(int64) ([]byte, error) { return []byte(p.body), nil }
func (p detachingSender) OpenBody(int64) io.Reader         { return nil }
func (p detachingSender) Note(slog.Attr)                   {}
func (p detachingSender) Fault(error)                      {}

func (p detachingSender) WithoutDeadline() context.Context {
	p.end()
	return context.Background()
}

// TestAnswerOutlivesDeadline checks that the response of an act without a deadline is stored: a
// repeated request gets it and starts no second replay.
func TestAnswerOutlivesDeadline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const who = "configurator"
	done[wire.Webhook](w, as(who, "POST", "programs/1/webhooks",
		`{"name":"bus","url":"https://example.com/"}`), http.StatusCreated)
	for _, replayed := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		result, err := w.desk.Do(ctx, Request{
			Method: http.MethodPost, Path: "webhooks/1/replay", IdempotencyKeys: []string{"once"},
			Who: w.known[who], Sender: detachingSender{`{"fromSequence":1}`, cancel},
		})
		cancel()
		if err != nil || result.Replayed != replayed {
			t.Errorf("replayed %t, %v, want %t", result.Replayed, err, replayed)
		}
	}
	result, err := w.desk.Do(t.Context(), Request{
		Method: http.MethodPost, Path: "webhooks/1/replay", IdempotencyKeys: []string{"once"},
		Who: w.known[who], Sender: detachingSender{`{"fromSequence":2}`, func() {}},
	})
	if result.Location != "/admin/v1/webhooks/1/replay" || err == nil ||
		!strings.Contains(err.Error(), "another body") {
		t.Errorf("the key of another request names %q, %v", result.Location, err)
	}
	replays := read[wire.List[wire.Replay]](w, who, "webhooks/1/replay")
	if len(replays.Items) != 1 {
		t.Errorf("%d replays", len(replays.Items))
	}
}

// TestKeyOfOtherOwner names what an idempotency key created, although the request with another body
// is sent to another program.
func TestKeyOfOtherOwner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for list, body := range map[string]string{
		"keys":     `{"name":"till","allow":["::1"]}`,
		"products": `{"id":77,"name":"G","type":"Savings","category":"Savings"}`,
	} {
		send := func(program string) (Result, error) {
			return w.desk.Do(t.Context(), Request{
				Method: http.MethodPost, Path: "programs/" + program + "/" + list,
				IdempotencyKeys: []string{list}, Who: w.known["administrator"],
				Sender: detachingSender{body, func() {}},
			})
		}
		if _, err := send("1"); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"keys": "/admin/v1/programs/1/keys/till"}[list]
		if result, err := send("2"); err == nil || result.Location != want {
			t.Errorf("the key of %s names %q, %v, want %q", list, result.Location, err, want)
		}
	}
}
