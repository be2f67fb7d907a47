package e2e

import (
	"encoding/base64"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/testkit/testrun"
)

// TestPinOverload sends more concurrent PINs with one key than may wait. The excess ones are
// rejected; the others are answered as usual, or slowed down if too many were no PIN. PINs with
// another key are accepted throughout, and those with the first key after some time.
func TestPinOverload(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	// What no algorithm can decrypt costs the most, and counts against no card.
	undecryptable := base64.StdEncoding.EncodeToString(make([]byte, 48))
	request := ledger.Request{
		Path: "/card/resetpin", Body: ledger.Act(5001, `"newPin":"`+undecryptable+`"`),
	}
	good := ledger.Request{
		Path: "/card/resetpin", Body: ledger.Act(5002, `"newPin":"MTIzNA=="`), Key: "example2",
	}
	// The number that may wait depends on the machine.
	replies := make([]ledger.Reply, 200*runtime.GOMAXPROCS(0))
	began := time.Now()
	var asking sync.WaitGroup
	for i := range replies {
		asking.Go(func() { replies[i] = world.Send(request) })
	}
	for range 3 {
		same(t, "a PIN of another key", world.Send(good).HTTP, http.StatusOK)
	}
	asking.Wait()
	answered := make(map[int]int)
	for _, reply := range replies {
		answered[reply.Errors[0].Code]++
		switch reply.Status {
		case http.StatusBadRequest:
			wantCode(t, reply, 150901)
		case http.StatusTooManyRequests:
			wantCode(t, reply, 50429)
			same(t, "Retry-After", reply.Header.Get("Retry-After"), "1")
		default:
			wantCode(t, reply, 50503)
			same(t, "Retry-After", reply.Header.Get("Retry-After"), "1")
		}
	}
	// One more is tried for each second that it takes, and the queue may be full throughout, or
	// never.
	if took := int(time.Since(began).Seconds()); answered[150901] < 60 || answered[150901] > 90+took {
		t.Errorf("answered in %d s: %v", took, answered)
	}
	good.Key, good.Body = "", ledger.Act(5001, `"newPin":"MTIzNA=="`)
	testrun.Within(t, "the key is let in again", func() bool {
		reply := world.Send(good)
		if reply.HTTP != http.StatusOK {
			wantCode(t, reply, 50429)
		}
		return reply.HTTP == http.StatusOK
	})
}

func wantCode(t *testing.T, reply ledger.Reply, code int) {
	t.Helper()
	if len(reply.Errors) != 1 || reply.Errors[0].Code != code {
		t.Errorf("answered %s, want %d", reply.Raw, code)
	}
}
