package webhook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
)

// attempts returns the attempts of a webhook, newest first.
func (w *world) attempts(id int) []subscription.Attempt {
	w.t.Helper()
	var attempts []subscription.Attempt
	err := w.store.View(context.Background(), func(r store.Tx) error {
		var err error
		attempts, err = r.Deliveries().ListAttempts(id, 0, 1000)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return attempts
}

// found returns a stored webhook.
func (w *world) found(id int) subscription.Webhook {
	w.t.Helper()
	var hook subscription.Webhook
	err := w.store.View(context.Background(), func(r store.Tx) error {
		var err error
		hook, err = r.Webhooks().Find(id)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return hook
}

// entries returns the audit entries of a program, 0 for none, that are not about a card, oldest
// first.
func (w *world) entries(programID int) []audit.Entry {
	w.t.Helper()
	var entries []audit.Entry
	err := w.store.View(context.Background(), func(r store.Tx) error {
		var err error
		entries, err = r.Audit().List(programID, 0, 100)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range len(entries) / 2 {
		entries[i], entries[len(entries)-1-i] = entries[len(entries)-1-i], entries[i]
	}
	return entries
}

// resolver answers each name with one address.
func resolver(t *testing.T, address [4]byte) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		query := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			// The query is repeated, followed by one answer of type A.
			answer := append([]byte(nil), query[:n]...)
			end := 12
			for answer[end] != 0 {
				end += int(answer[end]) + 1
			}
			ofA := answer[end+2] == 1
			answer = answer[:end+5]
			answer[2], answer[3], answer[7] = 0x81, 0x80, 0
			answer[8], answer[9], answer[10], answer[11] = 0, 0, 0, 0
			if ofA {
				answer[7] = 1
				answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4)
				answer = append(answer, address[:]...)
			}
			_, _ = server.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(
		ctx context.Context, _, _ string,
	) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// TestPrivateAddresses sends events to a name that resolves to the receiver, which is on the
// loopback: nothing reaches it in production, unless the settings allow it, and everything does in
// the sandbox. A reload affects open connections.
func TestPrivateAddresses(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		r := w.receive(nil)
		port := r.URL[strings.LastIndexByte(r.URL, ':'):]
		named := resolver(t, [4]byte{127, 0, 0, 1})
		detail := w.subscribe("https://hooks.example.com"+port, nil)
		w.update(func(tx store.Tx) error { // the receiver speaks plain HTTP
			hook := detail.Webhook
			hook.URL = "http://hooks.example.com" + port
			return tx.Webhooks().Put(&hook, 0)
		})
		var reach atomic.Pointer[subscription.Reach]
		sender := NewSender(func() subscription.Reach { return *reach.Load() }, named)
		closed := func(tries int) {
			t.Helper()
			reach.Store(&subscription.Reach{})
			w.lock(1, 5001)
			w.seal()
			reason := ""
			w.until("the event waits with its error", func() bool {
				for _, waiting := range w.waiting(detail.ID) {
					reason = waiting.LastError
				}
				return reason != ""
			})
			const want = "127.0.0.1 is not open to webhooks: loopback; webhooks.allow in the " +
				"settings opens it"
			if reason != want {
				t.Errorf("the reason is %q, want %q", reason, want)
			}
			if len(r.tries) != tries {
				t.Error("the receiver was reached")
			}
		}
		open := func(to subscription.Reach) {
			t.Helper()
			reach.Store(&to)
			w.clock.Advance(time.Hour)
			w.until("the event is taken", func() bool { return r.complete(w) })
		}
		reach.Store(&subscription.Reach{})
		w.deliver("a", sender)
		closed(0)
		open(subscription.Reach{Allow: loopback})
		closed(1)
		open(subscription.Reach{Sandbox: true})
		spec := events.WebhookSpec{URL: "http://hooks.example.com" + port, Paused: true}
		if _, err := w.Events.ChangeWebhook(t.Context(), ada, detail.ID, 0, spec); err != nil {
			t.Errorf("a webhook whose address is closed now cannot be paused: %v", err)
		}
	})
}

// TestProxyOfTheEnvironment checks that no proxy comes between the check and the address.
func TestProxyOfTheEnvironment(t *testing.T) {
	transport, ok := production().client.Transport.(*http.Transport)
	if !ok || transport.Proxy != nil {
		t.Error("deliveries go through a proxy")
	}
}

// TestGone checks that a receiver that answers 410 pauses its webhook, with an audit entry, and
// that the event is sent when the webhook is resumed.
func TestGone(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		r := w.receive(func(r *receiver, out http.ResponseWriter, e event.Event) bool {
			gone := r.triesOf(e) == 1
			if gone {
				out.WriteHeader(http.StatusGone)
			}
			return gone
		})
		detail := w.subscribe(r.URL, nil)
		w.deliver("a", production())
		w.lock(1, 5001)
		w.seal()
		w.until("the webhook is paused", func() bool { return w.found(detail.ID).Paused })
		hook := w.found(detail.ID)
		if !strings.Contains(hook.PausedBecause, "410 Gone to event evt_1_") {
			t.Errorf("it is paused because %q", hook.PausedBecause)
		}
		entries := w.entries(1)
		last := entries[len(entries)-1]
		if last.Act != "pause webhook" || last.Kind != audit.Job || last.ProgramID != 1 ||
			!strings.Contains(last.After, `"paused":true`) {
			t.Errorf("the entry is %+v", last)
		}
		w.lock(1, 5001)
		w.seal()
		w.clock.Advance(time.Hour)
		_, err := w.Events.ChangeWebhook(t.Context(), ada, detail.ID, hook.Revision,
			events.WebhookSpec{Name: hook.Name, URL: hook.URL})
		if err != nil {
			t.Fatal(err)
		}
		w.clock.Advance(time.Hour)
		w.until("both events come", func() bool {
			w.clock.Advance(time.Minute) // for the second event, which is also answered with 410
			if now := w.found(detail.ID); now.Paused {
				_, err = w.Events.ChangeWebhook(t.Context(), ada, detail.ID, now.Revision,
					events.WebhookSpec{Name: hook.Name, URL: hook.URL})
			}
			return err == nil && r.complete(w)
		})
		r.inOrder(w)
	})
}

// TestPause checks that events during a pause are sent after it, and none meanwhile.
func TestPause(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		paused, control := w.receive(nil), w.receive(nil)
		detail := w.subscribe(paused.URL, func(s *events.WebhookSpec) { s.Paused = true })
		w.subscribe(control.URL, nil)
		w.deliver("a", production())
		for i := range 20 {
			w.lock(1, 5001+i%3)
		}
		w.seal()
		w.until("the other webhook has all", func() bool { return control.complete(w) })
		if got := paused.taken(); len(got) > 0 {
			t.Errorf("a paused webhook was sent %v", got)
		}
		_, err := w.Events.ChangeWebhook(t.Context(), ada, detail.ID, detail.Revision,
			events.WebhookSpec{
				Name: detail.Name, URL: detail.URL, Types: event.Filter{"card.unlocked"},
			})
		if err != nil {
			t.Fatal(err)
		}
		w.until("what has happened is sent", func() bool { return paused.complete(w) })
		paused.inOrder(w)
		w.clock.Advance(time.Second)
		w.lock(1, 5001)
		w.seal()
		w.until("the other webhook has all", func() bool { return control.complete(w) })
		if paused.complete(w) {
			t.Error("a webhook was sent what it does not subscribe to any more")
		}
	})
}

// TestRetryAfter checks that a receiver may request a later attempt, up to twice the plan.
func TestRetryAfter(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		bodies := map[int]string{5001: "7", 5002: "3600", 5003: "soon"}
		r := w.receive(func(_ *receiver, out http.ResponseWriter, e event.Event) bool {
			out.Header().Set("Retry-After", bodies[e.CardID])
			out.WriteHeader(http.StatusTooManyRequests)
			return true
		})
		detail := w.subscribe(r.URL, nil)
		w.deliver("a", production())
		for cardID := range bodies {
			w.lock(1, cardID)
		}
		w.seal()
		w.until("each is tried", func() bool {
			waiting := w.waiting(detail.ID)
			return len(waiting) == 3 && waiting[0].Tries+waiting[1].Tries+waiting[2].Tries == 3 ||
				w.advanced(time.Millisecond)
		})
		for _, d := range w.waiting(detail.ID) {
			wait := d.Next.Sub(d.Since)
			least, most := 5*time.Second, 5500*time.Millisecond
			switch d.Lane {
			case 5001:
				least, most = 7*time.Second, 7*time.Second
			case 5002:
				least, most = 10*time.Second, 10*time.Second
			}
			if slack := 100 * time.Millisecond; wait < least-slack || wait > most+slack {
				t.Errorf("of card %d the next try is after %s", d.Lane, wait)
			}
		}
	})
}

// advanced moves the clock and returns false.
func (w *world) advanced(by time.Duration) bool {
	w.clock.Advance(by)
	return false
}

// TestDeadAndResent has all attempts of an event fail: it is dead, later events continue, and an
// operator can have it sent again under its identifier.
func TestDeadAndResent(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		r := w.receive(func(r *receiver, out http.ResponseWriter, e event.Event) bool {
			fails := e.Sequence == 1 && r.triesOf(e) <= len(subscription.RetryWaits)+1
			if fails {
				http.Error(out, strings.Repeat("é", 2000), http.StatusInternalServerError)
			}
			return fails
		})
		detail := w.subscribe(r.URL, nil)
		w.deliver("a", production())
		w.lock(1, 5001)
		w.lock(1, 5001)
		w.seal()
		dead := func() bool {
			waiting := w.waiting(detail.ID)
			return len(waiting) == 1 && waiting[0].State == subscription.Dead
		}
		w.until("the event is dead, and the next is taken", func() bool {
			return dead() && len(r.taken()) == 1 || w.advanced(time.Hour)
		})
		attempts := w.attempts(detail.ID)
		if len(attempts) != len(subscription.RetryWaits)+2 {
			t.Errorf("%d attempts", len(attempts))
		}
		for _, a := range attempts {
			if a.Sequence == 1 && (a.Status != 500 || len(a.Answer) > subscription.MaxAnswer+3 ||
				a.Error != "the answer is 500") {
				t.Errorf("an attempt is %+v", a)
			}
		}
		if _, err := w.Events.Resend(t.Context(), ada, detail.ID, 1); err != nil {
			t.Fatal(err)
		}
		resent, err := w.Events.FindDelivery(t.Context(), ada, detail.ID, 1)
		if failed := len(subscription.RetryWaits) + 1; err != nil || resent.Tries < failed {
			t.Errorf("sent again, the event has %d of %d attempts (%v)", resent.Tries, failed, err)
		}
		if _, err := w.Events.Resend(t.Context(), ada, detail.ID, 2); err != nil {
			t.Fatal(err)
		}
		w.until("both are sent again", func() bool { return len(r.taken()) == 3 })
		w.until("nothing waits", func() bool { return len(w.waiting(detail.ID)) == 0 })
		for sequence, want := range map[int]error{1: nil, 3: store.ErrNotFound} {
			_, err := w.Events.Resend(t.Context(), ben, detail.ID, sequence)
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("an operator of another bank resends event %d: %v", sequence, err)
			}
			_, err = w.Events.Resend(t.Context(), ada, detail.ID, sequence)
			if !errors.Is(err, want) {
				t.Errorf("event %d is resent: %v, want %v", sequence, err, want)
			}
		}
		// An attempt still in progress would be stored with its time, after the purge.
		w.until("the first is sent a last time", func() bool {
			return len(r.taken()) == 4 && len(w.waiting(detail.ID)) == 0
		})
		w.clock.Advance(subscription.KeepAttempts + time.Hour)
		if err := w.Events.PurgeDeliveries(t.Context()); err != nil {
			t.Fatal(err)
		}
		var forgotten []string
		for _, e := range w.entries(0) {
			if e.Act == "forget deliveries" {
				forgotten = append(forgotten, e.Outcome)
			}
		}
		if len(forgotten) != 1 || !strings.HasSuffix(forgotten[0], "dead deliveries dropped") {
			t.Errorf("the audit says %q of what is forgotten", forgotten)
		}
		for _, a := range w.attempts(detail.ID) {
			if a.At.Before(w.clock.Now().Add(-subscription.KeepAttempts)) {
				t.Errorf("an old attempt is kept: %+v", a)
			}
		}
	})
}
