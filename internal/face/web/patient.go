package web

import (
	"io"
	"net/http"
	"time"
)

// patience is how long a client may take to read a piece of a long answer.
const patience = 30 * time.Second

// Patient returns what Response.Stream writes to, for an answer that may take longer to read than
// any other: the client has time anew for each piece, for as long as it reads.
func Patient(to io.Writer) io.Writer { return patient{to} }

type patient struct{ io.Writer }

// Write writes a piece.
func (p patient) Write(piece []byte) (int, error) {
	if w, ok := p.Writer.(http.ResponseWriter); ok {
		// A connection that takes no deadline is at its end, and takes no answer either.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
	}
	return p.Writer.Write(piece)
}
