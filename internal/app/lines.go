package app

import (
	"mintmark/internal/base/version"
	"mintmark/internal/vault"
)

// sayStarted logs the start and every accepted weakness.
func (a *App) sayStarted() {
	built := version.Current()
	a.Log.Info("started", "version", built.Version, "commit", built.Commit, "listen", a.URL(),
		"adminListen", a.AdminURL(), "store", a.Location().Engine(), "data", a.Data,
		"environment", a.installation.Environment)
	a.warn(a.Warnings)
	if !a.Insecure {
		return
	}
	for _, path := range vault.Exposed(a.Data) {
		a.Log.Warn("insecure", "what", path+" can be accessed by users other than its owner")
	}
}

func (a *App) warn(warnings []string) {
	for _, text := range warnings {
		a.Log.Warn("insecure", "what", text)
	}
}

func (a *App) sayStopped(err error) {
	if err != nil {
		a.Log.Error("stopped", "error", err)
		return
	}
	a.Log.Info("stopped")
}
