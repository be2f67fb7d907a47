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

// Desk does what operators ask for, whichever face they ask at.
type Desk struct {
	acts   *acts.Service
	tokens Tokens
	about  About
	routes []*Op

	// uploads is held by an upload that is kept in memory until it is stored.
	uploads chan struct{}
	// spooling has the banks of the operators from whom an upload is being received on disk.
	spooling sync.Map
}

// NewDesk returns the desk over the acts of a service.
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

// About is what the desk tells of the process.
type About struct {
	Environment string // production or sandbox
	Node        string
	Version     string
	Spool       string // the directory for bodies that do not fit into memory; the system's for ""
	ConsoleURL  string // under which browsers reach the console, without a path; may be empty
}

// Tokens finds out who presents a token.
type Tokens interface {
	// AuthenticateToken returns the identity that a token belongs to, and false if it is unknown.
	AuthenticateToken(ctx context.Context, token string) (operator.Identity, bool, error)
	// Current returns an operator or a token as it is now, and false when it has ended since.
	Current(ctx context.Context, who operator.Identity) (operator.Identity, bool, error)
}

// Request is what an operator asks for, at whichever face.
type Request struct {
	Method string
	Path   string // below Prefix, with its names escaped: "cards/5001/lock"
	Query  url.Values
	Whole  bool // of a list: its first 10,000 items at once, instead of a page

	IfMatch         string // the ETag of the revision that the operator has seen; may be empty
	Reason          string // for the audit
	IdempotencyKeys []string
	Length          int64 // of the body, where it is known

	Who     operator.Identity
	Address string // of the client
	ID      string
	Sender  Sender
}

// Sender is the other end of a request, and the line of the request in the log. A web.Exchange is
// one.
type Sender interface {
	// ReadBodyOf returns a body of at most so many bytes. It is read once it is known that the
	// operator may send it.
	ReadBodyOf(most int64) ([]byte, error)
	// OpenBody is ReadBodyOf for a body that may be longer than memory.
	OpenBody(most int64) io.Reader
	// WithoutDeadline returns a context that ends when the sender no longer waits.
	WithoutDeadline() context.Context
	Note(slog.Attr)
	Fault(error)
}

// Result is the answer to a request that was done.
type Result struct {
	Status   int
	Value    any           // as package client/admin has it; nil for none
	Raw      *web.Response // in place of Value: a download, or the answer to an earlier request
	Revision int           // of Value; 0 for none
	Location string        // of what was made
	Changes  []wire.Change // of a dry run, otherwise nil
	// NeedsOther says of a dry run that a second operator has to confirm the act.
	NeedsOther bool
	Replayed   bool // Raw was the answer to an earlier request with the same key

	text []byte // Value as JSON, where it was needed before
}

// Do does what a request asks for. What it refuses is a *web.Problem with its detail, and in the
// audit; any other error is an internal one, or one of the sender's body.
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

// find returns the row of a request and its parameters. Without one it returns the methods that the
// path has, nil for none.
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

// operatorOf is who acts, by a request: its address, its identifier and its reason.
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
	return Result{}, c.explained(err)
}

// checked is the order of all checks, the same for every row: right, place, body, query, dry run,
// idempotency. Behind them run goes on with If-Match and the act.
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
	case key != "" && !c.row.confirms: // an approval is given once without a key
		return d.once(ctx, c, key)
	}
	return c.runOrAsk(ctx)
}

// readBody reads the body of a row that has one. Of those that are kept in memory until they are
// stored one is read at a time: the others wait until it is released.
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

// idempotencyKey returns the key under which the request is done once, empty for none.
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

// runOrAsk is run for an act that may need a second operator. One that does is kept as it was sent,
// until another operator approves it: the error is then the problem needs-approval.
func (c *call) runOrAsk(ctx context.Context) (Result, error) {
	result, err := c.run(ctx)
	if errors.Is(err, issuing.ErrNeedsApproval) {
		err = c.askApproval(ctx)
	}
	return result, err
}

// run is the end of every way to an act: what the body asks for, If-Match, the act.
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

// explained returns a problem with its detail. Any other error stays as it is.
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
