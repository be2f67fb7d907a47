package app

import (
	"mintmark/internal/app/sandboxed"
	"mintmark/internal/face/console"
	"mintmark/internal/face/reference"
	"mintmark/internal/face/web"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// publicURL returns the address of the service for a reader on the operators' address. If the
// server listens on all addresses of its machine, it uses the host name from the reader's request.
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

// referenceForOperators returns the description of the callers' interface on the operators'
// address.
func (a *App) referenceForOperators() reference.Page {
	shown := reference.Page{
		Server: a.publicURL, Tryable: a.Sandbox,
		Links: []reference.Link{
			{To: reference.OperatorsDocsPath, Text: "Operators' interface"},
			{To: console.Prefix, Text: "Console"},
		},
	}
	if a.Sandbox {
		shown.Appendix = sandboxed.DemoAppendix()
		shown.Links = append(shown.Links, reference.Link{
			To: console.Prefix + "sandbox", Text: "Sandbox controls",
		})
	}
	return shown
}

// describe returns the layer that serves the description of a sandbox's interface.
func (a *App) describe() sandboxed.Layer {
	described := reference.Callers(reference.Page{
		Server: reference.SameOrigin, Tryable: true, Appendix: sandboxed.DemoAppendix(),
	})
	if a.certificate != nil {
		described = web.StrictTransport(described)
	}
	return func(face http.Handler) http.Handler { return reference.WithDescription(face, described) }
}
