// Package reference serves the descriptions of the interfaces: the documents, the pages to read and
// try them, the error catalogue, and the meaning of each problem.
package reference

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"

	"mintmark/internal/base/version"
	"mintmark/internal/face/openapi"
)

// The paths of the description of the interface. The reference page and its files are below
// DocsPath.
const (
	DocumentPath = "/openapi.yaml"
	DocsPath     = "/docs"
)

// inline matches scripts and styles within a page.
var inline = regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`)

// docsPolicy returns a function from the server address of the page's forms to the page's content
// security policy. The page may load its own files, run its inline scripts, and connect to that
// address. Inline scripts and styles are allowed by hash, so content of an answer can never run as
// a script.
func docsPolicy(page http.Handler, path string) func(server string) string {
	hashes := map[string]string{}
	for _, list := range inline.FindAllSubmatch(pageOf(page, path), -1) {
		sum := sha256.Sum256(list[2])
		hashes[string(list[1])] += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return func(server string) string {
		shownAt := ""
		if address, err := url.Parse(server); err == nil && address.Host != "" {
			shownAt = " " + address.Scheme + "://" + address.Host
		}
		return "default-src 'none'; script-src 'self'" + hashes["script"] +
			"; style-src 'self'" + hashes["style"] + "; img-src 'self' data:" +
			"; connect-src 'self'" + shownAt +
			"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	}
}

// pageOf returns the page that a handler serves at a path.
func pageOf(handler http.Handler, path string) []byte {
	shown := &recorder{header: make(http.Header)}
	handler.ServeHTTP(shown, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	return shown.Bytes()
}

// recorder captures the body that a handler writes.
type recorder struct {
	bytes.Buffer
	header http.Header
}

// Header returns the response header.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader does nothing: the page's handler always succeeds.
func (r *recorder) WriteHeader(int) {}

// Page configures the description of the interface on one listener.
type Page struct {
	// Server returns the address that the page sends requests to, as seen from the reader's
	// browser.
	Server func(*http.Request) string

	// Tryable pages have forms that send requests. In production, the page on the operators'
	// address has none: the interface allows no other origin, so every request would fail.
	Tryable bool

	// Appendix is the demo data of a sandbox, in Markdown. A page with an appendix is signed in
	// with a demo key, and its examples create their own card.
	Appendix string

	// Links are other pages on the same address, besides those of every description.
	Links []Link
}

// Link is a link in the header of a page.
type Link struct{ To, Text string }

const notTryable = "No request can be sent from this page, because it is not served on the " +

	"address of the interface. The same page of a sandbox has forms to try each operation.\n\n"

// SameOrigin returns the address of the page itself.
func SameOrigin(*http.Request) string { return "/" }

// Callers serves the description of the interface, a page to read and try it, and the error
// catalogue. It needs no credentials.
func Callers(shown Page) http.Handler {
	version := version.Current().Version
	service := openapi.Service{Version: version, Appendix: shown.Appendix}
	if !shown.Tryable {
		service.Remark = notTryable
	}
	printed := printer{service: service}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+DocumentPath, func(w http.ResponseWriter, r *http.Request) {
		send(w, "application/yaml; charset=utf-8", printed.documentFor(shown.Server(r)))
	})
	errorsText := sync.OnceValue(func() []byte { return errorsPage("Mintmark " + version) })
	mux.HandleFunc("GET "+openapi.ErrorsPath, func(w http.ResponseWriter, _ *http.Request) {
		send(w, "text/html; charset=utf-8", errorsText())
	})
	for _, name := range []string{"errors.css", "reference.css", "formless.css", "sandbox.js"} {
		mux.HandleFunc("GET "+DocsPath+"/"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, pages, "pages/"+name)
		})
	}
	page := callersPage("Mintmark "+version, shown)
	mux.Handle("GET "+DocsPath, page)
	mux.Handle("GET "+DocsPath+"/", page)
	return withHeaders(mux, docsPolicy(page, DocsPath), shown)
}

// withHeaders adds the headers of a description to a handler's responses.
func withHeaders(
	mux http.Handler, policy func(server string) string, shown Page,
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shownAt := ""
		if shown.Tryable {
			shownAt = shown.Server(r)
		}
		w.Header().Set("Content-Security-Policy", policy(shownAt))
		w.Header().Set("X-Frame-Options", "DENY") // for browsers without support of frame-ancestors
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-cache")
		mux.ServeHTTP(w, r)
	})
}

// printer caches the last printed document: printing takes a tenth of a second, and the server
// address rarely changes between requests.
type printer struct {
	service openapi.Service

	mu   sync.Mutex
	text []byte
}

// documentFor returns the document for a server address.
func (p *printer) documentFor(url string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == nil || p.service.URL != url {
		p.service.URL = url
		p.text = openapi.DocumentOf(p.service)
	}
	return p.text
}

// callersPage returns the reference page of the callers' interface.
func callersPage(title string, shown Page) http.Handler {
	described := libraryPage{
		document: DocumentPath, path: DocsPath, title: title, tryable: shown.Tryable,
		links: append([]Link{{openapi.ErrorsPath, "Errors"}}, shown.Links...),
	}
	if shown.Appendix != "" {
		described.script = DocsPath + "/sandbox.js"
		described.settings = map[string]string{
			"onComplete": "signIn", "requestInterceptor": "ownCard",
		}
	}
	return described.handler()
}

// libraryPage is a Swagger UI page with Mintmark's name, style and links.
type libraryPage struct {
	document, path, title string
	tryable               bool
	links                 []Link
	script                string            // path of a script; may be empty
	settings              map[string]string // of Swagger UI; the values are JavaScript
}

var headTemplate = template.Must(template.New("head").Parse(
	`{{range .Styles}}<link rel="stylesheet" href="{{.}}">
{{end}}{{with .Script}}<script src="{{.}}"></script>
{{end}}`))

var linksTemplate = template.Must(template.New("links").Parse(`<nav class="mintmark-links" ` +
	`aria-label="Mintmark">{{range .}}<a href="{{.To}}">{{.Text}}</a> {{end}}</nav>`))

func (p libraryPage) handler() http.Handler {
	settings := map[string]string{"showExtensions": "false"}
	maps.Copy(settings, p.settings)
	styles := []string{DocsPath + "/reference.css"}
	if !p.tryable {
		settings["supportedSubmitMethods"] = "[]"
		styles = append(styles, DocsPath+"/formless.css")
	}
	library := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: p.title, SwaggerJSON: p.document, BasePath: p.path, SettingsUI: settings,
		AppendHead: written(headTemplate, map[string]any{"Styles": styles, "Script": p.script}),
		PrependHTML: written(linksTemplate,
			append(p.links, Link{p.document, path.Base(p.document)})),
	})
	text := pageOf(library, p.path)
	// The title names Mintmark only.
	text = bytes.Replace(text, []byte(" - Swagger UI</title>"), []byte("</title>"), 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.TrimSuffix(r.URL.Path, "/") == p.path {
			send(w, "text/html; charset=utf-8", text)
			return
		}
		library.ServeHTTP(w, r)
	})
}

// written executes a template.
func written(from *template.Template, data any) template.HTML {
	var text strings.Builder
	if err := from.Execute(&text, data); err != nil {
		panic(fmt.Sprintf("reference: a part of a page cannot be written: %v", err))
	}
	return template.HTML(text.String())
}

func send(w http.ResponseWriter, contentType string, text []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	// A write error means that the client has disconnected.
	_, _ = w.Write(text)
}

// WithDescription serves the description together with the JSON face. Only GET and HEAD of its
// paths bypass the face, which answers other methods as an unknown route. A browser that opens the
// root is redirected to the description.
func WithDescription(face, described http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if IsPage(r) {
			described.ServeHTTP(w, r)
			return
		}
		if r.URL.Path == "/" && reads(r) && strings.Contains(r.Header.Get("Accept"), "text/html") {
			w.Header().Set("Vary", "Accept")
			http.Redirect(w, r, DocsPath, http.StatusFound)
			return
		}
		face.ServeHTTP(w, r)
	})
}

func reads(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// IsPage reports whether a request reads a page or document of the callers' interface.
func IsPage(r *http.Request) bool {
	path := r.URL.Path
	return reads(r) &&
		(path == DocumentPath || path == DocsPath || strings.HasPrefix(path, DocsPath+"/"))
}
