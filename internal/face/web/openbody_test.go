package web

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// sent is a body that a client sends in pieces, and what becomes of it.
type sent struct {
	pieces []string
	pause  time.Duration // behind each piece
	leaves bool          // the client closes the connection behind the last piece
	text   string        // that is read
	err    error
	closes bool // the connection is not used again
}

// How long a body may be, and how long a client has for a piece of it.
const (
	mostSent   = 10
	pieceTime  = 500 * time.Millisecond
	actingTime = pieceTime * 3 / 2 // of what follows: the deadline of the last piece is over then
)

// TestOpenBody has clients send bodies in pieces: slowly, but each piece in time; one that stops;
// one that is too long; one whose connection ends. The limits of other requests do not count.
func TestOpenBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]sent{
		"slow": {
			pieces: []string{"abcd", "efgh", "ij"}, pause: pieceTime / 2, text: "abcdefghij",
		},
		"too slow": {
			pieces: strings.Split("abcdefgh", ""), pause: pieceTime * 4 / 5, text: "abcdefgh",
			err: ErrHangUp,
		},
		"stopped": {pieces: []string{"abcd"}, text: "abcd", err: ErrHangUp},
		"too long": {
			pieces: []string{"abcdefgh", "ijkl"}, pause: pieceTime / 5, text: "abcdefgh",
			err: ErrBodyTooLarge, closes: true,
		},
		"broken off": {
			pieces: []string{"abcd"}, leaves: true, text: "abcd", err: ErrBodyUnreadable,
			closes: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.leaves { // the end of a pipe is not like that of a socket
				c.read(t, onSocket(t))
				return
			}
			synctest.Test(t, func(t *testing.T) { c.read(t, onPipe) })
		})
	}
}

// read sends the body, and reads it as a server does.
func (c sent) read(t *testing.T, connect func() (net.Conn, net.Listener)) {
	seen := make(chan error, 1)
	var text string
	x := &Exchange{Settings: &Settings{BodyLimit: 1, BodyTimeout: pieceTime}}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.Request, x.writer, x.Header = r, w, w.Header()
		read, err := io.ReadAll(x.OpenBody(mostSent))
		if err == nil {
			<-time.After(actingTime)
			err = r.Context().Err()
		}
		text = string(read)
		seen <- err
	})}
	connection, listener := connect()
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	defer connection.Close()
	c.send(t, connection)
	if err := <-seen; !errors.Is(err, c.err) || text != c.text {
		t.Errorf("got %q, %v, want %q, %v", text, err, c.text, c.err)
	}
	if got := x.Header.Get("Connection") == "close"; got != c.closes {
		t.Errorf("the connection closes: %t, want %t", got, c.closes)
	}
	if x.read != (c.err == nil) || !x.patient {
		t.Errorf("read to its end: %t, patient: %t", x.read, x.patient)
	}
	if c.err == nil {
		answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("the answer is %v, %v", answer, err)
		}
	}
}

// onSocket connects over the loopback.
func onSocket(t *testing.T) func() (net.Conn, net.Listener) {
	return func() (net.Conn, net.Listener) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		connection, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return connection, listener
	}
}

// onPipe connects in a bubble, to which a socket is not known.
func onPipe() (net.Conn, net.Listener) {
	connection, accepted := net.Pipe()
	listener := make(onePipe, 1)
	listener <- accepted
	return connection, listener
}

// onePipe is a listener with one connection, the end of a pipe.
type onePipe chan net.Conn

// Accept returns the connection, and then waits until the listener is closed.
func (p onePipe) Accept() (net.Conn, error) {
	accepted, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return accepted, nil
}

// Close ends Accept. A server calls it once.
func (p onePipe) Close() error {
	close(p)
	return nil
}

// Addr is the address of a pipe.
func (p onePipe) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (c sent) send(t *testing.T, to net.Conn) {
	t.Helper()
	write := func(text string) {
		t.Helper()
		if _, err := io.WriteString(to, text); err != nil {
			t.Error(err)
		}
	}
	write("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
	for _, piece := range c.pieces {
		write(string(rune('0'+len(piece))) + "\r\n" + piece + "\r\n")
		<-time.After(c.pause)
	}
	if c.err == nil {
		write("0\r\n\r\n")
	}
	if c.leaves {
		_ = to.Close()
	}
}
