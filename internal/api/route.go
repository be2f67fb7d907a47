package api

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"strings"

	"mintmark/internal/fault"
	"mintmark/internal/issuing"
)

// route is a row of the route table. The dispatcher, the description of the interface and the
// generated tests all come from these rows.
type route struct {
	method  string
	path    string // as the interface writes it, parameters in braces
	summary string

	optional int      // how many of the last parameters may be missing
	query    []string // names of query parameters

	deprecatedFor string // path of the route to use instead; empty for a route to stay
	lastVersion   int    // last version of the interface that has the route; 0 for all

	request     reflect.Type // of the body; nil for none
	requestName string       // as messages name the request
	answer      reflect.Type // of the data member; nil for none
	faults      []fault.Kind // that the operation itself may answer

	parameters int          // of the path; the router counts them
	log        slog.Handler // of a log that says which route it is

	handle handler
	// show makes the data member of what handle returns. Without it, that is the data member.
	show func(result any) (any, error)
}

// handler does what a route is for.
type handler func(ctx context.Context, c *call) (any, error)

// call is a request that is authenticated and has found its route.
type call struct {
	who        issuing.Caller
	version    int
	parameters []string // from the path, in order, decoded; missing ones are empty
	query      map[string][]string
	body       []byte

	server   *Server
	exchange *exchange
}

// baseURL is the address under which the caller has reached the service.
func (c *call) baseURL() string { return c.exchange.baseURL() }

// staticSegments is how many segments of a path come before the parameters.
const staticSegments = 2

// router finds the route of a path.
type router struct {
	byName map[[staticSegments]string][]*route // by the static segments in lower case
}

func newRouter(routes []route, log *slog.Logger) *router {
	r := &router{byName: make(map[[staticSegments]string][]*route)}
	for i := range routes {
		name, parameters := routes[i].split()
		routes[i].parameters = len(parameters)
		routes[i].log = log.With(routeAttr, routes[i].path).Handler()
		r.byName[name] = append(r.byName[name], &routes[i])
	}
	return r
}

// split returns the static part of a route's path, in lower case, and its parameters.
func (r *route) split() (name [staticSegments]string, parameters []string) {
	static := name[:0]
	for segment := range strings.SplitSeq(strings.Trim(r.path, "/"), "/") {
		if strings.HasPrefix(segment, "{") {
			parameters = append(parameters, strings.Trim(segment, "{}"))
			continue
		}
		static = append(static, strings.ToLower(segment))
	}
	return name, parameters
}

// find returns the route of a method and a path in a version of the interface, with the path's
// parameters. It is 50404 when no route has the path, and 50405 with the method that would do
// when one has.
func (r *router) find(
	method string, segments []string, version int,
) (found *route, parameters []string, err error) {
	if len(segments) < staticSegments {
		return nil, nil, fault.New(fault.RouteUnknown)
	}
	name := [staticSegments]string{strings.ToLower(segments[0]), strings.ToLower(segments[1])}
	for _, candidate := range r.byName[name] {
		parameters, fits := candidate.fit(segments[staticSegments:])
		if !fits || candidate.lastVersion != 0 && version > candidate.lastVersion {
			continue
		}
		if candidate.method != method {
			return candidate, nil, fault.New(fault.MethodNotAllowed)
		}
		return candidate, parameters, nil
	}
	return nil, nil, fault.New(fault.RouteUnknown)
}

// fit fills the parameters of a route from the segments behind its static ones.
func (r *route) fit(segments []string) (parameters []string, fits bool) {
	if len(segments) > r.parameters || len(segments) < r.parameters-r.optional {
		return nil, false
	}
	if len(segments) == r.parameters {
		return segments, true
	}
	parameters = make([]string, r.parameters)
	copy(parameters, segments)
	return parameters, true
}

// methods are the methods that HTTP defines (RFC 9110 and RFC 5789). Another is no method at all.
var methods = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true,
	http.MethodPatch: true, http.MethodDelete: true, http.MethodConnect: true,
	http.MethodOptions: true, http.MethodTrace: true,
}
