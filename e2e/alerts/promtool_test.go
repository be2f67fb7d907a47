//go:build check

package alerts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// promtool runs promtool and returns its output.
func promtool(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("promtool", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("promtool %q: %v (scripts/need promtool brings it)\n%s", args, err, out)
	}
	return string(out)
}

// TestPromtool checks the rules and the settings with promtool, and runs the unit tests of the
// rules.
func TestPromtool(t *testing.T) {
	t.Parallel()
	promtool(t, "check", "rules", root+RulesFile)
	promtool(t, "test", "rules", root+UnitTestsFile)
	promtool(t, "check", "config", "--syntax-only", root+ScrapeFile)
}

// TestPromtoolOnTheDashboard parses the expressions of the panels with promtool.
func TestPromtoolOnTheDashboard(t *testing.T) {
	t.Parallel()
	board, err := ReadDashboard(root + DashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	understood(t, board.Exprs())
}

// understood parses expressions with promtool, each as a rule.
func understood(t *testing.T, exprs []string) {
	t.Helper()
	type rule struct{ Record, Expr string }
	type group struct {
		Name  string
		Rules []rule
	}
	all := group{Name: "panels"}
	for i, expr := range exprs {
		all.Rules = append(all.Rules, rule{fmt.Sprintf("panel:%d", i), expr})
	}
	text, err := yaml.Marshal(map[string][]group{"groups": {all}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "panels.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if out := promtool(t, "check", "rules", file); !strings.Contains(out,
		fmt.Sprintf("SUCCESS: %d rules found", len(exprs))) {
		t.Errorf("promtool says %s", out)
	}
}
