// Package wire implements the connection below HTTP. Go's server responds to a request that
// violates HTTP with a line of plain text before any handler sees the request. The interface
// promises callers the envelope for every error, so a connection of this package replaces those
// lines with another response. The text of that response belongs to the face.
//
// This package also checks what Go's server does not: requests that state their length twice
// (framing.go), the number of open connections (limit.go), and idle ones (idle.go).
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

// Refuse returns the whole response, including the status line, to a request from an address that
// Go's server has refused with an HTTP status. This package adds two statuses: 503 for a connection
// above the limit, and 426 for plain HTTP on a TLS port.
type Refuse func(status int, from net.Addr) []byte

const (
	noRoom  = 503
	noTLS   = 426
	invalid = 400
)

// Listen returns a listener that limits the number of open connections, and whose connections
// replace the server's refusals with those of refuse.
func Listen(listener net.Listener, most int, refuse Refuse) *Listener {
	bounded := &Listener{Listener: listener, refuse: refuse}
	bounded.Bound(most)
	return bounded
}

// conn is a connection. A server reads it with one goroutine at a time.
type conn struct {
	net.Conn
	refuse Refuse
	leave  func() // frees its slot among the open connections; runs once

	idle   *idle // of a listener that sheds; otherwise nil
	idling waiting
	extra  bool // it has a place beyond the limit

	plain net.Conn // the connection below TLS if the client sent plain bytes; otherwise nil

	framing framing
	broken  bool         // the framing is invalid; nothing more is read
	ahead   []byte       // bytes of later requests, read together with the current one
	seen    atomic.Int64 // requests whose head was handed to the server
	begun   int64        // requests that the server has begun to answer
}

// Read reads from the client, at most to the end of a request.
func (c *conn) Read(buf []byte) (int, error) {
	if c.broken {
		return 0, errFraming
	}
	if len(c.ahead) > 0 {
		length := copy(buf, c.ahead)
		read, err := c.follow(buf[:length])
		c.ahead = c.ahead[read:]
		return read, err
	}
	length, err := c.Conn.Read(buf)
	c.plain = belowTLS(err)
	read, broken := c.follow(buf[:length])
	if broken != nil {
		return read, broken
	}
	if read < length {
		c.ahead = bytes.Clone(buf[read:length])
		return read, nil // the next Read returns the error again
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

// Begin is called when the server begins to answer a request. It reports whether this connection
// and the server have counted the same number of requests and the connection was not shed.
func (c *conn) Begin() bool {
	c.begun++
	return c.idle.remove(c) && c.begun == c.seen.Load()
}

// belowTLS returns the connection of a client whose first bytes were not TLS. Package tls returns
// it only if nothing was sent on it.
func belowTLS(err error) net.Conn {
	var header tls.RecordHeaderError
	if !errors.As(err, &header) {
		return nil
	}
	return header.Conn
}

// Hangup sends a refusal instead of any other response to a request that the server has begun to
// answer, and ends the connection.
func (c *conn) Hangup() error { return c.end(invalid) }

func (c *conn) end(status int) error {
	return errors.Join(c.sendRefusal(c.refuse(status, c.RemoteAddr())), c.Close())
}

// Write sends a response of the server. It replaces the server's own refusals.
func (c *conn) Write(text []byte) (int, error) {
	status, plain := plainRefusal(text)
	if !plain {
		return c.Conn.Write(text)
	}
	if c.plain != nil {
		status = noTLS
	}
	if err := c.sendRefusal(c.refuse(status, c.RemoteAddr())); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Limits on reading from a refused client. If a connection is closed while its client is sending,
// the client loses the response.
const (
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 256 << 10
)

// sendRefusal sends the last response of a connection and discards what the client is still
// sending.
func (c *conn) sendRefusal(answer []byte) error {
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
	// An error means that the client is slow or has disconnected; the response has been sent.
	_, _ = io.CopyN(io.Discard, to, lingerBytes)
	return nil
}

// CloseWrite closes the sending half, so that a client that is still sending can read the response.
func (c *conn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(of net.Conn) error {
	if half, ok := of.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close closes the connection and frees its slot.
func (c *conn) Close() error {
	c.idle.end(c)
	c.leave()
	return c.Conn.Close()
}

// The beginnings of the server's own refusals. The server writes each in one piece. No handler
// responds with plain text and "Connection: close", nor with 417, which the server sends for an
// unknown expectation. Each beginning contains a line end, which JSON text cannot contain, so the
// middle of a long response is never mistaken for a refusal.
var (
	protocol    = []byte("HTTP/1.1 ")
	plainText   = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	expectation = []byte("HTTP/1.1 417 Expectation Failed\r\n")
)

// plainRefusal reports whether a text is a refusal by the server itself, and returns its status.
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
