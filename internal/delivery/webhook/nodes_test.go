package webhook

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
)

// TestDeadNode checks that within a minute another node serves the endpoints of a node that died,
// and immediately those of a node that stopped.
func TestDeadNode(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		r := w.receive(nil)
		w.subscribe(r.URL, nil)
		held, err := w.Events.ClaimEndpoints(t.Context(), "dead", 9)
		if err != nil || len(held) != 1 {
			t.Fatalf("%v, %v", held, err)
		}
		stop := w.deliver("a", production())
		w.lock(1, 5001)
		w.seal()
		held, err = w.Events.ClaimEndpoints(t.Context(), "b", 9)
		if err != nil || len(held) != 0 {
			t.Errorf("another node has %v, %v", held, err)
		}
		w.clock.Advance(time.Minute)
		w.until("the event is taken", func() bool { return r.complete(w) })
		stop()
		held, err = w.Events.ClaimEndpoints(t.Context(), "b", 9)
		if err != nil || len(held) != 1 || held[0].Position != 1 {
			t.Errorf("after a stop another node has %v, %v", held, err)
		}
		// A node that comes back late stores nothing, nor does a worker that is behind its node.
		for node, position := range map[string]int{"dead": 7, "b": 0} {
			err = w.Events.SettleDeliveries(t.Context(), events.Settlement{
				Node: node, WebhookID: held[0].WebhookID, Position: position,
			})
			if !errors.Is(err, store.ErrLostUpdate) {
				t.Errorf("node %s settles late at %d: %v", node, position, err)
			}
		}
	})
}

// TestUnderWay starts and stops nodes and has receivers reject at random, while the clock runs
// ahead. Each event is accepted, in the order of its card.
func TestUnderWay(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		var receivers []*receiver
		for i := range 3 {
			share := 0.15 * float64(i) // so that no event fails ten times
			r := w.receive(func(_ *receiver, out http.ResponseWriter, _ event.Event) bool {
				fails := rand.Float64() < share
				if fails {
					out.WriteHeader(http.StatusBadGateway)
				}
				return fails
			})
			detail := w.subscribe(r.URL, nil)
			r.secrets = []secret.Text{detail.NewSecret}
			receivers = append(receivers, r)
		}
		stops := []func(){w.deliver("0", production()), w.deliver("1", production())}
		for i := range 150 {
			w.lock(1, 5001+rand.IntN(10))
			if i%15 == 0 {
				w.seal()
			}
			if i%50 == 25 {
				stops[0]()
				stops = append(stops[1:], w.deliver(fmt.Sprint("node ", i), production()))
			}
			w.clock.Advance(time.Second)
		}
		w.seal()
		stops[0]() // leases expire with the clock, and the nodes would take claims from each other
		for _, r := range receivers {
			w.until("each event is taken", func() bool {
				return r.complete(w) || w.advanced(10*time.Minute)
			})
			r.inOrder(w)
		}
	})
}

// TestDeadEndpoints has a hundred endpoints, half of which never answer. The others get an event
// soon; the delay is printed, and a longer run tests it.
func TestDeadEndpoints(t *testing.T) {
	w := newWorld(t, openFile)
	hole, err := net.Listen("tcp", "127.0.0.1:0") // connections are opened, and never answered
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	w.lock(1, 5000)
	w.seal()
	w.sent = make(map[int][]int)
	var alive []*receiver
	for i := range 50 {
		r := w.receive(nil)
		w.subscribe(r.URL, nil)
		w.subscribe("http://"+hole.Addr().String()+"/"+fmt.Sprint(i), nil)
		alive = append(alive, r)
	}
	w.deliver("a", production())
	for _, round := range []string{"the first event", "an event while half are dead"} {
		w.lock(1, 5001)
		began := time.Now()
		w.seal()
		for _, r := range alive {
			w.until(round, func() bool { return r.complete(w) })
		}
		t.Logf("50 of 100 endpoints got %s in %v", round, time.Since(began).Round(time.Millisecond))
	}
}

// TestReplay sends events again, by time and by sequence, and counts them.
func TestReplay(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		r := w.receive(nil)
		detail := w.subscribe(r.URL, func(s *events.WebhookSpec) {
			s.Types = event.Filter{"card.locked"}
		})
		w.deliver("a", production())
		for i := range 30 {
			w.lock(1, 5001+i%4)
			w.lock(2, 9001)
			w.clock.Advance(time.Hour)
			w.seal()
		}
		w.until("all are taken", func() bool { return r.complete(w) })
		first := sortedBySequence(r.taken())
		for _, test := range []struct {
			request events.ReplayRequest
			want    []got
		}{
			{events.ReplayRequest{FromSequence: 1}, first},
			{events.ReplayRequest{FromSequence: 21}, first[10:]},
			{events.ReplayRequest{From: start.Add(5 * time.Hour), To: start.Add(9 * time.Hour)},
				first[5:9]},
			{events.ReplayRequest{From: start.Add(-time.Hour), To: start}, nil},
			{events.ReplayRequest{FromSequence: 1000}, nil},
		} {
			before := len(r.taken())
			replay, err := w.Events.StartReplay(t.Context(), ada, detail.ID, test.request)
			if err != nil || replay.Count != len(test.want) {
				t.Fatalf("%+v: %d events, %v, want %d", test.request, replay.Count, err,
					len(test.want))
			}
			w.until("the replay has ended", func() bool {
				open, sent := w.replays(detail.ID)
				return open == 0 && sent == len(test.want)
			})
			again := r.taken()[before:]
			for i, request := range sortedBySequence(again) {
				if i < len(test.want) && request.id != test.want[i].id {
					t.Errorf("%+v: %s is sent again as %s", test.request, test.want[i].id, request.id)
				}
			}
			if len(again) != len(test.want) {
				t.Errorf("%+v: %d events were sent, want %d", test.request, len(again),
					len(test.want))
			}
		}
		for _, bad := range []events.ReplayRequest{
			{}, {FromSequence: -1}, {To: start}, {From: start, To: start},
			{From: start, To: start.Add(1), FromSequence: 1},
		} {
			_, err := w.Events.StartReplay(t.Context(), ada, detail.ID, bad)
			var invalid *problem.InvalidError
			if !errors.As(err, &invalid) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	})
}

func sortedBySequence(list []got) []got {
	return slices.SortedFunc(slices.Values(list), func(a, b got) int {
		return a.event.Sequence - b.event.Sequence
	})
}

// replays returns the number of open replays, and of the events that the newest has sent.
func (w *world) replays(id int) (open, sent int) {
	w.t.Helper()
	err := w.store.View(context.Background(), func(r store.Tx) error {
		all, err := r.Deliveries().ListReplays(id, 1)
		atWork, alsoErr := r.Deliveries().ListOpenReplays(id)
		open = len(atWork)
		if len(all) > 0 {
			sent = all[0].Sent
		}
		return errors.Join(err, alsoErr)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return open, sent
}

// TestActs checks which requests of operators are accepted, which are rejected, and that the audit
// entries contain no secret.
func TestActs(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		const secretText = "whsec_Q0FOQVJZQ0FOQVJZQ0FOQVJZQ0FOQVJZ"
		fine := events.WebhookSpec{
			Name: "hooks", URL: "https://example.com/?token=canary", Types: event.Filter{"card.*"},
			Secrets: []secret.Text{secret.New(secretText)},
		}
		detail, err := w.Events.CreateWebhook(t.Context(), ada, 1, fine)
		if err != nil || detail.NewSecret.Reveal() != "" {
			t.Fatalf("%+v, %v", detail, err)
		}
		taken := (*issuing.RefusedError)(nil)
		if _, err := w.Events.CreateWebhook(t.Context(), ada, 1, fine); !errors.As(err, &taken) {
			t.Errorf("a taken name: %v", err)
		}
		for what, change := range map[string]func(*events.WebhookSpec){
			"url": func(s *events.WebhookSpec) { s.Name, s.URL = "b", "https://10.1.2.3" },
			"types": func(s *events.WebhookSpec) {
				s.Name, s.Types = "b", event.Filter{"cards"}
			},
			"secrets[0]": func(s *events.WebhookSpec) {
				s.Name, s.Secrets = "b", []secret.Text{secret.New("canary")}
			},
		} {
			spec := fine
			change(&spec)
			_, err := w.Events.CreateWebhook(t.Context(), ada, 1, spec)
			var invalid *problem.InvalidError
			if !errors.As(err, &invalid) || invalid.Problems[0].Path != what ||
				strings.Contains(err.Error(), "canary") {
				t.Errorf("%s: %v", what, err)
			}
		}
		fine.Types, fine.Secrets = nil, nil
		_, err = w.Events.ChangeWebhook(t.Context(), ada, detail.ID, 7, fine)
		if !errors.Is(err, store.ErrLostUpdate) {
			t.Errorf("another revision: %v", err)
		}
		changed, err := w.Events.ChangeWebhook(t.Context(), ada, detail.ID, 1, fine)
		if err != nil || changed.Revision != 2 || len(changed.Secrets) != 1 {
			t.Errorf("%+v, %v", changed, err)
		}
		err = w.Events.DeleteWebhook(t.Context(), ben, detail.ID, 2)
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an operator of another bank: %v", err)
		}
		if err := w.Events.DeleteWebhook(t.Context(), ada, detail.ID, 2); err != nil {
			t.Error(err)
		}
		short, err := w.Events.CreateWebhook(t.Context(), ada, 1,
			events.WebhookSpec{URL: "https://127.1.2.3/"})
		if err != nil || short.Name != "https://127.1.2.3/" ||
			subscription.CheckSecret(short.NewSecret.Reveal()) != "" {
			t.Errorf("%+v, %v", short, err)
		}
		var acts []string
		for _, e := range w.entries(1) {
			acts = append(acts, fmt.Sprint(e.Act, ", ", e.Outcome, ", ", e.Name))
			text := fmt.Sprintf("%+v", e)
			if strings.Contains(text, "canary") || strings.Contains(text, "Q0FO") ||
				e.Subject.Kind != audit.Webhook {
				t.Errorf("an entry is %s", text)
			}
		}
		want := []string{
			"create webhook, created, ada", "change webhook, changed, ada",
			"delete webhook, deleted, ada", "create webhook, created, ada",
		}
		if !slices.Equal(acts, want) {
			t.Errorf("the audit has %q, want %q", acts, want)
		}
	})
}

// TestEvents lists events, and waits for the next one.
func TestEvents(t *testing.T) {
	inBoth(t, func(t *testing.T, w *world) {
		for i := range 10 {
			w.lock(1+i%2, 5001)
		}
		w.seal()
		list := func(q events.EventQuery) []int {
			t.Helper()
			l, err := w.Events.Events(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			var sequences []int
			for _, e := range l.Events {
				sequences = append(sequences, e.Sequence)
			}
			return sequences
		}
		for _, test := range []struct {
			query events.EventQuery
			want  []int
		}{
			{events.EventQuery{Limit: 3}, []int{1, 2, 3}},
			{events.EventQuery{After: 8, Limit: 3}, []int{9, 10}},
			{events.EventQuery{Programs: []int{2}, Limit: 3}, []int{2, 4, 6}},
			{events.EventQuery{Types: event.Filter{"key.*"}, Limit: 3}, nil},
			{events.EventQuery{After: 10, Limit: 3}, nil},
		} {
			if got := list(test.query); !slices.Equal(got, test.want) {
				t.Errorf("%+v lists %v, want %v", test.query, got, test.want)
			}
		}
		query := events.EventQuery{After: 10, Programs: []int{1}, Limit: 5}
		none, err := w.Events.AwaitEvents(t.Context(), query, time.Millisecond)
		if err != nil || len(none.Events) > 0 || none.Next != 10 {
			t.Errorf("%+v, %v", none, err)
		}
		came := make(chan events.EventList)
		go func() {
			l, err := w.Events.AwaitEvents(t.Context(), query, time.Minute)
			if err != nil {
				t.Error(err)
			}
			came <- l
		}()
		w.lock(2, 5001)
		w.seal()
		w.lock(1, 5002)
		w.seal()
		l := <-came
		if len(l.Events) != 1 || l.Events[0].CardID != 5002 || l.Next != 12 {
			t.Errorf("what came is %+v", l)
		}
	})
}
