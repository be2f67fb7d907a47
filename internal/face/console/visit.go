package console

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
)

// visit is a request of a browser on its way to its page.
type visit struct {
	*frame
	console  *Console
	exchange *web.Exchange
	row      *row
	params   map[string]string
	query    url.Values
	form     url.Values        // of a POST
	files    map[string][]byte // of a POST
	who      operator.Identity
	api      *wire.Client // acts for the operator
}

// param returns a parameter of the path, ready to stand in a path of the interface.
func (v *visit) param(name string) string { return url.PathEscape(v.params[name]) }

// number returns a parameter of the path that is a number. Any other names nothing.
func (v *visit) number(name string) (int, error) {
	number, err := strconv.Atoi(v.params[name])
	if err != nil || number < 1 {
		return 0, notFound()
	}
	return number, nil
}

// typed returns a field of the form, without the spaces around it.
func (v *visit) typed(name string) string { return strings.TrimSpace(v.form.Get(name)) }

// revision is the field of that name in a form: the state that the operator has seen.
func (v *visit) revision() int {
	number, err := strconv.Atoi(v.form.Get("revision"))
	if err != nil {
		return 0
	}
	return number
}

// readForm reads what a browser sends by POST, with or without files.
func (v *visit) readForm() error {
	if v.row.method != http.MethodPost {
		return nil
	}
	body, err := v.exchange.ReadBody()
	if err != nil {
		return err
	}
	kind, params, err := mime.ParseMediaType(v.exchange.Request.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return web.ErrBodyUnreadable
	case kind == "application/x-www-form-urlencoded":
		v.form, err = url.ParseQuery(string(body))
		if err != nil {
			return web.ErrBodyUnreadable
		}
		return nil
	case kind != "multipart/form-data":
		return web.ErrBodyUnreadable
	}
	v.form, v.files = url.Values{}, map[string][]byte{}
	parts := multipart.NewReader(strings.NewReader(string(body)), params["boundary"])
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return web.ErrBodyUnreadable
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return web.ErrBodyUnreadable
		}
		if part.FileName() != "" {
			v.files[part.FormName()] = content
			continue
		}
		v.form.Add(part.FormName(), string(content))
	}
}

// leadTo leads the browser to an address within the console.
func (v *visit) leadTo(to string) web.Response {
	v.exchange.Header.Set("Location", to)
	return web.Response{Status: http.StatusSeeOther, ContentType: htmlType}
}

// now is the business time.
func (v *visit) now() time.Time { return v.console.Clock.Now() }

// all returns the items of the first pages of a list, at most 1,000: for choices of a form.
func all[T any](ctx context.Context, v *visit, path string, query url.Values) ([]T, error) {
	const most = 1000
	asked := url.Values{"limit": {"200"}}
	for name, values := range query {
		asked[name] = values
	}
	var items []T
	for {
		page, err := wire.Page[T](ctx, v.api, path, asked)
		if err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if page.Next == "" || len(items) >= most {
			return items, nil
		}
		asked.Set("cursor", page.Next)
	}
}

// filter copies members of the query of a page that its list understands, under the same names.
func (v *visit) filter(names ...string) url.Values {
	asked := url.Values{}
	for _, name := range append(names, "cursor") {
		if value := strings.TrimSpace(v.query.Get(name)); value != "" {
			asked.Set(name, value)
		}
	}
	return asked
}

// send asks the interface for a change and decodes the resource it answers with.
func send[A any](ctx context.Context, v *visit, r wire.Request) (A, error) {
	return wire.Do[A](ctx, v.api, r)
}

// ask is send for an answer whose type is known to its operation. It returns nil for an operation
// that answers with nothing.
func (v *visit) ask(ctx context.Context, reply reflect.Type, r wire.Request) (any, error) {
	answer, err := v.api.Send(ctx, r)
	if err != nil || reply == nil || len(answer.Body) == 0 {
		return nil, err
	}
	value := reflect.New(reply)
	if err := json.Unmarshal(answer.Body, value.Interface()); err != nil {
		return nil, err
	}
	return value.Elem().Interface(), nil
}

// changes returns what a request would change, by a dry run.
func (v *visit) changes(ctx context.Context, r wire.Request) ([]wire.Change, error) {
	r.DryRun = true
	answer, err := wire.Do[wire.DryRun](ctx, v.api, r)
	return answer.Changes, err
}

// ofProgram returns the path of a resource of the program of the page.
func (v *visit) ofProgram(below string) (string, error) {
	if v.Program == nil {
		return "", notFound()
	}
	return "programs/" + itoa(v.Program.ID) + "/" + below, nil
}

// programFlag is how a command names the program of the page.
func (v *visit) programFlag() string {
	if v.Program == nil {
		return ""
	}
	return "--program " + itoa(v.Program.ID)
}
