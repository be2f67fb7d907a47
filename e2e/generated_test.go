package e2e

import (
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
	"mintmark/internal/app"
)

// TestGeneratedRequests generates requests from openapi.yaml, valid and invalid ones, and sends
// them to a sandbox from many concurrent callers. There must be no internal error, and each answer
// must be one that the document describes for the operation. MINTMARK_REQUESTS sets their number,
// MINTMARK_SEED the seed.
func TestGeneratedRequests(t *testing.T) {
	t.Parallel()
	const callers = 4
	count, seed := setting(t, "MINTMARK_REQUESTS", 300), setting(t, "MINTMARK_SEED", 1)
	t.Logf("MINTMARK_REQUESTS=%d MINTMARK_SEED=%d", count, seed)
	var log logText
	world := ledger.NewWorld(t, app.Settings{
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	operations := describedOperations(t)
	var tally tally
	t.Run("callers", func(t *testing.T) {
		for caller := range callers {
			t.Run(strconv.Itoa(caller), func(t *testing.T) {
				if !recording.On() {
					t.Parallel()
				}
				g := &generator{
					Rand: rand.New(rand.NewPCG(uint64(seed), uint64(caller))), caller: caller,
				}
				for range count / callers {
					op := operations[g.IntN(len(operations))]
					request := g.request(op)
					reply := world.Under(t).Send(request)
					tally.add(op.ID, reply.HTTP)
					if reply.HTTP >= http.StatusInternalServerError {
						t.Errorf("%s %s %q: %s", op.method, request.Path, request.Body, reply.Raw)
					}
				}
			})
		}
	})
	if errors := log.String(); errors != "" {
		t.Errorf("the service has logged errors:\n%s", errors)
	}
	tally.check(t, count, operations)
}

// tally counts answers, to check that the generator creates requests of all kinds.
type tally struct {
	mu         sync.Mutex
	operations map[string]int
	statuses   map[int]int
}

func (c *tally) add(operation string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.operations == nil {
		c.operations, c.statuses = make(map[string]int), make(map[int]int)
	}
	c.operations[operation]++
	c.statuses[status]++
}

func (c *tally) check(t *testing.T, count int, operations []described) {
	t.Helper()
	t.Logf("%d requests, answered %v", count, c.statuses)
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		if share := count / 10; c.statuses[status] < share {
			t.Errorf("only %d of %d answers are %d", c.statuses[status], count, status)
		}
	}
	for _, op := range operations {
		if c.operations[op.ID] == 0 {
			t.Errorf("%s was never sent", op.ID)
		}
	}
}
