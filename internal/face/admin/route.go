package admin

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// allows reports whether one of the roles is enough.
func (r *Op) allows(roles operator.Roles) bool {
	if len(r.Roles) == 0 {
		return true
	}
	for _, role := range r.Roles {
		if roles.Has(role) {
			return true
		}
	}
	return !r.Changes() && !r.NotAuditor && roles.Has(operator.Auditor)
}

// Changes reports whether a request may change something.
func (r *Op) Changes() bool { return r.Method != http.MethodGet && !r.Reads }

// match returns the parameters of a path that fits. Each of them is plain.
func (r *Op) match(given []string) (params map[string]string, fits bool) {
	params, fits = web.Match(r.Path, given)
	for _, value := range params {
		fits = fits && strictjson.IsLine(value)
	}
	return params, fits
}

// greatestJSON is how long a body of JSON may be.
const greatestJSON = 1 << 20

func newOp(method string, status int, o Op) *Op {
	o.Method, o.Status, o.most = method, status, greatestJSON
	return &o
}

// get is a row that answers with one resource.
func get[A any](o Op, read func(context.Context, *call) (A, error)) *Op {
	r := newOp(http.MethodGet, http.StatusOK, o)
	r.Reply = reflect.TypeFor[A]()
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		found, err := read(ctx, c)
		if err != nil {
			return web.Response{}, err
		}
		return c.respond(c.row.Status, found)
	}
	return r
}

// list is a row that answers with a page of resources. Read returns the items behind page.After,
// and the key of the last of them where more follow.
func list[A any](
	o Op,
	read func(context.Context, *call, issuing.Page) (items []A, last string, err error),
) *Op {
	r := newOp(http.MethodGet, http.StatusOK, o)
	r.Reply, r.List = reflect.TypeFor[wire.List[A]](), true
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		page, err := c.page(c.row.Path)
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
			answer.Next = c.cursor(c.row.Path, last)
		}
		return c.respond(c.row.Status, answer)
	}
	return r
}

// create is a row that makes a resource of a body.
func create[Q, A any](o Op, do func(context.Context, *call, Q) (A, error)) *Op {
	return withBody(newOp(http.MethodPost, http.StatusCreated, o), do)
}

// act is a row that does something to a resource, with a body, and answers the resource.
func act[Q, A any](o Op, do func(context.Context, *call, Q) (A, error)) *Op {
	return withBody(newOp(http.MethodPost, http.StatusOK, o), do)
}

// put is a row that stores a resource under its own path, whether there is one or not.
func put[Q, A any](o Op, do func(context.Context, *call, Q) (A, error)) *Op {
	return withBody(newOp(http.MethodPut, http.StatusOK, o), do)
}

func withBody[Q, A any](r *Op, do func(context.Context, *call, Q) (A, error)) *Op {
	r.Request, r.Reply = reflect.TypeFor[Q](), reflect.TypeFor[A]()
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		asked, err := bind[Q](c)
		if err != nil {
			return web.Response{}, c.withRules(err, func(dry *call) error {
				_, err := do(ctx, dry, asked)
				return err
			})
		}
		if err := c.admit(); err != nil {
			return web.Response{}, err
		}
		done, err := do(ctx, c, asked)
		if err != nil {
			return web.Response{}, err
		}
		return c.respond(c.row.Status, done)
	}
	return r
}

// patch is a row that changes a resource by a merge patch (RFC 7396) of what read returns, and
// demands its revision. Write is handed the resource as it shall be.
func patch[A any](
	o Op, read func(context.Context, *call) (A, error),
	write func(ctx context.Context, c *call, after A) (A, error),
) *Op {
	r := newOp(http.MethodPatch, http.StatusOK, o)
	r.Revision = true
	r.Request, r.Reply = reflect.TypeFor[A](), reflect.TypeFor[A]()
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		before, err := read(ctx, c)
		if err != nil {
			return web.Response{}, err
		}
		after, err := merged(c, before)
		if err != nil {
			return web.Response{}, c.withRules(err, func(dry *call) error {
				_, err := write(ctx, dry, after)
				return err
			})
		}
		if err := c.admit(); err != nil {
			return web.Response{}, err
		}
		if err := c.isAt(before); err != nil {
			return web.Response{}, err
		}
		done, err := write(ctx, c, after)
		if err != nil {
			return web.Response{}, err
		}
		return c.respond(c.row.Status, done)
	}
	return r
}

// remove is a row that takes a resource away, and answers with nothing.
func remove(o Op, do func(context.Context, *call) error) *Op {
	r := newOp(http.MethodDelete, http.StatusNoContent, o)
	r.Revision = true
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		if _, err := bind[struct{}](c); err != nil {
			return web.Response{}, err
		}
		if err := c.admit(); err != nil {
			return web.Response{}, err
		}
		if err := do(ctx, c); err != nil {
			return web.Response{}, err
		}
		if c.who.DryRun {
			return c.respond(http.StatusOK, struct{}{})
		}
		return web.Response{Status: c.row.Status}, nil
	}
	return r
}

// upload is a row that takes a body of another media type than JSON: c.body.
func upload[A any](
	o Op, mediaType string, most int64, do func(context.Context, *call) (A, error),
) *Op {
	r := newOp(http.MethodPut, http.StatusOK, o)
	r.Reply, r.Upload, r.most = reflect.TypeFor[A](), mediaType, most
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		if err := c.refuseBody(nil); err != nil {
			return web.Response{}, err
		}
		if err := c.admit(); err != nil {
			return web.Response{}, err
		}
		done, err := do(ctx, c)
		if err != nil {
			return web.Response{}, err
		}
		return c.respond(c.row.Status, done)
	}
	return r
}

// uploadLong is a row that takes a body of another media type which may be long, and which the
// function reads. What it does may take as long as the client waits, and is done once without an
// idempotency key.
func uploadLong[A any](
	o Op, mediaType string, most int64,
	do func(ctx context.Context, c *call, from io.Reader) (A, []wire.Change, error),
) *Op {
	r := newOp(http.MethodPost, http.StatusOK, o)
	r.Reply, r.Upload, r.most, r.Long = reflect.TypeFor[A](), mediaType, most, true
	r.answer = func(_ context.Context, c *call) (web.Response, error) {
		if err := c.refuseBody(nil); err != nil {
			return web.Response{}, err
		}
		request := c.exchange.Request.Context()
		done, changes, err := do(request, c, c.exchange.OpenBody(c.row.most))
		if err != nil {
			return web.Response{}, err
		}
		text, err := json.Marshal(done)
		if err == nil && c.who.DryRun {
			text, err = withMember(text, "changes", changes)
			return web.JSONText(http.StatusOK, text), err
		}
		c.describe(text)
		return web.JSONText(c.row.Status, text), err
	}
	return r
}

// createLong is uploadLong for a row that makes a resource of the body.
func createLong[A any](
	o Op, mediaType string, most int64,
	do func(ctx context.Context, c *call, from io.Reader) (A, error),
) *Op {
	r := uploadLong(o, mediaType, most,
		func(ctx context.Context, c *call, from io.Reader) (A, []wire.Change, error) {
			done, err := do(ctx, c, from)
			return done, []wire.Change{}, err
		})
	r.Status = http.StatusCreated
	return r
}

// download is a row that answers with something else than JSON: a body or a stream.
func download(
	o Op, mediaType string, do func(context.Context, *call) (web.Response, error),
) *Op {
	r := newOp(http.MethodGet, http.StatusOK, o)
	r.Download = mediaType
	r.answer = func(ctx context.Context, c *call) (web.Response, error) {
		response, err := do(ctx, c)
		if err != nil {
			return web.Response{}, err
		}
		if response.Status == 0 {
			response.Status = c.row.Status
		}
		if response.ContentType == "" {
			response.ContentType = mediaType
		}
		return response, nil
	}
	return r
}

// respond writes an answer as JSON, with the ETag of a resource that has a revision. That of a dry
// run says what it would have changed.
func (c *call) respond(status int, answer any) (web.Response, error) {
	text, err := json.Marshal(answer)
	if err != nil {
		return web.Response{}, err
	}
	if c.who.DryRun {
		text, err = withChanges(c.before, text, c.partial)
		return web.JSONText(http.StatusOK, text), err
	}
	c.describe(text)
	return web.JSONText(status, text), nil
}

// describe sets the headers that follow from a resource: its ETag, and where it is that was made.
func (c *call) describe(text []byte) {
	var resource struct {
		ID       json.RawMessage `json:"id"`
		Revision int             `json:"revision"`
	}
	if json.Unmarshal(text, &resource) != nil {
		return
	}
	if resource.Revision != 0 {
		c.exchange.Header.Set("ETag", etag(resource.Revision))
	}
	if c.row.Status == http.StatusCreated && len(resource.ID) > 0 {
		c.exchange.Header.Set("Location", c.location(strings.Trim(string(resource.ID), `"`)))
	}
}
