package app

import (
	"mintmark/internal/base/version"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
	"mintmark/internal/store"
)

// operatorsDesk does what operators ask for at their interface and at the console.
func (a *App) operatorsDesk() *admin.Desk {
	environment := store.Production
	if a.Sandbox {
		environment = store.Sandbox
	}
	a.adminHost = a.newHost("request identifiers of acts", a.inForce.Load().operatorSettings())
	return admin.NewDesk(a.service, a.people, admin.About{
		Environment: string(environment), Node: a.node, Version: version.Current().Version,
		ConsoleURL: a.ConsoleURL, Spool: a.Data,
	})
}

// operatorSettings are the settings of the operators' interface that can change while it serves.
func (s Settings) operatorSettings() web.Settings {
	settings := s.web()
	settings.BodyLimit = admin.MaxBodyBytes
	return settings
}
