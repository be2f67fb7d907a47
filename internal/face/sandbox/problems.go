package sandbox

import (
	"errors"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
)

// Problem answers an error as a problem of docs/sandbox.md.
func (f *Face) Problem(x *web.Exchange, err error) web.Response {
	return f.Problems.Problem(x, problemOf(err))
}

// problemOf converts an error to a problem. An unknown error is returned unchanged and becomes an
// internal one.
func problemOf(err error) error {
	err = issuing.FaultOf(err)
	known := (*web.Problem)(nil)
	invalid := (*problem.InvalidError)(nil)
	ruled := (*issuing.RefusedError)(nil)
	refusal := (*card.Refusal)(nil)
	transfer := (*transfers.TransferError)(nil)
	faults := fault.All(err)
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &invalid):
		return web.Invalid(invalid.Problems)
	case errors.As(err, &ruled):
		return web.Conflict(ruled.Detail)
	case errors.As(err, &refusal):
		refused := web.Conflict(refusal.Why)
		refused.Code = refusal.Code
		return refused
	case errors.As(err, &transfer):
		return transferProblem(transfer)
	case errors.Is(err, store.ErrNotFound):
		return web.NotFound()
	case errors.Is(err, store.ErrLostUpdate), errors.Is(err, store.ErrExists):
		return web.Conflict("Another request has changed this at the same time. Try again.")
	case len(faults) > 0:
		return faultProblem(faults[0])
	}
	return err
}

// transferProblem returns the problem for a failed authorization, posting or release.
func transferProblem(wrong *transfers.TransferError) error {
	switch {
	case wrong.Member != "":
		return web.Invalid(problem.List{{Path: wrong.Member, Text: wrong.Detail}})
	case wrong.Missing:
		return missing(wrong.Detail)
	}
	return web.Conflict(wrong.Detail)
}

// faultProblem returns the problem for a catalogue fault: a failure of the service, or a rule that
// rejects the request.
func faultProblem(f *fault.Fault) error {
	switch f.Kind {
	case fault.Unavailable:
		return web.Unavailable("Nothing was changed. Try again.", max(f.RetryAfter, time.Second))
	case fault.GatewayTimeout:
		return web.Unavailable("The outcome is unknown. Check before you try again.",
			time.Second)
	}
	refused := web.Conflict(f.Message())
	refused.Code = f.Code()
	return refused
}

// missing returns the problem for a resource that does not exist, with a detail.
func missing(detail string) error {
	p := web.NotFound()
	p.Detail = detail
	return p
}
