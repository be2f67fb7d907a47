package api

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// TestHeadersOfEveryAnswer checks the headers of all responses, of success and of failure.
func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{})
	for path, code := range map[string]int{"/program/get": 0, "/nowhere/at/all": 50404} {
		got := f.send("GET", path, "free", "")
		if got.Header.Get("Content-Type") != "application/json; charset=utf-8" ||
			got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the headers are %v", path, got.Header)
		}
		if code != 0 {
			got.want(t, 404, code)
		}
	}
	sent := "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
	got := f.send("GET", "/nowhere/at/all", "free", "", "X-Request-Id", sent)
	if !strings.Contains(got.body, `"requestId":"`+strings.ToLower(sent)+`"`) {
		t.Errorf("the caller's identifier is not taken over: %s", got.body)
	}
}

// TestAdmission checks the order of the checks before any route: the client's address, the
// credentials, the addresses of the key.
func TestAdmission(t *testing.T) {
	t.Parallel()
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	f := newFace(t, web.Settings{TrustedProxies: loopback})
	basic := func(text string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(text))
	}
	const nobody, afar = "203.0.113.9", "192.0.2.1"
	for _, row := range []struct {
		name, credentials, from string
		status, code            int
	}{
		{"an address that no key allows", basic("free:free"), nobody, 403, 50403},
		{"without credentials, too", "", nobody, 403, 50403},
		{"a malformed address", basic("free:free"), "?", 403, 50403},
		{"no credentials", "", "", 401, 50401},
		{"malformed credentials", "Basic !", "", 401, 50401},
		{"another scheme", "Bearer " + newID, "", 401, 50401},
		{"an unknown key", basic("nobody:free"), "", 401, 50401},
		{"a wrong secret", basic("free:fre"), "", 401, 50401},
		{"no secret", basic("free"), "", 401, 50401},
		{"a wrong secret from an address of another key", basic("free:x"), afar, 401, 50401},
		{"an address of another key", basic("elsewhere:elsewhere"), "", 403, 50403},
		{"an address of the key", basic("elsewhere:elsewhere"), afar, 404, 50404},
	} {
		headers := []string{}
		if row.credentials != "" {
			headers = append(headers, "Authorization", row.credentials)
		}
		if row.from != "" {
			headers = append(headers, "X-Forwarded-For", row.from)
		}
		got := f.send("BREW", "/nowhere/at/all", "", "", headers...)
		if row.status == 404 {
			got = f.send("GET", "/nowhere/at/all", "", "", headers...)
		}
		t.Run(row.name, func(t *testing.T) {
			got.want(t, row.status, row.code)
			if asks := got.Header.Get("WWW-Authenticate") == "Basic"; asks != (row.status == 401) {
				t.Errorf("the headers are %v", got.Header)
			}
		})
	}
}

// TestLogNamesTheRefused checks that the log has the client's address of a refused request, empty
// if it is unknown.
func TestLogNamesTheRefused(t *testing.T) {
	t.Parallel()
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	f := newFace(t, web.Settings{TrustedProxies: loopback})
	for i, row := range []struct{ from, want string }{
		{"203.0.113.9", "203.0.113.9"}, {"?", ""},
	} {
		f.send("GET", "/program/get", "free", "", "X-Forwarded-For", row.from).want(t, 403, 50403)
		if got := f.log.entries(t, i+1)[i]["address"]; got != row.want {
			t.Errorf("the log says that %q came from %q", row.from, got)
		}
	}
}

// TestRate checks the headers of a key with a rate limit, and that the rate is checked before the
// route.
func TestRate(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{})
	for remaining := 1; remaining >= 0; remaining-- {
		got := f.send("GET", "/nowhere/at/all", "limited", "")
		got.want(t, 404, 50404)
		want := fmt.Sprintf(`"default";r=%d;t=2`, remaining)
		if got.Header.Get("RateLimit-Policy") != `"default";q=2;w=4` ||
			got.Header.Get("RateLimit") != want || got.Header.Get("Retry-After") != "" {
			t.Errorf("the headers are %v", got.Header)
		}
	}
	got := f.send("BREW", "/nowhere/at/all", "limited", "")
	got.want(t, 429, 50429)
	if got.Header.Get("Retry-After") != "2" || got.Header.Get("RateLimit") != `"default";r=0;t=2` {
		t.Errorf("the headers are %v", got.Header)
	}
	free := f.send("GET", "/nowhere/at/all", "free", "")
	if free.Header.Get("RateLimit") != "" || free.Header.Get("RateLimit-Policy") != "" {
		t.Errorf("a key without a limit has the headers %v", free.Header)
	}
	// A request without valid credentials counts towards no rate.
	f.send("GET", "/nowhere/at/all", "", "").want(t, 401, 50401)
}

// TestAnswersDoNotMix checks that a response is not overwritten while it is being sent, although
// its memory is reused: the next request arrives during the Write of the first.
func TestAnswersDoNotMix(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{})
	ask := func(id string, to http.ResponseWriter) {
		request := httptest.NewRequest(http.MethodGet, "/program/get", http.NoBody)
		request.RemoteAddr = "127.0.0.1:50000"
		request.Header.Set("X-Request-Id", id)
		request.SetBasicAuth("free", "free")
		f.Config.Handler.ServeHTTP(to, request)
	}
	for range 10 { // memory is not always reused immediately
		first, second := uuid.NewString(), httptest.NewRecorder()
		slow := &interrupted{httptest.NewRecorder(), func() { ask(uuid.NewString(), second) }}
		ask(first, slow)
		if second.Code != http.StatusOK || !strings.Contains(slow.Body.String(), first) {
			t.Errorf("request %s is answered %s", first, slow.Body)
		}
	}
}

// interrupted calls first before it writes.
type interrupted struct {
	*httptest.ResponseRecorder
	first func()
}

func (i *interrupted) Write(text []byte) (int, error) {
	i.first()
	return i.ResponseRecorder.Write(text)
}

func TestPanicBecomesAFault(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{}, probe(func(context.Context, *call) (web.Response, error) {
		panic("the roof is on fire")
	}, nil))
	got := f.send("GET", "/test/probe", "free", "")
	got.want(t, 500, 50500)
	if strings.Contains(got.body, "roof") {
		t.Errorf("the answer tells too much: %s", got.body)
	}
	entries := f.log.entries(t, 2)
	stack, _ := entries[0]["stack"].(string)
	if entries[0]["cause"] != "the roof is on fire" || !strings.Contains(stack, "TestPanic") ||
		entries[0]["requestId"] != newID {
		t.Errorf("the log tells too little: %v", entries[0])
	}
	f.send("GET", "/nowhere/at/all", "free", "").want(t, 404, 50404)
}

func TestUnclassifiedErrorIsAnIncident(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{}, probe(func(context.Context, *call) (web.Response, error) {
		return web.Response{}, errors.New("table cards is on fire")
	}, nil))
	got := f.send("GET", "/test/probe", "free", "")
	got.want(t, 500, 52998)
	if strings.Contains(got.body, "fire") || !strings.Contains(got.body, "Incident Id : "+newID) {
		t.Errorf("the answer is %s", got.body)
	}
	entry := f.log.entries(t, 1)[0]
	if entry["error"] != "table cards is on fire" || entry["level"] != "ERROR" ||
		entry["requestId"] != newID {
		t.Errorf("the log is %v", entry)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{}, probe(func(context.Context, *call) (web.Response, error) {
		unavailable := fault.New(fault.Unavailable)
		unavailable.RetryAfter = 1500 * time.Millisecond
		return web.Response{}, unavailable
	}, nil))
	got := f.send("GET", "/test/probe", "free", "")
	got.want(t, 503, 50503)
	if got.Header.Get("Retry-After") != "2" { // rounded up to whole seconds
		t.Errorf("Retry-After is %q", got.Header.Get("Retry-After"))
	}
}

// TestDeadline checks that an act that takes too long ends at its next access to the store.
func TestDeadline(t *testing.T) {
	t.Parallel()
	var f *face
	f = newFace(t, web.Settings{AnswerTimeout: 20 * time.Millisecond},
		probe(func(ctx context.Context, c *call) (web.Response, error) {
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Second):
			}
			_, err := f.service.ProgramSettings(ctx, c.who)
			return web.Response{}, err
		}, nil))
	f.send("GET", "/test/probe", "free", "").want(t, 504, 50504)
}

func TestOldVersionsOfHTTPAreRefused(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{})
	for _, text := range []string{
		"GET /program/get HTTP/1.0\r\nHost: a\r\n\r\n",
		"BREW /nowhere HTTP/1.0\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	} {
		got, err := f.raw(text, 5*time.Second)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if got.StatusCode != 505 || !got.Close {
			t.Errorf("%q: %s, closed %v", text, got.Status, got.Close)
		}
	}
}

// taking returns a route that accepts a body and answers without data.
func taking() route {
	return probe(func(_ context.Context, c *call) (web.Response, error) {
		return c.respond(nil), nil
	}, reflect.TypeFor[issuing.CardRef]())
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	f := newFace(t, web.Settings{BodyLimit: 100}, taking())
	f.send("POST", "/test/probe", "free", strings.Repeat(" ", 100)).want(t, 200, 0)
	got := f.send("POST", "/test/probe", "free", strings.Repeat(" ", 101))
	got.want(t, 400, 59999)
	if !got.Close {
		t.Error("the connection stays open")
	}
}
