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

// row is a page, or what its form does.
type row struct {
	method   string
	path     string // below Prefix, with parameters in braces
	section  string // the entry of the navigation that it belongs to
	template string // of the page; a file of templates
	public   bool   // needs nobody signed in
	leaves   bool   // redirects to another page, so the contents of the frame are not read
	again    bool   // shows its form, filled in, when asked to
	answer   handler
}

// handler makes the answer to a visit.
type handler func(ctx context.Context, v *visit) (web.Response, error)

// page is a row that shows something. Show returns what the template shows as .Data. A filter that
// show has refused is .Problem.
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

// form is two rows: a page with a form, and what the form does. Do returns where the operator is
// led then. Where the interface refuses, the page is shown again: the problem is .Problem, what was
// typed is .Typed.
func form[D any](
	path, section, template string, show func(context.Context, *visit) (D, error),
	do func(context.Context, *visit) (outcome, error),
) []row {
	shown := page(path, section, template, show)
	done := shown
	done.method, done.again = http.MethodPost, true
	done.answer = func(ctx context.Context, v *visit) (web.Response, error) {
		if v.form.Has(againField) {
			v.Told = "The session had ended: nothing of this form was carried out. Check what you " +
				"entered, and send it."
			for _, name := range v.form[leftOutField] {
				v.leftOut[name] = capital(name)
			}
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

// showAgain shows a form that was sent, filled in as it was.
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

// toApproval leads to the approval that an act waits for.
func (v *visit) toApproval(p *wire.Problem) web.Response {
	return v.redirect(v.To("approvals/" + itoa(p.ApprovalID)))
}

// shownAgain reports whether a problem is shown above the form that was refused.
func shownAgain(p *wire.Problem) bool {
	kinds := []string{wire.Invalid, wire.Conflict, wire.Stale, wire.TooMany}
	return slices.Contains(kinds, p.Name())
}

// outcome is what becomes of a form: the operator is led to another page, or sees a page that
// cannot be opened again, such as one with a secret.
type outcome struct {
	to       string
	template string
	data     any
}

// lead leads to a path of the console.
func lead(to string) outcome { return outcome{to: to} }

// once shows a page in answer to the form itself. It is gone when it is loaded again. The template
// is checked when the console is made only where a row names it, too.
func once[D any](template string, data D) outcome {
	return outcome{template: template, data: data}
}

func (o outcome) answer(ctx context.Context, v *visit) (web.Response, error) {
	if o.template == "" {
		return v.redirect(o.to), nil
	}
	return v.render(ctx, http.StatusOK, o.template, o.data)
}

// button is a row for a form without a page of its own, such as one that signs out. What the
// interface refuses is shown as a page.
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

// download is a row that answers with a file of the operators' interface.
func download(path string, read func(context.Context, *visit) (web.Response, error)) row {
	return row{method: http.MethodGet, path: path, answer: read}
}

// find returns the row of a request and its parameters, nil where there is none.
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

// rowAt returns the row of a page, whose path is known.
func (c *Console) rowAt(path string) *row {
	return &c.rows[slices.IndexFunc(c.rows, func(r row) bool {
		return r.path == path && r.method == http.MethodGet
	})]
}

// redirected leads a browser to another page. The browser asks for it by GET.
func redirected(x *web.Exchange, to string) web.Response {
	x.Header.Set("Location", (&url.URL{Path: to}).String())
	return web.Response{Status: http.StatusSeeOther, ContentType: htmlType}
}
