package wire

import (
	"io"
	"net"
	"testing"
	"time"
)

// pipe returns both ends of a connection. The server's end writes "refused" in place of the
// server's own refusals.
func pipe(t *testing.T) (served *conn, caller net.Conn) {
	t.Helper()
	listening, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listening.Close() })
	listener := Listen(listening, 1, func(int, net.Addr) []byte { return []byte("refused") })
	caller, err = net.Dial("tcp", listening.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { caller.Close() })
	if err := caller.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { accepted.Close() })
	served, _ = accepted.(*conn)
	return served, caller
}

// through returns what a client reads when the server writes the given text.
func through(t *testing.T, text string) string {
	t.Helper()
	served, caller := pipe(t)
	read := make(chan string)
	go func() {
		text, err := io.ReadAll(caller)
		if err != nil {
			t.Error(err)
		}
		caller.Close()
		read <- string(text)
	}()
	written, err := io.WriteString(served, text)
	if err != nil || written != len(text) {
		t.Errorf("writing gives %d, %v", written, err)
	}
	if err := served.Close(); err != nil {
		t.Error(err)
	}
	return <-read
}

// TestWrite checks that only the server's own refusals are replaced, and not the middle of a long
// response, even if a caller makes it look like one.
func TestWrite(t *testing.T) {
	t.Parallel()
	const plain = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
	for _, row := range []struct {
		name, text string
		refused    bool
	}{
		{"broken HTTP", "HTTP/1.1 400 Bad Request" + plain + "400 Bad Request", true},
		{"an unknown expectation", "HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\n\r\n",
			true},
		{"an answer of a handler",
			"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\r\n{}", false},
		{"an answer of success in plain text", "HTTP/1.1 200 OK" + plain + "ok", false},
		{"no status", "HTTP/1.1 4xx Bad Request" + plain, false},
		{"a name in the middle of an answer", `HTTP/1.1 417 Expectation Failed","tag":"a"}`, false},
		{"nothing of the kind", "{}", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := row.text
			if row.refused {
				want = "refused"
			}
			if got := through(t, row.text); got != want {
				t.Errorf("%q becomes %q, want %q", row.text, got, want)
			}
		})
	}
}
