// Package wire is the connection below HTTP. Go's server refuses what is no HTTP, or breaks its
// rules, with a line of plain text before any handler sees the request. Callers of the interface
// are promised the envelope whatever went wrong, so a connection of this package puts another
// answer in the place of those lines. What that answer says belongs to the JSON face.
//
// Below HTTP, too, lies what Go's server lets pass: a request that gives its length twice
// (framing.go), and more connections than there is room for (crowd.go).
package wire

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

// Refuse returns the whole answer, status line included, to a request from an address that Go's
// server has refused with an HTTP status. It is asked, too, for 503 to a connection for which there
// is no room, and for 426 to plain HTTP where TLS is spoken.
type Refuse func(status int, from net.Addr) []byte

const (
	noRoom  = 503
	noTLS   = 426
	invalid = 400
)

// Listen returns a listener whose connections refuse in the caller's words, and which has so many
// of them open at most.
func Listen(listener net.Listener, most int, refuse Refuse) *Listener {
	bounded := &Listener{Listener: listener, refuse: refuse}
	bounded.Bound(most)
	return bounded
}

// conn is a connection. A server reads it with one goroutine at a time.
type conn struct {
	net.Conn
	refuse Refuse
	leave  func() // once, when it is closed

	plain net.Conn // below TLS, when the caller has not spoken TLS; otherwise nil

	framing framing
	broken  bool         // what comes is not read any more
	ahead   []byte       // of the requests behind the one that is being read
	seen    atomic.Int64 // requests whose head the server can have read
	begun   int64        // requests that the server has begun to answer
}

// Read reads what the caller sends, at most to the end of a request.
func (c *conn) Read(room []byte) (int, error) {
	if c.broken {
		return 0, errFraming
	}
	if len(c.ahead) > 0 {
		length := copy(room, c.ahead)
		read, err := c.follow(room[:length])
		c.ahead = c.ahead[read:]
		return read, err
	}
	length, err := c.Conn.Read(room)
	c.plain = belowTLS(err)
	read, broken := c.follow(room[:length])
	if broken != nil {
		return read, broken
	}
	if read < length {
		c.ahead = bytes.Clone(room[read:length])
		return read, nil // an error comes again
	}
	return read, err
}

func (c *conn) follow(text []byte) (read int, err error) {
	before := c.framing.seen
	read, err = c.framing.scan(text)
	c.broken = err != nil
	if c.framing.seen != before {
		c.seen.Store(c.framing.seen)
	}
	return read, err
}

// Begin is called by the server when it begins to answer a request. It reports whether the
// requests that were followed here are those that the server has found.
func (c *conn) Begin() bool {
	c.begun++
	return c.begun == c.seen.Load()
}

// belowTLS returns the connection of a caller whose first bytes were no TLS. Package tls leaves it
// to its owner only as long as nothing was sent on it.
func belowTLS(err error) net.Conn {
	var header tls.RecordHeaderError
	if !errors.As(err, &header) {
		return nil
	}
	return header.Conn
}

// Hangup refuses a request that the server has begun to answer, in place of any other answer, and
// ends the connection.
func (c *conn) Hangup() error {
	return errors.Join(c.turnAway(c.refuse(invalid, c.RemoteAddr())), c.Close())
}

// Write sends what the server has to say, unless it is a refusal of its own.
func (c *conn) Write(text []byte) (int, error) {
	status, plain := plainRefusal(text)
	if !plain {
		return c.Conn.Write(text)
	}
	if c.plain != nil {
		status = noTLS
	}
	if err := c.turnAway(c.refuse(status, c.RemoteAddr())); err != nil {
		return 0, err
	}
	return len(text), nil
}

// How long, and for how much, a caller who is refused is listened to while it goes on sending. A
// connection that is closed before that loses the answer on its way.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 256 << 10
)

// turnAway sends the last answer of a connection and takes in what the caller is still sending.
func (c *conn) turnAway(answer []byte) error {
	to := c.Conn
	if c.plain != nil {
		to = c.plain
	}
	if _, err := to.Write(answer); err != nil {
		return err
	}
	if err := closeWrite(to); err != nil {
		return err
	}
	if err := to.SetReadDeadline(time.Now().Add(lingerTime)); err != nil {
		return err
	}
	// The caller may be slow or gone; it has been answered.
	_, _ = io.CopyN(io.Discard, to, lingerBytes)
	return nil
}

// CloseWrite ends the sending half, so that a caller who is still sending can read the answer.
func (c *conn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(of net.Conn) error {
	if half, ok := of.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close closes the connection and makes room for another.
func (c *conn) Close() error {
	c.leave()
	return c.Conn.Close()
}

// How the server's own refusals begin. It writes each in one piece; an answer of a handler never
// is plain text, and never 417, which the server sends for an expectation it does not know. Each
// ends a line, which no JSON can hold, so the middle of a long answer is never taken for one.
var (
	protocol    = []byte("HTTP/1.1 ")
	plainText   = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	expectation = []byte("HTTP/1.1 417 Expectation Failed\r\n")
)

// plainRefusal reports whether a text is a refusal of the server itself, and its status.
func plainRefusal(text []byte) (status int, plain bool) {
	const statusDigits = 3
	if len(text) < len(protocol)+statusDigits || !bytes.HasPrefix(text, protocol) {
		return 0, false
	}
	status, err := strconv.Atoi(string(text[len(protocol) : len(protocol)+statusDigits]))
	if err != nil || status < 400 {
		return 0, false
	}
	statusLine := bytes.IndexByte(text, '\r')
	refused := statusLine > 0 && bytes.HasPrefix(text[statusLine:], plainText)
	return status, refused || bytes.HasPrefix(text, expectation)
}
