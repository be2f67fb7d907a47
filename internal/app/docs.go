package app

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"mintmark/internal/openapi"
)

// Where the description of the interface is served. The reference page and its files lie below
// docsPath.
const (
	documentPath = "/openapi.yaml"
	docsPath     = "/docs"
)

// docsPolicy keeps the browser from fetching anything from elsewhere. The page is made of inline
// scripts and styles.
const docsPolicy = "default-src 'self'; script-src 'self' 'unsafe-inline'; " +
	"style-src 'self' 'unsafe-inline'; img-src 'self' data:"

// docs serves the description of the interface and a page to read it and try it on. It needs no
// credentials. The server is the address that the page sends requests to.
func docs(server string) http.Handler {
	document := openapi.DocumentAt(server)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+documentPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(document)))
		// The caller may have gone; there is nobody to tell.
		_, _ = w.Write(document)
	})
	page := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: "Mintmark", SwaggerJSON: documentPath, BasePath: docsPath,
		SettingsUI: map[string]string{"showExtensions": "false"},
	})
	mux.Handle("GET "+docsPath, page)
	mux.Handle("GET "+docsPath+"/", page)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", docsPolicy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-cache")
		mux.ServeHTTP(w, r)
	})
}

// withDocs serves the description beside the JSON face. Only reading it gets past the face;
// whatever else is asked of these paths is an unknown route like any other.
func withDocs(face http.Handler) http.Handler {
	described := docs("/")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isDocs(r) {
			described.ServeHTTP(w, r)
			return
		}
		face.ServeHTTP(w, r)
	})
}

func isDocs(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	path := r.URL.Path
	return path == documentPath || path == docsPath || strings.HasPrefix(path, docsPath+"/")
}

// publicURL is where calling programs reach the service, as far as it is known.
func (a *App) publicURL() string {
	if a.PublicURL != "" {
		return a.PublicURL
	}
	return a.URL()
}
