// Package console serves the operators' pages under /console/. The server renders each page
// completely. Pages contain no inline script or style, and their Content-Security-Policy forbids
// both. Pages behind the sign-in load one script, console.js, which adds copy buttons and keyboard
// shortcuts and sends no requests; a sandbox has a second script. The policy names each script by
// its checksum, and every page works without scripts. The console calls the desk of the operators'
// interface (package admin) in the same process: the desk decides about roles, scope, reasons and
// four eyes, and the page shows the result.
//
//	answer -> session (session.go) -> row of pages.go -> handler of the page (cards.go, ...)
//	       -> desk (desk.go) -> frame (frame.go) -> template (render.go)
//
// A page consists of a row, a handler that returns the page's data as a struct, and a template that
// renders it. row.go defines the kinds of rows.
//
// The pages of a resource are derived from its description in package admin (resource.go): its list
// (list.go), the page of one item (member.go), the forms that create and change it (inputs.go), a
// page for each act, and the results that an act shows once. That code knows no resource by name. A
// page that does not fit is written by hand, and replaces the derived page at its path.
package console

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/clock"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

// Prefix begins the path of every page of the console.
const Prefix = "/console/"

// MaxBodyBytes bounds a form, which may include the PDF of a document.
const MaxBodyBytes = 17 << 20

// Settings holds the dependencies of the console.
type Settings struct {
	Sessions  Sessions
	Operators Operators
	OpenID    OpenID // nil without a provider
	Desk      Desk
	Clock     *clock.Clock
	About     About

	Sandbox *Sandbox // nil in production
}

// About describes the process on every page.
type About struct {
	Sandbox bool
	Node    string
	Version string
}

// Console serves the pages to browsers.
type Console struct {
	Settings
	rows    []row
	secrets []string // names of fields that are dropped when a form is carried over to another page
	pages   *templates
	scripts []asset
	assets  []asset // all files, including the scripts
	policy  string  // of pages with scripts
	origin  *http.CrossOriginProtection
}

// New returns the console. It panics if a template does not parse or is missing.
func New(settings Settings) *Console {
	c := &Console{
		Settings: settings, pages: parsed(), scripts: []asset{script},
		origin: http.NewCrossOriginProtection(), secrets: secretNames(admin.Resources()),
	}
	if settings.Sandbox != nil {
		c.scripts = append(c.scripts, sandboxScript)
	}
	c.assets = append([]asset{style, icon}, c.scripts...)
	c.policy = scriptPolicy(c.scripts, settings.Sandbox != nil)
	c.rows = c.table()
	for i := range c.rows {
		c.pages.check(c.rows[i].template)
	}
	return c
}

// Answer answers a request, compressed if the browser accepts that.
func (c *Console) Answer(ctx context.Context, x *web.Exchange) (web.Response, error) {
	response, err := c.answer(ctx, x)
	if err != nil {
		return response, err
	}
	return compressed(x, response), nil
}

// answer finds the row of a request, authenticates the operator unless the row is public, and calls
// the row's handler.
func (c *Console) answer(ctx context.Context, x *web.Exchange) (web.Response, error) {
	x.FindClient()
	guard(x.Header)
	if response, ok := c.asset(x); ok {
		return response, nil
	}
	r, params := c.find(x.Request)
	if r == nil {
		return c.unknown(ctx, x)
	}
	x.Route = r.method + " " + Prefix + r.path
	x.Quiet = r.method == http.MethodGet
	if r.method == http.MethodPost && !c.sameOrigin(x.Request) {
		return web.Response{}, &wire.Problem{
			Title: "Refused", Status: http.StatusForbidden,
			Detail: "The form comes from a page that is not of this console.",
		}
	}
	numbered := withoutNumbers(x.Request)
	v := &visit{console: c, exchange: x, row: r, params: params, query: x.Request.URL.Query()}
	if numbered && !r.public {
		v.row = &row{method: r.method, section: r.section, answer: refuseNumber}
	}
	if !r.public {
		return c.signedIn(ctx, v)
	}
	// Before the sign-in, all forms are short.
	if length := x.Request.ContentLength; length < 0 || length > web.DefaultBodyBytes {
		return web.Response{}, web.ErrBodyTooLarge
	}
	if err := v.readForm(); err != nil {
		return web.Response{}, err
	}
	return r.answer(ctx, v)
}

// signedIn answers a request for a page behind the sign-in. If the operators' interface rejects it,
// the problem is shown in the frame of the page.
func (c *Console) signedIn(ctx context.Context, v *visit) (web.Response, error) {
	var known bool
	var err error
	v.who, known, err = c.Sessions.Who(ctx)
	if err != nil {
		return web.Response{}, err
	}
	if !known {
		return v.toSignIn()
	}
	v.exchange.Actor = slog.String("operator", v.who.Name)
	err = v.readForm()
	if errors.Is(err, web.ErrBodyTooLarge) {
		err = tooLarge("Nothing was saved. A file may have " + itoa(admin.MaxBodyBytes>>20) +
			" MB at most: go back, and choose a smaller one.")
	}
	if err != nil {
		return web.Response{}, err
	}
	if err := v.beginFrame(ctx); err != nil {
		return web.Response{}, err
	}
	var response web.Response
	err = v.checkProgram()
	if err == nil {
		response, err = v.row.answer(ctx, v)
	}
	refused := (*wire.Problem)(nil)
	if errors.As(err, &refused) && refused.Status < http.StatusInternalServerError {
		return v.problem(ctx, refused)
	}
	return response, err
}

// unknown answers a path without a row: / and /console redirect to the first page, any other path
// is not found.
func (c *Console) unknown(ctx context.Context, x *web.Exchange) (web.Response, error) {
	path := x.Request.URL.Path
	if path == "/" || path == strings.TrimSuffix(Prefix, "/") {
		return redirected(x, Prefix), nil
	}
	v := &visit{console: c, exchange: x, row: &row{
		answer: func(context.Context, *visit) (web.Response, error) {
			return web.Response{}, notFound()
		},
	}, query: x.Request.URL.Query()}
	return c.signedIn(ctx, v)
}

func notFound() *wire.Problem {
	return &wire.Problem{
		Type: "/problems/" + wire.NotFound, Title: "Not found", Status: http.StatusNotFound,
	}
}

// Problem answers an error that no page has shown. The text of an unexpected error appears only in
// the log.
func (c *Console) Problem(x *web.Exchange, err error) web.Response {
	guard(x.Header)
	told := (*wire.Problem)(nil)
	switch {
	case errors.As(err, &told):
	case errors.Is(err, web.ErrBodyTooLarge):
		told = &wire.Problem{Title: "Too large", Status: http.StatusRequestEntityTooLarge}
	case errors.Is(err, web.ErrBodyUnreadable):
		told = &wire.Problem{Title: "Invalid request", Status: http.StatusUnprocessableEntity}
	default:
		told = &wire.Problem{Title: "Something went wrong", Status: http.StatusInternalServerError}
		if !x.ClientGone() {
			x.Fault(err)
		}
	}
	told.RequestID = x.ID
	return c.bareProblem(told)
}

// contentPolicy is the Content-Security-Policy of a page without scripts.
const contentPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'"

// guard sets the security headers of a response.
func guard(header http.Header) {
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("X-Frame-Options", "DENY") // for browsers without support of frame-ancestors
	header.Set("X-Content-Type-Options", "nosniff")
	// With no-referrer a browser would send its forms with "Origin: null".
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// scriptPolicy returns the policy that allows only these scripts, by their checksums. In a sandbox,
// they may send requests to the console.
func scriptPolicy(scripts []asset, sandbox bool) string {
	policy := contentPolicy + "; script-src"
	for _, s := range scripts {
		policy += " '" + s.Hash + "'"
	}
	if sandbox {
		policy += "; connect-src 'self'"
	}
	return policy
}

// sameOrigin reports whether a form was sent by a page of this console. Browsers state where a form
// comes from; a request that does not is rejected.
func (c *Console) sameOrigin(r *http.Request) bool {
	told := r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != ""
	return told && c.origin.Check(r) == nil
}
