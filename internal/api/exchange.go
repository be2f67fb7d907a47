package api

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"sync"
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
	settings  *Settings // in force when the request began
	started   time.Time
	deadline  deadline // for the answer to be made

	from    string     // address of the caller, once known
	key     apikey.Key // of the caller, once it has opened
	route   *route     // once found
	call    call       // the same
	read    bool       // the body was read to its end
	faults  fault.List // what was answered, for the log
	trouble error      // what nobody classified, for the log

	listed cards // whose memory is given back behind the answer

	room *[]byte // from rooms; nil for a request whose answer may be kept
}

func (s *Server) newExchange(w http.ResponseWriter, r *http.Request) *exchange {
	now, settings := time.Now(), s.settings.Load()
	return &exchange{
		request: r, writer: w, header: w.Header(), started: now, settings: settings,
		deadline:  deadline{Context: r.Context(), at: now.Add(settings.AnswerTimeout)},
		requestID: requestID(r.Header, s.newRequestID),
	}
}

// requestID takes over the caller's identifier of the request when it is a UUID.
func requestID(header http.Header, newID func() string) string {
	const uuidLength = 36 // the library reads other forms too
	// Names are found fastest as package http spells them; callers may spell them as they like.
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

// encode writes the envelope of what the route returned.
func (x *exchange) encode(result any, err error) issuing.Answer {
	if err == nil && x.route.show != nil {
		result, err = x.route.show(result)
		if err != nil {
			x.troubled(err)
		}
	}
	if listed, ok := result.(cards); ok && err == nil {
		x.listed = listed
		if listed.list.Long {
			return issuing.Answer{HTTP: statusOK} // its body is written as it is sent
		}
	}
	if known, fast := result.(appender); fast && err == nil && x.room != nil {
		*x.room = wrap((*x.room)[:0], x.requestID, known)
		return issuing.Answer{HTTP: statusOK, Body: *x.room}
	}
	return encode(x.requestID, result, err)
}

// rooms are where answers to requests without a body are written. Nobody looks at such an answer
// once it is sent, so the next one can be written over it. An answer to a request with a body may
// be kept for when the request is repeated, and has its memory to itself.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// leave gives the room back once the answer is sent. A very large one is not worth keeping.
func (x *exchange) leave() {
	const largest = 64 << 10
	if x.room != nil && cap(*x.room) <= largest {
		rooms.Put(x.room)
	}
	x.room = nil
	if x.listed.list != nil {
		x.listed.list.Done()
	}
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

// What stands in every header of an answer, ready to be shared by all of them: nobody writes into
// the values of a header that is there.
var (
	contentTypes = []string{contentType}
	noStore      = []string{"no-store"}
)

// counted is how long an answer may be that the server counts itself, in bytes. It keeps somewhat
// more than that before it sends the first of them.
const counted = 2000

// send writes the answer. The server then reads what is left of a body that nobody wanted; that
// must not take longer than a body may.
func (x *exchange) send(answer issuing.Answer) {
	if x.request.Body != http.NoBody && !x.read {
		control := http.NewResponseController(x.writer)
		// A connection that takes no deadline is at its end already.
		_ = control.SetReadDeadline(time.Now().Add(x.settings.BodyTimeout))
	}
	x.header["Content-Type"], x.header["Cache-Control"] = contentTypes, noStore
	if x.overTLS() && !isLocal(x.request.Host) {
		x.header[hstsName] = hstsValues
	}
	if len(answer.Body) > counted || x.request.Method == http.MethodHead {
		x.header["Content-Length"] = []string{strconv.Itoa(len(answer.Body))}
	}
	if answer.Replayed {
		x.header.Set("Idempotency-Replayed", "true")
	}
	x.writer.WriteHeader(answer.HTTP)
	if x.listed.list != nil && x.listed.list.Long {
		x.sendList()
		return
	}
	// The caller may have gone; there is nobody to tell.
	_, _ = x.writer.Write(answer.Body)
}

// sendList writes a long list piece by piece: nothing can go wrong with it any more. Its memory is
// others' to wait for, so a caller has as long to read it as an answer may take to be made.
func (x *exchange) sendList() {
	const piece = 32 << 10
	control := http.NewResponseController(x.writer)
	_ = control.SetWriteDeadline(time.Now().Add(x.deadline.at.Sub(x.started)))
	var broken error
	send := func(text []byte) []byte {
		if broken == nil {
			_, broken = x.writer.Write(text)
		}
		return text[:0]
	}
	text := append(make([]byte, 0, piece+8<<10), opening...)
	text = x.listed.appendPieces(text, func(text []byte) []byte {
		if len(text) < piece {
			return text
		}
		return send(text)
	})
	send(closeEnvelope(text, x.requestID))
}

// routeAttr is what the log calls the route of a request.
const routeAttr = "route"

// log writes the line of the request. It holds no secret, no body and no path, which may carry a
// tag.
func (x *exchange) log(ctx context.Context, log *slog.Logger, answer issuing.Answer) {
	level := slog.LevelInfo
	if x.trouble != nil {
		level = slog.LevelError
	}
	var handler slog.Handler
	if x.route != nil {
		handler = x.route.log
	} else {
		handler = log.With(routeAttr, "").Handler()
	}
	if !handler.Enabled(ctx, level) {
		return
	}
	// The zero says that nobody wants to know where in the program the line comes from: a Logger
	// would find that out each time.
	now := time.Now()
	line := slog.NewRecord(now, level, "request", 0)
	line.AddAttrs(
		slog.String("requestId", x.requestID),
		slog.Int("status", answer.HTTP),
		slog.Int64("micros", now.Sub(x.started).Microseconds()),
		slog.String("key", x.key.Name),
		slog.String("address", x.from),
	)
	if len(x.faults) > 0 {
		line.AddAttrs(codesOf(x.faults))
	}
	if x.trouble != nil {
		line.AddAttrs(slog.String("error", x.trouble.Error()))
	}
	if answer.Replayed {
		line.AddAttrs(slog.Bool("replayed", true))
	}
	_ = handler.Handle(ctx, line) // there is nobody to tell, as with a Logger
}

func codesOf(faults fault.List) slog.Attr {
	codes := make([]int, 0, len(faults))
	for _, f := range faults {
		codes = append(codes, f.Code())
	}
	return slog.Any("codes", codes)
}

// errHangUp ends a request without an answer: the caller was too slow to send it.
var errHangUp = errors.New("api: the connection is closed")

func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(max(d, time.Second).Seconds())))
}
