package admin

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
)

// Desk performs the requests of operators, for every face.
type Desk struct {
	acts   *acts.Service
	tokens Tokens
	about  About
	routes []*Op

	// uploads admits one upload at a time into memory.
	uploads chan struct{}
	// spooling has, as keys, the banks of the operators whose uploads are being received on disk.
	spooling sync.Map
}

// NewDesk returns a desk for the acts of a service.
func NewDesk(acts *acts.Service, tokens Tokens, about About) *Desk {
	d := &Desk{
		acts: acts, tokens: tokens, about: about,
		uploads: make(chan struct{}, 1),
	}
	for _, r := range d.resources() {
		d.routes = append(d.routes, r.Ops()...)
	}
	return d
}

// About describes the process.
type About struct {
	Environment string // production or sandbox
	Node        string
	Version     string
	Spool       string // directory for bodies that do not fit into memory; "" for the system's
	ConsoleURL  string // where browsers reach the console, without a path; may be empty
}

// Tokens identifies operators by their tokens.
type Tokens interface {
	// AuthenticateToken returns the identity that a token belongs to, and false if it is unknown.
	AuthenticateToken(ctx context.Context, token string) (operator.Identity, bool, error)
	// Current returns the current state of an operator or token, and false if it has ended.
	Current(ctx context.Context, who operator.Identity) (operator.Identity, bool, error)
}

// Request is a request of an operator, from any face.
type Request struct {
	Method string
	Path   string // below Prefix, escaped: "cards/5001/lock"
	Query  url.Values
	Whole  bool // of a list: the first 10,000 items instead of a page

	IfMatch         string // ETag of the revision that the operator has seen; may be empty
	Reason          string // for the audit
	IdempotencyKeys []string
	Length          int64 // of the body, if known

	Who     operator.Identity
	Address string // of the client
	ID      string
	Sender  Sender
}

// Sender is the client of a request, together with the request's log line. A web.Exchange is a
// Sender.
type Sender interface {
	// ReadBodyOf returns a body of at most the given number of bytes. It is called only after the
	// operator's right to send it has been checked.
	ReadBodyOf(most int64) ([]byte, error)
	// OpenBody is like ReadBodyOf, for a body that may not fit into memory.
	OpenBody(most int64) io.Reader
	// WithoutDeadline returns a context that ends when the sender disconnects.
	WithoutDeadline() context.Context
	Note(slog.Attr)
	Fault(error)
}

// Result is the answer to a successful request.
type Result struct {
	Status   int
	Value    any           // a type of package client/admin; nil for none
	Raw      *web.Response // instead of Value: a download, or the answer to an earlier request
	Revision int           // of Value; 0 for none
	Location string        // of a created resource
	Changes  []wire.Change // of a dry run, otherwise nil
	// NeedsOther reports, for a dry run, that a second operator must confirm the act.
	NeedsOther bool
	Replayed   bool // Raw was the answer to an earlier request with the same key

	text []byte // Value as JSON, if already encoded
}

// Do performs a request. A rejection is a *web.Problem with its detail, and is recorded in the
// audit; any other error is an internal one, or one of reading the sender's body. If the key was used for
// another request, the result has Replayed and the Location of what that request created.
func (d *Desk) Do(ctx context.Context, r Request) (Result, error) {
	row, params, others := d.find(r.Method, r.Path)
	switch {
	case row != nil:
		return d.do(ctx, d.call(r, row, params))
	case others != nil:
		return Result{}, web.MethodNotAllowed()
	}
	return Result{}, web.NotFound()
}

// find returns the row of a request and its parameters. If there is none, it returns the methods
// that the path has, nil for none.
func (d *Desk) find(method, path string) (*Op, map[string]string, []string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var others []string
	segments := web.Segments(path)
	for _, row := range d.routes {
		params, fits := row.match(segments)
		if !fits {
			continue
		}
		if row.Method == method {
			return row, params, nil
		}
		others = append(others, row.Method)
	}
	slices.Sort(others)
	return nil, nil, others
}

func (d *Desk) call(r Request, row *Op, params map[string]string) *call {
	return &call{
		request: r, Identity: r.Who, params: params, query: r.Query, desk: d, row: row,
		who: operatorOf(r.Who, audit.Actor{
			Address: r.Address, RequestID: r.ID, Reason: r.Reason,
		}),
	}
}

// operatorOf returns the acting operator, with the address, id and reason of the request.
func operatorOf(who operator.Identity, request audit.Actor) issuing.Operator {
	request.Kind, request.ID, request.Name = audit.Kind(who.Kind()), who.ID, who.Name
	return issuing.Operator{
		Actor: request, Roles: who.Roles, Scope: who.Scope, Owner: who.Person(),
	}
}

// do is Do for a request whose row is known.
func (d *Desk) do(ctx context.Context, c *call) (Result, error) {
	result, err := d.checked(ctx, c)
	if err == nil {
		return result, nil
	}
	err = problemOf(err)
	d.auditRefusal(ctx, c, err)
	return Result{Location: result.Location, Replayed: result.Replayed}, c.explained(err)
}

// checked makes all checks in the order that is the same for every row: rights, place, body, query,
// dry run, idempotency. Then run continues with If-Match and the act.
func (d *Desk) checked(ctx context.Context, c *call) (Result, error) {
	if !c.row.allows(c.Roles) {
		return Result{}, notAllowed(c.row)
	}
	if err := c.checkParams(); err != nil {
		return Result{}, err
	}
	if err := d.locate(ctx, c); err != nil {
		return Result{}, err
	}
	release, err := d.readBody(ctx, c)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if err := c.checkQuery(); err != nil {
		return Result{}, err
	}
	if !c.row.Changes() {
		return c.run(ctx)
	}
	c.who.DryRun, err = c.truth("dryRun")
	if err != nil {
		return Result{}, err
	}
	key, err := c.idempotencyKey()
	switch {
	case err != nil:
		return Result{}, err
	case c.row.Long:
		return c.runOrAsk(ctx)
	case c.who.DryRun:
		d.readBefore(ctx, c)
		needsOther := false
		c.who.NeedsOther = &needsOther
		result, err := c.run(ctx)
		result.NeedsOther = needsOther
		return result, err
	case key != "" && !c.row.confirms: // an approval is idempotent without a key
		return d.once(ctx, c, key)
	}
	return c.runOrAsk(ctx)
}

// readBody reads the body if the row has one. Uploads that are held in memory are read one at a
// time: the others wait until the first is released.
func (d *Desk) readBody(ctx context.Context, c *call) (release func(), err error) {
	release = func() {}
	if c.row.Long || !c.row.Changes() && c.row.Request == nil {
		return release, nil
	}
	if c.row.Upload != "" {
		select {
		case d.uploads <- struct{}{}:
			release = func() { <-d.uploads }
		case <-ctx.Done():
			return release, ctx.Err()
		}
	}
	c.body, err = c.request.Sender.ReadBodyOf(c.row.most)
	if err != nil {
		release()
	}
	return release, err
}

// idempotencyKey returns the idempotency key of the request, empty for none.
func (c *call) idempotencyKey() (string, error) {
	key, given, valid := web.IdempotencyKey(c.request.IdempotencyKeys)
	switch {
	case !valid:
		return "", web.Invalid(problem.List{{
			Text: "Idempotency-Key must have 1 to 255 visible ASCII characters",
		}})
	case given && c.row.Long:
		return "", web.Invalid(problem.List{{
			Text: "Idempotency-Key is not accepted with a body of rows",
		}})
	}
	return key, nil
}

// runOrAsk is run for an act that may need a second operator. If it does, the request is stored
// until another operator approves it, and the error is the problem needs-approval.
func (c *call) runOrAsk(ctx context.Context) (Result, error) {
	result, err := c.run(ctx)
	if errors.Is(err, issuing.ErrNeedsApproval) {
		err = c.askApproval(ctx)
	}
	return result, err
}

// execSQL ends the handling of every request: the body, If-Match, the act.
func (c *call) run(ctx context.Context) (Result, error) {
	act, err := c.row.bind(ctx, c)
	if err != nil {
		return Result{}, c.withRules(ctx, err, act)
	}
	if err := c.checkRevision(); err != nil {
		return Result{}, err
	}
	value, err := act(ctx, c)
	if err != nil {
		return Result{}, err
	}
	return c.result(value)
}

// explained adds a detail to a problem. It returns any other error unchanged.
func (c *call) explained(err error) error {
	refusal := (*web.Problem)(nil)
	if !errors.As(err, &refusal) {
		return err
	}
	copied := *refusal
	copied.RequestID = c.request.ID
	copied.Explain(web.Subject{Route: c.row.route(), Path: wire.Prefix + c.request.Path, Query: c.query})
	return &copied
}
