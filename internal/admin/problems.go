package admin

import (
	"errors"
	"net/http"

	"mintmark/internal/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/web"
)

// problemOf returns the problem to answer an error of an act with. An error that is none of these
// is an internal one.
func problemOf(err error) error {
	invalid := (*issuing.InvalidError)(nil)
	faults := fault.All(err)
	switch {
	case errors.As(err, &invalid):
		return web.Invalid(invalid.Problems)
	case errors.Is(err, store.ErrNotFound):
		return web.NotFound()
	case errors.Is(err, store.ErrLostUpdate):
		return stale()
	case len(faults) > 0:
		return refused(faults[0])
	}
	return err
}

func notAllowed(o Operation) *web.Problem {
	p := named(http.StatusForbidden, "not-allowed")
	p.Detail = "The operator has none of the roles for this: " + o.Summary
	return p
}

func stale() *web.Problem { return named(http.StatusPreconditionFailed, "stale") }

func ifMatchRequired() *web.Problem {
	return named(http.StatusPreconditionRequired, "if-match-required")
}

func named(status int, name string) *web.Problem {
	return &web.Problem{
		Type: "/problems/" + name, Title: http.StatusText(status), Status: status,
	}
}

// refused is the problem of an act that a rule of the domain refuses.
func refused(f *fault.Fault) *web.Problem {
	p := web.Conflict(f.Error())
	p.Code = f.Code()
	return p
}
