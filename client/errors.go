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

// ErrBrokenAnswer is in every error about an answer that the interface does not know: no envelope,
// a page of a proxy in between, two statuses that disagree, no data where there must be some. The
// operation may have taken effect all the same. Where there was a status worth knowing, the error
// holds a *Failure as well.
var ErrBrokenAnswer = errors.New("the answer is not as the interface says")

// Error is one entry of the envelope's errors, as in interface §3.2.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Failure is the error of a request that the service refused or could not carry out. A method
// returns it wrapped; errors.As finds it.
type Failure struct {
	// HTTP is the status of the HTTP response.
	HTTP int
	// RequestID identifies the request in the logs of the service; quote it to support.
	RequestID string
	// Errors says what was wrong, in the order of the service's checks. It is empty when the answer
	// came from something in between that does not write the envelope.
	Errors []Error
	// RetryAfter is how long the service asks to wait before another try, 0 where it does not ask.
	RetryAfter time.Duration
}

// Error gives the status, every code with its message, and the request id.
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

// Has reports whether one of the errors has the code.
func (f *Failure) Has(code int) bool {
	return slices.ContainsFunc(f.Errors, func(e Error) bool { return e.Code == code })
}

// envelope wraps every answer, as in interface §3.1. Status is a pointer to tell an
// envelope from other JSON, such as the error page of a gateway.
type envelope struct {
	Data      json.RawMessage `json:"data"`
	Errors    []Error         `json:"errors"`
	RequestID string          `json:"requestId"`
	Status    *int            `json:"status"`
}

// openEnvelope returns the data of a successful answer, and an error for any other. Both statuses
// count: a cache or proxy may have replaced the one of HTTP.
func openEnvelope(response *http.Response, text []byte) (json.RawMessage, error) {
	failure := newFailure(response)
	var e envelope
	err := json.Unmarshal(text, &e)
	if err != nil {
		return nil, brokenAnswer(failure, "it is no envelope: "+err.Error())
	}
	if e.Status == nil {
		return nil, brokenAnswer(failure, "it is no envelope: there is no status in it")
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

// retryAfter reads the header of the same name. The service writes seconds; a proxy in between may
// write a date. Anything else, and a date that has passed, is no advice.
func retryAfter(text string) time.Duration {
	// 31 bits of seconds always fit a duration.
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
