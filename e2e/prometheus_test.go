//go:build long

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintmark/e2e/alerts"
	"mintmark/internal/testkit/testrun"
)

// watcher is a Prometheus with the shipped rules.
type watcher struct {
	*testing.T
	url, dir string
	rules    string // the shipped file
	log      *logText
}

// scrapeJob is a scrape job of a watcher.
type scrapeJob struct {
	name, interval string
	targets        []string
}

// watch starts a Prometheus that scrapes some addresses. The rules are the shipped ones, with the
// waiting time of alerts shortened to a second.
func watch(t *testing.T, jobs ...scrapeJob) *watcher {
	t.Helper()
	text, err := os.ReadFile("../" + alerts.RulesFile)
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{T: t, dir: t.TempDir(), rules: string(text), log: new(logText)}
	address := freeAddress(t)
	w.url = "http://" + address
	w.write("rules.yml", alerts.Shortened(w.rules))
	settings := "global: {evaluation_interval: 1s}\nrule_files: [rules.yml]\nscrape_configs:\n"
	for _, job := range jobs {
		settings += fmt.Sprintf("  - {job_name: %s, scrape_interval: %s, scrape_timeout: %[2]s, "+
			"static_configs: [{targets: [%s]}]}\n", job.name, job.interval,
			"'"+strings.Join(job.targets, "', '")+"'")
	}
	w.write("prometheus.yml", settings)
	command := exec.Command("prometheus", "--config.file="+filepath.Join(w.dir, "prometheus.yml"),
		"--storage.tsdb.path="+filepath.Join(w.dir, "data"), "--web.listen-address="+address,
		"--web.enable-lifecycle", "--log.level=warn")
	command.Stdout, command.Stderr = w.log, w.log
	if err := command.Start(); err != nil {
		t.Fatalf("%v: scripts/need promtool brings it", err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Logf("prometheus has logged:\n%s", w.log)
		}
	})
	testrun.Within(t, "Prometheus is ready", func() bool {
		answer, err := http.Get(w.url + "/-/ready")
		if err != nil {
			return false
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return w
}

func (w *watcher) write(name, text string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

// lower lowers thresholds that a test cannot reach.
func (w *watcher) lower(thresholds map[string]string) {
	w.Helper()
	text := alerts.Shortened(w.rules)
	for from, to := range thresholds {
		if !strings.Contains(text, from) {
			w.Fatalf("no rule has the threshold %s", from)
		}
		text = strings.ReplaceAll(text, from, to)
	}
	w.write("rules.yml", text)
	answer, err := http.Post(w.url+"/-/reload", "text/plain", nil)
	if err != nil {
		w.Fatal(err)
	}
	answer.Body.Close()
	same(w.T, "status of the reload", answer.StatusCode, http.StatusOK)
}

// ask sends a query to Prometheus.
func (w *watcher) ask(path string, into any) {
	w.Helper()
	answer, err := http.Get(w.url + path)
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		w.Fatalf("%s: %v: %s", path, err, text)
	}
}

// fired is an alert in Prometheus.
type fired struct {
	State               string
	Labels, Annotations map[string]string
}

// firing returns the alerts that fire now.
func (w *watcher) firing() []fired {
	w.Helper()
	var answer struct{ Data struct{ Alerts []fired } }
	w.ask("/api/v1/alerts", &answer)
	var all []fired
	for _, alert := range answer.Data.Alerts {
		if alert.State == "firing" {
			all = append(all, alert)
		}
	}
	return all
}

// query evaluates an expression and returns the number of resulting series.
func (w *watcher) query(expr string) int {
	w.Helper()
	var answer struct{ Data struct{ Result []any } }
	w.ask("/api/v1/query?query="+url.QueryEscape(expr), &answer)
	return len(answer.Data.Result)
}

// well checks that every rule can be evaluated.
func (w *watcher) well() {
	w.Helper()
	var answer struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	testrun.Within(w.T, "every rule was evaluated", func() bool {
		w.ask("/api/v1/rules", &answer)
		for _, group := range answer.Data.Groups {
			for _, rule := range group.Rules {
				if rule.Health == "unknown" {
					return false
				}
			}
		}
		return true
	})
	for _, group := range answer.Data.Groups {
		for _, rule := range group.Rules {
			if rule.Health != "ok" {
				w.Errorf("%s is %s: %s", rule.Name, rule.Health, rule.LastError)
			}
		}
	}
}

// quiet checks that no alert fires for the given time.
func (w *watcher) quiet(job string, lasts time.Duration) {
	w.Helper()
	//nolint:forbidigo // That nothing fires for this long is what it shows.
	for end := time.Now().Add(lasts); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		for _, alert := range w.firing() {
			if alert.Labels["job"] == job {
				w.Fatalf("on nodes that are well fires %v: %v", alert.Labels, alert.Annotations)
			}
		}
	}
}
