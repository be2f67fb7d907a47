package e2e

import (
	"net/http"
	"sync"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestPinOverload sends more PINs at once than may wait. Those too many are refused, the others are
// answered as ever, and when the crowd is gone PINs are taken again.
func TestPinOverload(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	// What opens under no algorithm costs the most, and counts against no card.
	request := ledger.Request{Path: "/card/resetpin", Body: ledger.Act(5001, `"newPin":"AAAA"`)}
	// How many may wait depends on the machine, so the crowd grows until it is too large.
	refused := 0
	for crowd := 100; refused == 0; crowd *= 2 {
		if crowd > 10_000 {
			t.Fatal("PINs are never refused")
		}
		replies := make([]ledger.Reply, crowd)
		var asking sync.WaitGroup
		for i := range replies {
			asking.Go(func() { replies[i] = world.Send(request) })
		}
		asking.Wait()
		for _, reply := range replies {
			if reply.Status != http.StatusServiceUnavailable {
				wantCode(t, reply, 150901)
				continue
			}
			wantCode(t, reply, 50503)
			same(t, "Retry-After", reply.Header.Get("Retry-After"), "1")
			refused++
		}
	}
	reply := world.Send(ledger.Request{
		Path: "/card/resetpin", Body: ledger.Act(5001, `"newPin":"MTIzNA=="`),
	})
	same(t, "a PIN after the crowd", reply.HTTP, http.StatusOK)
}

func wantCode(t *testing.T, reply ledger.Reply, code int) {
	t.Helper()
	if len(reply.Errors) != 1 || reply.Errors[0].Code != code {
		t.Errorf("answered %s, want %d", reply.Raw, code)
	}
}
