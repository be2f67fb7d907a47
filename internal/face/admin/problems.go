package admin

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/operators"
	"mintmark/internal/store"
)

// problemOf converts an error of an act to a problem. An unknown error is returned unchanged and
// becomes an internal one.
func problemOf(err error) error {
	err = issuing.FaultOf(err)
	invalid := (*problem.InvalidError)(nil)
	refusal := (*card.Refusal)(nil)
	known := (*web.Problem)(nil)
	ruled := (*issuing.RefusedError)(nil)
	ended := (*operator.EndError)(nil)
	faults := fault.All(err)
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &invalid):
		return web.Invalid(invalid.Problems)
	case errors.As(err, &refusal):
		return conflict(refusal.Why, refusal.Code)
	case errors.As(err, &ruled):
		return web.Conflict(ruled.Detail)
	case errors.Is(err, operators.ErrNotHeld):
		return notHeld()
	case errors.Is(err, store.ErrNotFound):
		return web.NotFound()
	case errors.Is(err, store.ErrLostUpdate):
		return stale()
	case errors.Is(err, store.ErrExists):
		return web.Conflict("There is one already.")
	case errors.Is(err, order.ErrState):
		return web.Conflict("The state of the order does not allow this.")
	case errors.Is(err, operator.ErrApprovalEnded):
		return web.Conflict(operator.ErrApprovalEnded.Detail)
	case errors.As(err, &ended):
		return forbidden(ended.Detail)
	case len(faults) > 0:
		return faultProblem(faults[0])
	}
	return err
}

// faultProblem returns the problem for a catalogue fault: a failure of the service, or a rule that
// rejects the act.
func faultProblem(f *fault.Fault) error {
	switch f.Kind {
	case fault.Unavailable:
		return web.Unavailable("Nothing was changed. Try again.", max(f.RetryAfter, time.Second))
	case fault.GatewayTimeout:
		return web.Unavailable("The outcome is unknown. Check before you try again.",
			time.Second)
	case fault.RateExceeded:
		return web.TooMany("Try again later.", max(f.RetryAfter, time.Second))
	}
	return conflict(f.Message(), f.Code())
}

// conflict returns the problem for a rule with a code.
func conflict(detail string, code int) *web.Problem {
	p := web.Conflict(detail)
	p.Code = code
	return p
}

func notAllowed(o *Op) *web.Problem {
	p := newProblem(http.StatusForbidden, "not-allowed")
	roles := "role " + strings.Join(o.Roles.Names(), " or ")
	if o.Together {
		roles = "roles " + strings.Join(o.Roles.Names(), " and ")
	}
	p.Detail = "This needs the " + roles + ": " + o.Summary + "."
	return p
}

// forbidden returns the problem for an act that is not allowed for another reason than a role.
func forbidden(detail string) *web.Problem {
	p := newProblem(http.StatusForbidden, "not-allowed")
	p.Detail = detail
	return p
}

func notHeld() *web.Problem {
	return forbidden("An operator cannot give, change or take a role or a bank that they do not " +
		"hold.")
}

func stale() *web.Problem { return newProblem(http.StatusPreconditionFailed, "stale") }

func ifMatchRequired() *web.Problem {
	return newProblem(http.StatusPreconditionRequired, "if-match-required")
}

func needsApproval(id int) *web.Problem {
	p := newProblem(http.StatusAccepted, "needs-approval")
	p.ApprovalID = id
	p.Detail = "Another operator has to approve this within 24 hours."
	return p
}

func approvalLocation(id int) string { return wire.Prefix + "approvals/" + strconv.Itoa(id) }

func newProblem(status int, name string) *web.Problem {
	return &web.Problem{
		Type: "/problems/" + name, Title: http.StatusText(status), Status: status,
	}
}
