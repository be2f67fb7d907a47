package api

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/google/uuid"

	"mintmark/internal/apikey"
	"mintmark/internal/fault"
	"mintmark/internal/issuing"
)

// exchange is one request and what is found out about it on the way to its answer.
type exchange struct {
	request   *http.Request
	writer    http.ResponseWriter
	header    http.Header // of the answer
	requestID string
	started   time.Time

	address netip.Addr // of the caller, once known
	key     apikey.Key // of the caller, once it has opened
	route   *route     // once found
	faults  fault.List // what was answered, for the log
	trouble error      // what nobody classified, for the log
}

func (s *Server) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	return &exchange{
		request: r, writer: w, header: w.Header(), started: time.Now(),
		requestID: requestID(r.Header, s.NewRequestID),
	}
}

// requestID takes over the caller's identifier of the request when it is a UUID.
func requestID(header http.Header, newID func() string) string {
	const uuidLength = 36 // the library reads other forms too
	for _, name := range []string{"X-Request-Id", "X-CorePro-RequestId"} {
		sent := header.Get(name)
		if id, err := uuid.Parse(sent); err == nil && len(sent) == uuidLength {
			return id.String()
		}
	}
	return newID()
}

// encode writes the envelope of what the route returned.
func (x *exchange) encode(result any, err error) issuing.Answer {
	if err == nil && x.route.show != nil {
		result = x.route.show(result)
	}
	return encode(x.requestID, result, err)
}

// troubled remembers what went wrong and sets the headers that belong to it.
func (x *exchange) troubled(err error) {
	x.faults = faultsOf(x.requestID, err)
	switch first := x.faults[0]; {
	case first.Kind == fault.Unauthorized:
		x.header.Set("WWW-Authenticate", "Basic")
	case first.RetryAfter > 0:
		x.header.Set("Retry-After", wholeSeconds(first.RetryAfter))
	}
	first := x.faults[0]
	callersMistake := first.Kind == fault.HTTPVersion || first.Kind == fault.NotImplemented
	callerGone := errors.Is(err, context.Canceled) && x.request.Context().Err() != nil
	if first.HTTP() >= http.StatusInternalServerError && !callersMistake && !callerGone {
		x.trouble = err
	}
}

// contentType is that of every answer.
const contentType = "application/json; charset=utf-8"

// send writes the answer. The server then reads what is left of a body that nobody wanted; that
// must not take longer than a body may.
func (x *exchange) send(answer issuing.Answer, bodyTimeout time.Duration) {
	control := http.NewResponseController(x.writer)
	// A connection that takes no deadline is at its end already.
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
	x.header.Set("Content-Type", contentType)
	x.header.Set("Cache-Control", "no-store")
	x.header.Set("Content-Length", strconv.Itoa(len(answer.Body)))
	if answer.Replayed {
		x.header.Set("Idempotency-Replayed", "true")
	}
	x.writer.WriteHeader(answer.HTTP)
	// The caller may have gone; there is nobody to tell.
	_, _ = x.writer.Write(answer.Body)
}

// log writes the line of the request. It holds no secret, no body and no path, which may carry a
// tag.
func (x *exchange) log(ctx context.Context, log *slog.Logger, answer issuing.Answer) {
	codes := make([]int, 0, len(x.faults))
	for _, f := range x.faults {
		codes = append(codes, f.Code())
	}
	path, address := "", ""
	if x.route != nil {
		path = x.route.path
	}
	if x.address.IsValid() {
		address = x.address.String()
	}
	attributes := []slog.Attr{
		slog.String("requestId", x.requestID),
		slog.String("route", path),
		slog.Int("status", answer.HTTP),
		slog.Any("codes", codes),
		slog.Float64("ms", float64(time.Since(x.started).Microseconds())/1000),
		slog.String("key", x.key.Name),
		slog.String("address", address),
	}
	level := slog.LevelInfo
	if x.trouble != nil {
		level = slog.LevelError
		attributes = append(attributes, slog.String("error", x.trouble.Error()))
	}
	if answer.Replayed {
		attributes = append(attributes, slog.Bool("replayed", true))
	}
	log.LogAttrs(ctx, level, "request", attributes...)
}

// errHangUp ends a request without an answer: the caller was too slow to send it.
var errHangUp = errors.New("api: the connection is closed")

func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(max(d, time.Second).Seconds())))
}
