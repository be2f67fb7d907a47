package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	wire "mintmark/client/admin"
	"mintmark/internal/face/web"
)

//go:embed templates style.css icon.svg console.js sandbox.js
var files embed.FS

const htmlType = "text/html; charset=utf-8"

// templates holds the page templates by file name, each combined with the shared ones.
type templates struct {
	pages map[string]*template.Template
}

// shared are the files with templates for all pages: frames and parts.
var shared = []string{
	"templates/frame.html", "templates/parts.html", "templates/fields.html",
}

// parsed returns the embedded templates.
var parsed = sync.OnceValue(parseTemplates)

func parseTemplates() *templates {
	base := template.Must(template.New("").Funcs(words).ParseFS(files, shared...))
	entries, err := files.ReadDir("templates")
	if err != nil {
		panic(err) // embedded
	}
	t := &templates{pages: map[string]*template.Template{}}
	for _, file := range entries {
		name := strings.TrimSuffix(file.Name(), ".html")
		if slices.Contains(shared, "templates/"+file.Name()) {
			continue
		}
		page := template.Must(base.Clone())
		t.pages[name] = template.Must(page.ParseFS(files, path.Join("templates", file.Name())))
	}
	return t
}

// check panics if a row names a template that does not exist.
func (t *templates) check(name string) {
	if name != "" && t.pages[name] == nil {
		panic("console: no template " + name)
	}
}

// write renders a layout of a page: "frame", "bare" for pages outside the frame, or a part of the
// page.
func (t *templates) write(layout, name string, data any) ([]byte, error) {
	var page bytes.Buffer
	if t.pages[name] == nil {
		return nil, fmt.Errorf("console: no template %s", name)
	}
	err := t.pages[name].ExecuteTemplate(&page, layout, data)
	return page.Bytes(), err
}

// render returns a page in its frame.
func (v *visit) render(
	ctx context.Context, status int, name string, data any,
) (web.Response, error) {
	if err := v.openFrame(ctx); err != nil {
		return web.Response{}, err
	}
	v.frame.Data = data
	v.exchange.Header.Set("Content-Security-Policy", v.console.policy)
	text, err := v.console.pages.write("frame", name, v.frame)
	if err != nil {
		return web.Response{}, err
	}
	return web.Response{Status: status, ContentType: htmlType, Body: text}, nil
}

// problem returns a page, in its frame, that explains a problem. If the problem is that no bank or
// program exists yet, the page explains how to add one.
func (v *visit) problem(ctx context.Context, p *wire.Problem) (web.Response, error) {
	if err := v.openFrame(ctx); err != nil {
		return web.Response{}, err
	}
	if p.RequestID == "" {
		p.RequestID = v.exchange.ID
	}
	v.frame.Problem, v.frame.Refused = nil, true
	if first, ok := v.missing(); ok && p.Name() == wire.NotFound {
		return v.render(ctx, http.StatusOK, "needs", first)
	}
	v.frame.crumbs(problemTitle(p))
	return v.render(ctx, p.Status, "problem", p)
}

// problemTitle returns the heading of the page of a problem.
func problemTitle(p *wire.Problem) string {
	switch p.Name() {
	case wire.NotFound:
		return "Not found"
	case wire.NotAllowed:
		return "Not allowed"
	case wire.Conflict, wire.Stale:
		return "Refused"
	case wire.Invalid:
		return "Invalid request"
	case wire.TooMany:
		return "Too many attempts"
	}
	return p.Title
}

// bare is the data of a page outside the frame.
type bare struct {
	Title   string
	About   About
	Style   string
	Problem *wire.Problem
	Next    string // address to which the page proceeds automatically
	Data    any
}

// Environment returns the name of the environment.
func (b *bare) Environment() string { return (&frame{About: b.About}).Environment() }

// renderBare returns a page outside the frame.
func (c *Console) renderBare(status int, name string, b bare) (web.Response, error) {
	b.About, b.Style = c.About, style.Path
	text, err := c.pages.write("bare", name, &b)
	if err != nil {
		return web.Response{}, err
	}
	return web.Response{Status: status, ContentType: htmlType, Body: text}, nil
}

// bareProblem returns the page of a problem that occurred outside the frame.
func (c *Console) bareProblem(p *wire.Problem) web.Response {
	response, err := c.renderBare(p.Status, "bareproblem", bare{Title: problemTitle(p), Data: p})
	if err != nil {
		return web.Response{Status: p.Status, ContentType: "text/plain", Body: []byte(p.Title)}
	}
	return response
}

// asset is a file that pages load. Its path contains its checksum, so browsers may cache it
// forever.
type asset struct {
	Path string
	Hash string // as in the policy and in the integrity attribute of a script
	name string
	kind string
	text []byte
}

var (
	style         = embedded("style.css", "text/css; charset=utf-8")
	icon          = embedded("icon.svg", "image/svg+xml")
	script        = embedded("console.js", "text/javascript; charset=utf-8")
	sandboxScript = embedded("sandbox.js", "text/javascript; charset=utf-8")
)

func embedded(name, kind string) asset {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // embedded
	}
	sum := sha256.Sum256(text)
	base, extension, _ := strings.Cut(name, ".")
	return asset{
		Path: Prefix + base + "-" + hex.EncodeToString(sum[:6]) + "." + extension,
		Hash: "sha256-" + base64.StdEncoding.EncodeToString(sum[:]), name: name, kind: kind, text: text,
	}
}

// asset returns the asset at the path of a request, false if there is none.
func (c *Console) asset(x *web.Exchange) (web.Response, bool) {
	if x.Request.Method != http.MethodGet && x.Request.Method != http.MethodHead {
		return web.Response{}, false
	}
	for _, a := range c.assets {
		if x.Request.URL.Path == a.Path {
			x.Route, x.Quiet = "GET "+Prefix+a.name, true
			return web.Response{
				Status: http.StatusOK, Caching: "public, max-age=31536000, immutable",
				ContentType: a.kind, Body: a.text,
			}, true
		}
	}
	return web.Response{}, false
}

func itoa(number int) string { return strconv.Itoa(number) }
