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

// route is a row of the route table, from which the dispatcher, the OpenAPI description and the
// generated tests derive.
type route struct {
	Operation

	// do performs a request and returns its response, or the act's error.
	do func(ctx context.Context, c *call) (web.Response, error)

	// encode returns the function that encodes the answer to the given request as do would, for an
	// act that stores its answer; nil for a route without a body.
	encode func(requestID string) issuing.Encode
}

// get returns the route of a read operation. Its response is respond applied to the result of act.
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

// post returns the route of an act on a card. It decodes the request from the body; messages of
// 59951 use op.RequestName. The data member of the answer is what show returns, nil for none.
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

// replacedBy marks a route as deprecated: only version 1 has it.
func (r route) replacedBy(path string) route {
	r.ReplacedBy, r.LastVersion = path, 1
	return r
}
