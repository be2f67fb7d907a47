package dispatch_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/domain/card"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/testkit/testworld"
)

// TestResume kills a sandbox between an act and its orders. The next process carries them out
// before it answers any request, however recent their claims are.
func TestResume(t *testing.T) {
	t.Parallel()
	onBoth(t, 1, func(t *testing.T, w *world) {
		settings := w.nodes[0].Settings
		settings.Mode = card.Sandbox
		w.nodes[0] = acts.New(w.stores[0], testworld.Keys(t), settings)
		c := w.initiate("0001")
		w.lock(c.ID, "TMP")
		if due := w.deliver(0, newStand(nil)); due > 0 {
			t.Errorf("%d orders are due that their acts carry out", due)
		}
		again := dispatch.New(w.nodes[0].Orders, dispatch.Settings{
			Port: simulator.NewPort(simulator.New("test", simulator.Instant), time.Now),
			Log:  slog.New(slog.DiscardHandler), Synchronous: true,
		})
		if err := again.Resume(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := w.stored(c.ID).Status; got != card.PendingVerification {
			t.Errorf("the card is %s", got)
		}
		w.settled()
	})
}
