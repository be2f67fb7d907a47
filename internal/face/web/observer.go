package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// Observer is notified of each request. The answer waits until its methods return.
type Observer interface {
	// Begin is called when a request arrives. It returns the context for the request: that of r or
	// one derived from it.
	Begin(r *http.Request) context.Context
	// End is called when the request has been answered.
	End(ctx context.Context, of Observation)
}

// Observation describes an answered request.
type Observation struct {
	Route  string // the face's route, empty if none matches; never the path
	ID     string // request id
	Status int    // 0 if the connection was closed without an answer
	Took   time.Duration
	Fault  error // failure on the server's side

	Actor slog.Attr // who sent the request, as in the log; empty if unknown
	Codes []int     // distinct catalogue codes in the answer
}
