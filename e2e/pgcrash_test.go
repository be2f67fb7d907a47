package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/journal"
	"mintmark/e2e/ledger"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// faultsVariable sets how often the server crashes, and how often one of its processes is killed.
const faultsVariable = "MINTMARK_FAULTS"

// TestCrashedServer lets sixteen callers write through two nodes while their PostgreSQL crashes,
// and while its processes are killed during a commit, and compares the answers with the database.
// TestCrashedServerByNumber of package sqlstore shows that the comparison detects losses, with a
// store that determines the outcome in another way.
func TestCrashedServer(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.Postgres {
		return // the embedded database has no server: see TestCrash
	}
	server := pgtest.Crashing(t)
	data := filepath.Join(t.TempDir(), "data")
	var nodes []*process
	for range 2 {
		nodes = append(nodes, serve(t, command(t, "sandbox", "--listen", "127.0.0.1:0",
			"--admin-listen", "127.0.0.1:0", "--data", data, "--database", server.URL),
			"/card/getbytag/"))
	}
	const callers = 16
	answers := new(journal.Journal)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	for i := range callers {
		caller := journal.Caller{
			Name: fmt.Sprint("caller ", i), Journal: answers, Customer: customer,
			API: client.New(nodes[i%len(nodes)].url, "example1", "example1"),
		}
		working.Go(func() { caller.Work(ctx) })
	}
	times := setting(t, faultsVariable, 2)
	for n := range 2 * times {
		const some = 100
		awaitAnswers(t, answers, some)
		//nolint:forbidigo // The random moment of the crash is the point.
		time.Sleep(rand.N(100 * time.Millisecond))
		fail := server.Crash
		if n%2 == 1 {
			fail = server.KillBackend
		}
		if err := fail(); err != nil {
			t.Fatal(err)
		}
	}
	awaitAnswers(t, answers, callers)
	stop()
	working.Wait()
	verdict, err := answers.Compare(t.Context(), server.URL, "example1")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d crashes, %d killed processes; %v", times, times, verdict)
	if !verdict.Clean() {
		t.Error("what was answered is not what is there")
	}
	if verdict.Refused == 0 {
		t.Error("no request was interrupted")
	}
}

// awaitAnswers waits until the given number of further requests are answered 200.
func awaitAnswers(t *testing.T, answers *journal.Journal, more int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testrun.Patience)
	defer cancel()
	if err := answers.Await(ctx, answers.Done()+more); err != nil {
		t.Fatalf("hardly any writes are answered: %v", err)
	}
}
