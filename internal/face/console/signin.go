package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/signin"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/auth"
)

func (c *Console) signInRows() []row {
	const path = "sign-in"
	public := func(method, path, template string, answer handler) row {
		return row{method: method, path: path, template: template, public: true, answer: answer}
	}
	return []row{
		public(http.MethodGet, path, "signin",
			func(_ context.Context, v *visit) (web.Response, error) {
				return c.signInPage(http.StatusOK, v, nil)
			}),
		public(http.MethodPost, path, "signin", c.signIn),
		public(http.MethodGet, path+"/begin", "", c.beginOpenID),
		public(http.MethodGet, path+"/openid", "signedin", c.finishOpenID),
		public(http.MethodGet, "invitation/{link}", "invitation", c.invitation),
		public(http.MethodPost, "invitation/{link}", "invitation", c.accept),
		public(http.MethodGet, "invitation/{link}/code.png", "", c.codeImage),
		button("sign-out", c.signOut),
	}
}

// signInData is the sign-in page.
type signInData struct {
	To     string // page that the operator requested
	Name   string // as typed
	OpenID bool   // there is a provider, and passwords are for when it cannot be reached
	Lost   bool   // a form was sent after the session had ended
	Kept   string // values of that form
}

func (c *Console) signInPage(status int, v *visit, p *wire.Problem) (web.Response, error) {
	data := signInData{To: within(v.query.Get("to")), OpenID: c.OpenID != nil}
	data.Lost = v.query.Get("lost") != ""
	if v.form != nil {
		data.Name, data.Kept = v.typed("name"), v.form.Get("kept")
	}
	return c.renderBare(status, "signin", bare{Title: "Sign in", Problem: p, Data: data})
}

func (c *Console) signIn(ctx context.Context, v *visit) (web.Response, error) {
	who, err := c.Operators.SignIn(ctx, auth.SignInRequest{
		Name: v.typed("name"), Password: secret.New(v.form.Get("password")),
		Code: v.typed("code"), Device: v.device(), From: v.from(),
	})
	v.form.Del("password")
	if status, p := refusedSignIn(v, err); p != nil {
		return c.signInPage(status, v, p)
	}
	if err != nil {
		return web.Response{}, err
	}
	known := c.Operators.Knows(v.device(), who.ID)
	if err := v.begin(ctx, who); err != nil {
		return web.Response{}, err
	}
	to := within(v.query.Get("to"))
	kept, err := url.ParseQuery(v.form.Get("kept"))
	if err != nil || len(kept) == 0 || !known {
		return v.redirect(to), nil
	}
	return c.renderBare(http.StatusOK, "kept", bare{Title: "Signed in", Data: keptForm{to, typedFields(kept)}})
}

// refusedSignIn returns the problem to show for a rejected sign-in, nil for any other error. It
// does not disclose whether the name or the password was wrong.
func refusedSignIn(v *visit, err error) (status int, p *wire.Problem) {
	many := (*auth.TooManyError)(nil)
	switch {
	case errors.As(err, &many):
		seconds := int((many.RetryAfter + time.Second - 1) / time.Second)
		v.exchange.Header.Set("Retry-After", itoa(seconds))
		return http.StatusTooManyRequests, &wire.Problem{
			Title:  "Too many failed attempts",
			Detail: "Try again in " + span(many.RetryAfter+time.Minute) + ".",
		}
	case errors.Is(err, auth.ErrSignIn):
		return http.StatusUnauthorized, &wire.Problem{
			Title:  "Not signed in",
			Detail: "Name, password or code is wrong. This attempt was logged.",
		}
	}
	return 0, nil
}

func (c *Console) signOut(ctx context.Context, v *visit) (outcome, error) {
	return redirectTo(signInPath), c.Sessions.End(ctx, v.from())
}

// beginOpenID redirects the browser to the provider.
func (c *Console) beginOpenID(_ context.Context, v *visit) (web.Response, error) {
	if c.OpenID == nil {
		return web.Response{}, notFound()
	}
	sent := &headers{header: v.exchange.Header, status: http.StatusOK}
	err := c.OpenID.Begin(sent, v.exchange.Request, within(v.query.Get("to")))
	if errors.Is(err, signin.ErrOpenID) {
		v.exchange.Fault(err)
		return c.signInPage(http.StatusServiceUnavailable, v, openIDProblem())
	}
	return web.Response{Status: sent.status, ContentType: htmlType}, err
}

func openIDProblem() *wire.Problem {
	return &wire.Problem{
		Title:  "Single sign-on has failed",
		Detail: "The log of this node says why. Try again, or use the break-glass account.",
	}
}

// finishOpenID handles the browser's return from the provider. It responds with a page that
// proceeds automatically: browsers send the session cookie only with a navigation that began on
// this site.
func (c *Console) finishOpenID(ctx context.Context, v *visit) (web.Response, error) {
	if c.OpenID == nil {
		return web.Response{}, notFound()
	}
	sent := &headers{header: v.exchange.Header}
	claimed, next, err := c.OpenID.Finish(sent, v.exchange.Request, v.from())
	var who operator.Identity
	if err == nil {
		who, err = c.Operators.SignInClaimed(ctx, claimed)
	}
	if err == nil {
		err = c.Sessions.Begin(ctx, who)
	}
	switch {
	case errors.Is(err, auth.ErrSignIn):
		return c.signInPage(http.StatusForbidden, v, &wire.Problem{
			Title:  "Not signed in",
			Detail: "The provider gives you no role here. This attempt was logged.",
		})
	case errors.Is(err, signin.ErrOpenID):
		v.exchange.Fault(err)
		return c.signInPage(http.StatusBadGateway, v, openIDProblem())
	case err != nil:
		return web.Response{}, err
	}
	return c.renderBare(http.StatusOK, "signedin",
		bare{Title: "Signed in", Next: within(next), Data: who.Name})
}
