package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Exchange is a request with everything learned about it on the way to its answer.
type Exchange struct {
	Request  *http.Request
	Header   http.Header // of the response
	ID       string      // request id, a UUID
	Settings *Settings   // in force when the request arrived
	Body     []byte      // what ReadBody has read
	Rules    []string    // fault rules of a sandbox that applied to the request

	// Contents of the log line, which the face fills in as it learns them.
	Route  string    // the face's route, empty if none matches; never the path
	Actor  slog.Attr // who sent the request, under the face's attribute name
	Client string    // address of the client, once known
	Quiet  bool      // log at debug level: probes and pages
	Codes  []int     // distinct catalogue codes in the answer
	notes  []slog.Attr
	fault  error // failure on the server's side

	writer   http.ResponseWriter
	started  time.Time
	deadline deadline // for the answer
	read     bool     // the body was read to its end
	most     int64    // limit of the body in bytes, set by ReadBodyOf and OpenBody
	patient  bool     // no answer deadline: see OpenBody, WithoutDeadline
	begun    bool     // a page has started to write its response
}

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

// requestID returns the client's request id if that is a UUID, else a new one.
func requestID(header http.Header, newID func() string) string {
	const uuidLength = 36 // uuid.Parse also accepts other forms
	// Package http has canonicalized the header names.
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

// WithoutDeadline returns the context of a request whose answer may exceed the answer deadline. The
// context ends when the client disconnects.
func (x *Exchange) WithoutDeadline() context.Context {
	x.patient = true
	return x.deadline.Context
}

// ClientGone reports whether the client has disconnected.
func (x *Exchange) ClientGone() bool { return x.Request.Context().Err() != nil }
