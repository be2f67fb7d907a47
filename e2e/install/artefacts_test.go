//go:build long

package install

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// build runs scripts/dist for this machine.
var build = sync.OnceValues(func() (string, error) {
	directory := filepath.Join(builds, "dist")
	return directory, dist(root, directory, "PLATFORMS=linux/"+runtime.GOARCH)
})

// dist runs the scripts/dist of a clone.
func dist(clone, directory string, environment ...string) error {
	command := exec.Command(filepath.Join(clone, "scripts", "dist"), directory)
	command.Env = append(os.Environ(), environment...)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, said)
	}
	return nil
}

// artefact returns the path of the one file that matches a pattern. ok is false if Debian's tools
// are missing, or nothing is built for the system.
func artefact(t *testing.T, pattern string) (path string, ok bool) {
	t.Helper()
	if _, err := exec.LookPath("dpkg-deb"); err != nil || runtime.GOOS != "linux" {
		t.Logf("on %s, with dpkg-deb: %v, this is not tested", runtime.GOOS, err)
		return "", false
	}
	directory, err := build()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(directory, pattern))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s: %q, %v", pattern, paths, err)
	}
	return paths[0], true
}

// TestReproducible builds everything in two clones, each with an empty build cache, and compares
// the checksums.
func TestReproducible(t *testing.T) {
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

// TestChecksums compares the file of checksums with the files beside it.
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
