//go:build soak

package failover

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/journal"
)

const (
	customer = 1001

	kills   = 2
	writers = 8 // of each node
	// longestGap is the maximum time without a successful write. Patroni gives a leader 20 seconds.
	longestGap = time.Minute
)

// TestFailover crashes the leading server under load, kills one of its processes that is
// committing, and kills the leader, several times each, and reports the interruptions.
func TestFailover(t *testing.T) {
	c := startCluster(t)
	nodes := startNodes(t, c.url())
	answers := new(journal.Journal)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	for i := range writers * len(nodes) {
		w := journal.Caller{
			Name: fmt.Sprint("writer ", i), Journal: answers, Customer: customer,
			API: client.New(nodes[i%len(nodes)], "example1", "example1"),
		}
		working.Go(func() { w.Work(ctx) })
	}
	var all []fault
	for range kills {
		for _, f := range []fault{
			{what: "a crash of the server", happens: c.crash},
			{what: "a killed process", happens: c.killBackend},
			{what: "a killed leader", happens: c.replace},
		} {
			c.awaitWrites(answers)
			c.awaitStandby() // Patroni promotes no other
			var leads *server
			c.await("a leader", func() bool {
				leads = c.leader()
				return leads != nil
			})
			f.at = time.Now()
			all = append(all, f)
			f.happens(leads)
		}
	}
	c.awaitWrites(answers)
	stop()
	working.Wait()
	report(t, answers, all)
	verdict, err := answers.Compare(t.Context(), c.url(), "example1")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(verdict)
	if !verdict.Clean() {
		t.Error("what was answered is not what is there")
	}
}

// fault is something that happens to the leading server.
type fault struct {
	what    string
	happens func(*server)
	at      time.Time
}

// replace kills the leader, and restarts it as a standby once another server leads.
func (c *cluster) replace(leads *server) {
	c.Helper()
	c.kill(leads)
	c.await("another leader", func() bool {
		now := c.leader()
		return now != nil && now != leads
	})
	c.run(leads)
}

// report logs the time without a successful write after each fault.
func report(t *testing.T, answers *journal.Journal, all []fault) {
	t.Helper()
	var done []time.Time
	for _, e := range answers.Entries() {
		if e.Code == http.StatusOK {
			done = append(done, e.At)
		}
	}
	slices.SortFunc(done, time.Time.Compare)
	for i, f := range all {
		until := time.Now()
		if i+1 < len(all) {
			until = all[i+1].at
		}
		gap, normal := interruption(done, f.at, until)
		t.Logf("%s: longest gap %v, normal again after %v", f.what,
			gap.Round(time.Millisecond), normal.Round(time.Millisecond))
		if gap > longestGap {
			t.Errorf("no write succeeded for %v", gap)
		}
	}
}

// interruption returns the longest time between two writes in a time span, and the time until there
// was no gap above a fifth of a second any more.
func interruption(done []time.Time, from, until time.Time) (gap, normal time.Duration) {
	last := from
	for _, f := range done {
		if f.Before(from) || f.After(until) {
			continue
		}
		if pause := f.Sub(last); pause > 200*time.Millisecond {
			gap, normal = max(gap, pause), f.Sub(from)
		}
		last = f
	}
	return gap, normal
}

var serving = regexp.MustCompile(`interface +(http://\S+)`)

// startNodes starts two real nodes that share a database and keys, and returns their addresses.
func startNodes(t *testing.T, database string) []string {
	t.Helper()
	directory := t.TempDir()
	program := filepath.Join(directory, "mintmark")
	build := exec.Command("go", "build", "-o", program, "../../cmd/mintmark")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	var urls []string
	for range 2 {
		node := exec.Command(program, "sandbox", "--listen", "127.0.0.1:0",
			"--admin-listen", "127.0.0.1:0", "--log-format", "json",
			"--data", filepath.Join(directory, "data"), "--database", database)
		log := new(strings.Builder)
		node.Stderr = log
		out, err := node.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := node.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = node.Process.Signal(syscall.SIGTERM)
			_ = node.Wait()
			if t.Failed() {
				t.Logf("a node has logged:\n%s", troubles(log.String()))
			}
		})
		lines := bufio.NewScanner(out)
		for leaders := []string(nil); leaders == nil; {
			if !lines.Scan() {
				t.Fatalf("a node does not start: %s", log)
			}
			if leaders = serving.FindStringSubmatch(lines.Text()); leaders != nil {
				urls = append(urls, leaders[1])
			}
		}
		go func() { _, _ = io.Copy(io.Discard, out) }()
	}
	return urls
}

// troubles returns the error lines of a log, except those of expected answers.
func troubles(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		expected := strings.Contains(line, "50503") || strings.Contains(line, "50504")
		if strings.Contains(line, `"level":"ERROR"`) && !expected && len(lines) < 50 {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}
