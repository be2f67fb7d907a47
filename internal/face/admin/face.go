// Package admin is the operators' interface, /admin/v1/: who asks, which roles a request needs,
// and how resources go over the wire. The acts are those of package issuing, as for every other
// face. Programs sign in with a token; the console of the same process calls with the identity of
// its session (WithIdentity), so a button and a route cannot differ.
//
//	Answer -> who asks (identity.go) -> row of routes.go -> role, scope (scope.go)
//	       -> body (bind.go), If-Match (call.go), four eyes (foureyes.go) -> act
//	       or problem (problems.go), which the audit has as well (refusal.go)
//
// A Resource (resource.go) is data: it reads from top to bottom, and its functions of a few lines
// follow. Routes, commands, pages and the document of the interface are made of it. So that it
// stays data and becomes no framework:
//
//   - The constructors (route.go) wire types and decide nothing.
//   - No option exists that one resource alone uses: then its operation, command or page is
//     written by hand.
//   - There is no registry, no init, and no tag but json.
//   - A test fails for a field or a column that the wire has not, for a member of a request that no
//     field names, and for an example whose command does not exist.
package admin

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
)

// Prefix is where the paths of the interface begin.
const Prefix = wire.Prefix

// MaxBodyBytes is the greatest body: a PDF of a document.
const MaxBodyBytes = 16 << 20

// About is what the face tells of the process.
type About struct {
	Environment string // production or sandbox
	Node        string
	Version     string
	Spool       string // the directory for bodies that do not fit into memory; the system's for ""
	ConsoleURL  string // under which browsers reach the console, without a path; may be empty
}

// Tokens finds out who presents a token.
type Tokens interface {
	// ByToken returns whose token it is, and false when it is nobody's.
	ByToken(ctx context.Context, token string) (operator.Identity, bool, error)
	// Current returns an operator or a token as it is now, and false when it has ended since.
	Current(ctx context.Context, who operator.Identity) (operator.Identity, bool, error)
}

// origins refuses changes from web pages of other origins, whatever they have for a token. A
// program sends no Origin.
var origins = http.NewCrossOriginProtection()

// Face answers operators.
type Face struct {
	web.Problems
	acts   *acts.Service
	tokens Tokens
	about  About
	routes []*Op

	// uploads is held by an upload that is kept in memory until it is stored.
	uploads chan struct{}
	// spooling is held by an upload that is being received on disk.
	spooling chan struct{}
}

// New returns the face over the acts of the service, for those whom the tokens name.
func New(acts *acts.Service, tokens Tokens, about About) *Face {
	f := &Face{
		acts: acts, tokens: tokens, about: about,
		uploads: make(chan struct{}, 1), spooling: make(chan struct{}, 1),
	}
	f.routes = f.table()
	return f
}

// Answer finds out who asks and what for, and whether the operator may; then the row's act is done.
func (f *Face) Answer(ctx context.Context, x *web.Exchange) (web.Response, error) {
	x.FindClient()
	if err := origins.Check(x.Request); err != nil {
		return web.Response{}, forbidden("The request comes from a web page of another origin.")
	}
	who, err := f.identify(ctx, x)
	if err != nil {
		return web.Response{}, problemOf(err)
	}
	x.Actor = slog.String("operator", who.Name)
	row, params, err := f.find(x)
	if err != nil {
		return web.Response{}, err
	}
	x.Route = row.Method + " " + wire.Prefix + row.Path
	c := f.call(x, row, who, params)
	response, err := f.perform(ctx, c)
	if err != nil {
		problem := problemOf(err)
		f.auditRefusal(ctx, c, problem)
		return web.Response{}, problem
	}
	return response, nil
}

// find returns the row of a request and its parameters, or the problem of a request without a row.
func (f *Face) find(x *web.Exchange) (*Op, map[string]string, error) {
	method := x.Request.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var others []string
	given := web.Segments(x.Request, wire.Prefix)
	for i := range f.routes {
		params, fits := f.routes[i].match(given)
		if !fits {
			continue
		}
		if f.routes[i].Method == method {
			return f.routes[i], params, nil
		}
		others = append(others, f.routes[i].Method)
	}
	if others == nil {
		return nil, nil, web.NotFound()
	}
	slices.Sort(others)
	x.Header.Set("Allow", strings.Join(others, ", "))
	return nil, nil, web.MethodNotAllowed()
}

func (f *Face) call(
	x *web.Exchange, row *Op, who operator.Identity, params map[string]string,
) *call {
	return &call{
		Identity: who, params: params, query: x.Request.URL.Query(), exchange: x,
		face: f, row: row,
		who: operatorOf(who, audit.Actor{
			Address: x.Client, RequestID: x.ID, Reason: x.Request.Header.Get("Mintmark-Reason"),
		}),
	}
}

// operatorOf is who acts, by a request: its address, its identifier and its reason.
func operatorOf(who operator.Identity, request audit.Actor) issuing.Operator {
	request.Kind, request.ID, request.Name = audit.Kind(who.Kind()), who.ID, who.Name
	return issuing.Operator{
		Actor: request, Roles: who.Roles, Scope: who.Scope, Owner: who.Person(),
	}
}

// perform does what a request asks for, once it is known that the operator may: role, scope, body.
func (f *Face) perform(ctx context.Context, c *call) (web.Response, error) {
	if !c.row.allows(c.Roles) {
		return web.Response{}, notAllowed(c.row)
	}
	if err := c.checkParams(); err != nil {
		return web.Response{}, err
	}
	if !c.row.Changes() {
		return f.read(ctx, c)
	}
	var err error
	c.place, err = f.locate(ctx, c)
	if err != nil {
		return web.Response{}, err
	}
	if c.row.Upload != "" && !c.row.Long {
		select {
		case f.uploads <- struct{}{}:
			defer func() { <-f.uploads }()
		case <-ctx.Done():
			return web.Response{}, ctx.Err()
		}
	}
	if !c.row.Long {
		c.body, err = c.exchange.ReadBodyOf(c.row.most)
		if err != nil {
			return web.Response{}, err
		}
	}
	if err := c.checkQuery(); err != nil {
		return web.Response{}, err
	}
	c.who.DryRun, err = c.truth("dryRun")
	if err != nil {
		return web.Response{}, err
	}
	key, given, valid := web.IdempotencyKey(c.exchange.Request.Header)
	switch {
	case !valid:
		return web.Response{}, web.Invalid(problem.List{{
			Text: "Idempotency-Key must have 1 to 255 visible ASCII characters",
		}})
	case given && c.row.Long:
		return web.Response{}, web.Invalid(problem.List{{
			Text: "Idempotency-Key is for bodies that are kept, which a body of rows is not",
		}})
	case c.row.Long:
		return c.row.answer(ctx, c)
	}
	if c.who.DryRun {
		f.readBefore(ctx, c)
		return c.row.answer(ctx, c)
	}
	if given && !c.row.confirms { // an approval is given once without a key
		return f.once(ctx, c, key)
	}
	return c.answer(ctx)
}

// read answers a request that changes nothing. A search has a body.
func (f *Face) read(ctx context.Context, c *call) (web.Response, error) {
	if c.row.Request != nil {
		var err error
		c.body, err = c.exchange.ReadBodyOf(c.row.most)
		if err != nil {
			return web.Response{}, err
		}
	}
	if err := c.checkQuery(); err != nil {
		return web.Response{}, err
	}
	return c.row.answer(ctx, c)
}
