package api

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/face/web"
	"mintmark/internal/issuing/acts"
)

func TestRouter(t *testing.T) {
	t.Parallel()
	r := newRouter(routes(&acts.Service{}))
	for _, row := range []struct {
		method, path string
		version      int
		want         string // path of the route; empty for none
		parameters   []string
	}{
		{"GET", "/program/get", 1, "/program/get", []string{}},
		{"GET", "/PROGRAM/Get/", 1, "/program/get", []string{}},
		{"GET", "//program///get//", 1, "/program/get", []string{}},
		{"GET", "/program/get/1", 1, "", nil},
		{"GET", "/program", 1, "", nil},
		{"GET", "/", 1, "", nil},
		{"GET", "/v1/program/get", 1, "", nil},
		{"GET", "/program%2Fget", 1, "", nil},
		{"GET", "/program%2Fget/x", 1, "", nil},
		{"GET", "/../program/get", 1, "", nil},
		{"GET", "/card/get/1001/5001", 1, "/card/get/{customerId}/{cardId}",
			[]string{"1001", "5001"}},
		{"GET", "/card/get/1001", 1, "/card/get/{customerId}/{cardId}", []string{"1001", ""}},
		{"GET", "/card/get", 1, "", nil},
		{"GET", "/card/list", 1, "", nil},
		{"GET", "/card/get/1001/5001/1", 1, "", nil},
		{"GET", "/card/getbytag/1001/A%2Fb%20C", 1, "/card/getbytag/{customerId}/{tag}",
			[]string{"1001", "A/b C"}},
		{"GET", "/card/getByTag/1001/", 1, "/card/getbytag/{customerId}/{tag}",
			[]string{"1001", ""}},
		{"GET", "/card/getbytag", 1, "", nil},
		{"GET", "/bankdocument/list/en-US", 1, "/bankdocument/list/{culture}/{documentType}",
			[]string{"en-US", ""}},
		{"GET", "/bankdocument/download", 1,
			"/bankdocument/download/{culture}/{documentId}", []string{"", ""}},
		{"GET", "/bankdocument/download/en-US", 1,
			"/bankdocument/download/{culture}/{documentId}", []string{"en-US", ""}},
		{"POST", "/card/lostorstolen", 1, "/card/lostOrStolen", []string{}},
		{"POST", "/card/lostOrStolen", 2, "", nil},
		{"POST", "/card/hotlist", 2, "/card/hotlist", []string{}},
	} {
		segments, err := pathSegments(&url.URL{Path: unescaped(t, row.path), RawPath: row.path})
		if err != nil {
			t.Fatal(err)
		}
		match, parameters, allowed := r.find(row.method, segments, row.version)
		if row.want == "" {
			if match != nil || allowed != "" {
				t.Errorf("%s: %+v, allowed %q, want neither", row.path, match, allowed)
			}
			continue
		}
		if match == nil || match.Path != row.want || !slices.Equal(parameters, row.parameters) {
			t.Errorf("%s: %+v with %q", row.path, match, parameters)
		}
	}
}

func unescaped(t *testing.T, path string) string {
	t.Helper()
	plain, err := url.PathUnescape(path)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// TestRouterOfManyDepths finds routes whose numbers of segments and methods do not occur in the
// interface.
func TestRouterOfManyDepths(t *testing.T) {
	t.Parallel()
	row := func(method, path string) route {
		return route{Operation: Operation{
			Method: method, Path: path, Parameters: parametersOf(path),
		}}
	}
	r := newRouter([]route{
		row("GET", "/health"), row("GET", "/admin/card/{id}"), row("PUT", "/admin/card/{id}"),
		row("GET", "/admin/card/audit/list"), row("GET", "/admin/card/audit/{id}"),
	})
	for _, step := range []struct {
		method     string
		segments   []string
		want       string
		parameters []string
		allowed    string
	}{
		{"GET", []string{"HEALTH"}, "/health", nil, ""},
		{"PUT", []string{"admin", "card", "7"}, "/admin/card/{id}", []string{"7"}, ""},
		{"POST", []string{"admin", "card", "7"}, "", nil, "GET, PUT"},
		{"GET", []string{"admin", "card", "audit"}, "/admin/card/{id}", []string{"audit"}, ""},
		{"GET", []string{"admin", "card", "audit", "list"}, "/admin/card/audit/list", nil, ""},
		{"GET", []string{"admin", "card", "audit", "l"}, "/admin/card/audit/{id}",
			[]string{"l"}, ""},
		{"GET", []string{"admin/card", "audit"}, "", nil, ""},
		{"GET", []string{"admin\x00card", "7"}, "", nil, ""},
		{"GET", nil, "", nil, ""},
	} {
		match, parameters, allowed := r.find(step.method, step.segments, 1)
		got := ""
		if match != nil {
			got = match.Path
		}
		if got != step.want || !slices.Equal(parameters, step.parameters) ||
			allowed != step.allowed {
			t.Errorf("%s %q: %q with %q, allowed %q", step.method, step.segments, got, parameters,
				allowed)
		}
	}
}

// TestEveryRouteRefusesOtherMethods checks that each route names its method when it refuses
// another.
func TestEveryRouteRefusesOtherMethods(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{})
	for _, r := range routes(&acts.Service{}) {
		for method := range methods {
			if method == r.Method || method == http.MethodConnect {
				continue
			}
			got := f.send(method, r.Path, "free", "")
			if allow := got.Header.Get("Allow"); got.StatusCode != 405 || allow != r.Method {
				t.Errorf("%s %s: %d, Allow %q", method, r.Path, got.StatusCode, allow)
			}
			if method != http.MethodHead {
				got.want(t, 405, 50405)
			}
		}
		f.send("BREW", r.Path, "free", "").want(t, 501, 50501)
	}
	f.send("BREW", "/nowhere/at/all", "free", "").want(t, 501, 50501)
	f.send("DELETE", "/nowhere/at/all", "free", "").want(t, 404, 50404)
}

func TestDeprecatedRoute(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{})
	got := f.send("POST", "/card/lostOrStolen", "free", "{}")
	got.want(t, 400, 150801)
	if got.Header.Get("Deprecation") != "@1767225600" ||
		got.Header.Get("Link") != `</card/hotlist>; rel="successor-version"` {
		t.Errorf("the headers are %v", got.Header)
	}
	f.send("POST", "/card/lostOrStolen", "second", "{}").want(t, 404, 50404)
	other := f.send("POST", "/card/hotlist", "free", "{}")
	if other.Header.Get("Deprecation") != "" || other.Header.Get("Link") != "" {
		t.Errorf("a route to stay has the headers %v", other.Header)
	}
}

func TestPathSegments(t *testing.T) {
	t.Parallel()
	for path, want := range map[string][]string{
		"": nil, "/": nil, "///": nil, "/a": {"a"}, "/a/": {"a"}, "//a//b//": {"a", "b"},
		"/a%2Fb/c": {"a/b", "c"}, "/a+b": {"a+b"}, "/a%20b": {"a b"}, "/%2F": {"/"},
		"/%c3%a9/%25": {"é", "%"}, "/a;b=c": {"a;b=c"}, "/a/./b": {"a", ".", "b"},
	} {
		target, err := url.ParseRequestURI("http://host" + path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pathSegments(target)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q (%v), want %q", path, got, err, want)
		}
	}
}

// FuzzPathSegments checks that segments are decoded unchanged, whatever they contain, and that
// every valid path can be split.
func FuzzPathSegments(f *testing.F) {
	f.Add("card", "a/b", "//%2F/%zz")
	f.Add(" ", "%2F", "/é?#")
	f.Fuzz(func(t *testing.T, first, two, path string) {
		if first == "" || two == "" {
			return
		}
		escaped := "/" + url.PathEscape(first) + "//" + url.PathEscape(two) + "/"
		target, err := url.ParseRequestURI(escaped)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pathSegments(target)
		if err != nil || !slices.Equal(got, []string{first, two}) {
			t.Fatalf("%s gives %q (%v)", target, got, err)
		}
		if target, err = url.ParseRequestURI(path); err == nil {
			if _, err := pathSegments(target); err != nil {
				t.Fatalf("%q: %v", path, err)
			}
		}
	})
}

// TestQueryOf parses queries leniently: a badly encoded part is retained as it is.
func TestQueryOf(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]map[string][]string{
		"status=Verified":     {"status": {"Verified"}},
		"STATUS=a&Status=b":   {"status": {"a", "b"}},
		"status=%":            {"status": {"%"}},
		"status=a;b":          {"status": {"a;b"}},
		"tag=a+b%2Bc&tag":     {"tag": {"a b+c", ""}},
		"%74ag=x%zz&=y&a=b=c": {"tag": {"x%zz"}, "": {"y"}, "a": {"b=c"}},
	} {
		if diff := cmp.Diff(want, queryOf(&url.URL{RawQuery: raw})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", raw, diff)
		}
	}
}
