//go:build check

package install

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// exposure is the maximum exposure of the unit in tenths: 0 is the least, 100 the most.
const exposure = "20"

// TestUnit analyzes the unit with systemd.
func TestUnit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		t.Logf("the unit is not judged: %v", err)
		return
	}
	// The analysis must fail for an unprotected unit, or it proves nothing.
	open := filepath.Join(t.TempDir(), "open.service")
	text := "[Service]\nUser=mintmark\nExecStart=/bin/true\n"
	if err := os.WriteFile(open, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for unit, hard := range map[string]bool{
		"../../deploy/mintmark.service": true, "../../deploy/mintmark-backup.service": true,
		open: false,
	} {
		out, err := exec.Command("systemd-analyze", "security", "--offline=true",
			"--threshold="+exposure, unit).CombinedOutput()
		if (err == nil) != hard || !strings.Contains(string(out), "Overall exposure level") {
			t.Errorf("%s is judged %v:\n%s", unit, err, out)
		}
	}
	for _, line := range []string{
		"\nExecStart=/usr/bin/mintmark serve ", // installed by the package
		"\nLimitCORE=0\n", "\nMemorySwapMax=0\n",
		"\nStartLimitIntervalSec=0\n\n[Service]\n", // a node waits for its database without a limit
	} {
		if !strings.Contains(read(t, "deploy/mintmark.service"), line) {
			t.Errorf("the unit lacks %q", line)
		}
	}
}

// TestDumps checks that the program disables dumps of its memory.
func TestDumps(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Logf("it is not seen what the program asks of the system: %v", err)
		return
	}
	out, err := exec.Command("strace", "-f", "-e", "trace=prctl", program(t), "version").
		CombinedOutput()
	if err != nil || !strings.Contains(string(out), "PR_SET_DUMPABLE, SUID_DUMP_DISABLE") {
		t.Errorf("the program ends with %v and asks for\n%s", err, out)
	}
}

// TestUnitIsTold starts the program as systemd does with Type=notify: the program notifies systemd
// when it serves callers, and not before.
func TestUnitIsTold(t *testing.T) {
	directory := t.TempDir()
	address := filepath.Join(directory, "notify")
	manager, err := net.ListenPacket("unixgram", address)
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	serving := startNode(t, directory, program(t), "NOTIFY_SOCKET="+address)
	if err := manager.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	told := make([]byte, 100)
	length, _, err := manager.ReadFrom(told)
	if err != nil || string(told[:length]) != "READY=1" {
		t.Errorf("systemd is told %q, %v", told[:length], err)
	}
	serving.stop(t)
}

// node is the program serving in production.
type node struct {
	command *exec.Cmd
	url     string
}

// startNode creates keys and a database and serves, by a command line that begins with the given
// words.
func startNode(t *testing.T, directory, program, environment string, before ...string) node {
	t.Helper()
	file := filepath.Join(directory, "mintmark.yaml")
	text := "data: " + directory + "/data\npublicUrl: https://cards.example.com\n" +
		"listen: 127.0.0.1:0\nadminListen: 127.0.0.1:0\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, program, "init", "--config", file)
	line := slices.Concat(before, []string{program, "serve", "--config", file})
	command := exec.Command(line[0], line[1:]...)
	command.Env = append(os.Environ(), environment)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the program says %q, %v", said, err)
	}
	return node{command, regexp.MustCompile(`http://[^ ,]+`).FindString(said)}
}

// stop ends the program as systemd does.
func (n node) stop(t *testing.T) {
	t.Helper()
	if err := n.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := n.command.Wait(); err != nil {
		t.Errorf("the end: %v", err)
	}
}

// TestUnitFilter compares the system calls of the program with those that the unit allows. Unless
// systemd is the first process, a test cannot start the unit itself.
func TestUnitFilter(t *testing.T) {
	for _, name := range []string{"strace", "systemd-analyze"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("the filter of the unit is not compared: %v", err)
			return
		}
	}
	directory := t.TempDir()
	file := filepath.Join(directory, "calls")
	serving := startNode(t, directory, program(t), "", "strace", "-f", "-c", "-o", file)
	output(t, "curl", "-sS", "-o", filepath.Join(directory, "answer"), serving.url+"/program/get")
	// A signal to strace would end only strace.
	parent := strconv.Itoa(serving.command.Process.Pid)
	traced := strings.Fields(output(t, "pgrep", "--parent", parent))
	output(t, "kill", traced...)
	if err := serving.command.Wait(); err != nil {
		t.Errorf("the end: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	called := callNames(string(text))
	if !slices.Contains(called, "epoll_pwait") || len(called) < 20 {
		t.Fatalf("strace has seen %q", called)
	}
	allowed := allowedCalls(t, read(t, "deploy/mintmark.service"))
	for _, name := range called {
		// SQLite gives its files to the owner of the directory when run as root, and only then.
		ofRoot := name == "fchown" && os.Geteuid() == 0
		if !ofRoot && !allowed[name] {
			t.Errorf("the program calls %s, which the unit refuses", name)
		}
	}
	if allowed["mount"] || allowed["chown"] || allowed["reboot"] {
		t.Error("the filter lets everything through")
	}
}

// callNames returns the names in the output of strace -c: the name is the last column.
func callNames(table string) []string {
	var names []string
	for line := range strings.Lines(table) {
		columns := strings.Fields(line)
		if len(columns) < 5 || !strings.ContainsAny(columns[0][:1], "0123456789") ||
			columns[len(columns)-1] == "total" {
			continue
		}
		names = append(names, columns[len(columns)-1])
	}
	return names
}

// allowedCalls returns the system calls that the filters of a unit allow: a filter with ~ removes
// some.
func allowedCalls(t *testing.T, unit string) map[string]bool {
	t.Helper()
	allowed := make(map[string]bool)
	for line := range strings.Lines(unit) {
		list, ok := strings.CutPrefix(strings.TrimSpace(line), "SystemCallFilter=")
		if !ok {
			continue
		}
		list, refused := strings.CutPrefix(list, "~")
		for _, set := range strings.Fields(list) {
			for _, name := range callsOf(t, set) {
				allowed[name] = !refused
			}
		}
	}
	return allowed
}

// callsOf returns the system calls in a systemd set, including those of nested sets.
func callsOf(t *testing.T, set string) []string {
	t.Helper()
	if !strings.HasPrefix(set, "@") {
		return []string{set}
	}
	var names []string
	listed := output(t, "systemd-analyze", "--no-pager", "syscall-filter", set)
	for line := range strings.Lines(listed) {
		name := strings.TrimSpace(line)
		if name == set || name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		names = append(names, callsOf(t, name)...)
	}
	return names
}
