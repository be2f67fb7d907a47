// Package alerts reads the monitoring files that ship with Mintmark: the rules of Prometheus, the
// unit tests of these rules, and the dashboard of Grafana. Its tests check that the files and
// docs/runbooks.md are consistent; package e2e compares them with the metrics of a running node and
// makes each alert fire.
package alerts

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The files, relative to the root of the project.
const (
	RulesFile     = "deploy/prometheus/mintmark.rules.yml"
	UnitTestsFile = "deploy/prometheus/mintmark.rules.test.yml"
	ScrapeFile    = "deploy/prometheus/scrape.yml"
	DashboardFile = "deploy/grafana/mintmark.json"
	RunbooksFile  = "docs/runbooks.md"
)

// Rule is an alert, or a recorded expression.
type Rule struct {
	Alert, Record, Expr, For string
	Labels, Annotations      map[string]string
}

// Rules reads all rules of a file in order.
func Rules(path string) ([]Rule, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct{ Groups []struct{ Rules []Rule } }
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []Rule
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all, nil
}

var waits = regexp.MustCompile(`(?m)^( +for: )\S+$`)

// Shortened returns rules whose alerts fire as soon as their expressions have held for a second, so
// that a test need not wait for minutes. It does not change the expressions.
func Shortened(rules string) string { return waits.ReplaceAllString(rules, "${1}1s") }

// UnitTest is a group of unit tests that promtool runs.
type UnitTest struct {
	Name   string
	Checks []struct {
		Alert    string `yaml:"alertname"`
		Expected []any  `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
}

// UnitTests reads the unit tests of a file.
func UnitTests(path string) ([]UnitTest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct{ Tests []UnitTest }
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file.Tests, nil
}

// Panel is a panel of the dashboard; a row has panels only when it is folded.
type Panel struct {
	ID         int
	Type       string
	Title      string
	Datasource struct{ UID string }
	GridPos    struct{ X, Y, W, H int }
	Targets    []struct{ RefID, Expr string }
	Panels     []Panel
}

// Dashboard is the part of a Grafana dashboard file that the tests read.
type Dashboard struct {
	UID, Title string
	Panels     []Panel
	Templating struct {
		List []struct{ Name, Type, Query string }
	}
}

// ReadDashboard reads the members of a Grafana dashboard file that the tests use.
func ReadDashboard(path string) (Dashboard, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Dashboard{}, err
	}
	var all Dashboard
	return all, json.Unmarshal(text, &all)
}

var variables = strings.NewReplacer("$__rate_interval", "5m", "$job", "mintmark", "$instance", ".*")

// Exprs returns the expressions of all panels, with values substituted for variables.
func (d Dashboard) Exprs() []string {
	var all []string
	for _, panel := range d.Panels {
		for _, target := range panel.Targets {
			all = append(all, variables.Replace(target.Expr))
		}
	}
	return all
}

// Series is a metric in an expression, with the labels that select its series.
type Series struct {
	Metric string
	Labels []string
}

var (
	quotedText = regexp.MustCompile(`"[^"]*"`)
	selection  = regexp.MustCompile(
		`\b((?:mintmark|process|go)_[a-z0-9_]+|mintmark:[a-z0-9_:]+|up)\b(?:\{([^}]*)\})?`)
	labelName = regexp.MustCompile(`[a-z_]+`)
	grouping  = regexp.MustCompile(`\b(?:by|without|on|ignoring) \(([^)]*)\)`)
)

// Grouped returns the labels by which an expression groups.
func Grouped(expr string) []string {
	var all []string
	for _, match := range grouping.FindAllStringSubmatch(expr, -1) {
		all = append(all, labelName.FindAllString(match[1], -1)...)
	}
	return all
}

// Asked returns the series that an expression selects.
func Asked(expr string) []Series {
	var all []Series
	plain := quotedText.ReplaceAllString(expr, "")
	for _, match := range selection.FindAllStringSubmatch(plain, -1) {
		all = append(all, Series{match[1], labelName.FindAllString(match[2], -1)})
	}
	return all
}
