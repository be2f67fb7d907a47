package app

import (
	"mintmark/internal/base/version"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/store"
)

// operatorsFace is the operators' interface.
func (a *App) operatorsFace() *admin.Face {
	environment := store.Production
	if a.Sandbox {
		environment = store.Sandbox
	}
	a.adminHost = a.newHost("request identifiers of acts", a.inForce.Load().ofOperators())
	return admin.New(a.service, a.people, admin.About{
		Environment: string(environment), Node: a.node, Version: version.Current().Version,
		ConsoleURL: a.ConsoleURL, Spool: a.Data,
	})
}

// ofOperators are the settings of the operators' interface that can change while it serves.
func (s Settings) ofOperators() web.Settings {
	settings := s.web()
	settings.BodyLimit = admin.MaxBodyBytes
	return settings
}
