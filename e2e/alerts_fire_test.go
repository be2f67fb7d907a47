//go:build long

package e2e

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintmark/e2e/alerts"
	"mintmark/e2e/ledger"
)

// notProvoked are the alerts that this test does not see, and why. The unit tests of the rules see
// them fire.
var notProvoked = map[ledger.Engine]map[string]string{
	ledger.SQLite: {
		"MintmarkClockOff":      "there is one clock, this machine's",
		"MintmarkDiskFills":     "it looks at hours",
		"MintmarkPoolExhausted": "there is no pool",
	},
	ledger.Postgres: {
		"MintmarkClockOff":   "the server of the test has the clock of this machine",
		"MintmarkDiskFills":  "it looks at hours",
		"MintmarkLogTooLong": "the log is the server's",
	},
}

// lowered are the thresholds that a test cannot reach in seconds.
var lowered = map[string]string{
	// The log of the embedded database grows to this length behind a reader of many minutes.
	`{part="log"}) > 256 * 1024 * 1024`: `{part="log"}) > 1`,
}

// watched are the nodes that TestAlertsFire breaks.
type watched struct {
	*testing.T
	circle  *circle   // production with a card processor
	sandbox *process  // for faults and callers
	victim  *process  // is killed
	sealed  installed // its log cannot be sealed, and a job fails
	gone    installed // its database goes away
	small   installed // on a very small disk; without a process where none can be mounted
	secure  installed // its certificate ends, and its files run out
	other   *httptest.Server
	skewed  atomic.Bool // other says that it is of another version

	disk     string
	callers  sync.WaitGroup
	finished chan struct{}
}

// installed is an installation of production with its process.
type installed struct {
	production
	process *process
}

func (i installed) target() string {
	return strings.TrimPrefix(i.process.adminURL(), "http://")
}

// TestAlertsFire watches nodes with Prometheus and the shipped rules. While they are well, nothing
// fires. Then each condition is provoked, and each alert has to fire.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	plain := func(p *process) string { return strings.TrimPrefix(p.adminURL(), "http://") }
	jobs := []scrapeJob{
		{"mintmark", "1s", []string{
			w.circle.adminAt, plain(w.sandbox), plain(w.victim), w.sealed.target(),
			w.secure.target(), strings.TrimPrefix(w.other.URL, "http://"),
		}},
		// A node waits for its database for 5 seconds.
		{"mintmark-slow", "8s", []string{w.gone.target()}},
	}
	if w.small.process != nil {
		jobs = append(jobs, scrapeJob{"mintmark-small", "2s", []string{w.small.target()}})
	}
	prometheus := watch(t, jobs...)
	prometheus.well()
	prometheus.quiet("mintmark", 8*time.Second)
	for _, expr := range shippedExprs(t) {
		prometheus.query(expr)
	}
	w.breakAll()
	prometheus.lower(lowered)
	defer w.callers.Wait()
	defer close(w.finished)

	rules, err := alerts.Rules("../" + alerts.RulesFile)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]fired)
	var missing []string
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Second) {
		for _, one := range prometheus.firing() {
			seen[one.Labels["alertname"]] = one
		}
		missing = w.missing(rules, seen)
		if len(missing) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("these alerts have not fired: %q", missing)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%s fires: %s", name, seen[name].Annotations["summary"])
	}
}

// missing are the alerts that have not fired and should.
func (w *watched) missing(rules []alerts.Rule, seen map[string]fired) (names []string) {
	for _, rule := range rules {
		_, fires := seen[rule.Alert]
		_, excused := notProvoked[ledger.On()][rule.Alert]
		if w.small.process == nil &&
			slices.Contains([]string{"MintmarkDiskFull", "MintmarkCannotWrite"}, rule.Alert) {
			excused = true
		}
		if rule.Alert != "" && !fires && !excused {
			names = append(names, rule.Alert)
		}
	}
	return names
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	w := &watched{T: t, finished: make(chan struct{})}
	w.circle = newCircle(t, "http")
	w.sandbox, w.victim = sandbox(t), sandbox(t)
	w.sealed, w.gone = w.installation(t.TempDir()), w.installation(t.TempDir())
	w.secure.production, w.secure.process, _ = withCertificateOf(t, 90*24*time.Hour)
	w.mountSmall()
	w.other = httptest.NewServer(http.HandlerFunc(w.passOn))
	t.Cleanup(w.other.Close)
	return w
}

// installation serves production from a directory.
func (w *watched) installation(dir string) installed {
	w.Helper()
	p := production{w.T, filepath.Join(dir, "data"), filepath.Join(dir, "mintmark.yaml")}
	configure(w.T, p.config, p.data, "")
	initialize(w.T, "--config", p.config)
	return installed{p, p.serve()}
}

// mountSmall serves from a disk of 64 MiB, if one can be mounted.
func (w *watched) mountSmall() {
	w.Helper()
	disk := w.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk).
		CombinedOutput()
	if err != nil {
		w.Logf("no disk can be mounted: %v: %s", err, out)
		return
	}
	w.Cleanup(func() { _ = exec.Command("umount", "--lazy", disk).Run() })
	w.disk, w.small = disk, w.installation(disk)
}

// passOn answers with the metrics of the sandbox, and says later that they are of another version.
func (w *watched) passOn(out http.ResponseWriter, _ *http.Request) {
	answer, err := http.Get(w.sandbox.adminURL() + "/metrics")
	if err != nil {
		return // the test is over
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return
	}
	if w.skewed.Load() {
		text = []byte(strings.Replace(string(text), `mintmark_build_info{commit="`,
			`mintmark_build_info{commit="older`, 1))
	}
	_, _ = out.Write(text)
}

// breakAll provokes everything.
func (w *watched) breakAll() {
	w.Helper()
	w.skewed.Store(true)
	w.victim.end(syscall.SIGKILL)
	for range 3 {
		w.circle.node.end(syscall.SIGKILL)
		w.circle.startNode()
		time.Sleep(2500 * time.Millisecond) // each start has to be seen
	}
	w.breakProcessor()
	w.breakDuties()
	w.breakMachines()
	w.breakCallers()
}

// rewrites changes the database of an installation behind its back.
func (w *watched) rewrites(data string, statements ...string) {
	w.Helper()
	db := ledger.Open(w.T, data)
	for _, statement := range statements {
		if _, err := db.ExecContext(w.Context(), statement); err != nil {
			w.Errorf("%s: %v", statement, err)
		}
	}
	db.Close()
}

// always sends a request again and again until the test is over.
func (w *watched) always(pause time.Duration, send func()) {
	w.callers.Go(func() {
		for {
			select {
			case <-w.finished:
				return
			case <-time.After(pause):
				send()
			}
		}
	})
}

// fails has requests of a route fail in the sandbox.
func (w *watched) fails(rule string) {
	w.Helper()
	answer, err := http.Post(w.sandbox.adminURL()+"/sandbox/v1/faults", "application/json",
		strings.NewReader(rule))
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode >= http.StatusBadRequest {
		w.Fatalf("%s: %d %s", rule, answer.StatusCode, text)
	}
}

// moved is a statement that moves what orders were written to the past.
func moved(by time.Duration) string {
	return fmt.Sprintf("UPDATE orders SET created_at = created_at - %d WHERE state = 'waiting'",
		by.Milliseconds())
}
