package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// Observer is told of each request. It holds up the answer for as long as it takes.
type Observer interface {
	// Begin is told of a request, and returns the context in which it is answered: that of the
	// request, or one made from it.
	Begin(r *http.Request) context.Context
	// End is told how a request was answered.
	End(ctx context.Context, of Observation)
}

// Observation is what an observer is told of an answer.
type Observation struct {
	Route  string // of the face, empty when none was found; never the path
	ID     string // identifier of the request
	Status int    // 0 for a connection that was closed without an answer
	Took   time.Duration
	Fault  error // what went wrong on this side

	Actor slog.Attr // who asked, as the log has it; empty when nobody is known
	Codes []int     // of the catalogue, that the answer names; each once
}
