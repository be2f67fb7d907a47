package console

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/face/web"
)

// row is a route of the console: a page, or the submission of its form.
type row struct {
	method   string
	path     string // below Prefix, with parameters in braces
	section  string // its entry in the navigation
	template string // name of the page's template
	public   bool   // requires no sign-in
	leaves   bool   // redirects to another page, so the frame's contents are not read
	again    bool   // shows its form again, filled in, on request
	answer   handler
}

// handler answers a visit.
type handler func(ctx context.Context, v *visit) (web.Response, error)

// page returns the row of a page. Show returns the template's .Data. If it rejects a filter,
// .Problem is set.
func page[D any](
	path, section, template string, show func(context.Context, *visit) (D, error),
) row {
	return row{
		method: http.MethodGet, path: path, section: section, template: template,
		answer: func(ctx context.Context, v *visit) (web.Response, error) {
			data, err := show(ctx, v)
			if err != nil {
				return web.Response{}, err
			}
			status := http.StatusOK
			if v.frame.Problem != nil {
				status = v.frame.Problem.Status
			}
			return v.render(ctx, status, template, data)
		},
	}
}

// backField marks a form that is sent by the review of its changes, to be changed again.
const backField = "back"

// form returns two rows: a page with a form, and the submission of that form. Do returns where the
// operator goes next. If the interface refuses, the page is shown again with the problem as
// .Problem and the submitted values as .Typed.
func form[D any](
	path, section, template string, show func(context.Context, *visit) (D, error),
	do func(context.Context, *visit) (outcome, error),
) []row {
	shown := page(path, section, template, show)
	done := shown
	done.method, done.again = http.MethodPost, true
	done.answer = func(ctx context.Context, v *visit) (web.Response, error) {
		back := v.form.Has(backField)
		v.form.Del(backField)
		if v.form.Has(againField) {
			v.Told = "The session had ended: nothing of this form was carried out. Check what you " +
				"entered, and send it."
			for _, name := range v.form[leftOutField] {
				v.leftOut[name] = capital(name)
			}
			return showAgain(ctx, v, http.StatusOK, template, show)
		}
		if back {
			return showAgain(ctx, v, http.StatusOK, template, show)
		}
		after, err := do(ctx, v)
		if err == nil {
			return after.answer(ctx, v)
		}
		refused := (*wire.Problem)(nil)
		if !errors.As(err, &refused) {
			return web.Response{}, err
		}
		if refused.Name() == wire.NeedsApproval {
			return v.toApproval(refused), nil
		}
		if !shownAgain(refused) {
			return web.Response{}, refused
		}
		v.frame.Problem = refused
		return showAgain(ctx, v, refused.Status, template, show)
	}
	return []row{shown, done}
}

// showAgain shows a form again with the values that were submitted.
func showAgain[D any](
	ctx context.Context, v *visit, status int, template string,
	show func(context.Context, *visit) (D, error),
) (web.Response, error) {
	v.frame.Typed = v.form
	if err := v.openFrame(ctx); err != nil {
		return web.Response{}, err
	}
	data, err := show(ctx, v)
	if err != nil {
		return web.Response{}, err
	}
	if len(v.leftOut) > 0 {
		v.Told += " What may be a card number or a secret was not kept. Fill in again what you " +
			"entered in: " + strings.Join(slices.Sorted(maps.Values(v.leftOut)), "; ") + "."
	}
	return v.render(ctx, status, template, data)
}

// toApproval redirects to the approval that an act waits for.
func (v *visit) toApproval(p *wire.Problem) web.Response {
	return v.redirect(v.To("approvals/" + itoa(p.ApprovalID)))
}

// shownAgain reports whether a problem is shown above the form that caused it.
func shownAgain(p *wire.Problem) bool {
	kinds := []string{wire.Invalid, wire.Conflict, wire.Stale, wire.TooMany, wire.TooLarge}
	return slices.Contains(kinds, p.Name())
}

// outcome is the result of a submitted form: a redirect, or a page that cannot be opened again,
// such as one with a secret.
type outcome struct {
	to       string
	template string
	data     any
}

// redirectTo returns a redirect to a path of the console.
func redirectTo(to string) outcome { return outcome{to: to} }

// once returns a page as the direct response to the form, so that it cannot be loaded again. New
// checks that the template exists only if a row names it too.
func once[D any](template string, data D) outcome {
	return outcome{template: template, data: data}
}

func (o outcome) answer(ctx context.Context, v *visit) (web.Response, error) {
	if o.template == "" {
		return v.redirect(o.to), nil
	}
	return v.render(ctx, http.StatusOK, o.template, o.data)
}

// button returns a row for a form without its own page, such as the one that signs out. A refusal
// is shown as a page.
func button(path string, do func(context.Context, *visit) (outcome, error)) row {
	return row{
		method: http.MethodPost, path: path,
		answer: func(ctx context.Context, v *visit) (web.Response, error) {
			after, err := do(ctx, v)
			refused := (*wire.Problem)(nil)
			if errors.As(err, &refused) && refused.Name() == wire.NeedsApproval {
				return v.toApproval(refused), nil
			}
			if err != nil {
				return web.Response{}, err
			}
			return after.answer(ctx, v)
		},
	}
}

// download returns a row that serves a file of the operators' interface.
func download(path string, read func(context.Context, *visit) (web.Response, error)) row {
	return row{method: http.MethodGet, path: path, answer: read}
}

// find returns the row of a request and its path parameters, nil if there is none.
func (c *Console) find(r *http.Request) (match *row, params map[string]string) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if !strings.HasPrefix(r.URL.Path, Prefix) {
		return nil, nil
	}
	given := web.Segments(strings.TrimPrefix(r.URL.EscapedPath(), Prefix))
	for i := range c.rows {
		if c.rows[i].method != method {
			continue
		}
		if params, fits := web.Match(c.rows[i].path, given); fits {
			return &c.rows[i], params
		}
	}
	return nil, nil
}

// rowAt returns the row of an existing page.
func (c *Console) rowAt(path string) *row {
	return &c.rows[slices.IndexFunc(c.rows, func(r row) bool {
		return r.path == path && r.method == http.MethodGet
	})]
}

// redirected redirects a browser, which then requests the page by GET.
func redirected(x *web.Exchange, to string) web.Response {
	x.Header.Set("Location", (&url.URL{Path: to}).String())
	return web.Response{Status: http.StatusSeeOther, ContentType: htmlType}
}
