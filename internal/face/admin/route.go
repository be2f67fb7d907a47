package admin

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"slices"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// allows reports whether the roles include one of the operation's, or all of them if Together is
// set.
func (o *Op) allows(roles operator.Roles) bool {
	if len(o.Roles) == 0 {
		return true
	}
	lacks := func(role operator.Role) bool { return !roles.Has(role) }
	if !slices.ContainsFunc(o.Roles, lacks) || !o.Together && slices.ContainsFunc(o.Roles, roles.Has) {
		return true
	}
	return !o.Changes() && !o.NotAuditor && roles.Has(operator.Auditor)
}

// Changes reports whether a request may change something.
func (o *Op) Changes() bool { return o.Method != http.MethodGet && !o.Reads }

// match returns the parameters of a matching path. Parameters must have no control characters.
func (o *Op) match(given []string) (params map[string]string, fits bool) {
	params, fits = web.Match(o.Path, given)
	for _, value := range params {
		fits = fits && strictjson.IsLine(value)
	}
	return params, fits
}

// maxJSONBytes is the limit of a JSON body, in bytes.
const maxJSONBytes = 1 << 20

func newOp(method string, status int, o Op) *Op {
	o.Method, o.Status, o.most = method, status, maxJSONBytes
	return &o
}

// plain sets the function of an operation without a body.
func plain[A any](r *Op, do func(context.Context, *call) (A, error)) *Op {
	r.bind = func(context.Context, *call) (bound, error) {
		return func(ctx context.Context, c *call) (any, error) { return do(ctx, c) }, nil
	}
	return r
}

// get returns an operation that answers with one resource.
func get[A any](o Op, read func(context.Context, *call) (A, error)) *Op {
	r := newOp(http.MethodGet, http.StatusOK, o)
	r.Reply = reflect.TypeFor[A]()
	return plain(r, read)
}

// list returns an operation that answers with a page of resources.
func list[A any](
	o Op, read func(context.Context, *call, issuing.Page) ([]A, string, error),
) *Op {
	r := newOp(http.MethodGet, http.StatusOK, o)
	r.Reply, r.List = reflect.TypeFor[wire.List[A]](), true
	return plain(r, reader[A](read).list)
}

// create returns an operation that creates a resource from the body.
func create[Q, A any](o Op, do func(context.Context, *call, Q) (A, error)) *Op {
	return withBody(newOp(http.MethodPost, http.StatusCreated, o), do)
}

// act returns an operation that acts on a resource, with a body, and answers with the resource.
func act[Q, A any](o Op, do func(context.Context, *call, Q) (A, error)) *Op {
	return withBody(newOp(http.MethodPost, http.StatusOK, o), do)
}

// put returns an operation that stores a resource under its path, whether it exists or not.
func put[Q, A any](o Op, do func(context.Context, *call, Q) (A, error)) *Op {
	return withBody(newOp(http.MethodPut, http.StatusOK, o), do)
}

func withBody[Q, A any](r *Op, do func(context.Context, *call, Q) (A, error)) *Op {
	r.Request, r.Reply, r.ifMatch = reflect.TypeFor[Q](), reflect.TypeFor[A](), true
	r.bind = func(_ context.Context, c *call) (bound, error) {
		body, err := bind[Q](c)
		return func(ctx context.Context, c *call) (any, error) { return do(ctx, c, body) }, err
	}
	return r
}

// patch returns an operation that applies a merge patch (RFC 7396) to what read returns, and
// requires its revision. The function write receives the patched resource.
func patch[A any](
	o Op, read func(context.Context, *call) (A, error),
	write func(ctx context.Context, c *call, after A) (A, error),
) *Op {
	r := newOp(http.MethodPatch, http.StatusOK, o)
	r.ifMatch, r.Revision = true, true
	r.fixed = []string{"id", "revision", "programId", "bankId"}
	r.Request, r.Reply = reflect.TypeFor[A](), reflect.TypeFor[A]()
	r.bind = func(ctx context.Context, c *call) (bound, error) {
		before, err := read(ctx, c)
		if err != nil {
			return nil, err
		}
		c.before = before
		after, err := merged(c, before)
		return func(ctx context.Context, c *call) (any, error) { return write(ctx, c, after) }, err
	}
	return r
}

// remove returns an operation that removes a resource, and answers without a body.
func remove(o Op, do func(context.Context, *call) error) *Op {
	r := newOp(http.MethodDelete, http.StatusNoContent, o)
	r.ifMatch, r.Revision = true, true
	r.bind = func(_ context.Context, c *call) (bound, error) {
		if _, err := bind[struct{}](c); err != nil {
			return nil, err
		}
		return func(ctx context.Context, c *call) (any, error) { return struct{}{}, do(ctx, c) }, nil
	}
	return r
}

// upload returns an operation whose body, c.body, is not JSON.
func upload[A any](
	o Op, mediaType string, most int64, do func(context.Context, *call) (A, error),
) *Op {
	r := newOp(http.MethodPut, http.StatusOK, o)
	r.Reply, r.Upload, r.most, r.ifMatch = reflect.TypeFor[A](), mediaType, most, true
	r.bind = func(_ context.Context, c *call) (bound, error) {
		act := func(ctx context.Context, c *call) (any, error) { return do(ctx, c) }
		return act, c.refuseBody(nil)
	}
	return r
}

// uploadLong returns an operation with a long body that is not JSON, which do reads. It may take as
// long as the client waits, and is idempotent without a key.
func uploadLong[A any](
	o Op, mediaType string, most int64,
	do func(ctx context.Context, c *call, from io.Reader) (A, []wire.Change, error),
) *Op {
	r := newOp(http.MethodPost, http.StatusOK, o)
	r.Reply, r.Upload, r.most, r.Long = reflect.TypeFor[A](), mediaType, most, true
	r.bind = func(_ context.Context, c *call) (bound, error) {
		if err := c.refuseBody(nil); err != nil {
			return nil, err
		}
		return func(_ context.Context, c *call) (value any, err error) {
			var rows io.Reader
			if !c.approved { // then the body is the approver's
				rows = c.request.Sender.OpenBody(c.row.most)
			}
			value, c.changes, err = do(c.request.Sender.WithoutDeadline(), c, rows)
			return value, err
		}, nil
	}
	return r
}

// createLong is uploadLong for an operation that creates a resource from the body.
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

// download returns an operation whose answer is not JSON: a body or a stream.
func download(
	o Op, mediaType string, do func(context.Context, *call) (web.Response, error),
) *Op {
	r := newOp(http.MethodGet, http.StatusOK, o)
	r.Download = mediaType
	return plain(r, func(ctx context.Context, c *call) (web.Response, error) {
		response, err := do(ctx, c)
		if response.Status == 0 {
			response.Status = c.row.Status
		}
		if response.ContentType == "" {
			response.ContentType = mediaType
		}
		return response, err
	})
}
