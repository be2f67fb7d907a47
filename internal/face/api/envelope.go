package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/fault"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// The envelope wraps every answer (interface §3.1): data, errors, requestId, status, in this order.
// Data is absent on failure and for operations that return nothing.

// failure is the envelope of a failure.
type failure struct {
	Errors    []Error `json:"errors"`
	RequestID string  `json:"requestId"`
	Status    int     `json:"status"`
}

// Error is one entry of the errors array (interface §3.2).
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

const (
	// contentType is the Content-Type of every answer.
	contentType = "application/json; charset=utf-8"

	// statusOK is the only status of success.
	statusOK = http.StatusOK
)

// respond wraps the data member of a success in the envelope; nil omits the member.
func (c *call) respond(shown data) web.Response {
	c.take()
	*c.buffer = appendEnvelope(*c.buffer, c.ID, shown)
	return web.Response{Status: statusOK, ContentType: contentType, Body: *c.buffer, Owner: c}
}

// opening precedes the data of a success.
const opening = `{"data":`

// appendEnvelope appends the envelope of a success.
func appendEnvelope(to []byte, requestID string, shown data) []byte {
	if shown == nil {
		return closeEnvelope(append(to, '{'), requestID)
	}
	return closeEnvelope(append(shown.appendJSON(append(to, opening...)), ','), requestID)
}

// closeEnvelope appends what follows the data of a success.
func closeEnvelope(to []byte, requestID string) []byte {
	to = append(to, `"errors":[],"requestId":`...)
	to = append(value.AppendText(to, requestID), `,"status":`...)
	return append(strconv.AppendInt(to, statusOK, 10), '}')
}

// Problem answers an error with the envelope of a failure. An error that is not a catalogue fault
// becomes 52998 with the request id; only the log has its text.
func (s *Server) Problem(x *web.Exchange, err error) web.Response {
	if errors.Is(err, web.ErrPanic) {
		err = fault.New(fault.InternalError)
	}
	faults, answer := encodeProblem(x.ID, err)
	first := faults[0]
	if first.Kind == fault.Unauthorized {
		x.Header.Set("WWW-Authenticate", "Basic")
	}
	if first.RetryAfter > 0 {
		x.Header.Set("Retry-After", wholeSeconds(first.RetryAfter))
	}
	if x.Actor.Key == "" { // rejected before the key was looked up
		x.Actor = actor("")
	}
	x.Note(codesOf(faults))
	x.Codes = distinct(faults)
	callersMistake := first.Kind == fault.HTTPVersion || first.Kind == fault.NotImplemented
	callerGone := errors.Is(err, context.Canceled) && x.ClientGone()
	ours := answer.Status >= http.StatusInternalServerError && !callersMistake
	if ours && !callerGone {
		x.Fault(err)
	}
	if !ours {
		s.noteRefusals(x)
	}
	return web.Response{Status: answer.Status, ContentType: contentType, Body: answer.Body}
}

// noteRefusals counts the error codes returned to a caller.
func (s *Server) noteRefusals(x *web.Exchange) {
	for _, code := range x.Codes {
		s.service.CountRefusal(issuing.Refusal{
			Key: x.Actor.Value.String(), Code: code, Route: x.Route, Address: x.Client,
		})
	}
}

// distinct returns the distinct codes of faults.
func distinct(faults fault.List) []int {
	codes := make([]int, 0, len(faults))
	for _, f := range faults {
		if !slices.Contains(codes, f.Code()) {
			codes = append(codes, f.Code())
		}
	}
	return codes
}

// encodeProblem encodes an error and returns the faults in the answer.
func encodeProblem(requestID string, err error) (fault.List, issuing.Encoded) {
	faults := fault.All(err)
	if len(faults) == 0 {
		faults = fault.List{fault.New(fault.Incident, requestID)}
	}
	envelope := failure{RequestID: requestID, Status: faults[0].HTTP()}
	for _, f := range faults {
		envelope.Errors = append(envelope.Errors, Error{f.Code(), f.Message()})
	}
	body, err := marshal(envelope)
	if err != nil {
		panic(err) // a failure holds only strings and numbers
	}
	return faults, issuing.Encoded{Status: envelope.Status, Body: body}
}

// codesOf returns the log attribute of a failure.
func codesOf(faults fault.List) slog.Attr {
	codes := make([]int, 0, len(faults))
	for _, f := range faults {
		codes = append(codes, f.Code())
	}
	return slog.Any("codes", codes)
}

// marshal encodes into a buffer, so that an error never leaves half an answer. Callers read names
// and messages, not HTML: angle brackets are not escaped.
func marshal[T any](v T) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// wholeSeconds formats a duration for a header, rounded up to at least one second.
func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(max(d, time.Second).Seconds())))
}
