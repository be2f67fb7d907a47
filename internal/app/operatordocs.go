package app

import (
	"net/http"
	"sync"

	"mintmark/internal/base/version"
	"mintmark/internal/face/openapi"
)

// The paths of the description of the operators' interface.
const (
	operatorsDocumentPath = "/admin/openapi.yaml"
	operatorsDocsPath     = "/admin/docs"
)

// operatorDocs serves the description of the operators' interface and a page to read it, and to try
// it in a sandbox. It needs no credentials.
func operatorDocs(tryable bool) http.Handler {
	version := version.Current().Version
	// To print the document takes more memory than all else at the start.
	text := sync.OnceValue(func() []byte {
		return openapi.OperatorsOf(openapi.Service{Version: version, URL: "/"})
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+operatorsDocumentPath, func(w http.ResponseWriter, _ *http.Request) {
		send(w, "application/yaml; charset=utf-8", text())
	})
	title := "Mintmark " + version + " for operators"
	described := libraryPage{
		document: operatorsDocumentPath, path: operatorsDocsPath, title: title, tryable: tryable,
		links: []link{{consolePath, "Console"}, {docsPath, "Callers' interface"}},
	}
	if tryable {
		described.settings = map[string]string{"onComplete": "function() { " +
			`ui.preauthorizeApiKey("token", "sandbox-administrator") }`}
	}
	page := described.handler()
	mux.Handle("GET "+operatorsDocsPath, page)
	mux.Handle("GET "+operatorsDocsPath+"/", page)
	return guarded(mux, docsPolicy(page, operatorsDocsPath), reference{
		server: here, tryable: tryable,
	})
}
