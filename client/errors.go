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

// ErrBrokenAnswer is in every error about a response that the interface does not define: no
// envelope, an error page of a proxy, two statuses that disagree, or missing data. The operation
// may have taken effect. If the response had a useful status, the error also holds a *Failure.
var ErrBrokenAnswer = errors.New("the answer does not follow the interface")

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
	// Errors says what was wrong, in the order of the service's checks. It is empty when a proxy
	// or gateway answered without the envelope.
	Errors []Error
	// RetryAfter is how long the service asks to wait before another try; 0 if it does not ask.
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

// retryAfter reads the Retry-After header. The service writes seconds; a proxy may write a date.
// Any other text, and a date in the past, gives 0.
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
