// Package admin is the operators' interface, /admin/v1/: who may do what, and in which form. The
// acts are those of package issuing; the resources as they travel are those of client/admin. The
// console is a client of this face in the same process, so a button and a route cannot differ.
//
//	Answer -> who asks (identity.go) -> row of routes.go -> role -> body, If-Match -> act
package admin

import (
	"context"
	"log/slog"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/audit"
	"mintmark/internal/issuing"
	"mintmark/internal/operator"
	"mintmark/internal/web"
)

// MaxBodyBytes is the greatest body: a PDF of a document.
const MaxBodyBytes = 16 << 20

// About is what the face tells of the process.
type About struct {
	Environment string // production or sandbox
	Node        string
	Version     string
}

// Tokens finds out who presents a token.
type Tokens interface {
	// ByToken returns whose token it is, and false when it is nobody's.
	ByToken(ctx context.Context, token string) (operator.Identity, bool, error)
}

// Face answers operators.
type Face struct {
	web.Problems
	acts   *issuing.Service
	tokens Tokens
	about  About
	routes []route
}

// New returns the face over the acts of the service, for those whom the tokens name.
func New(acts *issuing.Service, tokens Tokens, about About) *Face {
	f := &Face{acts: acts, tokens: tokens, about: about}
	f.routes = f.table()
	return f
}

// Answer finds out who asks and what for, and whether the operator may; then the row's act is done.
func (f *Face) Answer(ctx context.Context, x *web.Exchange) (web.Response, error) {
	x.FindClient()
	who, err := f.identify(ctx, x)
	if err != nil {
		return web.Response{}, err
	}
	x.Actor = slog.String("operator", who.Name)
	row, params, err := f.find(x.Request.Method, x.Request.URL.Path)
	if err != nil {
		return web.Response{}, err
	}
	x.Route = row.method + " " + wire.Prefix + row.Path
	if !row.allows(who.Roles) {
		return web.Response{}, notAllowed(row.Operation)
	}
	c, err := f.call(x, row, who, params)
	if err != nil {
		return web.Response{}, err
	}
	response, err := row.answer(ctx, c)
	if err != nil {
		return web.Response{}, problemOf(err)
	}
	return response, nil
}

// find returns the row of a request and its parameters, or the problem of a request without a row.
func (f *Face) find(method, path string) (*route, map[string]string, error) {
	problem := web.NotFound()
	given := strings.Split(strings.TrimPrefix(path, wire.Prefix), "/")
	for i := range f.routes {
		params, fits := f.routes[i].match(given)
		if !fits {
			continue
		}
		if f.routes[i].method == method {
			return &f.routes[i], params, nil
		}
		problem = web.MethodNotAllowed()
	}
	return nil, nil, problem
}

// call reads what every row needs of a request.
func (f *Face) call(
	x *web.Exchange, row *route, who operator.Identity, params map[string]string,
) (*call, error) {
	c := &call{
		Identity: who, params: params, query: x.Request.URL.Query(), exchange: x,
		who: issuing.Operator{Scope: who.Scope, Actor: audit.Actor{
			Kind: audit.Operator, Name: who.Name, Address: x.Client, RequestID: x.ID,
			Reason: x.Request.Header.Get("Mintmark-Reason"),
		}},
	}
	var err error
	if row.request != nil {
		c.body, err = x.ReadBody()
		if err != nil {
			return nil, err
		}
	}
	c.who.DryRun, err = c.truth("dryRun")
	if err != nil {
		return nil, err
	}
	return c, c.readRevision(row)
}
