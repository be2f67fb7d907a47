package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
	"mintmark/internal/app"
	"mintmark/internal/testkit/testrun"
)

// TestMain runs the tests on the engines to test: all of them on the embedded store; on PostgreSQL
// those that need both, or all if it is the only engine or the run is full. Then it removes the
// built program and ends the browser.
func TestMain(m *testing.M) {
	flag.Parse()
	code := 0
	engines := ledger.Engines()
	for i, engine := range engines {
		fmt.Println("engine:", engine)
		ledger.Use(engine)
		if i > 0 && !testrun.Full() {
			chosen := flag.Lookup("test.run").Value
			narrowed := among(onBothEngines, chosen.String())
			if narrowed == "" {
				fmt.Println("no chosen test runs on both engines")
				break
			}
			if err := chosen.Set(narrowed); err != nil {
				panic(err) // the pattern is a list of names
			}
		}
		if err := recording.Begin(string(engine)); err != nil {
			fmt.Println("record the answers:", err)
			os.Exit(1)
		}
		code = max(code, m.Run())
	}
	endBrowser()
	_ = errors.Join(os.RemoveAll(builds), os.RemoveAll(keys)) // they are temporary files
	os.Exit(code)
}

// builds is the directory of the built program, and keys that of madeKeys; empty before their first
// use.
var builds, keys string

// binary builds the program once and returns its path.
var binary = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "mintmark-e2e")
	if err != nil {
		return "", err
	}
	builds = directory
	path := filepath.Join(directory, "mintmark")
	return path, build("..", "-o", path)
})

// build builds the program from the sources in a directory.
func build(directory string, flags ...string) error {
	// Without tables for debuggers linking takes half the time.
	arguments := slices.Concat([]string{"build", "-ldflags=-s -w"}, flags,
		[]string{"./cmd/mintmark"})
	command := exec.Command("go", arguments...)
	command.Dir = directory
	// Always without the race detector: this is the program as shipped.
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	command.Stderr = os.Stderr
	return command.Run()
}

// command returns a command that runs the program with arguments, not started yet. Its log is shown
// if the test fails.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	return exec.Command(path, args...)
}

// run runs the program to its end and returns its output and its exit code.
func run(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	program := command(t, args...)
	output, err := program.CombinedOutput()
	if program.ProcessState == nil {
		t.Fatal(err)
	}
	return string(output), program.ProcessState.ExitCode()
}

// process is a serving program.
type process struct {
	*testing.T
	command *exec.Cmd
	opening string // its output when it began to serve
	url     string
	log     *logText
	ended   bool
}

// logText is the log of a program, readable while the program runs.
type logText struct {
	testrun.Events
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds output of the program.
func (l *logText) Write(text []byte) (int, error) {
	l.mu.Lock()
	written, err := l.text.Write(text)
	l.mu.Unlock()
	l.Happened()
	return written, err
}

// awaitText waits until the log contains a text.
func (l *logText) awaitText(t *testing.T, text string) {
	t.Helper()
	l.Until(t, text, func() bool { return strings.Contains(l.String(), text) })
}

// lastLines returns the end of a log, which most likely shows the cause of a failure.
func lastLines(text string) string {
	const most = 40
	lines := strings.SplitAfter(text, "\n")
	if len(lines) > most {
		return fmt.Sprintf("(%d lines before)\n", len(lines)-most) +
			strings.Join(lines[len(lines)-most:], "")
	}
	return text
}

// String returns the log so far.
func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// initialize creates the keys and the database of production: in a data directory, or in the
// directory "data" beside a settings file. All tests share its RSA keys; TestCustodians and the
// walk of e2e/install let init create new ones.
func initialize(t *testing.T, where ...string) {
	t.Helper()
	data := where[1]
	if where[0] == "--config" {
		data = filepath.Join(filepath.Dir(data), "data")
	}
	giveKeys(t, data, "*.json", "*.pem")
	out, code := run(t, append([]string{"init"}, where...)...)
	if code != 0 {
		t.Fatalf("init: exit code %d: %s", code, out)
	}
}

// madeKeys returns a directory with the keys of a sandbox for tests: short ones, generated once,
// because that takes longer than anything else at a first start.
var madeKeys = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "mintmark-keys")
	if err != nil {
		return "", err
	}
	keys = directory
	data, seed := filepath.Join(directory, "data"), uint64(1)
	a, err := app.Start(context.Background(), app.Settings{
		Sandbox: true, Data: data, Seed: &seed, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
	})
	if err != nil {
		return "", err
	}
	return data, a.Close(context.Background())
})

// giveKeys copies files of madeKeys to a new data directory.
func giveKeys(t *testing.T, data string, patterns ...string) {
	t.Helper()
	from, err := madeKeys()
	if err != nil {
		t.Fatalf("make keys: %v", err)
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(from, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no %s in %s: %v", pattern, from, err)
		}
		for _, name := range names {
			copyFile(t, name, filepath.Join(data, filepath.Base(name)))
		}
	}
}

// on returns the flags for a data directory and the database that belongs to it.
func on(t *testing.T, data string) []string {
	t.Helper()
	if ledger.On() == ledger.Postgres {
		return []string{"--data", data, "--database", ledger.Database(t, data).URL}
	}
	return []string{"--data", data}
}

var serving = regexp.MustCompile(`(?:interface +|serves on )(https?://[^ ,\n]+)`)

// serve starts the program and waits until it has printed its addresses, up to a line that contains
// last.
func serve(t *testing.T, program *exec.Cmd, last string) *process {
	t.Helper()
	p := &process{T: t, command: program, log: new(logText)}
	p.command.Stderr = p.log
	out, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !p.ended {
			p.end(syscall.SIGKILL)
		}
		if t.Failed() {
			t.Logf("the last lines that the program has logged:\n%s", lastLines(p.log.String()))
		}
	})
	// A program that hangs would make the test hang. A program that has to generate its keys first
	// takes long on a busy machine.
	watchdog := time.AfterFunc(3*time.Minute, func() { _ = p.command.Process.Kill() })
	defer watchdog.Stop()
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		p.opening += line
		if err != nil {
			t.Fatalf("the program ends with %v and has printed %q", err, p.opening)
		}
		if strings.Contains(line, last) {
			break
		}
	}
	match := serving.FindStringSubmatch(p.opening)
	if match == nil {
		t.Fatalf("the program does not say where it serves: %q", p.opening)
	}
	p.url = match[1]
	go func() {
		// Later output is not needed, and must not block the program.
		_, _ = io.Copy(io.Discard, lines)
	}()
	return p
}

// sandbox starts a sandbox. A sandbox with a data directory uses the database that belongs to it.
func sandbox(t *testing.T, args ...string) *process {
	t.Helper()
	return serveSandbox(t, command(t), args...)
}

// serveSandbox starts the sandbox of a program that may be of another version.
func serveSandbox(t *testing.T, program *exec.Cmd, args ...string) *process {
	t.Helper()
	program.Args = append(program.Args,
		"sandbox", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	program.Args = append(program.Args, args...)
	kept := slices.Index(args, "--data")
	if kept >= 0 && !slices.Contains(args, "--seed") {
		if _, err := os.Stat(args[kept+1]); errors.Is(err, fs.ErrNotExist) {
			giveKeys(t, args[kept+1], "*.json", "*.pem", "sandbox")
		}
	}
	if kept >= 0 && ledger.On() == ledger.Postgres {
		program.Args = append(program.Args, "--database", ledger.Database(t, args[kept+1]).URL)
	}
	return serve(t, program, "/card/getbytag/")
}

// end sends a signal, waits for the end and returns the exit code, -1 if the process was killed.
func (p *process) end(signal syscall.Signal) int {
	p.Helper()
	if err := p.command.Process.Signal(signal); err != nil {
		p.Errorf("signal %v: %v", signal, err)
	}
	return p.wait()
}

func (p *process) wait() int {
	p.Helper()
	p.ended = true
	watchdog := time.AfterFunc(time.Minute, func() { _ = p.command.Process.Kill() })
	defer watchdog.Stop()
	// The exit code is checked.
	_ = p.command.Wait()
	return p.command.ProcessState.ExitCode()
}

// setting returns a number from the environment, such as the number of faults. The default is the
// number for make check, or a smaller one in make test.
func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	given := os.Getenv(name)
	if less, known := fewer[name]; given == "" && known && !testrun.Full() {
		return less
	}
	if given == "" {
		return otherwise
	}
	wanted, err := strconv.Atoi(given)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return wanted
}
