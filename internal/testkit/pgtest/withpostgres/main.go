// Mintmark withpostgres runs a command in which all tests share one PostgreSQL. The server is
// reached through a symbolic link beside this program, so that its name is the same in each run, as
// Go's test cache requires. The server ends with this program, even if the program is killed.
package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"mintmark/internal/base/platform"
	"mintmark/internal/testkit/pgtest"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpostgres COMMAND [ARGUMENT ...]")
		os.Exit(2)
	}
	code, err := run(exec.Command(os.Args[1], os.Args[2:]...))
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpostgres:", err)
		code = 1
	}
	os.Exit(code)
}

// run runs a command and returns its exit code.
func run(command *exec.Cmd) (int, error) {
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	link := filepath.Join(filepath.Dir(program), "postgres")
	lock, err := os.OpenFile(link+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	alone, err := platform.TryExclusive(lock)
	if err != nil {
		return 0, err
	}
	switch {
	case os.Getenv(pgtest.Variable) != "":
	case !alone:
		fmt.Fprintf(os.Stderr, "Another run uses %s, so each test process starts a server.\n", link)
	default:
		server, err := start(link)
		if err != nil {
			return 0, err
		}
		command.Env = append(os.Environ(), pgtest.Variable+"="+server)
	}
	return wait(command)
}

// start starts a server and returns a connection string with a link instead of its directory.
func start(link string) (string, error) {
	server, err := pgtest.Share()
	if err != nil {
		return "", err
	}
	parsed, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	const longest = 107 // maximum bytes in the path of a socket
	if len(link+"/.s.PGSQL.5432") > longest {
		return server, nil
	}
	query := parsed.Query()
	if err := os.Remove(link); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := os.Symlink(query.Get("host"), link); err != nil {
		return "", err
	}
	query.Set("host", link)
	parsed.RawQuery = query.Encode()
	return parsed.String(), nil
}

// wait runs a command to its end. It forwards the signals that would otherwise end only this
// program.
func wait(command *exec.Cmd) (int, error) {
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if err := command.Start(); err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			_ = command.Process.Signal(s)
		}
	}()
	err := command.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() >= 0 {
		return ended.ExitCode(), nil
	}
	return 0, err
}
