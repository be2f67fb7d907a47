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

// Problem is how a face without an envelope of its own says what is wrong (RFC 9457). It is an
// error, so that a face can return it.
type Problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail,omitempty"`
	RequestID string `json:"requestId,omitempty"` // under which the log has the request

	Code       int `json:"code,omitempty"`       // of the catalogue, where a rule of it refuses
	ApprovalID int `json:"approvalId,omitempty"` // of an act that another operator has to confirm

	// Errors are what is wrong with a body, all of it at once.
	Errors []BodyError `json:"errors,omitempty"`

	// RetryAfter is when the client may try again; zero where it is not told.
	RetryAfter time.Duration `json:"-"`
}

// BodyError is one thing that is wrong with a body.
type BodyError struct {
	Pointer string `json:"pointer"` // to the member (RFC 6901); empty for the whole body
	Detail  string `json:"detail"`
}

// ProblemType is the media type of problems.
const ProblemType = "application/problem+json"

// problemNames are the names of the problems that any face may have, by their status.
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

// newProblem returns a problem that says no more than its status.
func newProblem(status int) *Problem {
	return &Problem{
		Type: "/problems/" + problemNames[status], Title: http.StatusText(status), Status: status,
	}
}

// NotSignedIn is the problem of a request whose sender is not known.
func NotSignedIn(detail string) *Problem { return detailed(http.StatusUnauthorized, detail) }

// NotFound is the problem of a request for what does not exist.
func NotFound() *Problem { return newProblem(http.StatusNotFound) }

// MethodNotAllowed is the problem of a request with another method than the path has.
func MethodNotAllowed() *Problem { return newProblem(http.StatusMethodNotAllowed) }

// Conflict is the problem of a request that a rule, or what is stored, refuses.
func Conflict(detail string) *Problem { return detailed(http.StatusConflict, detail) }

// Unavailable is the problem of a request that may succeed when it is sent again after a while.
func Unavailable(detail string, after time.Duration) *Problem {
	p := detailed(http.StatusServiceUnavailable, detail)
	p.RetryAfter = after
	return p
}

// TooMany is the problem of a request that comes too soon after others.
func TooMany(detail string, after time.Duration) *Problem {
	p := detailed(http.StatusTooManyRequests, detail)
	p.RetryAfter = after
	return p
}

// Invalid is the problem of a body with errors.
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

// pointer returns the JSON pointer of a path such as products[0].name.
func pointer(path string) string {
	if path == "" {
		return ""
	}
	path = strings.NewReplacer("].", "/", "[", "/", "]", "", ".", "/").Replace(path)
	return "/" + strings.TrimPrefix(path, "/")
}

// problemOf returns the problem to answer an error with, and whether the error is one that the
// client is answered with as it is.
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

// JSON returns the problem as it is answered.
func (p *Problem) JSON() []byte {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // a problem is made of texts and a number
	}
	return text
}

// Explain gives a problem without a detail one: it names the thing that the request is about.
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

// verbs begin the text of an error that is about the whole body.
var verbs = []string{"is", "must", "cannot", "has", "holds"}

// sentence tells what is wrong, and how many other things are.
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

// Problem answers a Problem with its detail, the errors of a body as the problems that they are, and
// any other error as an internal one, whose text stays in the log.
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
