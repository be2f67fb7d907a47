package app

import (
	"net/http"

	"mintmark/internal/base/version"
	"mintmark/internal/face/console"
	"mintmark/internal/face/signin"
)

// console returns the pages for operators, on top of the desk of their interface.
func (a *App) console(desk console.Desk) http.Handler {
	host := a.newHost("request identifiers of pages", console.MaxBodyBytes)
	sessions := signin.NewSessions(a.people)
	settings := console.Settings{
		Sessions: sessions, Operators: a.people, Desk: desk, Clock: a.Clock,
		About: console.About{Sandbox: a.Sandbox, Node: a.node, Version: version.Current().Version},
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
