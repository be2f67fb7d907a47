package app

import (
	"net/http"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/admin"
	"mintmark/internal/console"
	"mintmark/internal/operator"
	"mintmark/internal/signin"
	"mintmark/internal/web"
)

// withConsole serves the pages of operators beside the rest of the admin address. They ask the
// operators' interface, in the same process.
func (a *App) withConsole(operators, rest http.Handler) http.Handler {
	host := web.NewHost(a.Log, a.requestIDs("request identifiers of pages"), web.Settings{
		BodyLimit: console.MaxBodyBytes, BodyTimeout: a.Limits.BodyTimeout,
		AnswerTimeout: a.Limits.AnswerTimeout, TrustedProxies: a.TrustedProxies,
		Secure: a.TLSCert != "",
	})
	sessions := signin.NewSessions(a.people)
	settings := console.Settings{
		Sessions: sessions, Operators: a.people, Clock: a.Clock,
		About: console.About{Sandbox: a.Sandbox, Node: a.node, Version: Version().Version},
		Client: func(who operator.Identity, x *web.Exchange) *wire.Client {
			return admin.InProcess(operators, who, x)
		},
	}
	if provider := a.openID(); provider != nil {
		settings.OpenID = provider
	}
	face := console.New(settings)
	failed := func(w http.ResponseWriter, r *http.Request, err error) {
		host.Refuse(face, w, r, err)
	}
	pages := sessions.Handler(host.Handler(face), failed)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path+"/" == console.Prefix || strings.HasPrefix(r.URL.Path, console.Prefix) {
			pages.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}
