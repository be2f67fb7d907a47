package api

import (
	"context"
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
	answer := reflect.TypeFor[Card]()
	if reflect.TypeFor[Result]() == reflect.TypeFor[any]() {
		answer = nil
	}
	return route{
		method: http.MethodPost, path: path, summary: summary,
		request: reflect.TypeFor[Request](), requestName: name, answer: answer, faults: faults,
		handle: func(ctx context.Context, c *call) (any, error) {
			var req Request
			if err := binding.Decode(c.body, &req); err != nil {
				return nil, err
			}
			trim(reflect.ValueOf(&req).Elem())
			return do(ctx, c.who, req)
		},
		show: func(result any) any {
			typed, _ := result.(Result)
			return show(typed)
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

// nothing is shown of an act that returns nothing.
func nothing(any) any { return nil }

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
