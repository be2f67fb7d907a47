// Package web holds what every HTTP face of the program shares: an Exchange for each request, with
// its identifier, the address of the client behind trusted proxies and the deadline for its answer;
// reading a body within its limits; one line in the log; the recovery of a panic; sending the
// answer with the headers that all answers have. Faces are mounted with Host.Handler. What several
// of them need stands here once: the idempotency key, templates of paths, answers in JSON.
//
// What an answer says belongs to the face, and so do its routes and who may use them. A face
// without an envelope of its own answers errors as problem details, by embedding Problems; Pages
// mounts plain handlers that way.
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

// Settings say how a host treats the wire. The zero value of each number is replaced by what is
// written behind it.
type Settings struct {
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For is believed
	PublicURL      string         // where clients reach the host; empty: as they wrote it
	Secure         bool           // clients reach the host over TLS
	BodyLimit      int64          // greatest body in bytes; 64 KiB
	BodyTimeout    time.Duration  // for a body to arrive; 15 s
	AnswerTimeout  time.Duration  // for an answer to be made; 30 s
}

// Host serves faces on one address.
type Host struct {
	settings     atomic.Pointer[Settings] // in force; a request goes by those it began with
	log          *slog.Logger
	newRequestID func() string // makes a UUID
	observer     Observer
	recorder     Recorder // nil for none
}

// Observe has an observer told of each request from now on. It is called before the host serves.
func (h *Host) Observe(observer Observer) { h.observer = observer }

// NewHost returns a host that writes to a log and names requests by new identifiers.
func NewHost(log *slog.Logger, newRequestID func() string, settings Settings) *Host {
	h := &Host{log: log, newRequestID: newRequestID}
	h.Use(settings)
	return h
}

// Use puts other settings in force. Requests under way end with those they began with.
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
	// Answer does what a request asks for.
	Answer(ctx context.Context, x *Exchange) (Response, error)

	// Problem returns the answer to an error, sets the headers that belong to it, and says what of
	// it the log shows. The error is one of Answer, or ErrPanic.
	Problem(x *Exchange, err error) Response
}

// Handler returns a face as this host serves it.
func (h *Host) Handler(face Face) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(face, w, r) })
}

// ErrPanic is the error of a request whose handler panicked. The cause is in the log.
var ErrPanic = errors.New("web: the handler panicked")

// serve answers a request and writes one line about it to the log.
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

// end writes the line of a request that was answered, and tells the observer.
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

// answer has the face answer a request. A panic becomes ErrPanic.
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

// Refuse answers a request with an error of the face without asking the face for more, for a
// request that must not reach it.
func (h *Host) Refuse(face Face, w http.ResponseWriter, r *http.Request, err error) {
	x := h.begin(w, r)
	defer x.deadline.end()
	x.Client = x.peer().text
	response := face.Problem(x, err)
	h.send(x, response)
	h.end(x, response.Status)
}
