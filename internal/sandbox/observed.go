package sandbox

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// mostRead is how much of a body is looked at, in bytes. It is more than a request may have.
const mostRead = 256 << 10

// observed is a request that is being answered. It stands in the place of the connection, and holds
// the answer back until it is recorded.
type observed struct {
	asked  *http.Request
	header http.Header // of the request, before anybody changed it
	writer http.ResponseWriter
	began  time.Time
	body   bytes.Buffer // what was read of it
	answer bytes.Buffer
	status int
	closed bool   // without an answer
	fault  string // identifier of the rule that made it fail
}

type observedKey struct{}

// NoteFault says of the request of a context which fault rule applied to it.
func NoteFault(ctx context.Context, rule string) {
	if o, recorded := ctx.Value(observedKey{}).(*observed); recorded {
		o.fault = rule
	}
}

// took is how long the answer has taken so far.
func (o *observed) took() time.Duration { return time.Since(o.began).Round(time.Microsecond) }

// Header is that of the answer.
func (o *observed) Header() http.Header { return o.writer.Header() }

// WriteHeader keeps the status. The answer to a request for more of it is sent at once.
func (o *observed) WriteHeader(status int) {
	if status < http.StatusOK {
		o.writer.WriteHeader(status)
		return
	}
	if o.status == 0 {
		o.status = status
	}
}

// Write keeps a part of the answer.
func (o *observed) Write(text []byte) (int, error) { return o.answer.Write(text) }

// Unwrap lets a ResponseController reach the connection.
func (o *observed) Unwrap() http.ResponseWriter { return o.writer }

// send sends the answer.
func (o *observed) send() {
	if o.status != 0 {
		o.writer.WriteHeader(o.status)
	}
	if o.answer.Len() > 0 {
		// An error means that the client has gone.
		_, _ = o.writer.Write(o.answer.Bytes())
	}
}

// readBody keeps what is read of the body of a request.
type readBody struct {
	io.ReadCloser
	of *observed
}

// Read reads on.
func (b *readBody) Read(to []byte) (int, error) {
	n, err := b.ReadCloser.Read(to)
	b.of.body.Write(to[:min(n, mostRead-b.of.body.Len())])
	return n, err
}
