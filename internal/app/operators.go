package app

import (
	"net/http"
	"strings"

	"mintmark/internal/base/version"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/store"
)

// withOperators serves the operators' interface beside the other pages of the admin address.
func (a *App) withOperators(pages http.Handler) http.Handler {
	environment := store.Production
	if a.Sandbox {
		environment = store.Sandbox
	}
	a.adminHost = a.newHost("request identifiers of acts",
		a.inForce.Load().ofOperators())
	face := a.adminHost.Handler(admin.New(a.service, a.people, admin.About{
		Environment: string(environment), Node: a.node, Version: version.Current().Version,
		ConsoleURL: a.ConsoleURL, Spool: a.Data,
	}))
	pages = a.withConsole(face, pages)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, admin.Prefix) {
			face.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// ofOperators are the settings of the operators' interface that can change while it serves.
func (s Settings) ofOperators() web.Settings {
	settings := s.web()
	settings.BodyLimit = admin.MaxBodyBytes
	return settings
}
