package processorapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/face/web"
)

// retryAfter is the Retry-After of messages that could not be handled.
const retryAfter = time.Second

// route is a row of the route table.
type route struct {
	method string
	path   string // below Prefix
	open   bool   // needs no signature
	answer func(ctx context.Context, x *web.Exchange, body []byte) (web.Response, error)
}

// table returns the routes. The reports are in reports.go, the rest in transfers.go.
func (f *Face) table() []route {
	return []route{
		signed("reports", readReports, f.applyReports),
		signed("authorizations", reads(authorization.ReadRequest), f.authorize),
		signed("reversals", reads(authorization.ReadReversal), f.reverse),
		signed("advices", reads(authorization.ReadAdvice), f.advise),
		signed("postings", reads(authorization.ReadPosting), f.post),
		signed("releases", reads(authorization.ReadRelease), f.release),
		{method: http.MethodGet, path: "jwks", open: true, answer: f.keys},
	}
}

// from is the processor as an actor, with the address and id of its request.
type from = audit.Actor

// signed returns the route of a signed message. The function read parses the body or returns all
// its problems; act answers the request.
func signed[Q, A any](
	path string, read func(body []byte) (Q, problem.List),
	act func(ctx context.Context, who from, query Q) (A, error),
) route {
	respondTo := func(ctx context.Context, x *web.Exchange, body []byte) (web.Response, error) {
		query, wrong := read(body)
		if len(wrong) > 0 {
			return web.Response{}, web.Invalid(wrong)
		}
		who := from{
			Kind: audit.Processor, Name: actorName, Address: x.Client, RequestID: x.ID,
		}
		answered, err := act(ctx, who, query)
		if err != nil {
			return web.Response{}, err
		}
		if telling, tells := any(answered).(noted); tells {
			for _, note := range telling.notes() {
				x.Note(note)
			}
		}
		return web.JSON(http.StatusOK, answered)
	}
	return route{method: http.MethodPost, path: path, answer: respondTo}
}

// noted is an answer that adds attributes to the log line.
type noted interface{ notes() []slog.Attr }
