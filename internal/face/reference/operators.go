package reference

import (
	"net/http"
	"sync"

	"mintmark/internal/base/version"
	"mintmark/internal/face/openapi"
)

// The paths of the description of the operators' interface.
const (
	OperatorsDocumentPath = "/admin/openapi.yaml"
	OperatorsDocsPath     = "/admin/docs"
)

// Operators serves the description of the operators' interface and a page to read it and, in a
// sandbox, to try it. Links are other pages on the same address. It needs no credentials.
func Operators(tryable bool, links ...Link) http.Handler {
	version := version.Current().Version
	// Printing the document takes more memory than everything else at startup.
	text := sync.OnceValue(func() []byte {
		return openapi.OperatorsOf(openapi.Service{Version: version, URL: "/"})
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+OperatorsDocumentPath, func(w http.ResponseWriter, _ *http.Request) {
		send(w, "application/yaml; charset=utf-8", text())
	})
	title := "Mintmark " + version + " for operators"
	described := libraryPage{
		document: OperatorsDocumentPath, path: OperatorsDocsPath, title: title, tryable: tryable,
		links: append(links, Link{DocsPath, "Callers' interface"}),
	}
	if tryable {
		described.settings = map[string]string{"onComplete": "function() { " +
			`ui.preauthorizeApiKey("token", "sandbox-administrator") }`}
	}
	page := described.handler()
	mux.Handle("GET "+OperatorsDocsPath, page)
	mux.Handle("GET "+OperatorsDocsPath+"/", page)
	return withHeaders(mux, docsPolicy(page, OperatorsDocsPath), Page{
		Server: SameOrigin, Tryable: tryable,
	})
}
