package app

import (
	"mintmark/internal/base/version"
	"mintmark/internal/face/admin"
	"mintmark/internal/store"
)

// operatorsDesk returns the desk, which carries out what operators request at their interface and
// at the console.
func (a *App) operatorsDesk() *admin.Desk {
	environment := store.Production
	if a.Sandbox {
		environment = store.Sandbox
	}
	a.adminHost = a.newHost("request identifiers of acts", admin.MaxBodyBytes)
	return admin.NewDesk(a.service, a.people, admin.About{
		Environment: string(environment), Node: a.node, Version: version.Current().Version,
		ConsoleURL: a.ConsoleURL, Spool: a.Data,
	})
}
