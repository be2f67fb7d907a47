package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrBrokenAnswer is wrapped by every error about a response that the interface does not define: no
// envelope, an error page of a proxy, two statuses that disagree, or missing data. The operation
// may have taken effect. If the response had a useful status, the error also wraps a *Failure.
var ErrBrokenAnswer = errors.New("the answer does not follow the interface")

// Error is one entry of the envelope's errors, as in interface §3.2.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Failure is the error of a request that the service refused or could not carry out. Methods return
// it wrapped; use errors.As.
type Failure struct {
	// HTTP is the status of the HTTP response.
	HTTP int
	// RequestID identifies the request in the logs of the service; quote it to support.
	RequestID string
	// Errors describes the problems, in the order of the service's checks. It is empty if a proxy
	// or gateway responded without the envelope.
	Errors []Error
	// RetryAfter is the time to wait before another attempt, as requested by the service; 0 if it
	// requests none.
	RetryAfter time.Duration
}

// Error returns the status, every code with its message, and the request id.
func (f *Failure) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "HTTP status %d", f.HTTP)
	separator := ": "
	for _, e := range f.Errors {
		fmt.Fprintf(&text, "%s%d %s", separator, e.Code, e.Message)
		separator = " "
	}
	if f.RequestID != "" {
		fmt.Fprintf(&text, " (request %s)", f.RequestID)
	}
	return text.String()
}

// Has reports whether one of the errors has the given code.
func (f *Failure) Has(code int) bool {
	return slices.ContainsFunc(f.Errors, func(e Error) bool { return e.Code == code })
}

// envelope wraps every response, as in interface §3.1. Status is a pointer to distinguish an
// envelope from other JSON, such as the error page of a gateway.
type envelope struct {
	Data      json.RawMessage `json:"data"`
	Errors    []Error         `json:"errors"`
	RequestID string          `json:"requestId"`
	Status    *int            `json:"status"`
}

// openEnvelope returns the data of a successful response, and an error for any other. Both
// statuses are checked: a cache or proxy may have changed the HTTP status.
func openEnvelope(response *http.Response, text []byte) (json.RawMessage, error) {
	failure := newFailure(response)
	var e envelope
	err := json.Unmarshal(text, &e)
	if err != nil {
		return nil, brokenAnswer(failure, "it is not an envelope: "+err.Error())
	}
	if e.Status == nil {
		return nil, brokenAnswer(failure, "it is not an envelope: it has no status")
	}
	failure.Errors, failure.RequestID = e.Errors, e.RequestID
	if *e.Status != response.StatusCode {
		return nil, brokenAnswer(failure, fmt.Sprintf("its envelope has status %d", *e.Status))
	}
	if *e.Status != http.StatusOK || len(e.Errors) > 0 {
		return nil, failure
	}
	return e.Data, nil
}

func newFailure(response *http.Response) *Failure {
	return &Failure{
		HTTP:       response.StatusCode,
		RetryAfter: retryAfter(response.Header.Get("Retry-After")),
	}
}

func brokenAnswer(failure *Failure, reason string) error {
	return fmt.Errorf("%w: %s; %w", ErrBrokenAnswer, reason, failure)
}

// retryAfter parses the Retry-After header. The service sends seconds; a proxy may send a date. It
// returns 0 for any other text and for a date in the past.
func retryAfter(text string) time.Duration {
	// 31 bits of seconds always fit into a duration.
	seconds, err := strconv.ParseUint(text, 10, 31)
	if err == nil {
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, time.Until(date))
}
