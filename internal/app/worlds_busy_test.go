package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/client/admin"
	"mintmark/internal/auditlog"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// TestRestoreMeanwhile restores a snapshot while callers order cards and read them. No caller may
// get a failure, and the audit log must verify at the end.
func TestRestoreMeanwhile(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*Settings){
		"memory": func(*Settings) {},
		"file":   func(s *Settings) { s.Data = dataDir(t) },
		"postgresql": func(s *Settings) {
			s.Data, s.Database.URL = dataDir(t), pgtest.URL(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := sandboxIn("")
			prepare(&settings)
			running := start(t, settings)
			defer stop(t, running)
			saveWorld(t, running, "here")
			rounds := 3
			if testrun.Full() {
				rounds = 10
			}
			orders, end := keepOrdering(t, running)
			for range rounds {
				before := orders.Load()
				orders.events.Until(t, "five orders", func() bool {
					return orders.Load() >= before+5 || t.Failed()
				})
				restoreWorld(t, running, "here")
				resetWorld(t, running)
			}
			end()
			verifySealed(t, running)
		})
	}
}

// counter counts, and announces each count.
type counter struct {
	atomic.Int64
	events testrun.Events
}

// keepOrdering lets callers order and read cards until end is called, and counts the orders.
func keepOrdering(t *testing.T, running *App) (orders *counter, end func()) {
	t.Helper()
	orders = new(counter)
	done := make(chan struct{})
	var callers sync.WaitGroup
	for caller := range 3 {
		callers.Go(func() {
			defer orders.events.Happened() // also after a failure
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				tag := fmt.Sprintf("tag-%d-%d", caller, i)
				card := fullResponse(t, running, "example1", "/card/initiate", orderOf(tag))
				read := fullResponse(t, running, "example1", "/card/getbytag/1001/"+tag, "")
				if !strings.Contains(card, "\n200 OK\n") || strings.Contains(read, "\n5") {
					t.Errorf("ordered and read:\n%s\n%s", card, read)
					return
				}
				orders.Add(1)
				orders.events.Happened()
			}
		})
	}
	return orders, func() {
		close(done)
		callers.Wait()
	}
}

// verifySealed seals every entry of the audit log and verifies it.
func verifySealed(t *testing.T, running *App) {
	t.Helper()
	if err := running.sealer.SealAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	report, err := auditlog.Verify(t.Context(), running.store,
		auditlog.Verification{Keys: running.vault})
	if err != nil || report.Err() != nil || report.Waiting > 0 || report.Entries == 0 {
		t.Fatalf("%+v, %v", report, err)
	}
}

// TestRestoreDuringDelivery restores a snapshot while a receiver of webhooks does not answer. The
// restore must not wait for it, and must discard the outcome of the delivery.
func TestRestoreDuringDelivery(t *testing.T) {
	t.Parallel()
	requests, answer := make(chan string, 100), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(
		func(_ http.ResponseWriter, r *http.Request) {
			requests <- r.Header.Get("webhook-id")
			<-answer
		}))
	defer receiver.Close()
	running := start(t, sandboxIn(""))
	defer stop(t, running)
	operators := admin.New(running.AdminURL(), "sandbox-administrator")
	hook, err := admin.Do[admin.Webhook](t.Context(), operators, admin.Request{
		Method: http.MethodPost, Path: "programs/1/webhooks",
		Body: admin.NewWebhook{URL: receiver.URL, Types: []string{"card.*"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	verifySealed(t, running)
	saveWorld(t, running, "here")
	fullResponse(t, running, "example1", "/card/initiate", orderOf("first"))
	first := <-requests
	began := time.Now()
	restoreWorld(t, running, "here")
	if waited := time.Since(began); waited > 10*time.Second { // a delivery may take 15
		t.Errorf("the restore has waited for %s", waited)
	}
	close(answer)
	// The same order again has the same position in the log, but its event is delivered
	// independently.
	fullResponse(t, running, "example1", "/card/initiate", orderOf("second"))
	select {
	case second := <-requests:
		if second == "" || first == "" {
			t.Errorf("delivered are %q and %q", first, second)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("nothing is delivered in the world that was put back")
	}
	verifySealed(t, running)
	path := fmt.Sprintf("webhooks/%d", hook.ID)
	webhook, err := admin.Get[admin.Webhook](t.Context(), operators, path)
	if err != nil || webhook.Dead > 0 {
		t.Errorf("%+v, %v", webhook, err)
	}
}
