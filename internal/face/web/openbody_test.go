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

// sent is a body that a client sends in pieces, and the expected result.
type sent struct {
	pieces []string
	pause  time.Duration // after each piece
	leaves bool          // the client closes the connection after the last piece
	text   string        // the body that is read
	err    error
	closes bool // the connection is not reused
}

// The maximum length of a body, and the time that a client has for each piece.
const (
	mostSent   = 10
	pieceTime  = 500 * time.Millisecond
	actingTime = pieceTime * 3 / 2 // of the act: longer than the deadline of the last piece
)

// TestOpenBody has clients send bodies in pieces: slowly but in time, too slowly, stopping, too
// long, and cut off. The limits of other requests do not apply.
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
			if c.leaves { // the end of a pipe differs from that of a socket
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

// onSocket connects over loopback.
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

// onPipe connects within a synctest bubble, which does not support sockets.
func onPipe() (net.Conn, net.Listener) {
	connection, accepted := net.Pipe()
	listener := make(onePipe, 1)
	listener <- accepted
	return connection, listener
}

// onePipe is a listener with one connection, the end of a pipe.
type onePipe chan net.Conn

// Accept returns the connection, then blocks until the listener is closed.
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

// Addr returns the address of the pipe.
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
