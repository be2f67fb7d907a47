package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Exchange is a request and what is found out about it on the way to its answer.
type Exchange struct {
	Request  *http.Request
	Header   http.Header // of the answer
	ID       string      // identifier of the request, a UUID
	Settings *Settings   // in force when the request began
	Body     []byte      // of the request, as far as ReadBody has read it
	Rules    []string    // fault rules of a sandbox that have applied to the request

	// What the line in the log says. A face fills it in as it finds out.
	Route  string    // of the face, empty as long as none is found; never the path
	Actor  slog.Attr // who asks, under the name that the face has for it
	Client string    // address of the client, once known
	Quiet  bool      // the line is for debugging: probes and pages
	Codes  []int     // of the catalogue, that the answer names; each once
	notes  []slog.Attr
	fault  error // what went wrong on this side

	writer   http.ResponseWriter
	started  time.Time
	deadline deadline // for the answer to be made
	read     bool     // the body was read to its end
	most     int64    // greatest length of the body that was asked for, in bytes
	patient  bool     // the answer may take longer than any other: see OpenBody, WithoutDeadline
	begun    bool     // a page has begun to write its answer
}

// begin begins the exchange of a request.
func (h *Host) begin(w http.ResponseWriter, r *http.Request) *Exchange {
	now, settings, ctx := time.Now(), h.settings.Load(), r.Context()
	if h.observer != nil {
		ctx = h.observer.Begin(r)
	}
	return &Exchange{
		Request: r, writer: w, Header: w.Header(), started: now, Settings: settings,
		deadline: deadline{Context: ctx, at: now.Add(settings.AnswerTimeout)},
		ID:       requestID(r.Header, h.newRequestID),
	}
}

// requestID takes over the client's identifier of the request when it is a UUID.
func requestID(header http.Header, newID func() string) string {
	const uuidLength = 36 // the library reads other forms, too
	// Package http has brought the names into this form, however the client spells them.
	for _, name := range []string{"X-Request-Id", "X-Corepro-Requestid"} {
		sent := header[name]
		if len(sent) == 0 || len(sent[0]) != uuidLength {
			continue
		}
		if id, err := uuid.Parse(sent[0]); err == nil {
			return id.String()
		}
	}
	return newID()
}

// WithoutDeadline returns the context of a request whose answer may wait longer than any other: it
// ends when the client goes.
func (x *Exchange) WithoutDeadline() context.Context {
	x.patient = true
	return x.deadline.Context
}

// ClientGone reports whether the client no longer waits for the answer.
func (x *Exchange) ClientGone() bool { return x.Request.Context().Err() != nil }
