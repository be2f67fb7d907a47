package web

import (
	"context"
	"net/http"
)

// Pages is a face of plain handlers, such as a ServeMux of pages and probes. Where a handler would
// answer 404 or 405, the answer is a problem. What a handler answers itself makes a line in the log
// for debugging only.
type Pages struct {
	Problems
	Handler http.Handler
}

// Answer runs the handler, which writes to the connection itself.
func (p Pages) Answer(ctx context.Context, x *Exchange) (Response, error) {
	x.FindClient()
	page := &pageWriter{ResponseWriter: x.writer, begun: &x.begun}
	request := x.Request.WithContext(ctx)
	p.Handler.ServeHTTP(page, request)
	x.Route = request.Pattern
	if page.refused != 0 {
		return Response{}, newProblem(page.refused)
	}
	x.Quiet = true
	return Response{Status: page.status(), written: true}, nil
}

// pageWriter hands on what a handler writes, except for 404 and 405, of which it keeps the status.
type pageWriter struct {
	http.ResponseWriter
	sent    int // the status, as soon as it is on its way
	refused int
	begun   *bool // set with sent
}

// WriteHeader hands on a status that is no refusal.
func (w *pageWriter) WriteHeader(status int) {
	if w.sent != 0 || w.refused != 0 {
		return
	}
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		w.refused = status
		return
	}
	if status >= http.StatusOK { // those below are followed by another
		w.sent, *w.begun = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write hands on the body of an answer that is no refusal.
func (w *pageWriter) Write(text []byte) (int, error) {
	if w.refused != 0 {
		return len(text), nil
	}
	if w.sent == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(text)
}

// Unwrap lets a ResponseController reach the connection.
func (w *pageWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// status is that of the answer. A handler that writes nothing has answered 200.
func (w *pageWriter) status() int {
	if w.sent == 0 {
		return http.StatusOK
	}
	return w.sent
}
