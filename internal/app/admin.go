package app

import (
	"context"
	"net/http"
	"time"

	"mintmark/internal/store"
)

// adminFace answers those who watch over the process, and describes the interface. It is for the
// operator's network only.
func (a *App) adminFace() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		err := a.store.View(ctx, func(r store.Reader) error {
			_, err := r.AccessRevision()
			return err
		})
		if err != nil {
			http.Error(w, "database out of reach", http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	described := docs(a.publicURL())
	for _, path := range []string{documentPath, docsPath, docsPath + "/"} {
		mux.Handle("GET "+path, described)
	}
	return mux
}
