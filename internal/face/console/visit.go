package console

import (
	"context"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
)

// visit is a request of a browser while it is answered.
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
}

// param returns a path parameter, escaped for a path of the interface.
func (v *visit) param(name string) string { return url.PathEscape(v.params[name]) }

// typed returns a field of the form without surrounding spaces.
func (v *visit) typed(name string) string { return strings.TrimSpace(v.form.Get(name)) }

// revision returns the form's field revision: that of the object as the operator saw it.
func (v *visit) revision() int { return v.revisionOf("revision") }

// revisionOf is revision for a field with another name.
func (v *visit) revisionOf(field string) int {
	number, err := strconv.Atoi(v.form.Get(field))
	if err != nil {
		return 0
	}
	return number
}

// readForm reads the form in a POST request, with or without files.
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

// redirect redirects the browser to an address of the console.
func (v *visit) redirect(to string) web.Response {
	v.exchange.Header.Set("Location", to)
	return web.Response{Status: http.StatusSeeOther, ContentType: htmlType}
}

// now returns the business time.
func (v *visit) now() time.Time { return v.console.Clock.Now() }

// longPage is the maximum page size of lists.
const longPage = "200"

// all returns up to 1,000 items of a list, read page by page, for the choices of a form.
func all[T any](ctx context.Context, v *visit, path string, query url.Values) ([]T, error) {
	const most = 1000
	q := url.Values{"limit": {longPage}}
	for name, values := range query {
		q[name] = values
	}
	var items []T
	for {
		page, err := readPage[T](ctx, v, path, q)
		if err != nil {
			return nil, err
		}
		items = append(items, page.Items...)
		if page.Next == "" || len(items) >= most {
			return items, nil
		}
		q.Set("cursor", page.Next)
	}
}

// filter returns the page's query parameters with the given names, and its cursor.
func (v *visit) filter(names ...string) url.Values {
	query := url.Values{}
	for _, name := range append(names, "cursor") {
		if value := strings.TrimSpace(v.query.Get(name)); value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// programFlag returns the flag of a command that names the program of the page.
func (v *visit) programFlag() string {
	if v.programID == 0 {
		return ""
	}
	return "--program " + itoa(v.programID)
}
