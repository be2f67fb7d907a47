package web

import (
	"context"
	"net/http"
)

// Pages is a face made of plain handlers, such as a ServeMux of pages and probes. It replaces a
// handler's 404 and 405 with a problem. Requests that a handler answers itself are logged at debug
// level only.
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

// pageWriter forwards what a handler writes, except for a 404 or 405, of which it only stores the
// status.
type pageWriter struct {
	http.ResponseWriter
	sent    int // the status, once sent
	refused int
	begun   *bool // set together with sent
}

// WriteHeader forwards a status other than 404 and 405.
func (w *pageWriter) WriteHeader(status int) {
	if w.sent != 0 || w.refused != 0 {
		return
	}
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
		w.refused = status
		return
	}
	if status >= http.StatusOK { // an informational status precedes the final one
		w.sent, *w.begun = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write forwards the body unless its status was held back.
func (w *pageWriter) Write(text []byte) (int, error) {
	if w.refused != 0 {
		return len(text), nil
	}
	if w.sent == 0 {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(text)
}

// Unwrap gives a ResponseController access to the connection.
func (w *pageWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// status returns the response's status: 200 for a handler that writes nothing.
func (w *pageWriter) status() int {
	if w.sent == 0 {
		return http.StatusOK
	}
	return w.sent
}
