package app

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"mintmark/internal/issuing/overview"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testrun"
)

// scrape returns the metrics.
func scrape(t *testing.T, running *App) string {
	t.Helper()
	status, text := testrun.Fetch(t, http.MethodGet, running.AdminURL()+metricsPath)
	if status != http.StatusOK {
		t.Fatalf("%s answers %d %s", metricsPath, status, text)
	}
	return text
}

// wantMetrics checks that the metrics have lines with the given beginnings.
func wantMetrics(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line) {
			t.Errorf("no line begins with %s", line)
		}
	}
}

const lockBody = `{"customerId":1001,"cardId":5001,"lockReasonTypeCode":"TMP"}`

// TestMetrics scrapes a sandbox after a few requests.
func TestMetrics(t *testing.T) {
	t.Parallel()
	running := start(t, sandboxIn(dataDir(t)))
	defer stop(t, running)
	request(t, running, "/card/get/1001/5001", "")
	request(t, running, "/card/getbytag/1001/a-tag-of-a-caller", "")
	request(t, running, "/card/lock", lockBody)
	request(t, running, "/nowhere", "")
	scrape(t, running)
	text := scrape(t, running)
	wantMetrics(t, text,
		`mintmark_requests_total{code="200",route="/card/lock"} 1`,
		`mintmark_requests_total{code="404",route="none"} 1`,
		`mintmark_requests_total{code="200",route="GET /metrics"} 1`,
		`mintmark_request_seconds_count{route="/card/lock"} 1`,
		`mintmark_commit_group_size_count `, `mintmark_sealing_lag_seconds `,
		`mintmark_sealed_entries `, `mintmark_cache_reads_total{result="hit"} `,
		`mintmark_orders{state="failed"} 0`, `mintmark_orders_oldest_seconds `,
		`mintmark_orders_unfetched_seconds 0`, `mintmark_locks_open 0`,
		`mintmark_webhooks{state="active"} 0`, `mintmark_job_failing{job="renew cards"} 0`,
		`mintmark_key_days_left{key="expired",program="1"} -`, `mintmark_state_readable 1`,
		`mintmark_build_info{commit=`, `go_goroutines `, `process_open_fds `)
	if strings.Contains(text, "a-tag-of-a-caller") {
		t.Error("the metrics show what a caller has sent")
	}
}

// TestRefusedConnection checks that a connection refused for lack of room counts as a failed
// request.
func TestRefusedConnection(t *testing.T) {
	t.Parallel()
	settings := sandboxIn(dataDir(t))
	settings.Limits.Connections = 1
	running := start(t, settings)
	defer stop(t, running)
	address := strings.TrimPrefix(running.URL(), "http://")
	for range 2 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, err = io.WriteString(conn, "GET /program/get HTTP/1.1\r\nHost: a\r\n\r\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	wantMetrics(t, scrape(t, running), `mintmark_requests_total{code="503",route="none"} 1`,
		`mintmark_faults_total{code="50503"} 1`)
}

// TestPausedWebhooks checks that the metrics count the deliveries of a webhook whose receiver is
// gone, so that the alert stays, and not those of one that an operator has paused.
func TestPausedWebhooks(t *testing.T) {
	t.Parallel()
	shown := make(map[string]float64)
	put(func(of *prometheus.Desc, value float64, labels ...string) {
		if of == webhookDeliveries {
			shown[strings.Join(labels, " ")] = value
		}
	}).webhooks(overview.Backlog{Webhooks: []overview.WebhookBacklog{
		{ID: 1, Waiting: 3}, {ID: 2, Waiting: 3, Paused: true},
		{ID: 3, Waiting: 3, Paused: true, Gone: true},
	}}, 0)
	want := map[string]float64{"1 waiting": 3, "1 dead": 0, "3 waiting": 3, "3 dead": 0}
	if !maps.Equal(shown, want) {
		t.Errorf("shown are %v, want %v", shown, want)
	}
}

// TestMetricsOfAServer checks the metrics that exist only with a database server.
func TestMetricsOfAServer(t *testing.T) {
	t.Parallel()
	settings := sandboxIn(dataDir(t))
	settings.Database.URL = pgtest.URL(t)
	running := start(t, settings)
	defer stop(t, running)
	wantMetrics(t, scrape(t, running), `mintmark_pool_connections{state="used"} `,
		`mintmark_pool_connections{state="most"} `, `mintmark_pool_waits_total `,
		`mintmark_transaction_collisions_total `)
}

// collector stores what it receives.
type collector struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/traces" { // as collectors do
		http.NotFound(w, r)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.Copy(&c.kept, r.Body)
}

// TestTraces sends the spans of a service to a collector: they must have the routes and statements,
// and nothing that a caller has sent.
func TestTraces(t *testing.T) {
	t.Parallel()
	var kept collector
	server := httptest.NewServer(&kept)
	defer server.Close()
	settings := sandboxIn(dataDir(t))
	settings.Database.URL = pgtest.URL(t)
	settings.Traces = server.URL
	running := start(t, settings)
	request(t, running, "/card/getbytag/1001/a-tag-of-a-caller", "")
	request(t, running, "/card/lock", lockBody)
	stop(t, running)
	kept.mu.Lock()
	defer kept.mu.Unlock()
	got := kept.kept.String()
	for _, want := range []string{
		"/card/lock", "mintmark.request_id", "service.name", "UPDATE cards", "sandbox",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the traces do not show %s", want)
		}
	}
	if strings.Contains(got, "a-tag-of-a-caller") {
		t.Error("the traces show what a caller has sent")
	}
}

// TestMetricsAreListed checks that docs/operating.md lists every metric.
func TestMetricsAreListed(t *testing.T) {
	t.Parallel()
	running := start(t, sandboxIn(dataDir(t)))
	defer stop(t, running)
	page, err := os.ReadFile("../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`(?m)^# TYPE (mintmark_\w+)`).
		FindAllStringSubmatch(scrape(t, running), -1) {
		if !strings.Contains(string(page), fmt.Sprintf("`%s", match[1])) {
			t.Errorf("docs/operating.md does not tell of %s", match[1])
		}
	}
}
