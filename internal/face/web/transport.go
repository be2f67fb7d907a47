package web

import (
	"net"
	"net/http"
	"strings"
)

// The HSTS header: for a year, browsers connect over TLS only.
const (
	hstsName = "Strict-Transport-Security"
	hsts     = "max-age=31536000"
)

// BaseURL returns the address under which the client reached the host, for links in answers.
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

// strictTransport sets HSTS if the client reached the host over TLS.
func (x *Exchange) strictTransport() {
	if x.overTLS() && !isLocal(x.Request.Host) {
		x.Header.Set(hstsName, hsts)
	}
}

// overTLS reports whether the client connected over TLS, to the host or to its proxy.
func (x *Exchange) overTLS() bool {
	if x.Settings.Secure || len(x.Settings.TrustedProxies) == 0 {
		return x.Settings.Secure
	}
	forwarded := x.Request.Header.Get("X-Forwarded-Proto")
	return strings.EqualFold(forwarded, "https") && x.fromProxy()
}

// StrictTransport sets HSTS on the responses of a handler that is mounted beside the faces of a
// host, for clients that reach both over TLS.
func StrictTransport(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r.Host) {
			w.Header().Set(hstsName, hsts)
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal reports whether the host is localhost. A browser would apply HSTS to every port of
// localhost, including the operators' address and other programs on the machine.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost")
}
