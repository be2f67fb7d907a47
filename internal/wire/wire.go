// Package wire is the connection below HTTP. Go's server refuses what is no HTTP, or breaks its
// rules, with a line of plain text before any handler sees the request. Callers of the interface
// are promised the envelope whatever went wrong, so a connection of this package puts another
// answer in the place of those lines. What that answer says belongs to the JSON face.
package wire

import (
	"bytes"
	"net"
	"strconv"
)

// Refuse returns the whole answer, status line included, to a request that Go's server has
// refused with an HTTP status.
type Refuse func(status int) []byte

// Listen returns a listener whose connections refuse in the caller's words.
func Listen(listener net.Listener, refuse Refuse) net.Listener {
	return &replacing{listener, refuse}
}

type replacing struct {
	net.Listener
	refuse Refuse
}

// Accept waits for the next connection.
func (l *replacing) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{accepted, l.refuse}, nil
}

type conn struct {
	net.Conn
	refuse Refuse
}

// Write sends what the server has to say, unless it is a refusal of its own.
func (c *conn) Write(text []byte) (int, error) {
	status, plain := plainRefusal(text)
	if !plain {
		return c.Conn.Write(text)
	}
	if _, err := c.Conn.Write(c.refuse(status)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// CloseWrite ends the sending half, so that a caller who is still sending can read the answer.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
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
