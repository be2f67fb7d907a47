package web

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
)

// Problem is how a face without an envelope of its own says what is wrong (RFC 9457). It is an
// error, so that a face can return it.
type Problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail,omitempty"`
	RequestID string `json:"requestId,omitempty"` // under which the log has the request
}

// ProblemType is the media type of problems.
const ProblemType = "application/problem+json"

// problemTypes are the types of the problems that any face may have, by their status.
var problemTypes = map[int]string{
	http.StatusNotFound:            "/problems/not-found",
	http.StatusMethodNotAllowed:    "/problems/method-not-allowed",
	http.StatusInternalServerError: "/problems/internal",
}

// newProblem returns a problem that says no more than its status.
func newProblem(status int) *Problem {
	return &Problem{
		Type: problemTypes[status], Title: http.StatusText(status), Status: status,
	}
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

// Problems answers errors as problem details. A face without an envelope of its own embeds it.
type Problems struct{}

// Problem answers a Problem as it is, and any other error as an internal one, whose text stays in
// the log.
func (Problems) Problem(x *Exchange, err error) Response {
	problem := (*Problem)(nil)
	if !errors.As(err, &problem) {
		problem = newProblem(http.StatusInternalServerError)
		if !x.ClientGone() {
			x.Fault(err)
		}
	}
	answered := *problem
	answered.RequestID = x.ID
	x.Note(slog.String("problem", answered.Type))
	return Response{
		Status: answered.Status, ContentType: ProblemType, Body: append(answered.JSON(), '\n'),
	}
}
