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

// TestOpenBody has clients send bodies in pieces: slowly, but each piece in time; one that stops; one
// that is too long; one whose connection ends. What a body of a request like any other may be is not
// asked.
func TestOpenBody(t *testing.T) {
	t.Parallel()
	const (
		most    = 10
		between = 500 * time.Millisecond // that a client has for a piece
	)
	for name, c := range map[string]struct {
		pieces []string
		pause  time.Duration
		leaves bool // the client closes the connection behind the last piece
		text   string
		err    error
		closes bool // the connection is not used again
	}{
		"slow": {pieces: []string{"abcd", "efgh", "ij"}, pause: between / 2, text: "abcdefghij"},
		"stopped": {
			pieces: []string{"abcd"}, text: "abcd", err: ErrHangUp,
		},
		"too long": {
			pieces: []string{"abcdefgh", "ijkl"}, pause: between / 5, text: "abcdefgh",
			err: ErrBodyTooLarge, closes: true,
		},
		"broken off": {
			pieces: []string{"abcd"}, leaves: true, text: "abcd", err: ErrBodyUnreadable,
			closes: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := make(chan error, 1)
			var text string
			x := &Exchange{Settings: &Settings{BodyLimit: 1, BodyTimeout: between}}
			server := httptest.NewServer(http.HandlerFunc(func(
				w http.ResponseWriter, r *http.Request,
			) {
				x.Request, x.writer, x.Header = r, w, w.Header()
				read, err := io.ReadAll(x.OpenBody(most))
				if err == nil {
					// The deadline of the last piece is not that of what follows.
					time.Sleep(between * 3 / 2)
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
			send := func(text string) {
				if _, err := io.WriteString(connection, text); err != nil {
					t.Error(err)
				}
			}
			send("POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n")
			for _, piece := range c.pieces {
				send(string(rune('0'+len(piece))) + "\r\n" + piece + "\r\n")
				time.Sleep(c.pause)
			}
			if c.err == nil {
				send("0\r\n\r\n")
			}
			if c.leaves {
				_ = connection.Close()
			}
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
		})
	}
}
