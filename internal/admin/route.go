package admin

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/issuing"
	"mintmark/internal/operator"
	"mintmark/internal/web"
)

// Operation says what a route is for. The document of the interface and the authorization matrix
// are made of it.
type Operation struct {
	Path    string // below wire.Prefix, with parameters in braces
	Summary string
	// Roles are those that may, beside administrators and, where nothing is changed, auditors.
	// Without any, everybody who has signed in may.
	Roles operator.Roles
	// NotAuditor keeps auditors from a GET, or from a search by POST.
	NotAuditor bool
	// Reads marks a POST that changes nothing, such as a search.
	Reads bool
	// Reason is demanded for the audit.
	Reason bool
	Query  []Parameter
}

// Parameter is a member of the query.
type Parameter struct {
	Name    string
	Summary string
}

// route is a row of the table.
type route struct {
	Operation
	method   string
	segments []string
	revision bool // demands If-Match
	list     bool
	status   int          // of success
	request  reflect.Type // nil without a body
	reply    reflect.Type // nil without one
	answer   func(ctx context.Context, c *call) (web.Response, error)
}

// allows reports whether one of the roles is enough.
func (r *route) allows(roles operator.Roles) bool {
	if len(r.Roles) == 0 {
		return true
	}
	for _, role := range r.Roles {
		if roles.Has(role) {
			return true
		}
	}
	reads := r.method == http.MethodGet || r.Reads
	return reads && !r.NotAuditor && roles.Has(operator.Auditor)
}

// match returns the parameters of a path that fits.
func (r *route) match(given []string) (params map[string]string, fits bool) {
	if len(given) != len(r.segments) {
		return nil, false
	}
	params = map[string]string{}
	for i, segment := range r.segments {
		name, isParameter := strings.CutPrefix(segment, "{")
		if !isParameter && segment != given[i] || given[i] == "" {
			return nil, false
		}
		if isParameter {
			params[strings.TrimSuffix(name, "}")] = given[i]
		}
	}
	return params, true
}

func newRoute(method string, status int, o Operation) route {
	return route{
		Operation: o, method: method, status: status, segments: strings.Split(o.Path, "/"),
	}
}

// get is a row that answers with one resource.
func get[A any](o Operation, read func(context.Context, *call) (A, error)) route {
	r := newRoute(http.MethodGet, http.StatusOK, o)
	r.reply = reflect.TypeFor[A]()
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		found, err := read(ctx, c)
		if err != nil {
			return web.Response{}, err
		}
		return c.respond(r.status, found)
	}
	return r
}

// list is a row that answers with a page of resources. Read returns the items behind page.After,
// and the key of the last of them where more follow.
func list[A any](
	o Operation,
	read func(context.Context, *call, issuing.Page) (items []A, last string, err error),
) route {
	r := newRoute(http.MethodGet, http.StatusOK, o)
	r.reply, r.list = reflect.TypeFor[wire.List[A]](), true
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		page, err := c.page(r.Path)
		if err != nil {
			return web.Response{}, err
		}
		items, last, err := read(ctx, c, page)
		if err != nil {
			return web.Response{}, err
		}
		answer := wire.List[A]{Items: items}
		if items == nil {
			answer.Items = []A{}
		}
		if last != "" {
			answer.Next = c.cursor(r.Path, last)
		}
		return c.respond(r.status, answer)
	}
	return r
}

// create is a row that makes a resource of a body.
func create[Q, A any](o Operation, do func(context.Context, *call, Q) (A, error)) route {
	return withBody(newRoute(http.MethodPost, http.StatusCreated, o), do)
}

// act is a row that does something to a resource, with a body, and answers the resource.
func act[Q, A any](o Operation, do func(context.Context, *call, Q) (A, error)) route {
	return withBody(newRoute(http.MethodPost, http.StatusOK, o), do)
}

func withBody[Q, A any](r route, do func(context.Context, *call, Q) (A, error)) route {
	r.request, r.reply = reflect.TypeFor[Q](), reflect.TypeFor[A]()
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		asked, err := bind[Q](c, r.Operation)
		if err != nil {
			return web.Response{}, err
		}
		done, err := do(ctx, c, asked)
		if err != nil {
			return web.Response{}, err
		}
		return c.respond(r.status, done)
	}
	return r
}

// patch is a row that changes a resource by a merge patch (RFC 7396) of what read returns, and
// demands its revision. Write is handed the resource as it shall be.
func patch[A any](
	o Operation, read func(context.Context, *call) (A, error),
	write func(ctx context.Context, c *call, after A) (A, error),
) route {
	r := newRoute(http.MethodPatch, http.StatusOK, o)
	r.revision = true
	r.request, r.reply = reflect.TypeFor[A](), reflect.TypeFor[A]()
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		before, err := read(ctx, c)
		if err != nil {
			return web.Response{}, err
		}
		after, err := merged(c, before)
		if err != nil {
			return web.Response{}, err
		}
		done, err := write(ctx, c, after)
		if err != nil {
			return web.Response{}, err
		}
		return c.respond(r.status, done)
	}
	return r
}

// remove is a row that takes a resource away, and answers with nothing.
func remove(o Operation, do func(context.Context, *call) error) route {
	r := newRoute(http.MethodDelete, http.StatusNoContent, o)
	r.revision = true
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		return web.Response{Status: r.status}, do(ctx, c)
	}
	return r
}

// respond writes an answer as JSON, with the ETag of a resource that has a revision.
func (c *call) respond(status int, answer any) (web.Response, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return web.Response{}, err
	}
	var resource struct {
		Revision int `json:"revision"`
	}
	if json.Unmarshal(text, &resource) == nil && resource.Revision != 0 {
		c.exchange.Header.Set("ETag", etag(resource.Revision))
	}
	return web.Response{
		Status: status, ContentType: "application/json", Body: append(text, '\n'),
	}, nil
}
