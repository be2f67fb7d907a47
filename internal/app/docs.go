package app

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

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

// inline finds the scripts and styles that stand in the page itself.
var inline = regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`)

// docsPolicy is the content security policy of a page, for the address that its forms ask. The page
// may use its own files, what stands in it, and that address, and nothing else. What stands in it
// is named by its hash, so that nothing that the interface answers can become a script.
func docsPolicy(page http.Handler) func(server string) string {
	written := &recorder{header: make(http.Header)}
	page.ServeHTTP(written, &http.Request{
		Method: http.MethodGet, URL: &url.URL{Path: docsPath},
	})
	hashes := map[string]string{}
	for _, found := range inline.FindAllStringSubmatch(written.String(), -1) {
		sum := sha256.Sum256([]byte(found[2]))
		hashes[found[1]] += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return func(server string) string {
		asked := ""
		if address, err := url.Parse(server); err == nil && address.Host != "" {
			asked = " " + address.Scheme + "://" + address.Host
		}
		return "default-src 'none'; script-src 'self'" + hashes["script"] +
			"; style-src 'self'" + hashes["style"] + "; img-src 'self' data:" +
			"; connect-src 'self'" + asked +
			"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	}
}

// recorder keeps what a handler writes.
type recorder struct {
	bytes.Buffer
	header http.Header
}

// Header is that of the answer.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader takes the status, which is that of success.
func (r *recorder) WriteHeader(int) {}

// reference is the description of the interface as one listener serves it.
type reference struct {
	// server is the address that the page sends requests to, as seen from a reader's browser.
	server func(*http.Request) string

	// tryable pages have forms that send requests. A page on another address than the interface
	// has none in production: the interface lets no other origin ask it, so they would all fail.
	tryable bool
}

const notTryable = "No request can be sent from this page, because it is not served on the " +
	"address of the interface. The same page of a sandbox has forms to try each operation.\n\n"

// here is the address of the page itself.
func here(*http.Request) string { return "/" }

// docs serves the description of the interface, a page to read it and try it on, and the
// catalogue of errors. It needs no credentials.
func docs(shown reference) http.Handler {
	version := Version().Version
	service := openapi.Service{Version: version}
	if !shown.tryable {
		service.Remark = notTryable
	}
	printed := printer{service: service}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+documentPath, func(w http.ResponseWriter, r *http.Request) {
		send(w, "application/yaml; charset=utf-8", printed.at(shown.server(r)))
	})
	errorsText := errorsPage("Mintmark " + version)
	mux.HandleFunc("GET "+openapi.ErrorsPath, func(w http.ResponseWriter, _ *http.Request) {
		send(w, "text/html; charset=utf-8", errorsText)
	})
	for _, name := range []string{"errors.css", "reference.css", "formless.css"} {
		mux.HandleFunc("GET "+docsPath+"/"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, pages, "pages/"+name)
		})
	}
	page := referencePage("Mintmark "+version, shown.tryable)
	mux.Handle("GET "+docsPath, page)
	mux.Handle("GET "+docsPath+"/", page)
	policy := docsPolicy(page)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := ""
		if shown.tryable {
			asked = shown.server(r)
		}
		w.Header().Set("Content-Security-Policy", policy(asked))
		w.Header().Set("X-Frame-Options", "DENY") // for browsers that know no frame-ancestors
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-cache")
		mux.ServeHTTP(w, r)
	})
}

// printer keeps the document as it was printed last: printing takes a tenth of a second, and the
// server is hardly ever another than before.
type printer struct {
	service openapi.Service

	mu   sync.Mutex
	text []byte
}

// at returns the document of the service at an address.
func (p *printer) at(url string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == nil || p.service.URL != url {
		p.service.URL = url
		p.text = openapi.DocumentOf(p.service)
	}
	return p.text
}

// referencePage is the page of the library, with our name and looks.
func referencePage(title string, tryable bool) http.Handler {
	settings := map[string]string{"showExtensions": "false"}
	styles := stylesheet("reference.css")
	if !tryable {
		settings["supportedSubmitMethods"] = "[]"
		styles += stylesheet("formless.css")
	}
	return v5emb.NewHandlerWithConfig(swgui.Config{
		Title: title, SwaggerJSON: documentPath, BasePath: docsPath, SettingsUI: settings,
		AppendHead: styles,
	})
}

// stylesheet is the link to a file of this package.
func stylesheet(name string) template.HTML {
	return template.HTML(`<link rel="stylesheet" href="` + docsPath + `/` + name + `">`)
}

func send(w http.ResponseWriter, contentType string, text []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	// A write error means that the client has gone.
	_, _ = w.Write(text)
}

// withDocs serves the description beside the JSON face. Only reading it gets past the face;
// whatever else is asked of these paths is an unknown route like any other.
func withDocs(face, described http.Handler) http.Handler {
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

// publicURL is where calling programs reach the service, as far as it is known, for a reader on the
// operators' address. A server that listens on every address of its machine is reached there under
// the name that the reader has used.
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

// plainHost is the name or the address of a machine. What a Host header may hold besides has no
// place in a policy.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9.:-]+$`)
