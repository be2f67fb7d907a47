package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"mintmark/e2e/recording"
	"mintmark/internal/testkit/testrun"
)

// TestConnectionLimit opens as many connections to the real program as allowed, and more. The
// excess ones are rejected immediately, with or without a request; operators still get in; and a
// closed connection makes room for another.
func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	const most = 10
	dir := t.TempDir()
	settings := filepath.Join(dir, "mintmark.yaml")
	limit := func(connections int) {
		configure(t, settings, filepath.Join(dir, "data"),
			fmt.Sprintf("limits: {connections: %d}\n", connections))
	}
	limit(most)
	initialize(t, "--config", settings)
	running := serve(t, command(t, "serve", "--config", settings), "for operators on")
	admin := regexp.MustCompile(`for operators on (http://\S+)`).FindStringSubmatch(running.opening)[1]
	connect := func() caller {
		connection, err := net.Dial("tcp", strings.TrimPrefix(running.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		return newCaller(t, connection)
	}
	const request = "GET /program/get HTTP/1.1\r\n" + authorized + "\r\n"
	var open []caller
	for range most {
		connection := connect()
		send(t, connection, request)
		same(t, "one with room", receive(t, connection).HTTP, http.StatusForbidden)
		open = append(open, connection)
	}
	long := "POST / HTTP/1.1\r\nContent-Length: 90000\r\n\r\n" + strings.Repeat("x", 90_000)
	for _, sent := range []string{request, "", "PO", long} {
		connection := connect()
		go func() {
			_, _ = io.WriteString(connection.Conn, sent) // the server may hang up before
		}()
		reply := receive(t, connection)
		wantCode(t, reply, 50503)
		same(t, "Retry-After", reply.Header.Get("Retry-After"), "1")
		if rest, err := io.ReadAll(connection); err != nil || len(rest) > 0 {
			t.Errorf("the connection goes on with %q, %v", rest, err)
		}
	}
	response, err := recording.Client(t).Get(admin + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	same(t, "operators", response.StatusCode, http.StatusNoContent)

	send(t, open[1], request)
	same(t, "one that is open", receive(t, open[1]).HTTP, http.StatusForbidden)
	open[0].Close()
	untilRoom(t, connect, request)

	limit(most + 1)
	running.hangUp(reloaded)
	connection := connect()
	send(t, connection, request)
	same(t, "one with room since then", receive(t, connection).HTTP, http.StatusForbidden)
	connection = connect()
	send(t, connection, request)
	wantCode(t, receive(t, connection), 50503)
	same(t, "exit code", running.end(syscall.SIGTERM), 0)
}

// untilRoom tries new connections until there is room for one.
func untilRoom(t *testing.T, connect func() caller, request string) {
	t.Helper()
	testrun.Within(t, "a place that is free is taken", func() bool {
		connection := connect()
		send(t, connection, request)
		reply := receive(t, connection)
		if reply.HTTP == http.StatusForbidden {
			return true
		}
		wantCode(t, reply, 50503)
		return false
	})
}

// TestOperatorsHaveALimit fills the admin address, too: an idle connection is closed for a new one,
// and the others stay. Package wire tests which one is closed: the server marks a connection as
// idle after the client has its answer, so a client cannot know their order.
func TestOperatorsHaveALimit(t *testing.T) {
	t.Parallel()
	running := sandbox(t)
	admin := strings.TrimPrefix(running.adminURL(), "http://")
	connect := func() caller {
		connection, err := net.Dial("tcp", admin)
		if err != nil {
			t.Fatal(err)
		}
		return newCaller(t, connection)
	}
	ask := func(connection caller) error {
		send(t, connection, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		response, err := http.ReadResponse(connection.reader, nil)
		if err != nil {
			return err
		}
		same(t, "status", response.StatusCode, http.StatusNoContent)
		return response.Body.Close()
	}
	const most = 100
	ended := make(chan error, most)
	for range most {
		idle := connect()
		if err := ask(idle); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := idle.Read(make([]byte, 1))
			ended <- err
		}()
	}
	if err := ask(connect()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != io.EOF {
		t.Fatalf("the connection that is closed for the new one ends with %v", err)
	}
	select {
	case err := <-ended:
		t.Fatalf("another connection ends with %v", err)
	default:
	}
}
