//go:build soak

package failover

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
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
)

const (
	customer = 1001

	kills   = 2
	writers = 8 // of each node
	// longestGap is how long nobody may be able to write. Patroni gives a leader 20 seconds.
	longestGap = time.Minute
)

// TestFailover kills the leader under load, several times, and reports what that costs.
func TestFailover(t *testing.T) {
	c := startCluster(t)
	nodes := startNodes(t, c.url())
	var load []*writer
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var working sync.WaitGroup
	for i := range writers * len(nodes) {
		w := &writer{
			name: fmt.Sprint("writer ", i), failures: make(map[int]int),
			api: client.New(nodes[i%len(nodes)], "example1", "example1"),
		}
		load = append(load, w)
		working.Go(func() { w.write(ctx) })
	}
	var killed []time.Time
	for range kills {
		time.Sleep(10 * time.Second)
		leads := c.leader()
		if leads == nil {
			t.Fatal("nobody leads")
		}
		killed = append(killed, time.Now())
		c.kill(leads)
		c.await("another leader", func() bool {
			now := c.leader()
			return now != nil && now != leads
		})
		c.run(leads)
		c.awaitStandby()
	}
	time.Sleep(10 * time.Second)
	stop()
	working.Wait()
	report(t, load, killed)
	checkAll(t, nodes, load)
}

// report says how long nobody could write, and what was answered meanwhile.
func report(t *testing.T, load []*writer, killed []time.Time) {
	t.Helper()
	var done []time.Time
	failures := make(map[int]int)
	for _, w := range load {
		done = append(done, w.done...)
		for code, count := range w.failures {
			failures[code] += count
		}
	}
	slices.SortFunc(done, time.Time.Compare)
	for i, at := range killed {
		until := time.Now()
		if i+1 < len(killed) {
			until = killed[i+1]
		}
		gap, normal := interruption(done, at, until)
		t.Logf("kill %d: longest gap %v, normal again after %v", i+1,
			gap.Round(time.Millisecond), normal.Round(time.Millisecond))
		if gap > longestGap {
			t.Errorf("nobody could write for %v", gap)
		}
	}
	t.Logf("acknowledged writes: %d", len(done))
	for _, code := range slices.Sorted(maps.Keys(failures)) {
		t.Logf("answered %d: %d times", code, failures[code])
		if code != 50503 && code != 50504 {
			t.Errorf("%d is neither 50503 nor 50504", code)
		}
	}
}

// interruption returns the longest time between two writes in a span, and after how long there was
// no gap of a fifth of a second any more.
func interruption(done []time.Time, from, until time.Time) (gap, normal time.Duration) {
	last := from
	for _, one := range done {
		if one.Before(from) || one.After(until) {
			continue
		}
		if pause := one.Sub(last); pause > 200*time.Millisecond {
			gap, normal = max(gap, pause), one.Sub(from)
		}
		last = one
	}
	return gap, normal
}

// checkAll looks for everything that was acknowledged, through every node.
func checkAll(t *testing.T, nodes []string, load []*writer) {
	t.Helper()
	lost := 0
	for i, w := range load {
		api := client.New(nodes[(i+1)%len(nodes)], "example1", "example1")
		for _, tag := range w.tags {
			if _, err := api.CardGetByTag(t.Context(), customer, tag); err != nil {
				lost++
				t.Errorf("%s was acknowledged: %v", tag, err)
			}
		}
		if w.card == 0 {
			continue
		}
		card, err := api.CardGet(t.Context(), customer, w.card)
		if err != nil || w.locked != "" && card.LockTypeCode != w.locked {
			lost++
			t.Errorf("%s: card %d is %q, acknowledged was %q (%v)", w.name, w.card,
				card.LockTypeCode, w.locked, err)
		}
	}
	t.Logf("acknowledged writes lost: %d", lost)
}

// writer orders cards, and locks and unlocks one of them, one request at a time.
type writer struct {
	name     string
	api      *client.Client
	tags     []string
	card     int
	locked   string // lock type of the card as acknowledged last; empty when not known
	done     []time.Time
	failures map[int]int
}

func (w *writer) write(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		err := w.step(ctx, n)
		if err == nil {
			continue
		}
		w.locked = "" // the request may have been done
		if ctx.Err() == nil {
			w.fail(err)
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// step sends one request.
func (w *writer) step(ctx context.Context, n int) error {
	var card client.Card
	var err error
	same := client.CardRequest{CustomerID: customer, CardID: w.card}
	switch {
	case n%5 == 0 || w.card == 0:
		return w.order(ctx, fmt.Sprintf("%s, %d", w.name, n))
	case w.locked == "":
		card, err = w.api.CardGet(ctx, customer, w.card)
		if err == nil {
			w.locked = card.LockTypeCode
		}
		return err
	case w.locked == "UNL":
		card, err = w.api.CardLock(ctx, client.CardLockRequest{
			CustomerID: customer, CardID: w.card, LockReasonTypeCode: "TMP",
		})
	default:
		card, err = w.api.CardUnlock(ctx, same)
	}
	if err == nil {
		w.locked = card.LockTypeCode
		w.done = append(w.done, time.Now())
	}
	return err
}

// order orders a card, and makes the first one usable.
func (w *writer) order(ctx context.Context, tag string) error {
	ordered, err := w.api.CardInitiate(ctx, client.CardInitiateRequest{
		CustomerID: customer, CardHolderCustomerID: customer, VendorTypeCode: "VS",
		PrimaryAccountID: 2001, FirstName: "Ada", LastName: "Example", NickName: tag, Tag: tag,
	})
	if err != nil {
		return err
	}
	w.tags = append(w.tags, tag)
	w.done = append(w.done, time.Now())
	if w.card > 0 {
		return nil
	}
	w.card = ordered.CardID
	_, err = w.api.CardVerify(ctx, client.CardVerifyRequest{
		CustomerID: customer, CardID: w.card, CardNumberMasked: "1111",
		BirthDate: time.Date(1985, 3, 14, 0, 0, 0, 0, time.UTC),
	})
	return err
}

// fail notes what a request was answered. Something else than an answer counts as 0.
func (w *writer) fail(err error) {
	failure := new(client.Failure)
	if !errors.As(err, &failure) || len(failure.Errors) == 0 {
		w.failures[0]++
		return
	}
	w.failures[failure.Errors[0].Code]++
}

var serving = regexp.MustCompile(`interface +(http://\S+)`)

// startNodes starts two real nodes that share a database and keys, and returns where they serve.
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
		for found := []string(nil); found == nil; {
			if !lines.Scan() {
				t.Fatalf("a node does not start: %s", log)
			}
			if found = serving.FindStringSubmatch(lines.Text()); found != nil {
				urls = append(urls, found[1])
			}
		}
		go func() { _, _ = io.Copy(io.Discard, out) }()
	}
	return urls
}

// troubles are the lines of a log about what is no expected answer.
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
