package listen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/client/admin"
)

// service answers events like a service whose events have one type, without waiting.
type service struct {
	*httptest.Server
	mu     sync.Mutex
	newest int
	down   int      // the number of requests that fail first
	asked  []string // the queries
}

func newService(t *testing.T, newest int) *service {
	s := &service{newest: newest}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.URL.RawQuery)
		if s.down > 0 {
			s.down--
			panic(http.ErrAbortHandler)
		}
		tail := events{Items: []json.RawMessage{}, After: s.newest}
		var after int
		if _, err := fmt.Sscan(r.URL.Query().Get("after"), &after); err == nil {
			for i := after + 1; i <= s.newest; i++ {
				tail.Items = append(tail.Items, body(i))
			}
		}
		_ = json.NewEncoder(w).Encode(tail)
	}))
	t.Cleanup(s.Close)
	return s
}

func body(sequence int) json.RawMessage {
	return fmt.Appendf(nil, `{"id":"evt_%d","sequence":%[1]d,"type":"card.locked","cardId":7}`,
		sequence)
}

func (s *service) end(newest int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newest = newest
}

// follower is a Run whose pauses take no time, with the events that it delivered and the lines that
// it printed.
type follower struct {
	Settings
	told []int
	said []string
}

func (s *service) follower(t *testing.T, limit int) *follower {
	secret, err := NewSecret()
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{}
	f.Settings = Settings{
		Client: admin.New(s.URL, "token"), Secrets: []Secret{secret}, Limit: limit,
		Ready: func(int) {},
		OnDelivered: func(d Delivery) error {
			f.told = append(f.told, d.Event.Sequence)
			return nil
		},
		Say: func(format string, args ...any) {
			f.said = append(f.said, fmt.Sprintf(format, args...))
		},
		pause: func(time.Duration) bool { return true },
	}
	return f
}

func (f *follower) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := Run(ctx, f.Settings); err != nil {
		t.Error(err)
	}
}

// TestFromNow checks that earlier events are skipped, and that the filter is sent with every
// request.
func TestFromNow(t *testing.T) {
	t.Parallel()
	s := newService(t, 3)
	f := s.follower(t, 2)
	f.After, f.Filter = FromNow, url.Values{"cardId": {"7"}}
	f.Ready = func(after int) {
		if after != 3 {
			t.Errorf("ready behind %d", after)
		}
		s.end(6)
	}
	f.run(t)
	if diff := cmp.Diff([]int{4, 5}, f.told); diff != "" {
		t.Error(diff)
	}
	for _, query := range s.asked {
		if !strings.Contains(query, "cardId=7") {
			t.Errorf("asked for %q", query)
		}
	}
}

// TestServiceAway checks that an unreachable service is retried, and that this is reported once.
func TestServiceAway(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	f := s.follower(t, 4)
	f.Ready = func(int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.newest, s.down = 4, 5
	}
	f.run(t)
	if diff := cmp.Diff([]int{1, 2, 3, 4}, f.told); diff != "" {
		t.Error(diff)
	}
	if len(f.said) != 2 || !strings.Contains(f.said[1], "answers again") {
		t.Errorf("said %q", f.said)
	}
}

// TestPutBack checks that the follower continues at the end of a log that was restored.
func TestPutBack(t *testing.T) {
	t.Parallel()
	s := newService(t, 5)
	f := s.follower(t, 7)
	count, told := 0, f.OnDelivered
	f.OnDelivered = func(d Delivery) error {
		count++
		if count == 5 {
			s.end(2)
		}
		return told(d)
	}
	f.pause = func(time.Duration) bool { return true }
	f.Say = func(string, ...any) { s.end(4) }
	f.run(t)
	if diff := cmp.Diff([]int{1, 2, 3, 4, 5, 3, 4}, f.told); diff != "" {
		t.Error(diff)
	}
}

// TestRefusedByTheService checks that a rejection ends the run with the problem.
func TestRefusedByTheService(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	f := s.follower(t, 1)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"type":"/problems/not-allowed","title":"No","status":403}`)
	}))
	defer refusing.Close()
	f.Client = admin.New(refusing.URL, "token")
	var problem *admin.Problem
	if err := Run(t.Context(), f.Settings); !errors.As(err, &problem) {
		t.Errorf("the run ends with %v", err)
	}
}

// TestGivenUp checks that a rejected event is tried three times, with a new signature each time,
// and that the next one is delivered.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	s := newService(t, 2)
	f := s.follower(t, 2)
	var got []string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Webhook-Id"))
		if r.Header.Get("Webhook-Id") == "evt_1" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound) // redirects are not followed
		}
	}))
	defer receiver.Close()
	f.To = receiver.URL
	f.run(t)
	if diff := cmp.Diff([]string{"evt_1", "evt_1", "evt_1", "evt_2"}, got); diff != "" {
		t.Error(diff)
	}
	if len(f.said) != 1 || !strings.Contains(f.said[0], "Event 1 is dropped") ||
		!strings.Contains(f.said[0], "--after 0 begins with it") {
		t.Errorf("said %q", f.said)
	}
}

// TestReceiverAway checks that an unreachable receiver is retried, and that the report does not
// contain the password in its address.
func TestReceiverAway(t *testing.T) {
	t.Parallel()
	s := newService(t, 1)
	f := s.follower(t, 1)
	down := 10
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if down--; down > 0 {
			panic(http.ErrAbortHandler)
		}
	}))
	defer receiver.Close()
	f.To = strings.Replace(receiver.URL, "http://", "http://user:hidden@", 1)
	f.run(t)
	if diff := cmp.Diff([]int{1}, f.told); diff != "" {
		t.Error(diff)
	}
	if len(f.said) != 1 || strings.Contains(f.said[0], "hidden") {
		t.Errorf("said %q", f.said)
	}
}

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for address, fine := range map[string]bool{
		"http://127.0.0.1:3000/a": true, "https://example.com": true, "localhost:3000": false,
		"ftp://example.com": false, "http://": false, "": false, "http://[": false,
	} {
		if err := CheckAddress(address); (err == nil) != fine {
			t.Errorf("%q: %v", address, err)
		}
	}
}
