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

// TestMain runs the tests on the engines to be tested: on the embedded store all of them, on
// PostgreSQL those that need both, or all where it is the only engine or everything is tested. Then
// it removes the built program and ends the browser.
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
	_ = errors.Join(os.RemoveAll(builds), os.RemoveAll(keys)) // what is left lies with temporary files
	os.Exit(code)
}

// builds is the directory of the built program, and keys that of madeKeys; empty before they are
// needed.
var builds, keys string

// binary builds the program once and returns where it lies.
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
	// Always without the race detector: it is the program as shipped.
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	command.Stderr = os.Stderr
	return command.Run()
}

// command returns the program with arguments, not started yet. What it logs is shown when the
// test fails.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	return exec.Command(path, args...)
}

// run runs the program to its end and returns what it printed and its exit code.
func run(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	program := command(t, args...)
	output, err := program.CombinedOutput()
	if program.ProcessState == nil {
		t.Fatal(err)
	}
	return string(output), program.ProcessState.ExitCode()
}

// process is the program while it serves.
type process struct {
	*testing.T
	command *exec.Cmd
	opening string // what it printed when it began to serve
	url     string
	log     *logText
	ended   bool
}

// logText is what a program logs, to be read while it runs.
type logText struct {
	testrun.Events
	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes what the program writes.
func (l *logText) Write(text []byte) (int, error) {
	l.mu.Lock()
	written, err := l.text.Write(text)
	l.mu.Unlock()
	l.Happened()
	return written, err
}

// awaitText waits until the text holds another one.
func (l *logText) awaitText(t *testing.T, text string) {
	t.Helper()
	l.Until(t, text, func() bool { return strings.Contains(l.String(), text) })
}

// lastLines returns the end of a log, where the cause of a failure stands most likely.
func lastLines(text string) string {
	const most = 40
	lines := strings.SplitAfter(text, "\n")
	if len(lines) > most {
		return fmt.Sprintf("(%d lines before)\n", len(lines)-most) +
			strings.Join(lines[len(lines)-most:], "")
	}
	return text
}

// String returns what was written so far.
func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// initialize makes the keys and the database of production: those of a data directory, or of the
// directory "data" beside a settings file. Its RSA keys are those of all tests; TestCustodians and the
// walk of e2e/install have init make new ones.
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

// madeKeys is a directory with the keys of a sandbox, for tests: short ones, made once, because to
// find keys takes longer than anything else at a first start.
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

// giveKeys copies files of madeKeys to a data directory that does not exist yet.
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

// on returns the flags that name a data directory and the database that goes with it.
func on(t *testing.T, data string) []string {
	t.Helper()
	if ledger.On() == ledger.Postgres {
		return []string{"--data", data, "--database", ledger.Database(t, data).URL}
	}
	return []string{"--data", data}
}

var serving = regexp.MustCompile(`(?:interface +|serves on )(https?://[^ ,\n]+)`)

// serve starts the program and waits until it has said where it serves: up to a line that holds
// the last of what it prints then.
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
	// A program that hangs would make the test hang. One that has to make its keys first takes long
	// on a machine with too much to do.
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
		// What it prints from now on is not read, and must not make it wait.
		_, _ = io.Copy(io.Discard, lines)
	}()
	return p
}

// sandbox starts a sandbox. One that keeps its data has the database that goes with it.
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

// end sends a signal, waits for the end and returns the exit code, -1 for one that was killed.
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
	// The exit code says how it ended.
	_ = p.command.Wait()
	return p.command.ProcessState.ExitCode()
}

// setting is a number that the environment gives, such as how often a fault happens. Otherwise it is
// that of make check, or a smaller one in make test.
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
