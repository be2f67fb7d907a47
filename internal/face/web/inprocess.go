package web

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// InProcess is a transport to a handler in this process, for a page that calls another face while
// it serves a browser's request. Both requests have the same id and client address in log and
// audit.
type InProcess struct {
	Handler http.Handler
	Browser *Exchange
}

// RoundTrip calls the handler directly, without a connection.
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
	answer := &heldAnswer{header: http.Header{}, status: http.StatusOK}
	t.Handler.ServeHTTP(answer, request)
	return &http.Response{
		Status: http.StatusText(answer.status), StatusCode: answer.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.header, Request: r,
		ContentLength: int64(answer.body.Len()), Body: io.NopCloser(&answer.body),
	}, nil
}

// heldAnswer buffers a response. It has no connection and ignores deadlines.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the response header.
func (a *heldAnswer) Header() http.Header { return a.header }

// WriteHeader stores the status.
func (a *heldAnswer) WriteHeader(status int) { a.status = status }

// Write buffers a part of the body.
func (a *heldAnswer) Write(text []byte) (int, error) { return a.body.Write(text) }

// SetReadDeadline does nothing.
func (a *heldAnswer) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (a *heldAnswer) SetWriteDeadline(time.Time) error { return nil }
