package web

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// InProcess is a transport to a handler of this process, for a page that asks another face in the
// course of a request of a browser. In log and audit the two share identifier and address.
type InProcess struct {
	Handler http.Handler
	Browser *Exchange
}

// RoundTrip has the handler answer, without a connection.
func (t InProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	request := r.Clone(r.Context())
	if request.Body == nil {
		request.Body = http.NoBody
	}
	request.RequestURI, request.RemoteAddr = r.URL.RequestURI(), t.Browser.Request.RemoteAddr
	request.Header.Set("X-Request-Id", t.Browser.ID)
	for _, hops := range t.Browser.Request.Header.Values("X-Forwarded-For") {
		request.Header.Add("X-Forwarded-For", hops)
	}
	answer := newHeldAnswer()
	go answer.record(t.Handler, request)
	return answer.response(r)
}

// heldAnswer takes an answer. What is short is kept until the handler has ended. Of a longer
// answer, such as an export, the rest goes to its reader piece by piece. It has no connection, so
// the deadlines of one mean nothing to it.
type heldAnswer struct {
	header http.Header
	status int
	kept   bytes.Buffer
	begun  chan struct{} // closed when the header and what is kept stand
	isLong bool          // what follows goes through the pipe
	broken any           // the panic of the handler, before the answer had begun
	reader *io.PipeReader
	writer *io.PipeWriter
}

// mostKept is how much of an answer is kept before its reader is let in.
const mostKept = 1 << 20

func newHeldAnswer() *heldAnswer {
	a := &heldAnswer{header: http.Header{}, status: http.StatusOK, begun: make(chan struct{})}
	a.reader, a.writer = io.Pipe()
	return a
}

// record has the handler answer. A handler that panics breaks the answer off.
func (a *heldAnswer) record(handler http.Handler, r *http.Request) {
	defer func() {
		cause := recover()
		if !a.isLong {
			a.broken = cause
			close(a.begun)
		}
		if cause != nil {
			a.writer.CloseWithError(io.ErrUnexpectedEOF)
			return
		}
		a.writer.Close()
	}()
	handler.ServeHTTP(a, r)
}

// response waits until the answer has begun, and returns it.
func (a *heldAnswer) response(r *http.Request) (*http.Response, error) {
	<-a.begun
	if a.broken != nil {
		panic(a.broken)
	}
	body := io.NopCloser(io.Reader(&a.kept))
	length := int64(a.kept.Len())
	if a.isLong {
		body, length = longBody{io.MultiReader(&a.kept, a.reader), a.reader}, -1
	}
	return &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.header, Request: r,
		ContentLength: length, Body: body,
	}, nil
}

// longBody is a body that is still written. Closing it ends its handler.
type longBody struct {
	io.Reader
	io.Closer
}

// Header returns the header of the answer.
func (a *heldAnswer) Header() http.Header { return a.header }

// WriteHeader keeps the status.
func (a *heldAnswer) WriteHeader(status int) { a.status = status }

// Write keeps what is written, or hands it to the reader.
func (a *heldAnswer) Write(text []byte) (int, error) {
	if a.isLong {
		return a.writer.Write(text)
	}
	if a.kept.Len()+len(text) <= mostKept {
		return a.kept.Write(text)
	}
	a.isLong = true
	close(a.begun)
	return a.writer.Write(text)
}

// SetReadDeadline accepts a deadline.
func (a *heldAnswer) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline accepts a deadline.
func (a *heldAnswer) SetWriteDeadline(time.Time) error { return nil }
