package admin

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
)

// nodeOn returns a node on a PostgreSQL database, with its own operators.
func nodeOn(t *testing.T, url string) *world {
	t.Helper()
	w := &world{t: t, known: tokens{}, kept: testworld.Server(t, url, nil), keys: testworld.Keys(t)}
	testworld.WriteDemo(t, w.kept)
	w.acts = acts.New(w.kept, w.keys, issuing.Settings{
		Mode: card.Sandbox, Ending: ending, Random: rand.Reader,
		FourEyes:      func() bool { return w.two },
		TokensApprove: func() bool { return true },
	})
	w.add("configurator", 1, operator.Scope{All: true}, operator.Configurator)
	w.add("security", 2, operator.Scope{All: true}, operator.Security)
	w.add("other", 3, operator.Scope{All: true}, operator.Administrator)
	w.add("administrator", 4, operator.Scope{All: true}, operator.Administrator)
	w.desk = NewDesk(w.acts, w.known, About{Environment: "sandbox"})
	host := web.NewHost(slog.New(slog.DiscardHandler), uuid.NewString,
		web.Settings{BodyLimit: MaxBodyBytes})
	w.handler = host.Handler(New(w.desk))
	return w
}

// TestTwoOperatorsOnTwoNodes has two operators change the same revision of a program concurrently,
// each on a separate node. One succeeds, the other gets a stale problem, and nothing is
// overwritten.
func TestTwoOperatorsOnTwoNodes(t *testing.T) {
	t.Parallel()
	const rounds = 200
	url := pgtest.URL(t)
	nodes := []*world{nodeOn(t, url), nodeOn(t, url)}
	won := make([]int, len(nodes))
	before := read[wire.Program](nodes[0], "configurator", "programs/1")
	for round := range rounds {
		codes := make([]int, len(nodes))
		var both sync.WaitGroup
		for i, node := range nodes {
			both.Go(func() {
				body := fmt.Sprintf(`{"website":"https://%d-%d.example"}`, i, round)
				codes[i] = node.ask(as("configurator", http.MethodPatch, "programs/1", body,
					at(before.Revision)...)).Code
			})
		}
		both.Wait()
		after := read[wire.Program](nodes[round%2], "configurator", "programs/1")
		winner := 0
		if codes[0] != http.StatusOK {
			winner = 1
		}
		want := fmt.Sprintf(`"https://%d-%d.example"`, winner, round)
		if codes[winner] != http.StatusOK || codes[1-winner] != http.StatusPreconditionFailed ||
			after.Revision != before.Revision+1 || string(after.Settings["website"]) != want {
			t.Fatalf("round %d: the answers are %v, the program has %s at revision %d after %d",
				round, codes, after.Settings["website"], after.Revision, before.Revision)
		}
		before = after
		won[winner]++
	}
	t.Logf("of %d rounds the nodes have won %v", rounds, won)
}

// TestApproversOnTwoNodes is TestApproversAtOnce with each operator on a separate node.
func TestApproversOnTwoNodes(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	nodes := []*world{nodeOn(t, url), nodeOn(t, url)}
	for _, node := range nodes {
		node.two = true
	}
	nodes[0].twoApprove(nodes, 30)
}
