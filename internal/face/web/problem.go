package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"mintmark/internal/base/problem"
)

// Problem is the error format of faces without an envelope of their own (RFC 9457). It is an error,
// so that a face can return it.
type Problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail,omitempty"`
	RequestID string `json:"requestId,omitempty"` // finds the request in the log

	Code       int `json:"code,omitempty"`       // catalogue code, if a rule rejected the request
	ApprovalID int `json:"approvalId,omitempty"` // set if another operator must confirm the act

	// Errors lists all errors of the body.
	Errors []BodyError `json:"errors,omitempty"`

	// RetryAfter is the time to wait before a retry; zero for no Retry-After header.
	RetryAfter time.Duration `json:"-"`
}

// BodyError is one error of a body.
type BodyError struct {
	Pointer string `json:"pointer"` // to the member (RFC 6901); empty for the whole body
	Detail  string `json:"detail"`
}

// ProblemType is the media type of problems.
const ProblemType = "application/problem+json"

// problemNames maps a status to the name of its problem, for statuses that every face uses.
var problemNames = map[int]string{
	http.StatusUnauthorized:          "not-signed-in",
	http.StatusNotFound:              "not-found",
	http.StatusMethodNotAllowed:      "method-not-allowed",
	http.StatusConflict:              "conflict",
	http.StatusRequestEntityTooLarge: "too-large",
	http.StatusUnprocessableEntity:   "invalid",
	http.StatusTooManyRequests:       "too-many",
	http.StatusInternalServerError:   "internal",
	http.StatusServiceUnavailable:    "unavailable",
}

// newProblem returns a problem with nothing but its status.
func newProblem(status int) *Problem {
	return &Problem{
		Type: "/problems/" + problemNames[status], Title: http.StatusText(status), Status: status,
	}
}

// NotSignedIn returns the problem for a request from an unknown sender.
func NotSignedIn(detail string) *Problem { return detailed(http.StatusUnauthorized, detail) }

// NotFound returns the problem for a resource that does not exist.
func NotFound() *Problem { return newProblem(http.StatusNotFound) }

// MethodNotAllowed returns the problem for a method that the path does not have.
func MethodNotAllowed() *Problem { return newProblem(http.StatusMethodNotAllowed) }

// Conflict returns the problem for a request that a rule or the stored state rejects.
func Conflict(detail string) *Problem { return detailed(http.StatusConflict, detail) }

// Unavailable returns the problem for a request that may succeed when retried later.
func Unavailable(detail string, after time.Duration) *Problem {
	p := detailed(http.StatusServiceUnavailable, detail)
	p.RetryAfter = after
	return p
}

// TooMany returns the problem for a request that exceeds a rate.
func TooMany(detail string, after time.Duration) *Problem {
	p := detailed(http.StatusTooManyRequests, detail)
	p.RetryAfter = after
	return p
}

// Invalid returns the problem for a body with errors.
func Invalid(problems problem.List) *Problem {
	p := newProblem(http.StatusUnprocessableEntity)
	for _, wrong := range problems {
		p.Errors = append(p.Errors, BodyError{pointer(wrong.Path), wrong.Text})
	}
	return p
}

func detailed(status int, detail string) *Problem {
	p := newProblem(status)
	p.Detail = detail
	return p
}

// pointer converts a path such as products[0].name to a JSON pointer.
func pointer(path string) string {
	if path == "" {
		return ""
	}
	path = strings.NewReplacer("].", "/", "[", "/", "]", "", ".", "/").Replace(path)
	return "/" + strings.TrimPrefix(path, "/")
}

// problemOf returns the problem for an error. It returns true if the error is meant for the client,
// false if it is internal.
func problemOf(err error) (answered Problem, told bool) {
	problem := (*Problem)(nil)
	switch {
	case errors.As(err, &problem):
		return *problem, true
	case errors.Is(err, ErrBodyTooLarge):
		return *newProblem(http.StatusRequestEntityTooLarge), true
	case errors.Is(err, ErrBodyUnreadable):
		return *Invalid(nil), true
	}
	return *newProblem(http.StatusInternalServerError), false
}

// Error returns title and detail.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Title + ": " + p.Detail
}

// JSON returns the problem as JSON.
func (p *Problem) JSON() []byte {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // a Problem holds only strings and numbers
	}
	return text
}

// Explain adds a detail to a problem without one. The detail names the resource that the request is
// about.
func (p *Problem) Explain(about Subject) {
	if p.Detail != "" {
		return
	}
	thing := about.thing()
	switch p.Status {
	case http.StatusNotFound:
		p.Detail = "There is no " + thing + "."
		if thing == "" {
			p.Detail = "There is nothing at " + about.Path + "."
		}
	case http.StatusMethodNotAllowed:
		p.Detail = about.Path + " takes " + about.Allow + "."
	case http.StatusPreconditionFailed:
		p.Detail = "The " + cmp.Or(thing, "resource") + " has changed since it was read. " +
			"Read it again."
	case http.StatusPreconditionRequired:
		p.Detail = "The change needs If-Match with the ETag of the " +
			cmp.Or(thing, "resource") + "."
	case http.StatusRequestEntityTooLarge:
		p.Detail = "The body is longer than is allowed here."
		if about.Most > 0 {
			p.Detail = fmt.Sprintf("The body has more than %d bytes.", about.Most)
		}
	case http.StatusUnprocessableEntity:
		p.Detail = "The body cannot be read."
		if len(p.Errors) > 0 {
			p.Detail = p.Errors[0].sentence(len(p.Errors) - 1)
		}
	case http.StatusInternalServerError:
		p.Detail = "The service has failed. Its log has the reason, under the requestId."
	}
}

// verbs are the first words of errors about the whole body, which lack a subject.
var verbs = []string{"is", "must", "cannot", "has", "holds"}

// sentence returns the error as a sentence, with the count of other errors.
func (e BodyError) sentence(others int) string {
	text := strings.TrimSpace(e.Pointer + " " + e.Detail)
	verb, _, _ := strings.Cut(text, " ")
	if slices.Contains(verbs, verb) {
		text = "The body " + text
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:] + "."
	switch others {
	case 0:
		return text
	case 1:
		return text + " One more mistake is in errors."
	}
	return fmt.Sprintf("%s %d more mistakes are in errors.", text, others)
}

// Problems answers errors as problem details. A face without an envelope of its own embeds it.
type Problems struct{}

// Problem answers a Problem with its detail, errors of reading the body with their own problem, and
// any other error as an internal one, whose text only the log has.
func (Problems) Problem(x *Exchange, err error) Response {
	answered, told := problemOf(err)
	if !told && !x.ClientGone() {
		x.Fault(err)
	}
	answered.RequestID = x.ID
	answered.Explain(x.subject())
	if answered.RetryAfter > 0 {
		seconds := (answered.RetryAfter + time.Second - 1) / time.Second
		x.Header.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	x.Note(slog.String("problem", answered.Type))
	return Response{
		Status: answered.Status, ContentType: ProblemType, Body: append(answered.JSON(), '\n'),
	}
}
