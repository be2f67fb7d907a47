package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintmark/e2e/ledger"
	loadfile "mintmark/internal/importer/load"
)

// TestOperatingStart runs the commands in docs/operating.md, section "Start and stop", with the
// small file of docs/load.md, and reads a card with the key in it.
func TestOperatingStart(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	text, err := os.ReadFile(filepath.Join("..", "docs", "operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	settings := "data: data\nlisten: 127.0.0.1:0\nadminListen: 127.0.0.1:0\n" +
		"publicUrl: https://cards.example\ndatabase: {url: '" +
		ledger.Database(t, filepath.Join(directory, "data")).URL + "'}\n"
	// The address of the test, instead of the example's.
	bank := strings.Replace(loadfile.Example, "10.0.0.0/8", "127.0.0.0/8", 1)
	for name, content := range map[string]string{"mintmark.yaml": settings, "bank.yaml": bank} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	typed := shellOf(t, string(text), "## Start and stop\n")
	before, serving, ok := strings.Cut(typed, "mintmark serve ")
	if !ok {
		t.Fatalf("nothing is served:\n%s", typed)
	}
	shell := exec.Command("sh", "-eu")
	shell.Stdin = strings.NewReader(before)
	shell.Dir = directory
	shell.Env = append(os.Environ(), "PATH="+filepath.Dir(path)+":"+os.Getenv("PATH"))
	if out, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	program := command(t, append([]string{"serve"}, strings.Fields(serving)...)...)
	program.Dir = directory
	running := serve(t, program, "serves on")
	_, secret, _ := strings.Cut(loadfile.Example, "secret: ")
	secret, _, _ = strings.Cut(secret, "}")
	out, err := exec.Command("curl", "-s", "-u", "app:"+secret, running.url+"/card/initiate", "-d",
		`{"customerId":1,"cardHolderCustomerId":1,"vendorTypeCode":"VS","primaryAccountId":1,`+
			`"firstName":"Ada","lastName":"Example","nickName":"First"}`).Output()
	if err != nil || !strings.Contains(string(out), `"status":"Initiated"`) {
		t.Errorf("the first card is answered %v, %s", err, out)
	}
	same(t, "exit code", running.end(syscall.SIGTERM), 0)
}
