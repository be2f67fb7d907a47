package app

import "net/http"

// adminFace answers those who watch over the process, and describes the interface. It is for the
// operator's network only.
func (a *App) adminFace() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /readyz", a.ready)
	described := docs(a.publicURL())
	for _, path := range []string{documentPath, docsPath, docsPath + "/"} {
		mux.Handle("GET "+path, described)
	}
	return mux
}
