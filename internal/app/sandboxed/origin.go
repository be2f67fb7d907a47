package sandboxed

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"mintmark/internal/face/console"
	"mintmark/internal/face/reference"
	"mintmark/internal/face/sandbox"
)

// originCheck protects the two addresses of a sandbox from web pages. The secrets of a sandbox are
// public, so a web page that is open on the same machine must not be able to send requests to it,
// neither from its own origin nor by DNS rebinding. Production needs no such check: its secrets are
// secret, and only its proxies know its names.
type originCheck struct {
	hosts []string                 // from --sandbox-host, in lower case
	ports atomic.Pointer[[]string] // of both addresses, once known
}

func newOriginCheck(hosts []string) *originCheck {
	d := &originCheck{}
	for _, host := range hosts {
		d.hosts = append(d.hosts, hostname(host))
	}
	return d
}

// open sets the ports of the two addresses.
func (d *originCheck) open(addresses ...net.Addr) {
	var ports []string
	for _, address := range addresses {
		_, port, _ := net.SplitHostPort(address.String())
		ports = append(ports, port)
	}
	d.ports.Store(&ports)
}

// refuse returns why a request is rejected; empty if it is accepted.
func (d *originCheck) refuse(r *http.Request) string {
	// The host of a target in absolute form overrides the header, even if the header has another
	// name of this sandbox.
	if !d.isOurs(r, r.Host) {
		return "The Host header does not name this sandbox; --sandbox-host gives it a name."
	}
	origins := r.Header["Origin"]
	for _, origin := range origins {
		if !d.isOrigin(r, origin) {
			return "The Origin header names a web page that is not of this sandbox."
		}
	}
	// To a browser, localhost and 127.0.0.1 are two sites, so an origin of the sandbox suffices.
	site := r.Header.Get("Sec-Fetch-Site")
	if site == "cross-site" && len(origins) == 0 && !isLink(r) {
		return "The request comes from a web page that is not of this sandbox."
	}
	return ""
}

// isLink reports whether a request follows a link to the description of the interface, or to the
// console, which any page may have. A browser does not send a console session with it.
func isLink(r *http.Request) bool {
	page := r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, console.Prefix)
	return (reference.IsPage(r) || page) && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isOurs reports whether a host, with or without a port, is the sandbox: a loopback name or
// address, the address that the request was sent to, or a name that the operator has set.
func (d *originCheck) isOurs(r *http.Request, host string) bool {
	name := hostname(host)
	if name == "localhost" || slices.Contains(d.hosts, name) {
		return true
	}
	address, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	if address.Unmap().IsLoopback() {
		return true
	}
	reached, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if reached == nil {
		return false
	}
	local, err := netip.ParseAddrPort(reached.String())
	return err == nil && local.Addr().Unmap() == address.Unmap()
}

// hostname returns the host of a Host header without the port, in lower case.
func hostname(host string) string {
	name := host
	if before, _, err := net.SplitHostPort(host); err == nil {
		name = before
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
}

// isOrigin reports whether a page's origin is the address that the request was sent to, or the
// other address of the sandbox.
func (d *originCheck) isOrigin(r *http.Request, origin string) bool {
	page, err := url.Parse(origin)
	if err != nil || page.Scheme != "http" && page.Scheme != "https" {
		return false
	}
	if strings.EqualFold(page.Host, r.Host) {
		return true
	}
	ports := d.ports.Load()
	return ports != nil && slices.Contains(*ports, page.Port()) && d.isOurs(r, page.Host)
}

// guard passes rejected requests to deny, and all others to the next handler.
func (d *originCheck) guard(deny Deny) Layer {
	return func(next http.Handler) http.Handler { return d.check(next, deny) }
}

func (d *originCheck) check(next http.Handler, deny Deny) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// HTTP/1.0 needs no Host. The JSON face rejects it because of its version. The controls,
		// which need no credentials, require a Host in any version.
		old := (r.ProtoMajor != 1 || r.ProtoMinor != 1) &&
			!strings.HasPrefix(r.URL.Path, sandbox.Prefix)
		if reason := d.refuse(r); reason != "" && !old {
			deny(w, r, reason)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// share lets the page on the admin address try the interface (CORS). To a browser another port is
// another origin, so it sends a preflight request.
func (d *originCheck) share(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if origin == "" || strings.HasSuffix(origin, "://"+r.Host) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Add("Vary", "Origin")
		asks := r.Method == http.MethodOptions &&
			r.Header.Get("Access-Control-Request-Method") != ""
		if !asks {
			w.Header().Set("Access-Control-Expose-Headers", "*")
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST")
		w.Header().Set("Access-Control-Allow-Headers",
			"Authorization, Content-Type, Idempotency-Key, X-Request-Id")
		w.WriteHeader(http.StatusNoContent)
	})
}
