package app

import (
	"net/http"
	"strings"

	"mintmark/internal/face/processorapi"
	"mintmark/internal/face/web"
)

// pinKeyPath serves the public key that callers encrypt PINs with. It needs no credentials.
const pinKeyPath = "/pin-key.pem"

// adminFace serves health, readiness, the public PIN key and the description of the interface to
// the operators' network. An unknown path is answered with a problem.
func (a *App) adminFace() http.Handler {
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
	described := docs(a.referenceForOperators())
	for _, path := range []string{documentPath, docsPath, docsPath + "/"} {
		mux.Handle("GET "+path, described)
	}
	mux.HandleFunc("GET "+problemPath, problemPage)
	mux.Handle("GET "+metricsPath, a.metricsPage())
	host := a.newHost("request identifiers of operators",
		web.Settings{AnswerTimeout: a.Limits.AnswerTimeout})
	forOperators := operatorDocs(a.Sandbox)
	for _, path := range []string{
		operatorsDocumentPath, operatorsDocsPath, operatorsDocsPath + "/",
	} {
		mux.Handle("GET "+path, forOperators)
	}
	mux.Handle("GET /{$}", http.RedirectHandler(consolePath, http.StatusFound))
	return a.withOperators(a.withSandbox(a.withProcessor(host.Handler(web.Pages{Handler: mux}))))
}

// keptPlaces reports whether a request may have one of the places that are kept when the operators'
// address is full: those of load balancers and monitoring, and of the card processor.
func keptPlaces(r *http.Request) bool {
	switch r.URL.Path {
	case "/healthz", "/readyz", metricsPath:
		return true
	}
	return strings.HasPrefix(r.URL.Path, processorapi.Prefix)
}
