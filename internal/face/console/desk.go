package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

// Desk carries out the requests of operators and checks their rights. Package admin implements it.
type Desk interface {
	Do(ctx context.Context, r admin.Request) (admin.Result, error)
	Frame(ctx context.Context, who operator.Identity) (admin.Frame, error)
}

// do sends a request of the operator to the desk. A refusal, and an act that waits for approval, is
// a *wire.Problem.
func (v *visit) do(ctx context.Context, r admin.Request) (admin.Result, error) {
	r.Who, r.Address, r.ID = v.who, v.exchange.Client, v.exchange.ID
	if r.Sender == nil {
		r.Sender = sender{Exchange: v.exchange}
	}
	result, err := v.console.Desk.Do(ctx, r)
	if err != nil {
		err = refusalOf(err)
		v.WasSent, v.Sent = result.Replayed, v.createdAt(result.Location)
		if !r.Whole && v.unsort(err) {
			r.Query.Del("sort")
			return v.do(ctx, r)
		}
		return result, err
	}
	if raw := result.Raw; raw != nil && raw.ContentType == web.ProblemType {
		refusal := &wire.Problem{} // replayed for the same idempotency key
		if err := json.Unmarshal(raw.Body, refusal); err != nil {
			return result, err
		}
		return result, refusal
	}
	return result, nil
}

// createdAt returns the address of the page of a created resource or approval, empty without one.
func (v *visit) createdAt(location string) string {
	path := strings.TrimPrefix(location, wire.Prefix)
	segments := web.Segments(path)
	if _, fits := web.Match("approvals/{id}", segments); fits {
		return v.To(path)
	}
	for _, p := range described() {
		if params, fits := web.Match(p.Item, segments); fits {
			path, err := v.fill(p.item, params)
			if err != nil {
				return ""
			}
			return v.To(path)
		}
	}
	return ""
}

// unsort removes the sort from the page's address if a refusal says that the list cannot be sorted
// that way. It reports whether it did.
func (v *visit) unsort(refusal error) bool {
	refused := (*wire.Problem)(nil)
	if !errors.As(refusal, &refused) || len(refused.Errors) != 1 {
		return false
	}
	why, ok := strings.CutPrefix(refused.Errors[0].Detail, "the parameter sort ")
	if !ok {
		return false
	}
	v.Unsorted = why
	v.query.Del("sort")
	v.address = &url.URL{
		Path: v.address.Path, RawPath: v.address.RawPath, RawQuery: v.query.Encode(),
	}
	return true
}

// sender is the browser's exchange with a body that was built from its form.
type sender struct {
	*web.Exchange
	body []byte
}

// ReadBodyOf returns the body.
func (s sender) ReadBodyOf(most int64) ([]byte, error) {
	if int64(len(s.body)) > most {
		return nil, web.ErrBodyTooLarge
	}
	return s.body, nil
}

// OpenBody returns a reader of the body.
func (s sender) OpenBody(int64) io.Reader { return bytes.NewReader(s.body) }

// refusalOf converts an error of the desk to a problem that pages can show. It returns any other
// error unchanged.
func refusalOf(err error) error {
	p := (*web.Problem)(nil)
	switch {
	case errors.As(err, &p):
	case errors.Is(err, web.ErrBodyTooLarge):
		return tooLarge("The file is larger than is allowed here.")
	default:
		return err
	}
	refusal := &wire.Problem{
		Type: p.Type, Title: p.Title, Status: p.Status, Detail: p.Detail, RequestID: p.RequestID,
		Code: p.Code, ApprovalID: p.ApprovalID, RetryAfterSeconds: int(p.RetryAfter.Seconds()),
	}
	for _, bodyError := range p.Errors {
		refusal.Errors = append(refusal.Errors, wire.MemberError(bodyError))
	}
	return refusal
}

func tooLarge(detail string) *wire.Problem {
	return &wire.Problem{
		Type: "/problems/" + wire.TooLarge, Status: http.StatusRequestEntityTooLarge,
		Title: "Too large", Detail: detail,
	}
}

// read reads one resource.
func read[A any](ctx context.Context, v *visit, path string) (A, error) {
	return valueOf[A](v.do(ctx, admin.Request{Method: http.MethodGet, Path: path}))
}

// readPage reads one page of a list.
func readPage[A any](
	ctx context.Context, v *visit, path string, query url.Values,
) (wire.List[A], error) {
	return valueOf[wire.List[A]](v.do(ctx, admin.Request{
		Method: http.MethodGet, Path: path, Query: query,
	}))
}

// valueOf returns the value of a result as an A.
func valueOf[A any](result admin.Result, err error) (A, error) {
	value, ok := result.Value.(A)
	if err != nil || ok {
		return value, err
	}
	decoded, err := decode(result, reflect.TypeFor[A]())
	value, _ = decoded.(A)
	return value, err
}

// decode decodes a result's JSON into a type: a list whose items were read by member name, or the
// stored response to an earlier request.
func decode(result admin.Result, t reflect.Type) (any, error) {
	value := reflect.New(t)
	response, err := result.Response()
	if err == nil && len(response.Body) > 0 {
		err = json.Unmarshal(response.Body, value.Interface())
	}
	if err != nil {
		return nil, fmt.Errorf("read %v: %w", t, err)
	}
	return value.Elem().Interface(), nil
}

// create creates a resource, once even if the form is sent again.
func create[A any](ctx context.Context, v *visit, path string, body any) (A, error) {
	r := admin.Request{Method: http.MethodPost, Path: path}
	if key := v.typed("once"); key != "" {
		r.IdempotencyKeys = []string{key}
	}
	return valueOf[A](v.change(ctx, r, body))
}

// act performs an act on the revision that the operator saw.
func act[A any](ctx context.Context, v *visit, path string, body any) (A, error) {
	return valueOf[A](v.change(ctx, v.changeRequest(http.MethodPost, path), body))
}

// mergePatch sends a merge patch for the revision that the operator saw.
func patch[A any](ctx context.Context, v *visit, path string, body any) (A, error) {
	return valueOf[A](v.change(ctx, v.changeRequest(http.MethodPatch, path), body))
}

// changeRequest returns a request to change the revision that the form was filled in for.
func (v *visit) changeRequest(method, path string) admin.Request {
	return admin.Request{Method: method, Path: path, IfMatch: tagOf(v.revision())}
}

// tagOf returns the ETag of a revision, empty for 0.
func tagOf(revision int) string {
	if revision == 0 {
		return ""
	}
	return strconv.Quote(itoa(revision))
}

// change sends a change with the form's reason and a JSON body, or none if body is nil.
func (v *visit) change(ctx context.Context, r admin.Request, body any) (admin.Result, error) {
	if r.Reason == "" {
		r.Reason = strings.Join(strings.Fields(v.typed("reason")), " ")
	}
	var text []byte
	if body != nil {
		var err error
		text, err = json.Marshal(body)
		if err != nil {
			return admin.Result{}, err
		}
	}
	r.Sender = sender{v.exchange, text}
	return v.do(ctx, r)
}
