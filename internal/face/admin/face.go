// Package admin is the operators' interface, /admin/v1/: the operator's identity, the roles that a
// request needs, and the form of resources on the wire. The acts are those of package issuing, as
// for every other face. Programs authenticate with a token; the console in the same process calls
// Do with the identity of its session, so a button and a route cannot differ.
//
//	Face.Answer -> identify (identity.go) -> row of routes.go -> Desk.Do (desk.go):
//	    rights, place (scope.go), body, query (call.go), dry run (dryrun.go),
//	    idempotency (idempotency.go), If-Match, act, four eyes (foureyes.go)
//	    -> Result (result.go), or a problem (problems.go), also recorded in the audit (refusal.go)
//
// A Resource (resource.go) is data: it reads from top to bottom, followed by its functions of a few
// lines each. Routes, commands, pages and the document of the interface are derived from it. So
// that it stays data and does not become a framework:
//
//   - The constructors (route.go) wire types and decide nothing.
//   - No option exists for a single resource: its operation, command or page is written by
//     hand instead.
//   - There is no registry, no init, and no tag but json.
//   - A test fails for a field or column that the wire type lacks, for a member of a request
//     that no field names, and for an example whose command does not exist.
package admin

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/face/web"
)

// Prefix starts the paths of the interface.
const Prefix = wire.Prefix

// MaxBodyBytes is the largest limit of a body, that of a document's PDF.
const MaxBodyBytes = 16 << 20

// origins rejects changes from web pages of other origins, even with a token. A program sends no
// Origin.
var origins = http.NewCrossOriginProtection()

// Face is the desk over HTTP, for operators' programs, which send a token.
type Face struct {
	web.Problems
	desk *Desk
}

// New returns the face of a desk.
func New(desk *Desk) *Face { return &Face{desk: desk} }

// Answer identifies the operator, finds the row of the request and calls the desk.
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
	path := strings.TrimPrefix(x.Request.URL.EscapedPath(), wire.Prefix)
	row, params, others := f.desk.find(x.Request.Method, path)
	switch {
	case row == nil && others == nil:
		return web.Response{}, web.NotFound()
	case row == nil:
		x.Header.Set("Allow", strings.Join(others, ", "))
		return web.Response{}, web.MethodNotAllowed()
	}
	x.Route = row.route()
	header := x.Request.Header
	result, err := f.desk.do(ctx, f.desk.call(Request{
		Method: x.Request.Method, Path: path, Query: x.Request.URL.Query(),
		IfMatch: header.Get("If-Match"), Reason: header.Get("Mintmark-Reason"),
		IdempotencyKeys: header["Idempotency-Key"], Length: x.Request.ContentLength,
		Who: who, Address: x.Client, ID: x.ID, Sender: x,
	}, row, params))
	if refusal := (*web.Problem)(nil); errors.As(err, &refusal) && refusal.ApprovalID != 0 {
		x.Header.Set("Location", approvalLocation(refusal.ApprovalID))
	}
	if err != nil {
		return web.Response{}, err
	}
	return respond(x.Header, result)
}

// respond sets the headers of a result and returns its response.
func respond(header http.Header, r Result) (web.Response, error) {
	if r.Replayed {
		header.Set("Idempotency-Replayed", "true")
	}
	if r.Revision != 0 {
		header.Set("ETag", etag(r.Revision))
	}
	if r.Location != "" {
		header.Set("Location", r.Location)
	}
	return r.Response()
}
