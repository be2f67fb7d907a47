package install

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"mintmark/internal/importer/load"
)

const root = "../.." // of the repository, relative to the directory of the tests

// builds is a directory for artefacts that several tests share.
var builds string

func TestMain(m *testing.M) {
	var err error
	if builds, err = os.MkdirTemp("", "mintmark-install"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(builds)
	os.Exit(code)
}

// built builds the program for this machine.
var built = sync.OnceValues(func() (string, error) {
	program := filepath.Join(builds, "mintmark")
	command := exec.Command("go", "build", "-o", program, "./cmd/mintmark")
	command.Dir = root
	said, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	return program, err
})

// program returns the path of the program.
func program(t *testing.T) string {
	t.Helper()
	watchSources(t)
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// watchSources reads the sources of the program, so that a change invalidates a cached test result.
func watchSources(t *testing.T) {
	t.Helper()
	trees := []string{"cmd", "internal", "client"}
	for _, tree := range trees {
		err := filepath.WalkDir(filepath.Join(root, tree),
			func(path string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				_, err = os.ReadFile(path)
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// output runs a program and returns its output.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return string(out)
}

// read returns the content of a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestBankFile checks that the packaged bank file equals the one in docs/load.md.
func TestBankFile(t *testing.T) {
	t.Parallel()
	if read(t, "deploy/deb/bank.yaml") != load.Example {
		t.Error("deploy/deb/bank.yaml is not Example of internal/importer/load")
	}
}
