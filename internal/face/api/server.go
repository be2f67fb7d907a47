// Package api is the JSON face: it authenticates callers, finds the route of a request in the route
// table, calls the act in package issuing, and wraps the result in the envelope (interface §2, §3,
// §7.2 and §8). It has no rule about cards and never touches the store. Package web has what all
// faces share: deadline, log line, recovery from panics, sending.
//
//	request -> authenticate: version, address, credentials, rate   (authenticate.go)
//	        -> findRoute: method, path                             (router.go, routes.go)
//	        -> readBody                                            (request.go)
//	        -> replay or act                       (idempotency.go, trial.go, route.go)
//	        -> respond: the envelope                               (envelope.go)
//
// In a sandbox a request is on trial (trial.go): each step reports the check that passed, and a
// fault rule may fail the request there.
//
// Every step is a function that returns. Four files exist only for speed, and benchmarks of this
// package justify them (decision 12): cardcache.go, settingscache.go, buffer.go and json.go.
package api

import (
	"context"
	"net/http"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/fault"
	"mintmark/internal/face/injection"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/auth"
)

// Server is the JSON face.
type Server struct {
	host    *web.Host
	service *acts.Service
	callers *auth.Callers
	router  *router
	rules   *injection.Rules // of a sandbox; nil in production
}

// New returns the face of a service for callers.
func New(service *acts.Service, callers *auth.Callers, host *web.Host) *Server {
	return &Server{
		host: host, service: service, callers: callers, router: newRouter(routes(service)),
	}
}

// Inject sets the fault rules. It must be called before the face serves.
func (s *Server) Inject(rules *injection.Rules) { s.rules = rules }

// Handler returns the HTTP handler of the face.
func (s *Server) Handler() http.Handler { return s.host.Handler(s) }

// Answer handles a request, from its credentials to its response.
func (s *Server) Answer(ctx context.Context, x *web.Exchange) (web.Response, error) {
	trial := s.rules.Begin(func() injection.Target { return s.target(x) })
	if trial == nil {
		return s.answer(ctx, x, nil)
	}
	response, err := s.answer(ctx, x, trial)
	return endTrial(ctx, x, trial, response, err)
}

// answer handles a request. The trial is nil if no fault rule can apply.
func (s *Server) answer(
	ctx context.Context, x *web.Exchange, trial *injection.Trial,
) (web.Response, error) {
	key, err := s.authenticate(x, trial)
	if err != nil {
		return web.Response{}, err
	}
	if err := trial.Service(ctx); err != nil {
		return web.Response{}, err
	}
	c, err := s.findRoute(x, key, trial)
	if err != nil {
		return web.Response{}, err
	}
	if err := c.readBody(); err != nil {
		return web.Response{}, err
	}
	idempotencyKey, given, err := c.idempotencyKey()
	if err != nil {
		return web.Response{}, err
	}
	if given {
		return s.actOnce(ctx, c, idempotencyKey)
	}
	return c.act(ctx)
}

// deprecatedSince is 2026-01-01 in the format of RFC 9745, the date of version 2, which omits what
// version 1 deprecates.
const deprecatedSince = "@1767225600"

// findRoute returns the call for an authenticated request.
func (s *Server) findRoute(
	x *web.Exchange, key apikey.Key, trial *injection.Trial,
) (*call, error) {
	if !methods[x.Request.Method] {
		return nil, fault.New(fault.NotImplemented)
	}
	if err := trial.Passed(fault.NotImplemented); err != nil {
		return nil, err
	}
	segments, err := pathSegments(x.Request.URL)
	if err != nil {
		return nil, fault.New(fault.RouteUnknown)
	}
	r, parameters, allowed := s.router.find(x.Request.Method, segments, key.Version)
	if r != nil || allowed != "" {
		if err := trial.Passed(fault.RouteUnknown); err != nil {
			return nil, err
		}
	}
	if r == nil && allowed != "" {
		x.Header.Set("Allow", allowed)
		return nil, fault.New(fault.MethodNotAllowed)
	}
	if r == nil {
		return nil, fault.New(fault.RouteUnknown)
	}
	if err := trial.Passed(fault.MethodNotAllowed); err != nil {
		return nil, err
	}
	x.Route = r.Path
	if r.ReplacedBy != "" {
		x.Header.Set("Deprecation", deprecatedSince)
		x.Header.Set("Link", "<"+r.ReplacedBy+`>; rel="successor-version"`)
	}
	c := &call{
		Exchange: x, trial: trial, route: r, version: key.Version,
		parameters: parameters, query: queryOf(x.Request.URL),
		who: issuing.Caller{
			Actor: audit.Actor{
				Kind: audit.APIKey, Name: key.Name, Address: x.Client, RequestID: x.ID,
			},
			ProgramID: key.ProgramID, Route: r.Path,
			EarlierClients: key.HasCompatibility(apikey.EarlierClients),
		},
	}
	c.onTrial()
	return c, nil
}
