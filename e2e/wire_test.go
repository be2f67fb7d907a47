package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
	"mintmark/internal/app"
)

// authorized holds the headers of a valid request.
const authorized = "Host: localhost\r\nAuthorization: Basic ZXhhbXBsZTE6ZXhhbXBsZTE=\r\n"

// TestBrokenRequests sends invalid HTTP/1.1, and checks the envelope and that the server continues.
func TestBrokenRequests(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	lock := func(headers, body string) string {
		return "POST /card/lock HTTP/1.1\r\n" + authorized + headers + "\r\n" + body
	}
	tests := []struct {
		name, send string
		code       int
	}{
		{"HTTP/1.0", "GET /program/get HTTP/1.0\r\n\r\n", 50505},
		{"HTTP/1.0 with credentials", "GET /program/get HTTP/1.0\r\n" + authorized + "\r\n", 50505},
		{"HTTP/1.2", "GET /program/get HTTP/1.2\r\n" + authorized + "\r\n", 50505},
		{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 50505},
		{"HTTP/3.0", "GET /program/get HTTP/3.0\r\nHost: x\r\n\r\n", 50505},
		{"no HTTP", "hello\r\n\r\n", 59999},
		{"TLS to a plain port", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 59999},
		{"no version", "GET /program/get\r\n\r\n", 59999},
		{"no host", "GET /program/get HTTP/1.1\r\n\r\n", 59999},
		{"two hosts", "GET /program/get HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 59999},
		{"a header without a colon", "GET / HTTP/1.1\r\nHost: x\r\nwhat\r\n\r\n", 59999},
		{"a bad escape in the path", "GET /card/get/%zz/1 HTTP/1.1\r\nHost: x\r\n\r\n", 59999},
		{"two lengths", lock("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"), 59999},
		{"a length twice", lock("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 59999},
		{"a length with chunks", lock("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
			"2\r\n{}\r\n0\r\n\r\n"), 59999},
		{"a length behind chunks", lock("transfer-encoding: chunked\r\ncontent-LENGTH:0\r\n",
			"0\r\n\r\n"), 59999},
		{"a length twice, from nobody",
			"POST /card/lock HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 59999},
		{"a length twice, in HTTP/1.0",
			"POST /card/lock HTTP/1.0\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 59999},
		{"a length that is no number", lock("Content-Length: two\r\n", "{}"), 59999},
		{"a negative length", lock("Content-Length: -1\r\n", "{}"), 59999},
		{"an unknown coding", lock("Transfer-Encoding: gzip\r\n", "{}"), 50501},
		{"a broken chunk", lock("Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n"), 59999},
		{"an unknown expectation", lock("Expect: magic\r\nContent-Length: 2\r\n", "{}"), 59999},
		{"a header of 1 MiB",
			"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", 59999},
		{"headers of 16 KiB and a little",
			"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 16<<10) + "\r\n\r\n", 59999},
		{"a request target of 1 MiB",
			"GET /" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n", 59999},
		{"no method of HTTP", "FOO /program/get HTTP/1.1\r\n" + authorized + "\r\n", 50501},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\n" + authorized + "\r\n", 50404},
		{"CONNECT", "CONNECT localhost:80 HTTP/1.1\r\n" + authorized + "\r\n", 50404},
		{"a body of 64 KiB and a byte", lock(fmt.Sprintf("Content-Length: %d\r\n", 64<<10+1),
			strings.Repeat(" ", 64<<10+1)), 59999},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reply := exchange(t, world, test.send)
			if len(reply.Errors) != 1 || reply.Errors[0].Code != test.code {
				t.Errorf("answered %s, want %d", reply.Raw, test.code)
			}
			if reply.HTTP != reply.Status {
				t.Errorf("HTTP status %d, status %d", reply.HTTP, reply.Status)
			}
			good := world.Under(t).Send(ledger.Request{Path: "/program/get"})
			if good.HTTP != http.StatusOK {
				t.Errorf("the next request is answered %s", good.Raw)
			}
		})
	}
}

// TestSlowCallers checks that a connection is closed if its headers or body do not arrive in time.
func TestSlowCallers(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{Limits: app.Limits{
		HeaderTimeout: 200 * time.Millisecond, BodyTimeout: 200 * time.Millisecond,
		IdleTimeout: 200 * time.Millisecond,
	}})
	for name, text := range inOrder(map[string]string{
		"headers": "GET /program/get HTTP/1.1\r\nHost:",
		"body": "POST /card/lock HTTP/1.1\r\n" + authorized +
			"Content-Length: 50\r\n\r\n{\"customerId\"",
		"chunks": "POST /card/lock HTTP/1.1\r\n" + authorized +
			"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"cus",
	}) {
		t.Run(name, func(t *testing.T) {
			connection := dial(t, world)
			if _, err := io.WriteString(connection, text); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(connection)
			if err != nil || len(rest) > 0 {
				t.Errorf("the connection says %q, %v; want it closed", rest, err)
			}
		})
	}
	t.Run("idle", func(t *testing.T) {
		connection := dial(t, world)
		_, err := io.WriteString(connection, "GET /card/mint HTTP/1.1\r\n"+authorized+"\r\n")
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(connection)
		if err != nil || !strings.Contains(string(answer), "50404") {
			t.Errorf("the connection says %q, %v; want an answer, then closed", answer, err)
		}
	})
}

// exchange sends bytes unchanged and reads one answer.
func exchange(t *testing.T, world *ledger.World, text string) ledger.Reply {
	t.Helper()
	connection := dial(t, world)
	go func() {
		// The server may hang up before all of a large request is sent.
		_, _ = io.WriteString(connection, text)
	}()
	return receiveTo(t, connection, text)
}

// receive reads one answer.
func receive(t *testing.T, connection caller) ledger.Reply {
	t.Helper()
	return receiveTo(t, connection, "")
}

// receiveTo reads the answer to a request that was sent unchanged.
func receiveTo(t *testing.T, connection caller, request string) ledger.Reply {
	t.Helper()
	response, err := http.ReadResponse(connection.reader, nil)
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	recording.Raw(t, request, response, body)
	return ledger.ReadReply(t, response.StatusCode, response.Header, body)
}

// caller is a connection with its read buffer.
type caller struct {
	net.Conn
	reader *bufio.Reader
}

// Read reads from the buffer.
func (c caller) Read(p []byte) (int, error) { return c.reader.Read(p) }

func send(t *testing.T, connection caller, text string) {
	t.Helper()
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatalf("send: %v", err)
	}
}

func dial(t *testing.T, world *ledger.World) caller {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(world.App.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return newCaller(t, connection)
}

// newCaller limits the time that a test can wait for the server.
func newCaller(t *testing.T, connection net.Conn) caller {
	t.Helper()
	t.Cleanup(func() { connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return caller{connection, bufio.NewReader(connection)}
}

// TestLengthGivenTwice sends requests on one connection, the third of which gives the length of its
// body twice. Those before it are answered, it is rejected, and what follows it is never read: a
// proxy that interprets the lengths in another way could have hidden anything there.
func TestLengthGivenTwice(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	const get = "GET /program/get HTTP/1.1\r\n" + authorized + "\r\n"
	chunked := "POST /card/unlock HTTP/1.1\r\n" + authorized +
		"Transfer-Encoding: chunked\r\n\r\n21\r\n" + ledger.Act(5001, "") + "\r\n0\r\n\r\n"
	twice := "POST /card/lock HTTP/1.1\r\n" + authorized + "Content-Length: 0\r\n" +
		"Content-Length: 0\r\n\r\n"
	for name, send := range inOrder(map[string]func(net.Conn, string) error{
		"in one piece": func(c net.Conn, text string) error {
			_, err := io.WriteString(c, text)
			return err
		},
		"byte by byte": func(c net.Conn, text string) error {
			for i := range len(text) {
				if _, err := io.WriteString(c, text[i:i+1]); err != nil {
					return err
				}
			}
			return nil
		},
	}) {
		t.Run(name, func(t *testing.T) {
			connection := dial(t, world.Under(t))
			go func() {
				// The server hangs up before all of it is read.
				_ = send(connection.Conn, get+chunked+twice+get+strings.Repeat(get, 100))
			}()
			for range 2 {
				same(t, "a good request", receive(t, connection).HTTP, http.StatusOK)
			}
			wantCode(t, receive(t, connection), 59999)
			rest, err := io.ReadAll(connection)
			if err != nil || len(rest) > 0 {
				t.Errorf("the connection goes on with %q, %v", rest, err)
			}
		})
	}
}

// TestNotInStep sends a body whose end two readers may see at different places, with much data
// after it. What follows is rejected, and the response arrives although the caller keeps sending.
func TestNotInStep(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	const get = "GET /program/get HTTP/1.1\r\n" + authorized + "\r\n"
	connection := dial(t, world)
	go func() {
		_, _ = io.WriteString(connection.Conn, "POST /card/unlock HTTP/1.1\r\n"+authorized+
			"Transfer-Encoding: chunked\r\n\r\n21\r\n"+ledger.Act(5001, "")+
			"\r\n0\r\nX: a\n\r\n"+strings.Repeat(get, 300))
	}()
	same(t, "the first", receive(t, connection).HTTP, http.StatusOK)
	wantCode(t, receive(t, connection), 59999)
	if rest, err := io.ReadAll(connection); err != nil || len(rest) > 0 {
		t.Errorf("the connection goes on with %q, %v", rest, err)
	}
}
