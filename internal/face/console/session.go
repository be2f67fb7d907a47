package console

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/auth"
)

// Sessions manages the sessions of browsers. Package signin implements it; its Handler wraps the
// console.
type Sessions interface {
	Who(ctx context.Context) (who operator.Identity, open bool, err error)
	Begin(ctx context.Context, who operator.Identity) error
	End(ctx context.Context, from auth.From) error
}

// Operators authenticates operators. Package auth implements it.
type Operators interface {
	SignIn(ctx context.Context, signInRequest auth.SignInRequest) (operator.Identity, error)
	SignInClaimed(ctx context.Context, claimed auth.Claimed) (operator.Identity, error)
	Invitation(ctx context.Context, link secret.Text) (auth.Invitation, error)
	Accept(ctx context.Context, acceptRequest auth.AcceptRequest) (operator.Identity, error)
	NewDevice(operatorID int) (secret.Text, error)
	Knows(device secret.Text, operatorID int) bool
}

// OpenID sends a browser to a provider and handles its return. Package signin implements it.
type OpenID interface {
	Begin(w http.ResponseWriter, r *http.Request, next string) error
	Finish(
		w http.ResponseWriter, r *http.Request, from auth.From,
	) (claimed auth.Claimed, next string, err error)
}

// from returns the origin of a request, for the audit.
func (v *visit) from() auth.From {
	return auth.From{Address: v.exchange.Client, RequestID: v.exchange.ID}
}

const (
	// deviceCookie holds the token that NewDevice of package auth returns.
	deviceCookie = "__Host-mintmark-device"
	deviceLasts  = 90 * 24 * time.Hour
)

// device returns the token in the device cookie, empty without one.
func (v *visit) device() secret.Text {
	cookie, err := v.exchange.Request.Cookie(deviceCookie)
	if err != nil {
		return secret.Text{}
	}
	return secret.New(cookie.Value)
}

// begin begins the session of an operator who just signed in with a password, and marks the browser
// as known.
func (v *visit) begin(ctx context.Context, who operator.Identity) error {
	if err := v.console.Sessions.Begin(ctx, who); err != nil {
		return err
	}
	text, err := v.console.Operators.NewDevice(who.ID)
	if err != nil {
		return err
	}
	cookie := http.Cookie{
		Name: deviceCookie, Value: text.Reveal(), Path: "/", MaxAge: int(deviceLasts.Seconds()),
		Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
	v.exchange.Header.Add("Set-Cookie", cookie.String())
	return nil
}

// signInPath is the path of the sign-in page.
const signInPath = Prefix + "sign-in"

const (
	// againField marks a form that is sent only to be shown again.
	againField = "again"
	// leftOutField lists the fields that were left out of such a form.
	leftOutField = "leftOut"
)

// keptForm is a form that was sent after the session had ended, on its way back to the operator.
type keptForm struct {
	To    string // address of the form
	Typed []typedField
}

// kept returns the values of a form that can be shown again. They travel in hidden fields from page
// to page and are stored nowhere, so they are short and contain no secrets, card numbers or files.
// After the next sign-in, the device cookie shows whether it is the same operator. A sign-in
// through a provider sets no such cookie, so with a provider nothing is kept.
func (v *visit) kept() string {
	const most = 16 << 10 // a sign-in has at most web.DefaultBodyBytes
	length := v.exchange.Request.ContentLength
	if v.console.OpenID != nil || !v.row.again || length < 0 || length > most {
		return ""
	}
	if err := v.readForm(); err != nil {
		return ""
	}
	was, err := url.ParseQuery(v.form.Get(wasField))
	if err != nil {
		return ""
	}
	v.console.leaveOut(was)
	if v.form.Has(wasField) {
		v.form.Set(wasField, was.Encode()) // without card numbers
	}
	if names := v.console.leaveOut(v.form); len(names) > 0 {
		v.form[leftOutField] = names
	}
	return v.form.Encode()
}

// leaveOut removes the fields that must not be carried over to another page, and returns their
// names.
func (c *Console) leaveOut(typed url.Values) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(typed)) {
		if slices.Contains(c.secrets, name) || slices.ContainsFunc(typed[name], pan.MayContain) {
			delete(typed, name)
			names = append(names, name)
		}
	}
	return names
}

// secretNames returns the fields of passwords and codes, and those that a description marks as
// secret.
func secretNames(resources []*admin.Resource) []string {
	names := []string{"password", "code"}
	for _, r := range resources {
		fields := slices.Clone(r.Fields)
		for _, op := range r.Ops() {
			fields = append(fields, op.Fields...)
		}
		for _, f := range fields {
			if f.Secret {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// toSignIn redirects to the sign-in page, which leads back to this one. A form is shown again with
// its values if possible; otherwise they are lost, and the sign-in page says so.
func (v *visit) toSignIn() (web.Response, error) {
	address := &url.URL{Path: signInPath}
	requested, query := v.exchange.Request.URL, url.Values{}
	asks := *v.exchange.Request
	asks.Method = http.MethodGet
	if page, _ := v.console.find(&asks); page != nil && requested.Path != Prefix {
		query.Set("to", requested.RequestURI())
	}
	if v.exchange.Request.Method == http.MethodPost && v.row.path != "sign-out" {
		query.Set("lost", "true")
	}
	if kept := v.kept(); kept != "" {
		v.query, v.form = query, url.Values{"kept": {kept}}
		return v.console.signInPage(http.StatusUnauthorized, v, nil)
	}
	address.RawQuery = query.Encode()
	return v.redirect(address.String()), nil
}

// within returns an address in a request if it is in this console, otherwise the first page.
func within(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host != "" || parsed.Scheme != "" ||
		strings.Contains(parsed.Path, "..") || strings.ContainsAny(address, "\\\r\n") ||
		!strings.HasPrefix(parsed.Path, Prefix) || strings.HasPrefix(parsed.Path, signInPath) {
		return Prefix
	}
	return parsed.RequestURI()
}

// headers is an http.ResponseWriter that records headers and status, and discards the body.
type headers struct {
	header http.Header
	status int
}

func (h *headers) Header() http.Header { return h.header }

func (h *headers) WriteHeader(status int) { h.status = status }

func (h *headers) Write(text []byte) (int, error) { return len(text), nil }
