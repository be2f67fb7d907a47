// Package processorapi is the HTTP face of the card processor, /processor/v1/: what the processor reports
// to Mintmark. Each message is signed by the rules of Standard Webhooks; an error is answered as
// problem details. The acts are those of package issuing, and the orders to the processor go the
// other way, by the ports of package processor.
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

// Prefix is where the face is mounted.
const Prefix = "/processor/v1/"

// MaxBodyBytes is the greatest body of a message.
const MaxBodyBytes = 1 << 20

// SandboxSecret signs the messages to a sandbox. It is public.
const SandboxSecret = "whsec_c2FuZGJveC1wcm9jZXNzb3ItcmVwb3J0LXNlY3JldA=="

// actorName is how the audit names the processor.
const actorName = "processor"

// Reports are the acts on what the processor reports.
type Reports interface {
	ApplyReportsFrom(
		ctx context.Context, from audit.Actor, reports []order.Report,
	) ([]order.ReportResult, error)
}

// Transfers are the acts on money that the processor may ask for.
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

// New returns the face. The secrets are asked for with each message, so that they can be rotated
// while the face serves; without any, no message is accepted.
func New(reports Reports, transfers Transfers, secrets func() []signature.Secret) *Face {
	f := &Face{reports: reports, transfers: transfers, secrets: secrets}
	f.routes = f.table()
	return f
}

// Answer finds out who asks, then what is asked for, and has the act done.
func (f *Face) Answer(ctx context.Context, x *web.Exchange) (web.Response, error) {
	x.FindClient()
	r, err := f.find(x.Request.Method, x.Request.URL.Path)
	if r != nil {
		x.Route = Prefix + r.path // also of a message whose signature is refused
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

// find returns the row of a request, or the problem of a request that has none.
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

// Problem answers an error. A fault of the catalogue says that the service cannot do its work now;
// what the processor sends again is done once.
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

// headers sets the headers that belong to a status.
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
