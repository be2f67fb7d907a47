// Package web holds what all HTTP faces share: an Exchange for each request, with its id, the
// client's address behind trusted proxies and the deadline of its answer; reading a body within
// limits; one log line per request; recovery from panics; sending the answer with the common
// headers. Host.Handler mounts a face. What several faces need is here too: the idempotency key,
// path templates, JSON answers.
//
// The content of an answer is the face's own, and so are its routes and their authorization. A face
// without an envelope of its own embeds Problems to answer errors as problem details; Pages mounts
// plain handlers in this way.
//
//	Handler -> Exchange (exchange.go) -> Face.Answer -> Response (response.go)
//	                                  or error -> Face.Problem -> Response
//	        -> headers and body (response.go) -> one line in the log (log.go)
package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Settings configures a host. A zero number means the default given in its comment.
type Settings struct {
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For is trusted
	PublicURL      string         // where clients reach the host; empty: their Host header
	Secure         bool           // clients reach the host over TLS
	BodyLimit      int64          // bytes; 64 KiB
	BodyTimeout    time.Duration  // to receive a body; 15 s
	AnswerTimeout  time.Duration  // to produce an answer; 30 s
}

// Host serves faces on one address.
type Host struct {
	settings     atomic.Pointer[Settings] // in force; a request uses those it began with
	log          *slog.Logger
	newRequestID func() string // returns a UUID
	observer     Observer
	recorder     Recorder // may be nil
}

// Observe sets the observer of all requests. It must be called before the host serves.
func (h *Host) Observe(observer Observer) { h.observer = observer }

// NewHost returns a host that writes to log and takes the ids of requests from newRequestID.
func NewHost(log *slog.Logger, newRequestID func() string, settings Settings) *Host {
	h := &Host{log: log, newRequestID: newRequestID}
	h.Use(settings)
	return h
}

// Use replaces the settings. Requests in progress keep those they began with.
func (h *Host) Use(settings Settings) {
	if settings.BodyLimit == 0 {
		settings.BodyLimit = DefaultBodyBytes
	}
	if settings.BodyTimeout == 0 {
		settings.BodyTimeout = DefaultBodyTimeout
	}
	if settings.AnswerTimeout == 0 {
		settings.AnswerTimeout = DefaultAnswerTimeout
	}
	h.settings.Store(&settings)
}

// Face answers the requests of one kind of client.
type Face interface {
	// Answer handles a request.
	Answer(ctx context.Context, x *Exchange) (Response, error)

	// Problem returns the answer to an error, which is one of Answer or ErrPanic. It sets the
	// headers that go with the answer and decides what the log shows of the error.
	Problem(x *Exchange, err error) Response
}

// Handler returns an http.Handler that serves the face on this host.
func (h *Host) Handler(face Face) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(face, w, r) })
}

// ErrPanic is the error of a request whose handler panicked. The log has the cause.
var ErrPanic = errors.New("web: the handler panicked")

// serve answers a request and logs it.
func (h *Host) serve(face Face, w http.ResponseWriter, r *http.Request) {
	x := h.begin(w, r)
	defer x.deadline.end()
	response, err := h.answer(face, x)
	if errors.Is(err, ErrHangUp) || err != nil && x.begun {
		if h.recorder != nil {
			h.recorder.Record(x, 0, nil)
		}
		h.end(x, 0)
		panic(http.ErrAbortHandler) // package http closes the connection
	}
	if err != nil {
		response = face.Problem(x, err)
	}
	defer response.release()
	h.send(x, response)
	h.end(x, response.Status)
}

// end logs an answered request and notifies the observer.
func (h *Host) end(x *Exchange, status int) {
	took := x.log(h.log, status)
	if h.observer == nil {
		return
	}
	h.observer.End(x.deadline.Context, Observation{
		Route: x.Route, ID: x.ID, Status: status, Took: took, Fault: x.fault,
		Actor: x.Actor, Codes: x.Codes,
	})
}

// answer calls the face. A panic becomes ErrPanic.
func (h *Host) answer(face Face, x *Exchange) (response Response, err error) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if cause == http.ErrAbortHandler {
			err = ErrHangUp
			return
		}
		h.log.Error("panic", "requestId", x.ID, "cause", cause, "stack", string(debug.Stack()))
		err = ErrPanic
	}()
	return face.Answer(&x.deadline, x)
}

// Refuse answers a request with an error of the face, without calling Face.Answer, for a request
// that must not reach it.
func (h *Host) Refuse(face Face, w http.ResponseWriter, r *http.Request, err error) {
	x := h.begin(w, r)
	defer x.deadline.end()
	x.Client = x.peer().text
	response := face.Problem(x, err)
	h.send(x, response)
	h.end(x, response.Status)
}
