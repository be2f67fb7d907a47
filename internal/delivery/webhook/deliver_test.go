package webhook

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/event"
	"mintmark/internal/issuing/events"
)

// TestDelivers sends events of several cards to several webhooks: each gets the subscribed ones, in
// the order of each card, signed with all secrets.
func TestDelivers(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		all, none := w.receive(nil), w.receive(nil)
		two := []secret.Text{
			secret.New("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
			secret.New("whsec_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"),
		}
		w.lock(1, 5001)
		w.seal()
		w.sent = make(map[int][]int) // events before the subscription are not sent
		all.secrets = two
		w.subscribe(all.URL, func(s *events.WebhookSpec) { s.Secrets = two })
		detail := w.subscribe(none.URL, func(s *events.WebhookSpec) {
			s.Types = event.Filter{"card.verified", "key.*"}
		})
		none.secrets = []secret.Text{detail.NewSecret}
		w.deliver("a", production())
		for i := range 100 {
			w.lock(1, 5001+i%7)
			w.lock(2, 9001)
			if i%10 == 0 {
				w.seal()
			}
		}
		w.seal()
		w.until("all events are taken", func() bool { return all.complete(w) })
		all.inOrder(w)
		if got := len(all.taken()); got != 100 {
			t.Errorf("%d events were taken, want each of 100 once", got)
		}
		if got := none.taken(); len(got) > 0 {
			t.Errorf("events were sent that nobody wants: %v", got)
		}
	})
}

// misbehave are the ways in which receivers reject an event until its third attempt.
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
}

// badCard is the card whose events a misbehaving receiver accepts at the third attempt.
const badCard, badTries = 5001, 3

// misbehaving returns the first step of a misbehaving receiver.
func misbehaving(
	how func(*receiver, http.ResponseWriter, event.Event),
) func(*receiver, http.ResponseWriter, event.Event) bool {
	return func(r *receiver, out http.ResponseWriter, e event.Event) bool {
		fails := e.CardID == badCard && r.triesOf(e) < badTries
		if fails {
			how(r, out, e)
		}
		return fails
	}
}

// TestRetries sends events to receivers that misbehave for one card, but accept those of all other
// cards immediately. Each event is eventually accepted, in the order of its card.
func TestRetries(t *testing.T) {
	for name, how := range misbehave {
		t.Run(name, func(t *testing.T) {
			inBoth(t, func(t *testing.T, w *world) {
				w.retry(w.receive(misbehaving(how)), production())
			})
		})
	}
}

// TestRetriesOfSlow has a receiver that does not answer for one card. A delivery ends after its
// timeout, which passes immediately here.
func TestRetriesOfSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, openFile)
		r := &receiver{
			Server: &httptest.Server{URL: "http://127.0.0.1:1"}, world: w,
			tries: make(map[string]int), over: make(chan struct{}),
			first: misbehaving(func(r *receiver, _ http.ResponseWriter, _ event.Event) {
				<-r.over
			}),
		}
		defer close(r.over)
		sender := production()
		sender.client.Transport = r
		detail := w.retry(r, sender)
		slow := 0
		for _, a := range w.attempts(detail.ID) {
			if a.Error == "no answer within 15s" && a.Duration == sendTimeout {
				slow++
			}
		}
		if want := 5 * (badTries - 1); slow != want {
			t.Errorf("%d deliveries have ended after %v, want %d", slow, sendTimeout, want)
		}
	})
}

// retry sends events to a receiver that misbehaves for one card.
func (w *world) retry(r *receiver, sender *Sender) events.WebhookDetail {
	detail := w.subscribe(r.URL, nil)
	r.secrets = []secret.Text{detail.NewSecret}
	w.deliver("a", sender)
	for i := range 12 {
		w.lock(1, badCard+i%3)
	}
	w.seal()
	w.until("other cards go on", func() bool {
		others := 0
		for _, request := range r.taken() {
			if request.event.CardID != badCard {
				others++
			}
		}
		return others == 8
	})
	w.lock(1, badCard) // arrives while earlier ones wait
	w.seal()
	w.until("the new one waits, too", func() bool { return len(w.waiting(detail.ID)) == 5 })
	for range 5 * (badTries - 1) { // each of the five events fails and is retried
		w.until("the first of the card waits for its next try", func() bool {
			waiting := w.waiting(detail.ID)
			return len(waiting) > 0 && waiting[0].Next.After(w.clock.Now())
		})
		w.clock.Advance(10 * time.Minute)
	}
	w.until("all events are taken", func() bool { return r.complete(w) })
	r.inOrder(w)
	w.until("nothing waits", func() bool { return len(w.waiting(detail.ID)) == 0 })
	return detail
}

// TestDown sends events to a receiver that is not running yet.
func TestDown(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		listener.Close()
		detail := w.subscribe("http://"+address, nil)
		w.deliver("a", production())
		for i := range 9 {
			w.lock(1, 5001+i%3)
		}
		w.seal()
		w.until("all wait", func() bool { return len(w.waiting(detail.ID)) == 9 })
		r := w.receive(nil)
		listener, err = net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: r}
		t.Cleanup(func() { server.Close() })
		go func() { _ = server.Serve(listener) }()
		w.until("all are taken", func() bool {
			return r.complete(w) || w.advanced(time.Minute)
		})
		r.inOrder(w)
	})
}

// TestReasonQuotesNoAnswer has receivers send text that Go's client quotes in its errors.
func TestReasonQuotesNoAnswer(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{
		"HTTP/1.1 307 Go\r\nLocation: :Ada Example\r\n\r\n", "HTTP/1.1 200 OK\r\nAda Example\r\n\r\n",
		"Ada Example\r\n\r\n", "HTTP/1.1 Ada Example\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: Ada Example\r\n\r\n",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
			connection, _, err := http.NewResponseController(out).Hijack()
			if err == nil {
				_, _ = connection.Write([]byte(sent))
				connection.Close()
			}
		}))
		r := production().Send(t.Context(), server.URL, nil, event.Event{})
		server.Close()
		if r.Error != "the answer is not valid HTTP" {
			t.Errorf("%q: %s", sent, r.Error)
		}
	}
}

// TestReasonsInPlainWords checks that the reason of a failed connection is in an operator's words.
func TestReasonsInPlainWords(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	for to, want := range map[string]string{
		closed.URL: "connection refused: nothing listens at the address and port",
		secure.URL: "the certificate is not trusted: x509: ",
		strings.Replace(plain.URL, "http:", "https:", 1): "the receiver speaks plain HTTP, not HTTPS",
	} {
		r := production().Send(t.Context(), to, nil, event.Event{})
		if !strings.HasPrefix(r.Error, want) {
			t.Errorf("%s: %q, want %q", to, r.Error, want)
		}
	}
	lookup := &net.DNSError{
		Err: "no such host", Name: "till.invalid", Server: "10.0.0.53:53", IsNotFound: true,
	}
	failed := &url.Error{
		Op: "Post", URL: "https://till.invalid", Err: &net.OpError{Op: "dial", Err: lookup},
	}
	if got := reason(failed); got != "no such host: till.invalid" {
		t.Errorf("of an unknown name: %q", got)
	}
	lookup.IsNotFound, lookup.Err = false, "broken"
	if got := reason(failed); got != "the host till.invalid could not be looked up: broken" {
		t.Errorf("of a resolver that fails: %q", got)
	}
}
