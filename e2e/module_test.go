package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// goSection matches the commands and the program in docs/interface.md, section "From Go".
var goSection = regexp.MustCompile("(?s)\n### 11.3 From Go\n.*?```sh\n(.*?)```\n.*?```go\n(.*?)```")

// TestModuleOfACaller follows docs/interface.md in a caller's module, and runs its program.
func TestModuleOfACaller(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/interface.md")
	if err != nil {
		t.Fatal(err)
	}
	section := goSection.FindStringSubmatch(string(page))
	if section == nil {
		t.Fatal("docs/interface.md has no section From Go")
	}
	sources, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	commands := strings.ReplaceAll(section[1], "../mintmark", sources)
	program := strings.ReplaceAll(section[2], "http://127.0.0.1:8080", sandbox(t).url)
	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("sh", "-ec", "go mod init caller\n"+commands+"go run .")
	command.Dir = directory
	// The client's dependencies are here already, verified by the go.sum of the project.
	command.Env = append(os.Environ(), "GOPROXY=off", "GONOSUMDB=*", "GOFLAGS=")
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	same(t, "what the program prints", string(out), "5001 Verified\n")
}
