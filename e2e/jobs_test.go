package e2e

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
	"mintmark/internal/testkit/testrun"
)

// shownJob is a job in the answer of /readyz?verbose.
type shownJob struct {
	Name, State, Node, Error string
	Began, Ended, Next       time.Time
}

// jobsOf returns the jobs that a node shows, by name.
func jobsOf(p *process) map[string]shownJob {
	p.Helper()
	var shown struct{ Jobs []shownJob }
	address := forOperators.FindStringSubmatch(p.opening)[1]
	answer, err := recording.Client(p.T).Get(address + "/readyz?verbose")
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&shown); err != nil {
		p.Fatal(err)
	}
	s := make(map[string]shownJob)
	for _, row := range shown.Jobs {
		s[row.Name] = row
	}
	return s
}

// TestJobsAreShown checks the states of the jobs that a node shows, also after the node was killed
// and restarted: the recorded states survive. doctor sees nothing wrong.
func TestJobsAreShown(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	names := []string{
		"expire unverified cards", "renew cards", "destroy old PINs", "delete old answers",
		"announce documents", "warn about expiring keys", "expire holds",
		"pack search texts", "re-hash card numbers",
		"delete old deliveries", "delete old reconciliations", "deliver webhooks",
		"seal the audit",
	}
	done := func(node *process) bool {
		shown := jobsOf(node)
		for _, name := range names {
			if shown[name].State != "done" {
				return false
			}
		}
		return true
	}
	first := p.serve()
	testrun.Within(t, "every job was run", func() bool { return done(first) })
	before := jobsOf(first)["renew cards"]
	same(t, "the next run is an hour later", before.Next.Sub(before.Began), time.Hour)
	first.end(syscall.SIGKILL)
	second := p.serve()
	if ledger.On() == ledger.Postgres {
		// Its lease has not expired, so the new node leaves it alone.
		same(t, "the state of the job", jobsOf(second)["renew cards"], before)
	} else {
		// The only node of an embedded database still has the lease, and continues immediately.
		testrun.Within(t, "every job was run again", func() bool {
			return done(second) && jobsOf(second)["renew cards"].Began.After(before.Began)
		})
	}
	// Other checks depend on the settings of the test server.
	out, _ := run(t, "doctor", "--config", p.config)
	if !strings.Contains(out, "jobs, none of them failed or overdue") {
		t.Errorf("doctor says %s", out)
	}
	second.end(syscall.SIGTERM)
}
