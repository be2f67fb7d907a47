package app

import (
	"net"
	"strings"

	"mintmark/internal/issuing/auth"
)

// openPeople returns who may run the service. Authenticator apps name it by its environment.
func (a *App) openPeople() *auth.Operators {
	if a.sandbox == nil {
		return auth.NewOperators(a.store, a.vault, "Mintmark")
	}
	people := auth.NewOperators(a.store, a.vault, "Mintmark sandbox")
	people.AgeSessions(a.Clock.Engine)
	return people
}

// Console is the address of the console, as the settings name it.
func (s Settings) Console() string { return s.withDefaults().ConsoleURL }

// consoleURL is the address of the console. Without a setting it is the operators' address, unless
// the system chooses the port.
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
