package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/testkit/pgtest"
)

// build builds the program in a temporary directory, where the program creates its link.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "withpostgres")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// begin starts a run of the program that prints the name of the server and waits for its input.
func begin(t *testing.T, program string) (command *exec.Cmd, server string, end func()) {
	t.Helper()
	command = exec.Command(program, "sh", "-c", "echo $"+pgtest.Variable+"; read -r _; exit 7")
	command.Env = append(os.Environ(), pgtest.Variable+"=")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	server, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return command, strings.TrimSpace(server), func() { _ = in.Close() }
}

// TestRuns ends runs normally and by a kill. The server ends with each run and has the same name in
// the next. A second run at the same time gets no server.
func TestRuns(t *testing.T) {
	t.Parallel()
	program, names := build(t), make(map[string]bool)
	for _, killed := range []bool{false, true, false} {
		command, server, end := begin(t, program)
		names[server] = true
		conn, err := pgx.Connect(t.Context(), server)
		if err != nil {
			t.Fatal(err)
		}
		other, none, endOther := begin(t, program)
		if none != "" {
			t.Errorf("a run beside another gets the server %s", none)
		}
		endOther()
		_ = other.Wait()
		if killed {
			if err := command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		end()
		_ = command.Wait()
		if code := command.ProcessState.ExitCode(); !killed && code != 7 {
			t.Errorf("the exit code is %d", code)
		}
		// The connection ends with the server.
		if _, err := conn.WaitForNotification(t.Context()); err == nil {
			t.Error("the server sends something")
		}
	}
	if len(names) != 1 {
		t.Errorf("the server has %d names: %v", len(names), names)
	}
}

// TestNamedServer checks that a server named in the environment is used.
func TestNamedServer(t *testing.T) {
	t.Parallel()
	command := exec.Command(build(t), "sh", "-c", "echo $"+pgtest.Variable)
	command.Env = append(os.Environ(), pgtest.Variable+"=postgres://there")
	out, err := command.Output()
	if err != nil || string(out) != "postgres://there\n" {
		t.Errorf("%q, %v", out, err)
	}
}
