package app

import (
	"net/http"
	"strings"
	"sync"

	"mintmark/internal/face/admin"
	"mintmark/internal/face/console"
	"mintmark/internal/face/processorapi"
	"mintmark/internal/face/reference"
	"mintmark/internal/face/sandbox"
	"mintmark/internal/face/web"
)

// pinKeyPath serves the public key with which callers encrypt PINs. It needs no credentials.
const pinKeyPath = "/pin-key.pem"

// mounted is a face and the prefix of its paths.
type mounted struct {
	prefix string
	face   http.Handler
}

// adminFace returns everything that the operators' address serves. It creates the console at the
// first request: parsing its pages takes longer than starting a sandbox for a test.
func (a *App) adminFace() http.Handler {
	desk := a.operatorsDesk()
	pages := sync.OnceValue(func() http.Handler { return a.console(desk) })
	faces := []mounted{
		{admin.Prefix, a.adminHost.Handler(admin.New(desk))},
		{console.Prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pages().ServeHTTP(w, r)
		})},
		{processorapi.Prefix, a.processorFace()},
	}
	if a.sandbox != nil {
		faces = append(faces, mounted{sandbox.Prefix, a.sandbox.Controls()})
	}
	rest := a.publicPages()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if path+"/" == console.Prefix {
			path = console.Prefix
		}
		for _, f := range faces {
			if strings.HasPrefix(path, f.prefix) {
				f.face.ServeHTTP(w, r)
				return
			}
		}
		rest.ServeHTTP(w, r)
	})
}

// publicPages serves health, readiness, the public PIN key and the descriptions of the interfaces
// to the operators' network. The response to an unknown path is a problem.
func (a *App) publicPages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /readyz", a.ready)
	mux.HandleFunc("GET "+pinKeyPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-pem-file")
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Mintmark-Key-Id", a.vault.Fingerprints().PinKey)
		// A write error means that the client has disconnected.
		_, _ = w.Write(a.vault.PublicPinKeyPEM())
	})
	described := reference.Callers(a.referenceForOperators())
	for _, path := range []string{
		reference.DocumentPath, reference.DocsPath, reference.DocsPath + "/",
	} {
		mux.Handle("GET "+path, described)
	}
	mux.HandleFunc("GET "+reference.ProblemPath, reference.Problem)
	mux.Handle("GET "+metricsPath, a.metricsPage())
	host := a.newHost("request identifiers of operators", 0)
	forOperators := reference.Operators(a.Sandbox,
		reference.Link{To: console.Prefix, Text: "Console"})
	for _, path := range []string{
		reference.OperatorsDocumentPath, reference.OperatorsDocsPath,
		reference.OperatorsDocsPath + "/",
	} {
		mux.Handle("GET "+path, forOperators)
	}
	mux.Handle("GET /{$}", http.RedirectHandler(console.Prefix, http.StatusFound))
	return host.Handler(web.Pages{Handler: mux})
}

// isReserved reports whether a request may use one of the places that are reserved when the
// operators' address is full: for load balancers, monitoring and the card processor.
func isReserved(r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz", "/readyz", metricsPath:
		return true
	}
	return strings.HasPrefix(r.URL.Path, processorapi.Prefix)
}
