//go:build check

package main

import (
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mintmark/internal/testkit/testrun"
)

// TestEveryPlatformBuilds checks the output of `make dist`: a program in the right format for every
// system and machine in its list, and correct checksums. The first build for a platform takes
// minutes, so all platforms are built only with MINTMARK_PLATFORMS=all. Otherwise a full run
// compiles the one package that differs between systems, for each system.
func TestEveryPlatformBuilds(t *testing.T) {
	t.Parallel()
	watchSources(t)
	listed, err := exec.Command("../../scripts/dist", "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	platforms := strings.Fields(string(listed))
	const systems, machines = 3, 2
	if len(platforms) != systems*machines {
		t.Errorf("there are %d platforms: %q", len(platforms), platforms)
	}
	if os.Getenv("MINTMARK_PLATFORMS") != "all" {
		if !testrun.Full() {
			return
		}
		for _, system := range []string{"darwin", "windows"} {
			compile(t, system, "../../internal/base/platform")
		}
		return
	}
	directory := t.TempDir()
	dist := exec.Command("../../scripts/dist", directory)
	dist.Env = append(os.Environ(), "PLATFORMS="+strings.Join(platforms, " "))
	if said, err := dist.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var sums strings.Builder
	for _, platform := range platforms {
		system, machine, _ := strings.Cut(platform, "/")
		name := "mintmark-" + system + "-" + machine
		if system == "windows" {
			name += ".exe"
		}
		path := filepath.Join(directory, name)
		if err := checkProgram(path, system, machine); err != nil {
			t.Errorf("%s: %v", platform, err)
			continue
		}
		program, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(program), name)
	}
	text, err := os.ReadFile(filepath.Join(directory, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(sums.String()) {
		if !strings.Contains(string(text), line) {
			t.Errorf("the checksums lack %s", line)
		}
	}
}

// compile compiles the package in a directory for another system.
func compile(t *testing.T, system, directory string) {
	t.Helper()
	build := exec.Command("go", "build", directory)
	build.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Errorf("for %s: %v\n%s", system, err, said)
	}
}

// watchSources reads the sources compiled only on other systems, so that a change to one of them
// invalidates the cached result of this test.
func watchSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("../../internal", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_windows.go") {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkProgram checks that the header of a program matches its platform.
func checkProgram(path, system, machine string) error {
	var names string
	switch system {
	case "linux":
		file, err := elf.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		names = map[elf.Machine]string{
			elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64",
		}[file.Machine]
	case "darwin":
		file, err := macho.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		names = map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[file.Cpu]
	case "windows":
		file, err := pe.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		names = map[uint16]string{
			pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64",
		}[file.Machine]
	default:
		return errors.New("the test does not know the system")
	}
	if names != machine {
		return fmt.Errorf("the program is for %q", names)
	}
	return nil
}
