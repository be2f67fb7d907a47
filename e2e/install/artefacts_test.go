package install

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

const root = "../.." // of the repository, seen from the directory where the tests run

// TestMain removes what the tests have built.
func TestMain(m *testing.M) {
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

// built is the directory of what scripts/dist has built; empty before it is needed.
var built string

var build = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "mintmark-install")
	if err != nil {
		return "", err
	}
	built = directory
	return directory, dist(root, directory, "PLATFORMS=linux/"+runtime.GOARCH)
})

// dist runs the script of a clone.
func dist(clone, directory string, environment ...string) error {
	command := exec.Command(filepath.Join(clone, "scripts", "dist"), directory)
	command.Env = append(os.Environ(), environment...)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// artefact returns the path of the one file that matches a pattern. ok is false where Debian's
// tools are not there, or nothing is made for the system.
func artefact(t *testing.T, pattern string) (path string, ok bool) {
	t.Helper()
	if _, err := exec.LookPath("dpkg-deb"); err != nil || runtime.GOOS != "linux" {
		t.Logf("on %s, with dpkg-deb: %v, this is not tested", runtime.GOOS, err)
		return "", false
	}
	watchSources(t)
	directory, err := build()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(directory, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, %v", pattern, found, err)
	}
	return found[0], true
}

// watchSources reads what scripts/dist reads, so that a change makes a cached result of the test
// void.
func watchSources(t *testing.T) {
	t.Helper()
	trees := []string{"cmd", "internal", "client", "deploy", "tools", "scripts", "docs"}
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

// output runs a program and returns what it prints.
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

// read returns a file of the repository.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReproducible builds everything in two clones, with an empty build cache each, and compares
// the checksums. That takes long, so it is done with MINTMARK_PLATFORMS=all alone.
func TestReproducible(t *testing.T) {
	if os.Getenv("MINTMARK_PLATFORMS") != "all" {
		return
	}
	var sums []string
	for _, name := range []string{"first", "another, longer name"} {
		clone := filepath.Join(t.TempDir(), name)
		output(t, "git", "clone", "--quiet", root, clone)
		directory := filepath.Join(t.TempDir(), "dist")
		err := dist(clone, directory, "GOCACHE="+t.TempDir(), "TZ=Asia/Kathmandu", "GOFLAGS=")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(directory, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(text))
	}
	const programs, lists, packages, images = 6, 6, 2, 2
	if lines := strings.Count(sums[0], "\n"); lines != programs+lists+packages+images {
		t.Errorf("there are %d checksums:\n%s", lines, sums[0])
	}
	if sums[0] != sums[1] {
		t.Errorf("two builds differ:\n%s\n%s", sums[0], sums[1])
	}
}

// TestChecksums compares the file of checksums with what lies beside it.
func TestChecksums(t *testing.T) {
	path, ok := artefact(t, "SHA256SUMS")
	if !ok {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const program, list, pack, image = 1, 1, 1, 1
	if lines := strings.Count(string(text), "\n"); lines != program+list+pack+image {
		t.Errorf("there are %d checksums:\n%s", lines, text)
	}
	for line := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(content)) != sum {
			t.Errorf("%s does not have the checksum %s: %v", name, sum, err)
		}
	}
}
