package e2e

import (
	"cmp"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintmark/e2e/alerts"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/testkit/testrun"
)

// withCertificateOf serves a production installation over TLS, with a certificate of the given
// lifetime. The operators' address stays on the loopback interface, without TLS.
func withCertificateOf(
	t *testing.T, lasts time.Duration,
) (p production, node *process, trusted *x509.CertPool) {
	t.Helper()
	dir := t.TempDir()
	files := certificateIn(dir)
	trusted = writeLasting(t, files, "watched", lasts)
	p = production{t, filepath.Join(dir, "data"), filepath.Join(dir, "mintmark.yaml")}
	configure(t, p.config, p.data,
		fmt.Sprintf("tlsCert: %s\ntlsKey: %s\n", files.TLSCert, files.TLSKey))
	initialize(t, "--config", p.config)
	loadDemo(t, p.data)
	return p, p.serve(), trusted
}

// certificateIn returns the settings for a certificate in a directory.
func certificateIn(dir string) app.Settings {
	return app.Settings{
		TLSCert: filepath.Join(dir, "cert.pem"), TLSKey: filepath.Join(dir, "key.pem"),
	}
}

// loads loads a file with the given text into an installation.
func (p production) loads(text string) {
	p.Helper()
	file := filepath.Join(p.TempDir(), "more.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
	p.done("load", "--config", p.config, file)
}

// someKeys returns API keys that expire after the given numbers of days.
func someKeys(days ...int) string {
	text := "keys:\n"
	for _, day := range days {
		text += fmt.Sprintf("  - {name: ends%d, programId: 1, version: 2, allow: [127.0.0.0/8], "+
			"secrets: [{secret: %s, expires: '%s'}]}\n", day,
			fmt.Sprintf("%x", sha256.Sum256([]byte{byte(day)})),
			time.Now().AddDate(0, 0, day).Add(time.Hour).UTC().Format(time.RFC3339))
	}
	return text
}

// reconciledOnce stores an old report with differing cards.
const reconciledOnce = `INSERT INTO reconciliations (program_id, kind, list_at, made_at, digest,
		who, compared, same, in_flight, different, sorts, differences)
	VALUES (1, 'cards', 1767225600000, 1767225600000, '', 'nightly', 2, 1, 0, 1, '{}', '[]')`

// exported maps the metrics of scrapes to their labels.
type exported map[string]map[string]bool

var (
	sample = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	label  = regexp.MustCompile(`([a-z_]+)="`)
)

func (e exported) add(text string) {
	for _, match := range sample.FindAllStringSubmatch(text, -1) {
		if e[match[1]] == nil {
			e[match[1]] = make(map[string]bool)
		}
		for _, pair := range label.FindAllStringSubmatch(match[2], -1) {
			e[match[1]][pair[1]] = true
		}
	}
}

// ofOneStore lists the metrics that a store lacks, because they belong to the other one.
var ofOneStore = map[ledger.Engine][]string{
	ledger.Postgres: {"mintmark_cache_reads_total", "mintmark_database_bytes"},
	ledger.SQLite: {
		"mintmark_pool_connections", "mintmark_pool_waits_total",
		"mintmark_transaction_collisions_total", "mintmark_clock_offset_seconds",
	},
}

// TestAlertsKnowTheirMetrics compares the rules and the dashboard with the metrics that a node
// exports: each metric in an expression must exist, with each of its labels.
func TestAlertsKnowTheirMetrics(t *testing.T) {
	t.Parallel()
	p, node, trusted := withCertificateOf(t, 90*24*time.Hour)
	p.loads(someKeys(30))
	newSubscriber(t).subscribe(p)
	if _, err := ledger.Open(t, p.data).ExecContext(t.Context(), reconciledOnce); err != nil {
		t.Fatal(err)
	}
	limited := caller5001{url: node.url, key: "limited", client: trusting(trusted)}
	for range 10 { // exceeds its burst
		limited.asks(t)
	}
	got := make(exported)
	testrun.Within(t, "what comes with time is shown", func() bool {
		got.add(node.probe("/metrics").body)
		for _, late := range []string{
			"mintmark_webhook_late", "mintmark_key_limited_total", "mintmark_lease_held",
			"mintmark_job_next_timestamp_seconds",
		} {
			if got[late] == nil {
				return false
			}
		}
		return true
	})
	same(t, "exit code", node.end(syscall.SIGTERM), 0)
	exprs := shippedExprs(t)
	for _, expr := range exprs {
		got.fits(t, expr)
	}
	if len(exprs) < 80 {
		t.Errorf("rules and dashboard have %d expressions only", len(exprs))
	}
}

// fits compares an expression with the metrics of a node.
func (e exported) fits(t *testing.T, expr string) {
	t.Helper()
	known := map[string]bool{"job": true, "instance": true, "severity": true} // set by Prometheus
	recorded := false
	for _, series := range alerts.Asked(expr) {
		if series.Metric == "up" || strings.HasPrefix(series.Metric, "mintmark:") {
			recorded = true
			continue
		}
		elsewhere := slices.Contains(ofOneStore[ledger.On()], series.Metric)
		if there := e[series.Metric] != nil; there == elsewhere {
			t.Errorf("%s: the node has it: %t", series.Metric, there)
		}
		maps.Copy(known, e[series.Metric])
		for _, name := range series.Labels {
			if !elsewhere && name != "job" && name != "instance" && !e[series.Metric][name] {
				t.Errorf("%s has no label %s", series.Metric, name)
			}
		}
	}
	for _, name := range alerts.Grouped(expr) {
		if !recorded && !known[strings.TrimPrefix(name, "exported_")] {
			t.Errorf("nothing in %s has the label %s", expr, name)
		}
	}
}

// shippedExprs returns the expressions of the rules and of the dashboard.
func shippedExprs(t *testing.T) []string {
	t.Helper()
	rules, err := alerts.Rules("../" + alerts.RulesFile)
	if err != nil {
		t.Fatal(err)
	}
	board, err := alerts.ReadDashboard("../" + alerts.DashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	exprs := board.Exprs()
	for _, rule := range rules {
		exprs = append(exprs, rule.Expr)
	}
	return exprs
}

// caller5001 is a caller who requests card 5001, or another path.
type caller5001 struct {
	url, key, secret string // the secret defaults to the key's name
	path             string // of another request
	client           *http.Client
}

// asks sends a request and returns the status of the response, 0 for none.
func (c caller5001) asks(t *testing.T) int {
	path := cmp.Or(c.path, "/card/get/1001/5001")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+path, nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	request.SetBasicAuth(c.key, cmp.Or(c.secret, c.key))
	client := c.client
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body) // only the status matters
	return answer.StatusCode
}

// trusting returns an HTTP client that trusts a certificate of the tests.
func trusting(pool *x509.CertPool) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}
