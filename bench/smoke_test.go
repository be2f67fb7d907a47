//go:build check

package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mintmark/internal/testkit/testrun"
)

// TestMain lets the bench start the test program as a bare handler.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args, "-bare") || slices.Contains(os.Args, "-against") {
		main()
	}
	// The measurements of this test are not meant to be accurate.
	serverSettings = []string{"fsync=off", "shared_buffers=64MB"}
	directory, err := os.MkdirTemp("", "mintmark-bench-test")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(directory, "mintmark")
	code := m.Run()
	_ = os.RemoveAll(directory)
	os.Exit(code)
}

// program is the path of the built program.
var program string

// built builds the program once.
var built = sync.OnceValue(func() error {
	out, err := exec.Command("go", "build", "-C", "..", "-o", program, "./cmd/mintmark").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
})

// small returns a bench that measures so briefly that its numbers mean nothing.
func small(t *testing.T) *bench {
	t.Helper()
	if err := built(); err != nil {
		t.Fatal(err)
	}
	return &bench{
		program: program, filler: program, rounds: 1, lasting: 50 * time.Millisecond,
		sizes: []int{1000, 2000}, spread: 2000, only: regexp.MustCompile(""),
	}
}

// TestEverySectionRuns measures everything briefly, so that a change of the tables, of the
// interface or of a command does not break the bench unnoticed, and reads the report.
func TestEverySectionRuns(t *testing.T) {
	b := small(t)
	if err := b.inDirectory(b.sections); err != nil {
		t.Fatal(err)
	}
	if len(b.report.notes) > 0 {
		t.Fatalf("not everything was measured: %q", b.report.notes)
	}
	if want := len(operations) * len(connections) * len(engines); len(b.report.speeds) != want {
		t.Errorf("%d speeds were measured, want %d", len(b.report.speeds), want)
	}
	for _, c := range b.report.rows {
		if !(c.ratio > 0) {
			t.Errorf("%s: the ratio is %v", c.name, c.ratio)
		}
	}
	page := filepath.Join(t.TempDir(), "performance.md")
	if err := b.report.write(page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| lock and unlock a card | postgresql | ", throughputFile,
		latencyFile, "pgbench, in as few trips as the program"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report does not say %q:\n%s", want, text)
		}
	}
	for _, name := range []string{throughputFile, latencyFile} {
		wellFormed(t, filepath.Join(filepath.Dir(page), name))
	}
}

// wellFormed parses a chart.
func wellFormed(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", file, err, text)
		}
	}
	if bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("%!")) {
		t.Errorf("%s has a number that is none:\n%s", file, text)
	}
}

// TestAgainst compares the program with itself.
func TestAgainst(t *testing.T) {
	b := small(t)
	b.only = regexp.MustCompile("get a card$|verify|lock")
	if err := b.inDirectory(func() error { return b.against(b.program) }); err != nil {
		t.Fatal(err)
	}
}

// TestKilledBench kills a bench while it measures. No server stays behind.
func TestKilledBench(t *testing.T) {
	b := small(t)
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		command := exec.Command(own, "-program", b.program, "-against", b.program, "-time", "1m",
			"-cards", "1000", "-only", "embedded")
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		testrun.Within(t, "servers are started", func() bool { return running(t, b.program) == 2 })
		if err := command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		_ = command.Wait() // it was killed
		testrun.Within(t, "servers have ended", func() bool { return running(t, b.program) == 0 })
	}
}

// running counts the serving processes.
func running(t *testing.T, program string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.HasPrefix(string(text), program+"\x00serve\x00") {
			count++
		}
	}
	return count
}
