package admin

import (
	"fmt"
	"strings"
)

// Problem is the response to a request that was not carried out (RFC 9457).
type Problem struct {
	Type       string        `json:"type"` // /problems/NAME
	Title      string        `json:"title"`
	Status     int           `json:"status"`
	Detail     string        `json:"detail"` // names the object; with Errors, their first
	RequestID  string        `json:"requestId,omitempty"`
	Code       int           `json:"code,omitempty"`       // of the catalogue; only for a conflict
	ApprovalID int           `json:"approvalId,omitempty"` // only for needs-approval
	Errors     []MemberError `json:"errors,omitempty"`

	RetryAfterSeconds int `json:"-"` // from the header Retry-After
}

// MemberError is a problem of a member in a body.
type MemberError struct {
	Pointer string `json:"pointer"` // RFC 6901; empty for the whole body
	Detail  string `json:"detail"`
}

// The names of the problems, the last part of Problem.Type.
const (
	NotSignedIn      = "not-signed-in"
	NotAllowed       = "not-allowed"
	NotFound         = "not-found"
	Invalid          = "invalid"
	Conflict         = "conflict"
	Stale            = "stale"
	IfMatchRequired  = "if-match-required"
	NeedsApproval    = "needs-approval" // 202: the act waits for another operator
	TooMany          = "too-many"
	MethodNotAllowed = "method-not-allowed"
	TooLarge         = "too-large"
	Unavailable      = "unavailable"
	Internal         = "internal"
)

// Name returns the last part of the type.
func (p *Problem) Name() string { return strings.TrimPrefix(p.Type, "/problems/") }

// Error returns the problem in one line.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Title)
	if len(p.Errors) == 0 {
		b.WriteString(": " + p.Detail)
	}
	for _, e := range p.Errors {
		fmt.Fprintf(&b, "; %s %s", e.Pointer, e.Detail)
	}
	return b.String()
}
