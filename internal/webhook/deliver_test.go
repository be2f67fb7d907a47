package webhook

import (
	"net"
	"net/http"
	"testing"
	"time"

	"mintmark/internal/event"
	"mintmark/internal/issuing"
	"mintmark/internal/secret"
)

// TestDelivers sends events of several cards to several webhooks: each gets those that it wants, in
// the order of each card, signed with all secrets.
func TestDelivers(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		all, none := newReceiver(t, nil), newReceiver(t, nil)
		two := []secret.Text{
			secret.New("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
			secret.New("whsec_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"),
		}
		w.lock(1, 5001)
		w.seal()
		w.sent = make(map[int][]int) // what was before the subscription is not sent
		all.secrets = two
		w.subscribe(all.URL, func(s *issuing.WebhookSpec) { s.Secrets = two })
		made := w.subscribe(none.URL, func(s *issuing.WebhookSpec) {
			s.Types = event.Filter{"card.verified", "key.*"}
		})
		none.secrets = []secret.Text{made.Made}
		w.deliver("a", production())
		for i := range 100 {
			w.lock(1, 5001+i%7)
			w.lock(2, 9001)
			if i%10 == 0 {
				w.seal()
			}
		}
		w.seal()
		eventually(t, "all events are taken", func() bool { return all.complete(w) })
		all.inOrder(w)
		if got := len(all.taken()); got != 100 {
			t.Errorf("%d events were taken, want each of 100 once", got)
		}
		if got := none.taken(); len(got) > 0 {
			t.Errorf("events were sent that nobody wants: %v", got)
		}
	})
}

// misbehave are the ways of receivers that do not take an event, until it has come three times.
var misbehave = map[string]func(r *receiver, out http.ResponseWriter, e event.Event){
	"500": func(_ *receiver, out http.ResponseWriter, _ event.Event) {
		http.Error(out, "oops", http.StatusInternalServerError)
	},
	"redirect": func(r *receiver, out http.ResponseWriter, _ event.Event) {
		out.Header().Set("Location", r.URL+"/elsewhere")
		out.WriteHeader(http.StatusTemporaryRedirect)
	},
	"closes early": func(r *receiver, out http.ResponseWriter, _ event.Event) {
		connection, _, err := http.NewResponseController(out).Hijack()
		if err == nil {
			connection.Close()
		}
	},
	"slow": func(*receiver, http.ResponseWriter, event.Event) {
		time.Sleep(10 * testTimeout)
	},
}

// testTimeout is the time-out of deliveries to receivers that are slow.
const testTimeout = 100 * time.Millisecond

// TestRetries sends events to receivers that misbehave for one card, while they take those of all
// other cards at once. Each event is taken in the end, in the order of its card.
func TestRetries(t *testing.T) {
	for name, how := range misbehave {
		t.Run(name, func(t *testing.T) {
			inBoth(t, func(t *testing.T, w *world) {
				const bad, least = 5001, 3
				r := newReceiver(t, func(r *receiver, out http.ResponseWriter, e event.Event) bool {
					fails := e.CardID == bad && r.triesOf(e) < least
					if fails {
						how(r, out, e)
					}
					return fails
				})
				made := w.subscribe(r.URL, nil)
				r.secrets = []secret.Text{made.Made}
				sender := production()
				sender.client.Timeout = testTimeout
				if name != "slow" {
					sender.client.Timeout = sendTimeout
				}
				w.deliver("a", sender)
				for i := range 12 {
					w.lock(1, bad+i%3)
				}
				w.seal()
				others := func() int {
					count := 0
					for _, one := range r.taken() {
						if one.event.CardID != bad {
							count++
						}
					}
					return count
				}
				eventually(t, "other cards go on", func() bool { return others() == 8 })
				w.lock(1, bad) // comes while those before it wait
				w.seal()
				eventually(t, "the new one waits, too", func() bool {
					return len(w.waiting(made.ID)) == 5
				})
				for range 5 * (least - 1) { // each of the five events fails and is tried again
					eventually(t, "the first of the card waits for its next try", func() bool {
						waiting := w.waiting(made.ID)
						return len(waiting) > 0 && waiting[0].Next.After(w.clock.Now())
					})
					w.clock.Advance(10 * time.Minute)
				}
				eventually(t, "all events are taken", func() bool { return r.complete(w) })
				r.inOrder(w)
				eventually(t, "nothing waits", func() bool { return len(w.waiting(made.ID)) == 0 })
			})
		})
	}
}

// TestDown sends events to a receiver that is not there yet.
func TestDown(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		listener.Close()
		made := w.subscribe("http://"+address, nil)
		w.deliver("a", production())
		for i := range 9 {
			w.lock(1, 5001+i%3)
		}
		w.seal()
		eventually(t, "all wait", func() bool { return len(w.waiting(made.ID)) == 9 })
		r := newReceiver(t, nil)
		listener, err = net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: r}
		t.Cleanup(func() { server.Close() })
		go func() { _ = server.Serve(listener) }()
		eventually(t, "all are taken", func() bool {
			return r.complete(w) || w.advanced(time.Minute)
		})
		r.inOrder(w)
	})
}
