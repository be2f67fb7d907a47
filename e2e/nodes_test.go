package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
)

// nodes starts as many nodes as may share a database: three on PostgreSQL, one on the embedded
// store.
func nodes(t *testing.T) []*ledger.World {
	t.Helper()
	count := 3
	if ledger.On() == ledger.SQLite {
		count = 1
	}
	data := filepath.Join(t.TempDir(), "data")
	worlds := make([]*ledger.World, count)
	for i := range worlds {
		worlds[i] = ledger.NewWorld(t, app.Settings{Data: data})
	}
	return worlds
}

// atOnce sends requests to all nodes at the same time, and counts the answers by code, 200 for
// success.
func atOnce(worlds []*ledger.World, count int, request func(int) ledger.Request) map[int]int {
	answers := make([]int, count)
	var asking sync.WaitGroup
	begin := make(chan struct{})
	for i := range count {
		asking.Go(func() {
			<-begin
			reply := worlds[i%len(worlds)].Send(request(i))
			answers[i] = reply.HTTP
			if len(reply.Errors) > 0 {
				answers[i] = reply.Errors[0].Code
			}
		})
	}
	close(begin)
	asking.Wait()
	counts := make(map[int]int)
	for _, code := range answers {
		counts[code]++
	}
	return counts
}

// TestOneTagAtOnce sends 64 concurrent orders with the same tag to all nodes. Exactly one succeeds.
func TestOneTagAtOnce(t *testing.T) {
	t.Parallel()
	worlds := nodes(t)
	const callers = 64
	for round := range setting(t, "MINTMARK_ROUNDS", 50) {
		counts := atOnce(worlds, callers, func(caller int) ledger.Request {
			return ledger.Request{Path: "/card/initiate", Body: ledger.NewCard(fmt.Sprintf(
				`"nickName":"Round %d, %d","tag":"round %[1]d"`, round, caller))}
		})
		if counts[http.StatusOK] != 1 || counts[150204] != callers-1 {
			t.Errorf("round %d: answers %v, want one 200 and else 150204", round, counts)
		}
	}
}

// TestOneRequestAtOnce sends the same request with an idempotency key six times concurrently to all
// nodes. It is performed once.
func TestOneRequestAtOnce(t *testing.T) {
	t.Parallel()
	worlds := nodes(t)
	const callers = 6
	for round := range 10 {
		counts := atOnce(worlds, callers, func(int) ledger.Request {
			return ledger.Request{
				Path: "/card/initiate",
				Body: ledger.NewCard(fmt.Sprintf(`"nickName":"Once %d"`, round)),
				Header: map[string]string{
					"Idempotency-Key": fmt.Sprintf("once-%d", round),
				},
			}
		})
		// A node that is processing the request reports that.
		if counts[http.StatusOK] < 1 || counts[http.StatusOK]+counts[59956] != callers {
			t.Errorf("round %d: answers %v", round, counts)
		}
	}
	var cards int
	err := ledger.Open(t, worlds[0].Dir).QueryRowContext(t.Context(),
		`SELECT count(*) FROM cards WHERE nickname LIKE 'Once %'`).Scan(&cards)
	if err != nil || cards != 10 {
		t.Errorf("%d cards were made, want 10 (%v)", cards, err)
	}
}

// TestRevokedKey removes the secrets of a key and checks that every node rejects it. The tests of
// internal/issuing/auth show with their own clock that this takes at most a second.
func TestRevokedKey(t *testing.T) {
	t.Parallel()
	worlds := nodes(t)
	ask := func(w *ledger.World) int { return w.Send(ledger.Request{Path: "/program/get"}).HTTP }
	for i, w := range worlds {
		if got := ask(w); got != http.StatusOK {
			t.Fatalf("node %d answers %d before", i, got)
		}
	}
	changeKey(t, worlds[0], "example1", func(key *apikey.Key) { key.Secrets = nil })
	revoked := time.Now()
	for i, w := range worlds {
		if got := untilRefused(t, connect(t, w.App.URL(), "example1")); got == nil {
			t.Errorf("node %d still takes the key", i)
		}
	}
	t.Logf("refused on all nodes after %v", time.Since(revoked))
}

// changeKey changes a key in the database, beside the nodes that use it. They accept the old key
// until their next poll.
func changeKey(t *testing.T, world *ledger.World, name string, change func(*apikey.Key)) {
	t.Helper()
	kept, err := installation.OpenStore(t.Context(), world.Dir, ledger.Database(t, world.Dir))
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	err = kept.Update(t.Context(), func(tx store.Tx) error {
		keys, err := tx.Keys().List()
		if err != nil {
			return err
		}
		for _, key := range keys {
			if key.Name == name {
				change(&key)
				return tx.Keys().Put(key)
			}
		}
		return store.ErrNotFound
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNodeIsKilled kills one of three real processes with signal 9 while callers write through all
// of them. Every acknowledged write must be visible through the others.
func TestNodeIsKilled(t *testing.T) {
	t.Parallel()
	if ledger.On() == ledger.SQLite {
		return // one process serves an embedded database, and TestCrash kills it
	}
	data := filepath.Join(t.TempDir(), "data")
	const count = 3
	var processes []*process
	for range count {
		processes = append(processes, sandbox(t, "--data", data))
	}
	const callers = 4 // of each node
	acknowledged := make([][]string, count*callers)
	writes := new(counter)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	for i := range acknowledged {
		api := client.New(processes[i%count].url, "example1", "example1")
		working.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				order := newCard(fmt.Sprintf("Node %d.%d", i, n))
				order.Tag = fmt.Sprintf("node %d.%d", i, n)
				if _, err := api.CardInitiate(ctx, order); err != nil {
					return // the node is dead, or the test is over
				}
				acknowledged[i] = append(acknowledged[i], order.Tag)
				writes.add()
			}
		})
	}
	writes.awaitMore(t, 5*len(acknowledged))
	processes[0].end(syscall.SIGKILL)
	writes.awaitMore(t, 2*len(acknowledged))
	stop()
	working.Wait()

	api := client.New(processes[1].url, "example1", "example1")
	tags := slices.Concat(acknowledged...)
	for _, tag := range tags {
		if _, err := api.CardGetByTag(t.Context(), customer, tag); err != nil {
			t.Errorf("%s was acknowledged: %v", tag, err)
		}
	}
	t.Logf("%d writes were acknowledged", len(tags))
	if len(tags) < len(acknowledged) {
		t.Error("that is too few to tell anything")
	}
}
