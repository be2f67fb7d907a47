package api

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"mintmark/internal/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/jsonbody"
)

// act is an act of the service that a route asks for.
type act[Request, Result any] func(context.Context, issuing.Caller, Request) (Result, error)

// post returns the route of an act that takes its request from the body. The name is the one
// that 59951 gives the request.
func post[Request, Result any](
	path, summary, name string, do act[Request, Result], show func(Result) any,
	faults []fault.Kind,
) route {
	binding := jsonbody.For[Request](name)
	return route{
		method: http.MethodPost, path: path, summary: summary,
		request: reflect.TypeFor[Request](), requestName: name, answer: reflect.TypeFor[Card](),
		faults: faults,
		handle: func(ctx context.Context, c *call) (any, error) {
			var req Request
			if err := binding.Decode(c.body, &req); err != nil {
				return nil, err
			}
			trim(reflect.ValueOf(&req).Elem())
			return do(ctx, c.who, req)
		},
		// Behind an idempotency key, what is shown comes from the act's transaction. Another type
		// there is a mistake of the program, and no answer may be made up for it.
		show: func(result any) (any, error) {
			typed, ok := result.(Result)
			if !ok {
				return nil, fmt.Errorf("api: %s has a %T to show, not an %s", path, result,
					reflect.TypeFor[Result]())
			}
			return show(typed), nil
		},
	}
}

// replacedBy marks a route as deprecated: it belongs to version 1 only.
func (r route) replacedBy(path string) route {
	r.deprecatedFor, r.lastVersion = path, 1
	return r
}

// shown shows what an act returned unless it failed.
func shown[Result any](show func(Result) any) func(Result, error) (any, error) {
	return func(result Result, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		return show(result), nil
	}
}

// withoutData marks a route whose answer has no data member.
func (r route) withoutData() route {
	r.answer = nil
	return r
}

// nothing is shown of an act whose answer has no data member.
func nothing(issuing.CardDetail) any { return nil }

// trim takes the white space off both ends of every text of a request. A text of nothing but
// white space counts as not given.
func trim(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.TrimSpace(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				trim(v.Field(i))
			}
		}
	}
}
