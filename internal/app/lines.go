package app

import "mintmark/internal/base/version"

// logStarted logs the start and every accepted weakness.
func (a *App) logStarted() {
	built := version.Current()
	a.Log.Info("started", "version", built.Version, "commit", built.Commit, "listen", a.URL(),
		"adminListen", a.AdminURL(), "store", a.Location().Engine(), "data", a.Data,
		"environment", a.installation.Environment)
	a.warn(a.Settings)
}

// warn logs every weakness that settings accept.
func (a *App) warn(accepting Settings) {
	for _, text := range accepting.Warnings {
		a.Log.Warn("insecure", "what", text)
	}
	for _, path := range accepting.Location().Accepted() {
		a.Log.Warn("insecure", "what", path+" can be accessed by users other than its owner")
	}
}

func (a *App) sayStopped(err error) {
	if err != nil {
		a.Log.Error("stopped", "error", err)
		return
	}
	a.Log.Info("stopped")
}
