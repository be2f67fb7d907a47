package admin

import (
	"bytes"
	"io"
	"net/http"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/operator"
	"mintmark/internal/web"
)

// InProcess returns a client of the interface for an operator who has signed in at the console. Its
// requests go to the handler of the face without a connection. In log and audit they are requests
// of the browser: with its address and its identifier.
func InProcess(handler http.Handler, who operator.Identity, x *web.Exchange) *wire.Client {
	return wire.Over(inProcess{handler, who, x}, "http://"+x.Request.Host, "")
}

// inProcess is a transport to a handler.
type inProcess struct {
	handler http.Handler
	who     operator.Identity
	browser *web.Exchange
}

// RoundTrip has the handler answer.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := r.Clone(WithIdentity(r.Context(), t.who))
	if asked.Body == nil {
		asked.Body = http.NoBody
	}
	asked.RequestURI, asked.RemoteAddr = r.URL.RequestURI(), t.browser.Request.RemoteAddr
	asked.Header.Set("X-Request-Id", t.browser.ID)
	for _, hops := range t.browser.Request.Header.Values("X-Forwarded-For") {
		asked.Header.Add("X-Forwarded-For", hops)
	}
	answer := newRecorder()
	go answer.record(t.handler, asked)
	return answer.response(r)
}

// recorder takes an answer. What is short is kept until the handler has ended. Of a longer answer,
// such as an export, the rest goes to its reader piece by piece. It has no connection, so the
// deadlines of one mean nothing to it.
type recorder struct {
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

func newRecorder() *recorder {
	a := &recorder{header: http.Header{}, status: http.StatusOK, begun: make(chan struct{})}
	a.reader, a.writer = io.Pipe()
	return a
}

// record has the handler answer. A handler that panics breaks the answer off.
func (a *recorder) record(handler http.Handler, r *http.Request) {
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
func (a *recorder) response(r *http.Request) (*http.Response, error) {
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
func (a *recorder) Header() http.Header { return a.header }

// WriteHeader keeps the status.
func (a *recorder) WriteHeader(status int) { a.status = status }

// Write keeps what is written, or hands it to the reader.
func (a *recorder) Write(text []byte) (int, error) {
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
func (a *recorder) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline accepts a deadline.
func (a *recorder) SetWriteDeadline(time.Time) error { return nil }
