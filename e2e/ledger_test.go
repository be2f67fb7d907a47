package e2e

import (
	"slices"
	"testing"
	"time"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/base/clock"
	"mintmark/internal/domain/fault"
)

// stillWorld returns a world with a frozen clock: no rate limit of a key refills, however slow the
// machine is.
func stillWorld(t *testing.T) *ledger.World {
	t.Helper()
	return ledger.NewWorld(t, app.Settings{Clock: clock.FrozenAt(time.Now())})
}

// TestLedger provokes every fault over HTTP and compares the code, the status and the message.
func TestLedger(t *testing.T) {
	t.Parallel()
	world := stillWorld(t)
	for _, c := range ledger.Cases {
		t.Run(c.Name, func(t *testing.T) {
			reply, want := world.Under(t).Do(c)
			entry := fault.Lookup(c.Kind)
			if reply.HTTP != entry.HTTP || reply.Status != entry.HTTP {
				t.Errorf("HTTP status %d, status %d, want %d",
					reply.HTTP, reply.Status, entry.HTTP)
			}
			wanted := []ledger.Error{{Code: entry.Code, Message: want}}
			if !slices.Equal(reply.Errors, wanted) {
				t.Errorf("errors\n%+v, want\n%+v", reply.Errors, wanted)
			}
			if reply.Data != nil {
				t.Errorf("an answer that failed holds data: %s", reply.Data)
			}
		})
	}
}

// TestLedgerIsComplete compares the ledger with the catalogue: each fault is either provoked or
// reserved.
func TestLedgerIsComplete(t *testing.T) {
	t.Parallel()
	for _, entry := range fault.Entries() {
		provoked := len(ledger.Names(entry.Kind)) > 0
		if reserved := entry.Reserved != ""; provoked == reserved {
			t.Errorf("%d %q: provoked is %v, reserved is %v",
				entry.Code, entry.Message, provoked, reserved)
		}
	}
}
