// Faults inserts one fault after another into the code and checks that a test catches it: that the
// tests named for it pass without the fault and fail with it. It changes no file: the go command
// builds each fault from an overlay.
//
//	go run -C tools ./faults [-only PART-OF-A-NAME]
//
// It prints a line for each fault and exits with 1 when a fault was not caught, or no longer fits
// the code.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// fault is a mistake in one place of the code, and the tests that must detect it.
type fault struct {
	name     string
	file     string // relative to the root of the project
	old, new string // old occurs once in the file
	tests    string // the packages whose tests catch it, separated by spaces
	run      string // a pattern of these tests; empty for all
	check    bool   // caught only by make check: it needs both engines
}

func main() {
	only := flag.String("only", "", "run the faults whose name contains this `text`")
	flag.Parse()
	missed := 0
	for _, f := range faults {
		if !strings.Contains(f.name, *only) {
			continue
		}
		began := time.Now()
		target := "test"
		if f.check {
			target = "check"
		}
		verdict := "caught"
		test, err := f.try()
		if err != nil {
			verdict, test = "MISSED", err.Error()
			missed++
		}
		fmt.Printf("%-6s by make %-5s %4.0f s  %s: %s\n", verdict, target,
			time.Since(began).Seconds(), f.name, test)
	}
	if missed > 0 {
		fmt.Printf("%d of the faults were not caught.\n", missed)
		os.Exit(1)
	}
}

// try builds the project with the fault and runs the tests. It returns the first test that fails,
// or why none did.
func (f fault) try() (test string, err error) {
	directory, err := os.MkdirTemp("", "fault")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(directory)
	overlay, err := f.overlay(directory)
	if err != nil {
		return "", err
	}
	arguments := []string{"test", "-count=1", "-timeout=10m", "-run=" + f.run}
	command := exec.Command("go", append(arguments, strings.Fields(f.tests)...)...)
	command.Dir = root
	// Tests that build the program build it with the fault. A failed property test must leave no
	// file: the tests without the fault would replay it.
	command.Env = append(os.Environ(), "GOWORK=off", "RAPID_NOFAILFILE=true",
		"GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	if f.check {
		command.Env = append(command.Env, "MINTMARK_TEST_FULL=1")
	}
	out, failure := command.CombinedOutput()
	if failure == nil {
		return "", errors.New("all tests pass")
	}
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			return name, nil
		}
		if strings.HasPrefix(line, "panic: ") {
			return line, nil
		}
	}
	return "", fmt.Errorf("no test ran: %s", strings.TrimSpace(string(out)))
}

// root is the root directory of the project, relative to the module of the tools.
const root = ".."

// overlay writes the file with the fault, and the list of replaced files for the go command.
func (f fault) overlay(directory string) (path string, err error) {
	original, err := filepath.Abs(filepath.Join(root, f.file))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	if count := strings.Count(string(text), f.old); count != 1 {
		return "", fmt.Errorf("%s has the text to replace %d times, not once", f.file, count)
	}
	changed := filepath.Join(directory, "changed.go")
	replaced := strings.Replace(string(text), f.old, f.new, 1)
	if err := os.WriteFile(changed, []byte(replaced), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	path = filepath.Join(directory, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}
