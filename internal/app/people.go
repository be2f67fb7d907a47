package app

import (
	"net"
	"strings"

	"mintmark/internal/issuing/auth"
)

// openPeople opens the operators. Authenticator apps show them the name of the environment.
func (a *App) openPeople() *auth.Operators {
	if a.sandbox == nil {
		return auth.NewOperators(a.store, a.vault, "Mintmark")
	}
	people := auth.NewOperators(a.store, a.vault, "Mintmark sandbox")
	people.AgeSessions(a.Clock.Engine)
	return people
}

// Console returns the address of the console according to the settings.
func (s Settings) Console() string { return s.withDefaults().ConsoleURL }

// consoleURL returns the address of the console. Without a setting it is the operators' address,
// unless the system chooses the port.
func (s Settings) consoleURL() string {
	_, port, err := net.SplitHostPort(s.AdminListen)
	if s.ConsoleURL != "" || err != nil || port == "0" {
		return strings.TrimRight(s.ConsoleURL, "/")
	}
	if s.TLSCert != "" && !OnLoopback(s.AdminListen) {
		return "https://" + s.AdminListen
	}
	return "http://" + s.AdminListen
}
