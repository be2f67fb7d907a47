package app

import (
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// publicURL is how callers reach the service, for a reader on the operators' address. When the
// server listens on all addresses of its machine, it is the host name that the reader used.
func (a *App) publicURL(r *http.Request) string {
	if known := a.inForce.Load().PublicURL; known != "" {
		return known
	}
	listening, ok := a.public.listener.Addr().(*net.TCPAddr)
	used := &url.URL{Host: r.Host}
	if !ok || !listening.IP.IsUnspecified() || !plainHost.MatchString(used.Hostname()) {
		return a.URL()
	}
	port := strconv.Itoa(listening.Port)
	return a.public.scheme + "://" + net.JoinHostPort(used.Hostname(), port)
}

// plainHost matches a host name or address. No other character of a Host header may get into the
// policy.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9.:-]+$`)
