package alerts

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the root of the project.
const root = "../../"

// shipped returns the alerts among the shipped rules, and the names of the recorded expressions.
func shipped(t *testing.T) (alerts []Rule, recorded []string) {
	t.Helper()
	all, err := Rules(root + RulesFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range all {
		if rule.Alert != "" {
			alerts = append(alerts, rule)
		} else {
			recorded = append(recorded, rule.Record)
		}
	}
	if len(alerts) == 0 || len(recorded) == 0 {
		t.Fatal("there are no rules")
	}
	return alerts, recorded
}

// TestAlertsAreWhole checks that each alert has a severity, a description, and a link to its
// runbook.
func TestAlertsAreWhole(t *testing.T) {
	t.Parallel()
	alerts, recorded := shipped(t)
	names := make(map[string]bool)
	for _, rule := range alerts {
		if names[rule.Alert] {
			t.Errorf("%s stands there twice", rule.Alert)
		}
		names[rule.Alert] = true
		if s := rule.Labels["severity"]; s != "page" && s != "ticket" {
			t.Errorf("%s has the severity %q", rule.Alert, s)
		}
		want := RunbooksFile + "#" + strings.ToLower(rule.Alert)
		if rule.Annotations["runbook"] != want {
			t.Errorf("%s names %q, want %q", rule.Alert, rule.Annotations["runbook"], want)
		}
		if rule.Annotations["summary"] == "" || rule.Annotations["description"] == "" {
			t.Errorf("%s does not say what it means", rule.Alert)
		}
		for _, series := range Asked(rule.Expr) {
			if strings.HasPrefix(series.Metric, "mintmark:") &&
				!slices.Contains(recorded, series.Metric) {
				t.Errorf("%s asks for %s, which is not recorded", rule.Alert, series.Metric)
			}
		}
	}
}

// TestUnitTestsOfEachAlert checks that the unit tests cover each alert both firing and quiet.
func TestUnitTestsOfEachAlert(t *testing.T) {
	t.Parallel()
	tests, err := UnitTests(root + UnitTestsFile)
	if err != nil {
		t.Fatal(err)
	}
	fires, quiet := make(map[string]bool), make(map[string]bool)
	for _, test := range tests {
		for _, check := range test.Checks {
			if len(check.Expected) > 0 {
				fires[check.Alert] = true
			} else {
				quiet[check.Alert] = true
			}
		}
	}
	alerts, _ := shipped(t)
	for _, rule := range alerts {
		if !fires[rule.Alert] || !quiet[rule.Alert] {
			t.Errorf("%s: a unit test sees it fire: %t, and quiet: %t", rule.Alert,
				fires[rule.Alert], quiet[rule.Alert])
		}
	}
}

var (
	section  = regexp.MustCompile(`(?m)^### (Mintmark\w+)$`)
	parts    = []string{"**Means.**", "**Look.**", "**Do.**", "**Wake.**", "**Over.**"}
	severity = regexp.MustCompile(`(?m)^\((page|ticket)\)$`)
)

// TestRunbooks checks that each alert has a section in docs/runbooks.md and each section an alert,
// in the same order, and that every section is complete.
func TestRunbooks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + RunbooksFile)
	if err != nil {
		t.Fatal(err)
	}
	alerts, _ := shipped(t)
	var want, got []string
	for _, rule := range alerts {
		want = append(want, rule.Alert)
	}
	places := section.FindAllStringSubmatchIndex(string(text), -1)
	for i, place := range places {
		name := string(text[place[2]:place[3]])
		got = append(got, name)
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		about := string(text[place[1]:end])
		at := 0
		for _, part := range parts {
			index := strings.Index(about, part)
			if index < at {
				t.Errorf("%s has no %s in its place", name, part)
			}
			at = max(at, index)
		}
		rule := slices.IndexFunc(alerts, func(r Rule) bool { return r.Alert == name })
		said := severity.FindStringSubmatch(about)
		if rule >= 0 && (said == nil || said[1] != alerts[rule].Labels["severity"]) {
			t.Errorf("%s does not say its severity", name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/runbooks.md has the sections\n%q, want\n%q", got, want)
	}
}

// TestDashboard checks that Grafana can import the dashboard: ids are unique, panels do not
// overlap, and Prometheus can parse the expressions.
func TestDashboard(t *testing.T) {
	t.Parallel()
	board, err := ReadDashboard(root + DashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	if board.UID == "" || board.Title == "" {
		t.Error("the dashboard has no uid or no title")
	}
	ids, taken := make(map[int]string), make(map[[2]int]string)
	overlaps := make(map[string]bool)
	for _, panel := range board.Panels {
		if ids[panel.ID] != "" || panel.ID == 0 {
			t.Errorf("the panels %q and %q have the ID %d", ids[panel.ID], panel.Title, panel.ID)
		}
		ids[panel.ID] = panel.Title
		if panel.Title == "" || panel.Type == "" || len(panel.Panels) > 0 {
			t.Errorf("panel %d has no title or type, or panels inside", panel.ID)
		}
		if panel.Type != "row" && (len(panel.Targets) == 0 ||
			panel.Datasource.UID != "${datasource}") {
			t.Errorf("panel %q asks for nothing, or a source that is fixed", panel.Title)
		}
		for x := panel.GridPos.X; x < panel.GridPos.X+panel.GridPos.W; x++ {
			for y := panel.GridPos.Y; y < panel.GridPos.Y+panel.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					overlaps[fmt.Sprintf("%q lies upon %q", panel.Title, other)] = true
				}
				taken[[2]int{x, y}] = panel.Title
			}
		}
	}
	for _, overlap := range slices.Sorted(maps.Keys(overlaps)) {
		t.Errorf("panel %s, or beside the page", overlap)
	}
}

// TestDashboardShowsWhatAlertsAskFor checks that an operator who gets an alert finds its metrics on
// the dashboard. A recorded expression counts as the metrics that it is computed from.
func TestDashboardShowsWhatAlertsAskFor(t *testing.T) {
	t.Parallel()
	board, err := ReadDashboard(root + DashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Rules(root + RulesFile)
	if err != nil {
		t.Fatal(err)
	}
	recorded := make(map[string]string)
	for _, rule := range all {
		recorded[rule.Record] = rule.Expr
	}
	var metrics func(expr string) []string
	metrics = func(expr string) (names []string) {
		for _, series := range Asked(expr) {
			if rule := recorded[series.Metric]; rule != "" {
				names = append(names, metrics(rule)...)
				continue
			}
			names = append(names, series.Metric)
		}
		return names
	}
	var shown []string
	for _, expr := range board.Exprs() {
		shown = append(shown, metrics(expr)...)
	}
	for _, rule := range all {
		for _, name := range metrics(rule.Expr) {
			if rule.Alert != "" && !slices.Contains(shown, name) {
				t.Errorf("%s asks for %s, which no panel shows", rule.Alert, name)
			}
		}
	}
}

var namedPanels = regexp.MustCompile(`panels? ("[^"]+"(?:(?:,| and) "[^"]+")*)`)

// TestRunbooksNamePanels checks that the panels that the runbooks mention exist.
func TestRunbooksNamePanels(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + RunbooksFile)
	if err != nil {
		t.Fatal(err)
	}
	board, err := ReadDashboard(root + DashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	titles := make(map[string]bool)
	for _, panel := range board.Panels {
		titles[panel.Title] = true
	}
	flat := strings.Join(strings.Fields(string(text)), " ")
	list := namedPanels.FindAllStringSubmatch(flat, -1)
	for _, match := range list {
		for i, name := range strings.Split(match[1], `"`) {
			if i%2 == 1 && !titles[name] {
				t.Errorf("no panel is called %q", name)
			}
		}
	}
	if len(list) < 5 {
		t.Errorf("the runbooks name panels %d times only", len(list))
	}
}

// TestShortened checks that only the waiting times are shortened.
func TestShortened(t *testing.T) {
	t.Parallel()
	const given = "      - alert: A\n        expr: rate(a[5m]) > 3\n        for: 10m\n"
	const want = "      - alert: A\n        expr: rate(a[5m]) > 3\n        for: 1s\n"
	if got := Shortened(given); got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
}

// TestAsked checks which words are recognized as metrics and labels.
func TestAsked(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(Asked(`sum by (job) (rate(mintmark_a_total{code=~"up|x",route="/.*"}[5m]))
		/ mintmark:b:rate5m and up == 0`))
	want := "[{mintmark_a_total [code route]} {mintmark:b:rate5m []} {up []}]"
	if got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
}
