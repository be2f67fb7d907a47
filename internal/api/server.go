// Package api is the JSON face: it takes requests of calling programs off the wire,
// authenticates them, finds their route in the route table, has package issuing do what they ask
// for, and wraps what comes of it into the envelope (sections 2.1, 4, 5 and 7.1). It holds no rule
// about cards and never touches the store.
//
//	request -> version, address, credentials, rate   (admit.go)
//	        -> method, route                         (route.go, routes.go)
//	        -> body                                  (body.go, package jsonbody)
//	        -> act                                   (package issuing)
//	        -> envelope, one line in the log         (envelope.go, exchange.go)
package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync/atomic"
	"time"

	"mintmark/internal/apikey"
	"mintmark/internal/audit"
	"mintmark/internal/auth"
	"mintmark/internal/fault"
	"mintmark/internal/issuing"
)

// Settings say how the face treats the wire. The zero value of each number is replaced by what is
// written behind it.
type Settings struct {
	TrustedProxies []netip.Prefix // peers whose X-Forwarded-For is believed
	PublicURL      string         // where callers reach the service; empty: as they wrote it
	Secure         bool           // callers reach the service over TLS
	BodyLimit      int64          // greatest body in bytes; 64 KiB
	BodyTimeout    time.Duration  // for a body to arrive; 15 s
	AnswerTimeout  time.Duration  // for an answer to be made; 30 s
	Log            *slog.Logger
	NewRequestID   func() string // makes a UUID
}

// Server is the JSON face as an http.Handler.
type Server struct {
	settings     atomic.Pointer[Settings] // in force; a request goes by those it began with
	log          *slog.Logger
	newRequestID func() string

	service *issuing.Service
	callers *auth.Callers
	router  *router
}

// New returns the face of a service for the callers that are authenticated.
func New(service *issuing.Service, callers *auth.Callers, settings Settings) *Server {
	s := &Server{
		log: settings.Log, newRequestID: settings.NewRequestID, service: service, callers: callers,
		router: newRouter(routes(service), settings.Log),
	}
	s.Use(settings)
	return s
}

// Use puts other settings in force, all but Log and NewRequestID. Requests under way end with those
// they began with.
func (s *Server) Use(settings Settings) {
	if settings.BodyLimit == 0 {
		settings.BodyLimit = 64 << 10
	}
	if settings.BodyTimeout == 0 {
		settings.BodyTimeout = 15 * time.Second
	}
	if settings.AnswerTimeout == 0 {
		settings.AnswerTimeout = 30 * time.Second
	}
	s.settings.Store(&settings)
}

// ServeHTTP answers one request and writes one line about it to the log.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.newExchange(w, r)
	ctx := &x.deadline
	defer ctx.end()
	defer x.leave()
	answer, err := s.answer(ctx, x)
	if errors.Is(err, errHangUp) {
		x.faults = nil
		x.log(ctx, s.log, issuing.Answer{})
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		answer = encode(x.requestID, nil, err)
		x.troubled(err)
	}
	x.send(answer)
	x.log(ctx, s.log, answer)
}

// answer authenticates a request and has it done. A panic becomes 50500.
func (s *Server) answer(ctx context.Context, x *exchange) (answer issuing.Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			s.log.ErrorContext(ctx, "panic", "requestId", x.requestID, "cause", cause,
				"stack", string(debug.Stack()))
			err = fault.New(fault.InternalError)
		}
	}()
	if err := s.admit(x); err != nil {
		return issuing.Answer{}, err
	}
	c, err := s.find(x)
	if err != nil {
		return issuing.Answer{}, err
	}
	if x.route.request == nil {
		x.room, _ = rooms.Get().(*[]byte)
		return s.perform(ctx, x, c), nil
	}
	c.body, err = x.readBody()
	if err != nil {
		return issuing.Answer{}, err
	}
	return s.performOnce(ctx, x, c)
}

// deprecatedSince is 2026-01-01 in the form of RFC 9745: since then there is version 2, without
// what version 1 has deprecated.
const deprecatedSince = "@1767225600"

// find finds the route of an admitted request.
func (s *Server) find(x *exchange) (*call, error) {
	if !methods[x.request.Method] {
		return nil, fault.New(fault.NotImplemented)
	}
	segments, err := pathSegments(x.request.URL)
	if err != nil {
		return nil, fault.New(fault.RouteUnknown)
	}
	found, parameters, err := s.router.find(x.request.Method, segments, x.key.Version)
	if found != nil && err != nil {
		x.header.Set("Allow", found.method)
	}
	if err != nil {
		return nil, err
	}
	x.route = found
	if found.deprecatedFor != "" {
		x.header.Set("Deprecation", deprecatedSince)
		x.header.Set("Link", "<"+found.deprecatedFor+`>; rel="successor-version"`)
	}
	x.call = call{
		server: s, exchange: x,
		who: issuing.Caller{
			Actor: audit.Actor{
				Kind: audit.APIKey, Name: x.key.Name, Address: x.from, RequestID: x.requestID,
			},
			ProgramID: x.key.ProgramID, Route: found.path,
			EarlierClients: x.key.KeepsTo(apikey.EarlierClients),
		},
		version: x.key.Version, parameters: parameters, query: queryOf(x.request.URL),
	}
	return &x.call, nil
}

// perform does what a request asks for.
func (s *Server) perform(ctx context.Context, x *exchange, c *call) issuing.Answer {
	result, err := x.route.handle(ctx, c)
	if err != nil {
		x.troubled(err)
	}
	return x.encode(result, err)
}

// performOnce is perform for a request that may carry an idempotency key.
func (s *Server) performOnce(ctx context.Context, x *exchange, c *call) (issuing.Answer, error) {
	key, given, err := idempotencyKey(x.request.Header)
	if err != nil {
		return issuing.Answer{}, err
	}
	if !given {
		return s.perform(ctx, x, c), nil
	}
	retry := issuing.Retry{Key: key, Body: c.body, Encode: x.encode}
	answer, err := s.service.Once(ctx, c.who, retry, func(who issuing.Caller) issuing.Answer {
		c.who = who
		return s.perform(ctx, x, c)
	})
	if answer.Replayed {
		x.faults, x.trouble = nil, nil // what a try says that came second is of no interest
	}
	return answer, err
}
