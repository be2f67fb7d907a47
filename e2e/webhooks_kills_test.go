package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
)

// TestWebhooksOverKills kills the program while it works and delivers. Every acknowledged act is
// delivered at least once, always with the same identifier, and the acts on a card are delivered in
// order.
func TestWebhooksOverKills(t *testing.T) {
	t.Parallel()
	p, s := newProduction(t), newSubscriber(t)
	s.subscribe(p)
	created := make(map[int]bool)
	locks := 0
	for range setting(t, "MINTMARK_WEBHOOK_CYCLES", 2) {
		node := p.serve()
		api := client.New(node.url, "example1", "example1")
		var working sync.WaitGroup
		working.Go(func() { locks += turnLock(t.Context(), api) })
		working.Go(func() {
			for i := 0; ; i++ {
				wanted := newCard(fmt.Sprint("told ", len(created), " ", i))
				card, err := api.CardInitiate(t.Context(), wanted)
				if err != nil {
					return
				}
				created[card.CardID] = true
			}
		})
		//nolint:forbidigo // The random moment of the kill is the point.
		time.Sleep(time.Duration(100+rand.IntN(300)) * time.Millisecond)
		node.end(syscall.SIGKILL)
		working.Wait()
	}
	node := p.serve()
	got := s.await("an event of each act", func(got []told) bool {
		initiated, turned := make(map[int]bool), make(map[string]bool)
		for _, e := range got {
			switch e.Type {
			case "card.initiated":
				initiated[e.CardID] = true
			case "card.locked", "card.unlocked":
				turned[e.ID] = true
			}
		}
		for id := range created {
			if !initiated[id] {
				return false
			}
		}
		return len(turned) >= locks
	})
	toldInOrder(t, got)
	t.Logf("%d cards and %d locks in %d deliveries", len(created), locks, len(got))
	same(t, "exit code", node.end(syscall.SIGTERM), 0)
}

// turnLock locks and unlocks card 5001 until the program is gone, and returns the number of
// acknowledged acts. The previous program may have left the card locked; it is unlocked first, so
// that each counted act changes it.
func turnLock(ctx context.Context, api *client.Client) (answered int) {
	_, _ = api.CardUnlock(ctx, client.CardRequest{CustomerID: 1001, CardID: 5001})
	for {
		_, err := api.CardLock(ctx, client.CardLockRequest{
			CustomerID: 1001, CardID: 5001, LockReasonTypeCode: "TMP",
		})
		if err != nil {
			return answered
		}
		answered++
		_, err = api.CardUnlock(ctx, client.CardRequest{CustomerID: 1001, CardID: 5001})
		if err != nil {
			return answered
		}
		answered++
	}
}

// toldInOrder checks that the first deliveries of a card's events are in order, and that an event
// always has the same identifier.
func toldInOrder(t *testing.T, got []told) {
	t.Helper()
	last, ids := make(map[int]int), make(map[int]string)
	for _, e := range got {
		if known, again := ids[e.Sequence]; again {
			same(t, "identifier", e.ID, known)
			continue
		}
		ids[e.Sequence] = e.ID
		if e.Sequence < last[e.CardID] {
			t.Errorf("event %d of card %d came after %d", e.Sequence, e.CardID, last[e.CardID])
		}
		last[e.CardID] = e.Sequence
	}
}
