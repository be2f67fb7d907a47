package web

import (
	"io"
	"net/http"
	"time"
)

// pieceTimeout is how long a client may take to read a piece of a long answer.
const pieceTimeout = 30 * time.Second

// WithRenewedDeadline wraps the writer passed to Response.Stream for an answer that may take long
// to read: each piece renews the write deadline, for as long as the client reads.
func WithRenewedDeadline(to io.Writer) io.Writer { return renewingWriter{to} }

type renewingWriter struct{ io.Writer }

// Write writes a piece.
func (p renewingWriter) Write(piece []byte) (int, error) {
	if w, ok := p.Writer.(http.ResponseWriter); ok {
		// A connection that rejects a deadline is closed, and the write will fail too.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pieceTimeout))
	}
	return p.Writer.Write(piece)
}
