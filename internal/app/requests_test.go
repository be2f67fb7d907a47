package app

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	wire "mintmark/client/sandbox"
	"mintmark/internal/face/api"
	"mintmark/internal/face/sandbox"
)

// TestSecretMembersAreMasked checks that the record of requests masks each member that the
// interface treats as a secret.
func TestSecretMembersAreMasked(t *testing.T) {
	t.Parallel()
	n := 0
	for _, operation := range api.Operations() {
		if operation.Request == nil {
			continue
		}
		for _, field := range reflect.VisibleFields(operation.Request) {
			if !strings.Contains(field.Tag.Get("body"), "secret") {
				continue
			}
			n++
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !slices.Contains(sandbox.SecretMembers, name) {
				t.Errorf("%s shows %s", operation.Path, name)
			}
		}
	}
	if n < 4 {
		t.Errorf("only %d members are secret", n)
	}
}

// TestRequestsOfCallers sends requests to a sandbox, and reads its record of them.
func TestRequestsOfCallers(t *testing.T) {
	t.Parallel()
	running := start(t, sandboxIn(""))
	defer stop(t, running)
	ask := func(method, path, body string, header ...string) string {
		request, err := http.NewRequestWithContext(t.Context(), method, running.URL()+path,
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth("example1", "example1")
		for i := 0; i+1 < len(header); i += 2 {
			request.Header.Set(header[i], header[i+1])
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.Status
	}
	ask("GET", "/program/get", "")
	ask("POST", "/card/verify",
		`{"customerId":1001,"cardId":5007,"birthDate":"1985-03-14","cardNumberMasked":"1111"}`)
	ask("GET", "/docs", "")
	ask("GET", "/program/get", "", "Origin", "https://evil.test")
	client := wire.New(running.AdminURL())
	all, err := wire.Get[wire.List[wire.Request]](t.Context(), client, "requests")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, r := range all.Items {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "1985") {
			t.Errorf("the record shows %s", text)
		}
		seen = append(seen, r.Method+" "+r.Path)
	}
	// A request from another page is refused before it reaches the interface.
	want := []string{"GET /program/get", "POST /card/verify", "GET /program/get"}
	if !slices.Equal(seen, want) || all.Items[0].Code != 59999 || all.Items[2].Status != 200 {
		t.Errorf("recorded are %q: %+v", seen, all.Items)
	}
	r, err := wire.Get[wire.Request](t.Context(), client, "requests/2")
	if err != nil || r.Path != "/card/verify" || r.Code == 0 {
		t.Errorf("request 2 is %+v, %v", r, err)
	}
	newest, err := wire.Get[wire.List[wire.Request]](t.Context(), client, "requests?limit=1")
	if err != nil || len(newest.Items) != 1 || newest.Items[0].ID != 3 {
		t.Errorf("the newest request is %+v, %v", newest.Items, err)
	}
	for _, path := range []string{"requests/0", "requests/4", "requests/x", "requests?after=x", "requests?limit=0"} {
		if _, err := wire.Get[wire.Request](context.Background(), client, path); err == nil {
			t.Errorf("%s is answered", path)
		}
	}
}

// TestRequestsBelongToAWorld checks that a reset and a restore clear the record of requests, and
// that ids continue.
func TestRequestsBelongToAWorld(t *testing.T) {
	t.Parallel()
	running := start(t, sandboxIn(""))
	defer stop(t, running)
	saveWorld(t, running, "here")
	requestIDs := func() (ids []int64) {
		fullResponse(t, running, "example1", "/program/get", "")
		client := wire.New(running.AdminURL())
		all, err := wire.Get[wire.List[wire.Request]](t.Context(), client, "requests")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all.Items {
			ids = append(ids, r.ID)
		}
		return ids
	}
	var got [][]int64
	got = append(got, requestIDs())
	resetWorld(t, running)
	got = append(got, requestIDs())
	restoreWorld(t, running, "here")
	got = append(got, requestIDs())
	if want := [][]int64{{1}, {2}, {3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("recorded are %v, want %v", got, want)
	}
}
