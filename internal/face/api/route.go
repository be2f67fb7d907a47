package api

import (
	"context"
	"net/http"
	"reflect"

	"mintmark/internal/face/jsonbody"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
)

// route is a row of the route table. The dispatcher, the description of the interface and the
// generated tests all come from these rows.
type route struct {
	Operation

	// do performs a request and returns its response, or an error of the act.
	do func(ctx context.Context, c *call) (web.Response, error)

	// encode encodes the answer to the request with an identifier as do responds it, for an act
	// that stores its answer; nil for a route without a body.
	encode func(requestID string) issuing.Encode
}

// get returns the route of an operation that reads. What the act returns is turned into a response
// by respond.
func get[Result any](
	op Operation, act func(context.Context, *call) (Result, error),
	respond func(*call, Result) (web.Response, error),
) route {
	op.Method, op.Parameters = http.MethodGet, parametersOf(op.Path)
	return route{
		Operation: op,
		do: func(ctx context.Context, c *call) (web.Response, error) {
			if err := c.trial.Body(); err != nil {
				return web.Response{}, err
			}
			result, err := act(ctx, c)
			if err != nil {
				return web.Response{}, err
			}
			return respond(c, result)
		},
	}
}

// post returns the route of an act on a card, which takes its request from the body. The name of
// the operation's request is the one that 59951 gives it. What is shown of the card is the data
// member of the answer, nil for none.
func post[Request any](
	op Operation, act func(context.Context, issuing.Caller, Request) (cards.CardDetail, error),
	show func(cards.CardDetail) data,
) route {
	op.Method, op.Parameters = http.MethodPost, parametersOf(op.Path)
	op.Request = reflect.TypeFor[Request]()
	binding := jsonbody.For[Request](op.RequestName)
	return route{
		Operation: op,
		do: func(ctx context.Context, c *call) (web.Response, error) {
			var req Request
			if err := binding.Decode(c.body, &req); err != nil {
				return web.Response{}, err
			}
			if err := c.trial.Body(); err != nil {
				return web.Response{}, err
			}
			trim(reflect.ValueOf(&req).Elem())
			result, err := act(ctx, c.who, req)
			if err != nil {
				return web.Response{}, err
			}
			return c.respond(show(result)), nil
		},
		encode: func(requestID string) issuing.Encode {
			return func(result any, refusal error) issuing.Encoded {
				if refusal != nil {
					_, answer := encodeProblem(requestID, refusal)
					return answer
				}
				body := appendEnvelope(nil, requestID, show(result.(cards.CardDetail)))
				return issuing.Encoded{Status: statusOK, Body: body}
			}
		},
	}
}

// replacedBy marks a route as deprecated: it belongs to version 1 only.
func (r route) replacedBy(path string) route {
	r.ReplacedBy, r.LastVersion = path, 1
	return r
}
