package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBankByCommands runs the commands in docs/data.md, section "A bank without a file", on an
// empty production installation, and checks that they end with a verified card.
func TestBankByCommands(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "docs", "data.md"))
	if err != nil {
		t.Fatal(err)
	}
	c := &circle{
		T: t, carrier: "http", dir: t.TempDir(), simulatorAt: freeAddress(t), adminAt: freeAddress(t),
	}
	c.production = production{
		t, filepath.Join(c.dir, "data"), filepath.Join(c.dir, "mintmark.yaml"),
	}
	c.startSimulator()
	configure(t, c.config, c.production.data, c.settings())
	initialize(t, "--config", c.config)
	c.startNode()
	walk := strings.NewReplacer("http://127.0.0.1:8080", c.node.url,
		"127.0.0.1:8090", c.simulatorAt).Replace(shellOf(t, string(text), "## A bank without a file\n"))
	shell := exec.CommandContext(t.Context(), "sh", "-eu")
	shell.Stdin, shell.Dir = strings.NewReader(walk), c.dir
	shell.Env = append(os.Environ(), "MINTMARK_SERVER=http://"+c.adminAt,
		"PATH="+filepath.Dir(c.node.command.Path)+":"+os.Getenv("PATH"))
	said, err := shell.CombinedOutput()
	if err != nil || !strings.Contains(string(said), `"status":"Verified"`) {
		t.Errorf("the walk ends with %v and shows\n%s", err, said)
	}
}
