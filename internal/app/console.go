package app

import (
	"net/http"
	"strings"
	"sync"

	wire "mintmark/client/admin"
	controls "mintmark/client/sandbox"
	"mintmark/internal/base/version"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/api"
	"mintmark/internal/face/console"
	"mintmark/internal/face/signin"
	"mintmark/internal/face/web"
)

// withConsole serves the pages of operators beside the rest of the admin address. They are made
// when somebody first asks: to read them takes longer than to start a sandbox for a test.
func (a *App) withConsole(operators, rest http.Handler) http.Handler {
	pages := sync.OnceValue(func() http.Handler { return a.console(operators) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path+"/" == console.Prefix || strings.HasPrefix(r.URL.Path, console.Prefix) {
			pages().ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// console returns the pages of operators, which ask their interface, in the same process.
func (a *App) console(operators http.Handler) http.Handler {
	host := a.newHost("request identifiers of pages", web.Settings{
		BodyLimit: console.MaxBodyBytes, BodyTimeout: a.Limits.BodyTimeout,
		AnswerTimeout: a.Limits.AnswerTimeout, TrustedProxies: a.TrustedProxies,
		Secure: a.TLSCert != "",
	})
	sessions := signin.NewSessions(a.people)
	settings := console.Settings{
		Sessions: sessions, Operators: a.people, Clock: a.Clock,
		About: console.About{Sandbox: a.Sandbox, Node: a.node, Version: version.Current().Version},
		Client: func(who operator.Identity, x *web.Exchange) *wire.Client {
			return admin.InProcess(operators, who, x)
		},
	}
	if a.Sandbox {
		settings.Sandbox = a.sandboxPages()
	}
	if provider := a.openID(); provider != nil {
		settings.OpenID = provider
	}
	face := console.New(settings)
	failed := func(w http.ResponseWriter, r *http.Request, err error) {
		host.Refuse(face, w, r, err)
	}
	return sessions.Handler(host.Handler(face), failed)
}

// sandboxPages are what the pages of a sandbox ask: its controls, in the same process.
func (a *App) sandboxPages() *console.Sandbox {
	pages := &console.Sandbox{
		Client: func(x *web.Exchange) *controls.Client {
			inside := web.InProcess{Handler: a.controlFace, Browser: x}
			return controls.Over(inside, "http://"+x.Request.Host)
		},
	}
	for _, one := range api.Operations() {
		pages.Routes = append(pages.Routes, one.Path)
	}
	return pages
}
