package app

import (
	"net/http"
	"strings"

	"mintmark/internal/sandbox"
	"mintmark/internal/web"
)

// environmentHeader names the environment in every answer of a sandbox.
const environmentHeader = "Mintmark-Environment"

// withSandbox serves the controls of a sandbox beside the other pages of the admin address.
// Production has none.
func (a *App) withSandbox(pages http.Handler) http.Handler {
	if !a.Sandbox {
		return pages
	}
	host := a.newHost("request identifiers of controls", web.Settings{
		BodyLimit: sandbox.MaxBodyBytes, BodyTimeout: a.Limits.BodyTimeout,
		AnswerTimeout: a.Limits.AnswerTimeout,
	})
	controls := host.Handler(sandbox.New(a.controls()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, sandbox.Prefix) {
			controls.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// controls are the parts of this sandbox that can be moved from outside.
func (a *App) controls() *sandbox.Controls {
	return &sandbox.Controls{
		Service: a.service, Store: a.store, Clock: a.Clock, Chance: a.chance,
		Processor: a.port.(inProcess).Port,
		About: sandbox.About{
			URL: a.URL, AdminURL: a.AdminURL, Persistent: a.Data != "", Seed: a.Seed,
			Version: Version().Version, PinKeyPEM: a.vault.PublicPinKeyPEM,
		},
	}
}

// named has every answer say that it comes from a sandbox.
func named(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(environmentHeader, "sandbox")
		next.ServeHTTP(w, r)
	})
}
