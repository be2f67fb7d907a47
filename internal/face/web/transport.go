package web

import (
	"net"
	"net/http"
	"strings"
)

// The header that has browsers come back by TLS only, for a year (HSTS).
const (
	hstsName = "Strict-Transport-Security"
	hsts     = "max-age=31536000"
)

// BaseURL is the address under which the client has reached the host, for links in answers.
func (x *Exchange) BaseURL() string {
	if x.Settings.PublicURL != "" {
		return strings.TrimRight(x.Settings.PublicURL, "/")
	}
	scheme := "http"
	if x.overTLS() {
		scheme = "https"
	}
	return scheme + "://" + x.Request.Host
}

// strictTransport sets HSTS where the client has reached the host over TLS.
func (x *Exchange) strictTransport() {
	if x.overTLS() && !isLocal(x.Request.Host) {
		x.Header.Set(hstsName, hsts)
	}
}

// overTLS reports whether the client has reached the host by TLS, here or at a proxy.
func (x *Exchange) overTLS() bool {
	if x.Settings.Secure || len(x.Settings.TrustedProxies) == 0 {
		return x.Settings.Secure
	}
	forwarded := x.Request.Header.Get("X-Forwarded-Proto")
	return strings.EqualFold(forwarded, "https") && x.fromProxy()
}

// StrictTransport sets HSTS on the answers of a handler that stands beside the faces of a host, for
// clients who reach both over TLS.
func StrictTransport(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r.Host) {
			w.Header().Set(hstsName, hsts)
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether a host is reached under the name that each machine has for itself. A
// browser would apply HSTS to every port of localhost, such as the address for operators, and those
// of other programs on the machine.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}
