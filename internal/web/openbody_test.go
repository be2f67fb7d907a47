package web

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
			c.read(t)
		})
	}
}

// read sends the body, and reads it as a server does.
func (c sent) read(t *testing.T) {
	seen := make(chan error, 1)
	var text string
	x := &Exchange{Settings: &Settings{BodyLimit: 1, BodyTimeout: pieceTime}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x.Request, x.writer, x.Header = r, w, w.Header()
		read, err := io.ReadAll(x.OpenBody(mostSent))
		if err == nil {
			time.Sleep(actingTime)
			err = r.Context().Err()
		}
		text = string(read)
		seen <- err
	}))
	defer server.Close()
	connection, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
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

func (c sent) send(t *testing.T, to net.Conn) {
	write := func(text string) {
		if _, err := io.WriteString(to, text); err != nil {
			t.Error(err)
		}
	}
	write("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
	for _, piece := range c.pieces {
		write(string(rune('0'+len(piece))) + "\r\n" + piece + "\r\n")
		time.Sleep(c.pause)
	}
	if c.err == nil {
		write("0\r\n\r\n")
	}
	if c.leaves {
		_ = to.Close()
	}
}
