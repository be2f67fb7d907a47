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
	answer := &heldAnswer{header: http.Header{}, status: http.StatusOK}
	t.Handler.ServeHTTP(answer, request)
	return &http.Response{
		Status: http.StatusText(answer.status), StatusCode: answer.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: answer.header, Request: r,
		ContentLength: int64(answer.body.Len()), Body: io.NopCloser(&answer.body),
	}, nil
}

// heldAnswer keeps an answer. It has no connection, so the deadlines of one mean nothing to it.
type heldAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the header of the answer.
func (a *heldAnswer) Header() http.Header { return a.header }

// WriteHeader keeps the status.
func (a *heldAnswer) WriteHeader(status int) { a.status = status }

// Write keeps a part of the body.
func (a *heldAnswer) Write(text []byte) (int, error) { return a.body.Write(text) }

// SetReadDeadline accepts a deadline.
func (a *heldAnswer) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline accepts a deadline.
func (a *heldAnswer) SetWriteDeadline(time.Time) error { return nil }
