// Package processorapi is the HTTP face of the card processor, /processor/v1/, for the processor's
// messages to Mintmark. Each message is signed according to Standard Webhooks; errors are answered
// as problem details. The acts are those of package issuing. Orders to the processor go the other
// way, through the ports of package processor.
//
//	Handler of web.Host -> Answer -> row of routes.go -> signature.go -> the row's act
package processorapi

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/order"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/vault/signature"
)

// Prefix is the path under which the face is mounted.
const Prefix = "/processor/v1/"

// MaxBodyBytes is the limit of a message body.
const MaxBodyBytes = 1 << 20

// SandboxSecret signs the messages to a sandbox. It is public.
const SandboxSecret = "whsec_c2FuZGJveC1wcm9jZXNzb3ItcmVwb3J0LXNlY3JldA=="

// actorName is the processor's name in the audit.
const actorName = "processor"

// Reports has the act for reports of the processor.
type Reports interface {
	ApplyReportsFrom(
		ctx context.Context, from audit.Actor, reports []order.Report,
	) ([]order.ReportResult, error)
}

// Transfers has the acts that move money for the processor.
type Transfers interface {
	Authorize(
		ctx context.Context, from audit.Actor, a authorization.Request,
	) (transfers.Authorized, error)
	Advise(
		ctx context.Context, from audit.Actor, a authorization.AdviceRequest,
	) (transfers.Advice, error)
	Reverse(
		ctx context.Context, from audit.Actor, taking authorization.ReversalRequest,
	) (authorization.Reversal, error)
	Post(
		ctx context.Context, from audit.Actor, m authorization.PostingRequest,
	) (authorization.Posting, error)
	Release(ctx context.Context, from audit.Actor, holdID string) (authorization.End, error)
	ProcessorKeySet() ([]byte, error)
}

// Face answers the card processor.
type Face struct {
	web.Problems
	reports   Reports
	transfers Transfers
	secrets   func() []signature.Secret
	routes    []route
}

// New returns the face. It calls secrets for each message, so that they can be rotated while the
// face serves; without any, no message is accepted.
func New(reports Reports, transfers Transfers, secrets func() []signature.Secret) *Face {
	f := &Face{reports: reports, transfers: transfers, secrets: secrets}
	f.routes = f.table()
	return f
}

// Answer checks the signature, finds the route and performs the act.
func (f *Face) Answer(ctx context.Context, x *web.Exchange) (web.Response, error) {
	x.FindClient()
	r, err := f.find(x.Request.Method, x.Request.URL.Path)
	if r != nil {
		x.Route = Prefix + r.path // also of a message whose signature is rejected
	}
	if r != nil && r.open {
		return r.answer(ctx, x, nil)
	}
	body, unread := x.ReadBody()
	if unread != nil {
		return web.Response{}, unread
	}
	if err := f.checkSignature(x.Request.Header, body); err != nil {
		return web.Response{}, err
	}
	x.Actor = slog.String("actor", actorName)
	if r == nil {
		return web.Response{}, err
	}
	return r.answer(ctx, x, body)
}

// find returns the route of a request, or the problem of a request without one.
func (f *Face) find(method, path string) (*route, error) {
	problem := web.NotFound()
	for i, row := range f.routes {
		if Prefix+row.path != path {
			continue
		}
		if row.method == method {
			return &f.routes[i], nil
		}
		problem = web.MethodNotAllowed()
	}
	return nil, problem
}

// Problem answers an error. A catalogue fault becomes 503, because the service cannot do its work
// now: the processor may resend the message, as each act is idempotent.
func (f *Face) Problem(x *web.Exchange, err error) web.Response {
	if faults := fault.All(err); len(faults) > 0 {
		x.Note(slog.String("cause", err.Error()))
		err = web.Unavailable("Not everything was done. Send the message again.", retryAfter)
	}
	if problem := (*web.Problem)(nil); errors.As(err, &problem) {
		f.headers(x, problem)
	}
	return f.Problems.Problem(x, err)
}

// headers sets the headers for a problem's status.
func (f *Face) headers(x *web.Exchange, problem *web.Problem) {
	switch problem.Status {
	case 401:
		x.Header.Set("WWW-Authenticate", "Signature")
	case 405:
		var methods []string
		for _, row := range f.routes {
			if Prefix+row.path == x.Request.URL.Path {
				methods = append(methods, row.method)
			}
		}
		x.Header.Set("Allow", strings.Join(methods, ", "))
	}
}
