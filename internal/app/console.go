package app

import (
	"net/http"

	wire "mintmark/client/admin"
	"mintmark/internal/base/version"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/console"
	"mintmark/internal/face/signin"
	"mintmark/internal/face/web"
)

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
	if a.sandbox != nil {
		settings.Sandbox = a.sandbox.Pages()
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
