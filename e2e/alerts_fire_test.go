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

	"mintmark/client"
	"mintmark/e2e/alerts"
	"mintmark/e2e/ledger"
)

// notProvoked lists the alerts that this test does not provoke, with the reasons. The unit tests of
// the rules make them fire.
var notProvoked = map[ledger.Engine]map[string]string{
	ledger.SQLite: {
		"MintmarkClockJumped":     "the clock of the machine would have to be set",
		"MintmarkClockOff":        "the embedded database goes by the clock of its node",
		"MintmarkPoolExhausted":   "there is no pool",
		"MintmarkLocksNotFetched": "a lock has to lie in a file for four hours",
	},
	ledger.Postgres: {
		"MintmarkClockJumped":     "the clock of the machine would have to be set",
		"MintmarkLogTooLong":      "the log is the server's",
		"MintmarkLocksNotFetched": "a lock has to lie in a file for four hours",
	},
}

// needDisks lists the alerts that need separate disks. They are skipped if no disk can be mounted.
var needDisks = []string{"MintmarkDiskFull", "MintmarkCannotWrite", "MintmarkDiskFills"}

// lowered replaces thresholds that a test cannot reach in seconds.
var lowered = map[string]string{
	// The log of the embedded database grows to this length only behind a reader that stays for
	// many minutes.
	`{part="log"}) > 256 * 1024 * 1024`: `{part="log"}) > 1`,
	// A node has no slope before it was watched for this long. The slope itself covers the last 6
	// hours or, as here, all data.
	`mintmark_disk_free_bytes offset 1h`: `mintmark_disk_free_bytes offset 10s`,
}

// watched holds the nodes that TestAlertsFire breaks.
type watched struct {
	*testing.T
	circle  *circle   // production with a card processor
	sandbox *process  // for faults and callers
	victim  *process  // will be killed
	sealed  installed // its log cannot be sealed, and a job fails
	gone    installed // its database becomes unreachable
	small   installed // on a very small disk; without a process if none can be mounted
	filling installed // on a disk that fills slowly; likewise
	secure  installed // its certificate and its files run out
	behind  installed // its database server has another clock
	other   *httptest.Server
	skewed  atomic.Bool // other reports another version

	disk     string // of small
	fills    string // of filling
	unfit    string // why no disk can be mounted
	callers  sync.WaitGroup
	finished chan struct{}
}

// installed is a production installation with its process.
type installed struct {
	production
	process *process
}

func (i installed) target() string {
	return strings.TrimPrefix(i.process.adminURL(), "http://")
}

// TestAlertsFire watches nodes with Prometheus and the shipped rules. While the nodes are healthy,
// no alert fires. Then the test provokes each condition, and each alert must fire.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	w := newWatched(t)
	plain := func(p *process) string { return strings.TrimPrefix(p.adminURL(), "http://") }
	jobs := []scrapeJob{
		{"mintmark", "1s", []string{
			w.circle.adminAt, plain(w.sandbox), plain(w.victim), w.sealed.target(),
			w.secure.target(), w.behind.target(), strings.TrimPrefix(w.other.URL, "http://"),
		}},
		// A node waits for its database for 5 seconds.
		{"mintmark-slow", "8s", []string{w.gone.target()}},
	}
	if w.unfit == "" {
		jobs = append(jobs, scrapeJob{"mintmark-small", "2s", []string{w.small.target()}})
		jobs[0].targets = append(jobs[0].targets, w.filling.target())
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
	//nolint:forbidigo // Prometheus is asked which alerts fire as often as it judges them.
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Second) {
		for _, alert := range prometheus.firing() {
			if w.expects(alert) {
				seen[alert.Labels["alertname"]] = alert
			}
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
	for name, why := range w.excused() {
		t.Logf("%s is not seen: %s", name, why)
	}
}

// expects reports whether an alert fires on the node where its condition was provoked. An alert on
// another node, which is healthy in this respect, fails the test.
func (w *watched) expects(alert fired) bool {
	w.Helper()
	at := alert.Labels["instance"]
	switch alert.Labels["alertname"] {
	case "MintmarkClockOff":
		if at != w.behind.target() {
			w.Fatalf("the clock of %s is right: %v", at, alert.Annotations)
		}
	case "MintmarkDiskFills":
		return at == w.filling.target() // other disks are shared with other programs
	case "MintmarkDiskFull":
		if w.unfit == "" && at == w.filling.target() {
			w.Fatalf("the disk that fills has room: %v", alert.Annotations)
		}
	}
	return true
}

// excused returns the alerts that need not fire, with the reasons.
func (w *watched) excused() map[string]string {
	all := maps.Clone(notProvoked[ledger.On()])
	if w.unfit != "" {
		for _, name := range needDisks {
			all[name] = w.unfit
		}
	}
	return all
}

// missing returns the alerts that should have fired and have not.
func (w *watched) missing(rules []alerts.Rule, seen map[string]fired) (names []string) {
	for _, rule := range rules {
		_, fires := seen[rule.Alert]
		if rule.Alert != "" && !fires && w.excused()[rule.Alert] == "" {
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
	w.behind = w.installation(t.TempDir())
	w.secure.production, w.secure.process, _ = withCertificateOf(t, 90*24*time.Hour)
	w.mountDisks()
	w.other = httptest.NewServer(http.HandlerFunc(w.passOn))
	t.Cleanup(w.other.Close)
	return w
}

// installation serves a production installation from a directory.
func (w *watched) installation(dir string) installed {
	w.Helper()
	p := production{w.T, filepath.Join(dir, "data"), filepath.Join(dir, "mintmark.yaml")}
	configure(w.T, p.config, p.data, "")
	initialize(w.T, "--config", p.config)
	return installed{p, p.serve()}
}

// mountDisks serves installations from a disk of 64 MiB and from one of 2 GiB, if disks can be
// mounted.
func (w *watched) mountDisks() {
	w.Helper()
	w.disk, w.fills = w.mount("64m"), w.mount("2g")
	if w.unfit == "" {
		w.small, w.filling = w.installation(w.disk), w.installation(w.fills)
	}
}

// mount mounts a disk of the given size.
func (w *watched) mount(size string) string {
	w.Helper()
	disk := w.TempDir()
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", disk).
		CombinedOutput()
	if err != nil {
		w.unfit = fmt.Sprintf("no disk can be mounted: %v: %s", err, out)
		return ""
	}
	w.Cleanup(func() { _ = exec.Command("umount", "--lazy", disk).Run() })
	return disk
}

// passOn responds with the metrics of the sandbox; once skewed is set, they report another version.
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

// breakAll provokes every condition.
func (w *watched) breakAll() {
	w.Helper()
	w.skewed.Store(true)
	w.victim.end(syscall.SIGKILL)
	for range 3 {
		w.circle.node.end(syscall.SIGKILL)
		w.circle.startNode()
		time.Sleep(2500 * time.Millisecond) //nolint:forbidigo // Prometheus has to see each start.
	}
	w.breakProcessor()
	w.refuseLock()
	w.breakJobs()
	w.breakMachines()
	w.breakSlowly()
	w.breakCallers()
}

// rewrites changes the database of an installation directly.
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

// always sends a request repeatedly until the test is over.
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

// fails makes requests of a route fail in the sandbox.
func (w *watched) fails(rule string) {
	w.Helper()
	w.control(http.MethodPost, "faults", rule)
}

// refuseLock makes the card processor of the sandbox reject a hotlist order.
func (w *watched) refuseLock() {
	w.Helper()
	w.control(http.MethodPut, "processor", `{"mode":"refusing"}`)
	_, err := client.New(w.sandbox.url, "example1", "example1").CardHotlist(w.Context(),
		client.CardLockRequest{CustomerID: 1013, CardID: 5013, LockReasonTypeCode: "LST"})
	if err != nil {
		w.Fatal(err)
	}
}

// control sends a request to the controls of the sandbox.
func (w *watched) control(method, path, body string) {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method,
		w.sandbox.adminURL()+"/sandbox/v1/"+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode >= http.StatusBadRequest {
		w.Fatalf("%s: %d %s", body, answer.StatusCode, text)
	}
}

// moved returns a statement that moves the creation of waiting orders into the past.
func moved(by time.Duration) string {
	return fmt.Sprintf("UPDATE orders SET created_at = created_at - %d WHERE state = 'waiting'",
		by.Milliseconds())
}
