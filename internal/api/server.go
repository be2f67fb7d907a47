// Package api is the JSON face: it authenticates requests of calling programs, finds their route in
// the route table, has package issuing do what they ask for, and wraps the result into the envelope
// (interface §2, §3, §7.2 and §8). It holds no rule about cards and never touches the store. What
// it shares with other faces is in package web: deadline, log line, recovery, sending.
//
//	request -> authenticate: version, address, credentials, rate   (authenticate.go)
//	        -> findRoute: method, path                             (router.go, routes.go)
//	        -> readBody                                            (request.go)
//	        -> replay or act                                       (idempotency.go, route.go)
//	        -> respond: the envelope                               (envelope.go)
//
// Every step is a function that returns. Three files are there for speed alone, each beside the
// benchmark that pays for it in its test: cardcache.go, settingscache.go and buffer.go.
package api

import (
	"context"
	"net/http"

	"mintmark/internal/apikey"
	"mintmark/internal/audit"
	"mintmark/internal/auth"
	"mintmark/internal/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/web"
)

// Server is the JSON face.
type Server struct {
	host    *web.Host
	service *issuing.Service
	callers *auth.Callers
	router  *router
}

// New returns the face of a service, for callers.
func New(service *issuing.Service, callers *auth.Callers, host *web.Host) *Server {
	return &Server{
		host: host, service: service, callers: callers, router: newRouter(routes(service)),
	}
}

// Handler serves the face.
func (s *Server) Handler() http.Handler { return s.host.Handler(s) }

// Answer takes a request from its credentials to its response.
func (s *Server) Answer(ctx context.Context, x *web.Exchange) (web.Response, error) {
	key, err := s.authenticate(x)
	if err != nil {
		return web.Response{}, err
	}
	c, err := s.findRoute(x, key)
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
	return c.route.do(ctx, c)
}

// deprecatedSince is 2026-01-01 in the form of RFC 9745: since then there is version 2, without
// what version 1 has deprecated.
const deprecatedSince = "@1767225600"

// findRoute finds the route of an authenticated request.
func (s *Server) findRoute(x *web.Exchange, key apikey.Key) (*call, error) {
	if !methods[x.Request.Method] {
		return nil, fault.New(fault.NotImplemented)
	}
	segments, err := pathSegments(x.Request.URL)
	if err != nil {
		return nil, fault.New(fault.RouteUnknown)
	}
	found, parameters, allowed := s.router.find(x.Request.Method, segments, key.Version)
	if found == nil && allowed != "" {
		x.Header.Set("Allow", allowed)
		return nil, fault.New(fault.MethodNotAllowed)
	}
	if found == nil {
		return nil, fault.New(fault.RouteUnknown)
	}
	x.Route = found.Path
	if found.ReplacedBy != "" {
		x.Header.Set("Deprecation", deprecatedSince)
		x.Header.Set("Link", "<"+found.ReplacedBy+`>; rel="successor-version"`)
	}
	return &call{
		Exchange: x, route: found, version: key.Version,
		parameters: parameters, query: queryOf(x.Request.URL),
		who: issuing.Caller{
			Actor: audit.Actor{
				Kind: audit.APIKey, Name: key.Name, Address: x.Client, RequestID: x.ID,
			},
			ProgramID: key.ProgramID, Route: found.Path,
			EarlierClients: key.KeepsTo(apikey.EarlierClients),
		},
	}, nil
}
