package sandbox

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"

	wire "mintmark/client/sandbox"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/web"
)

// Prefix is the path under which the face is mounted.
const Prefix = wire.Prefix

// MaxBodyBytes is the limit of a request body.
const MaxBodyBytes = 1 << 20

// Face serves the controls of a sandbox.
type Face struct {
	web.Problems
	controls *Controls
	routes   []route
}

// New returns the face of a sandbox.
func New(controls *Controls) *Face { return &Face{controls: controls, routes: controls.routes()} }

// Answer finds the route of a request and calls its handler.
func (f *Face) Answer(ctx context.Context, x *web.Exchange) (web.Response, error) {
	x.FindClient()
	given := strings.Split(strings.TrimPrefix(x.Request.URL.Path, Prefix), "/")
	missing := error(web.NotFound())
	var allowed []string
	for _, row := range f.routes {
		params, fits := web.Match(row.path, given)
		if !fits {
			continue
		}
		if row.method != x.Request.Method {
			allowed = append(allowed, row.method)
			missing = web.MethodNotAllowed()
			continue
		}
		x.Route = Prefix + row.path
		return f.do(ctx, row, &call{Exchange: x, params: params})
	}
	if len(allowed) > 0 {
		x.Header.Set("Allow", strings.Join(allowed, ", "))
	}
	return web.Response{}, missing
}

// do reads the body of a request and calls its handler.
func (f *Face) do(ctx context.Context, row route, c *call) (web.Response, error) {
	if row.method != http.MethodGet {
		body, err := c.ReadBody()
		if err != nil {
			return web.Response{}, err
		}
		c.body = body
	}
	return row.answer(ctx, c)
}

// call is a request with its route's parameters and its body.
type call struct {
	*web.Exchange
	params map[string]string // from the path
	body   []byte
}

// read parses the body as one object. Errors are a web.Problem.
func (c *call) read(take func(*strictjson.Object)) error {
	if problems := strictjson.Read(c.body, take); len(problems) > 0 {
		return web.Invalid(problems)
	}
	return nil
}

// readOptional is like read, but the body may be absent.
func (c *call) readOptional(take func(*strictjson.Object)) error {
	if len(bytes.TrimSpace(c.body)) == 0 {
		c.body = []byte("{}")
	}
	return c.read(take)
}

// readNothing rejects a body with members.
func (c *call) readNothing() error { return c.readOptional(func(*strictjson.Object) {}) }

// number returns a numeric path parameter. Any other value is the problem not-found.
func (c *call) number(name string) (int, error) {
	n, err := strconv.Atoi(c.params[name])
	if err != nil || n < 1 || n > problem.MaxID {
		return 0, web.NotFound()
	}
	return n, nil
}

// invalid returns the problem of one member of a body.
func invalid(path, text string) error {
	return web.Invalid(problem.List{{Path: path, Text: text}})
}
