package transit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/vault/custody"
)

const token = "s.custody-of-a-test"

// engine is a fake transit engine: each of its keys is a number that it adds to every byte.
type engine struct {
	keys    map[string]byte
	refuses atomic.Int32 // number of requests to refuse, as a sealed service does
	asked   atomic.Int32
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.asked.Add(1)
	refuse := func(status int, text string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"errors":[%q]}`, text)
	}
	act, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v1/transit/"), "/")
	shift, known := e.keys[name]
	var body struct{ Plaintext, Ciphertext string }
	err := json.NewDecoder(r.Body).Decode(&body)
	switch {
	case e.refuses.Add(-1) >= 0:
		refuse(http.StatusServiceUnavailable, "Vault is sealed")
	case r.Header.Get("X-Vault-Token") != token:
		refuse(http.StatusForbidden, "permission denied")
	case r.Method != http.MethodPost || err != nil:
		refuse(http.StatusBadRequest, "invalid request")
	case !known:
		refuse(http.StatusNotFound, "")
	case act == "encrypt":
		plain, _ := base64.StdEncoding.DecodeString(body.Plaintext)
		for i := range plain {
			plain[i] += shift
		}
		fmt.Fprintf(w, `{"request_id":"1","data":{"ciphertext":"vault:v1:%s:%s"}}`, name,
			base64.StdEncoding.EncodeToString(plain))
	default:
		text, mine := strings.CutPrefix(body.Ciphertext, "vault:v1:"+name+":")
		plain, err := base64.StdEncoding.DecodeString(text)
		if !mine || err != nil {
			refuse(http.StatusBadRequest, "cipher: message authentication failed")
			return
		}
		for i := range plain {
			plain[i] -= shift
		}
		fmt.Fprintf(w, `{"data":{"plaintext":%q}}`, base64.StdEncoding.EncodeToString(plain))
	}
}

// serving starts an engine over TLS, and returns settings for it.
func serving(t *testing.T) (*engine, Settings) {
	t.Helper()
	e := &engine{keys: map[string]byte{"mintmark": 3, "other": 5}}
	server := httptest.NewTLSServer(e)
	t.Cleanup(server.Close)
	s := Settings{Address: server.URL + "/", Key: "mintmark"}
	s.TokenFile = write(t, "token", token+"\n")
	s.CAFile = write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{
		Type: "CERTIFICATE", Bytes: server.Certificate().Raw,
	})))
	return e, s
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// keeper returns a keeper whose client pauses only briefly between attempts.
func keeper(t *testing.T, s Settings) custody.Keeper {
	t.Helper()
	client, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	client.rest = time.Millisecond
	return custody.Keeper{Service: client}
}

func TestServiceWrapsAndUnwraps(t *testing.T) {
	_, s := serving(t)
	w, key, err := keeper(t, s).New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if w.TransitKey != "mintmark" || !strings.HasPrefix(w.Wrapped, "vault:v1:") {
		t.Errorf("the wrapping is %+v", w)
	}
	opened, err := keeper(t, s).Open(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if opened != key {
		t.Error("the data key is another one")
	}
}

// TestServiceRefuses checks that each refusal is reported in words that an operator can act on,
// without the token and without a retry.
func TestServiceRefuses(t *testing.T) {
	e, s := serving(t)
	w, _, err := keeper(t, s).New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := httptest.NewServer(http.RedirectHandler(s.Address, http.StatusTemporaryRedirect))
	defer elsewhere.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<h1>Welcome</h1>")
	}))
	defer page.Close()
	for want, change := range map[string]func(*Settings, *custody.Wrapping){
		"the token is wrong, has expired": func(s *Settings, _ *custody.Wrapping) {
			s.TokenFile = write(t, "token", "s.wrong")
		},
		"another key has wrapped it": func(s *Settings, w *custody.Wrapping) {
			s.Key, w.TransitKey = "other", "other"
		},
		"there is no such key": func(s *Settings, w *custody.Wrapping) {
			s.Key, w.TransitKey = "third", "third"
		},
		"it redirects": func(s *Settings, _ *custody.Wrapping) { s.Address = elsewhere.URL },
		"not from a transit engine": func(s *Settings, _ *custody.Wrapping) {
			s.Address = page.URL
		},
		"certificate": func(s *Settings, _ *custody.Wrapping) { s.CAFile = "" },
		"its token: stat": func(s *Settings, _ *custody.Wrapping) {
			s.TokenFile = filepath.Join(t.TempDir(), "nowhere")
		},
		"does not hold one token": func(s *Settings, _ *custody.Wrapping) {
			s.TokenFile = write(t, "token", "one two")
		},
	} {
		s, w := s, w
		change(&s, &w)
		before := e.asked.Load()
		_, err := keeper(t, s).Open(t.Context(), w)
		if err == nil || !strings.Contains(fmt.Sprint(err), want) ||
			!strings.Contains(fmt.Sprint(err), "key service "+s.Address) {
			t.Errorf("Open gives %v, want %q", err, want)
		}
		if strings.Contains(fmt.Sprint(err), token) {
			t.Errorf("the error has the token: %v", err)
		}
		if requests := e.asked.Load() - before; requests > 1 {
			t.Errorf("%s: asked %d times", want, requests)
		}
	}
	if err := os.Chmod(s.TokenFile, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := keeper(t, s).Open(t.Context(), w); err == nil ||
		!strings.Contains(err.Error(), "chmod 600 "+s.TokenFile) {
		t.Errorf("a token that others can read gives %v", err)
	}
	s.AllowReadable = true
	if _, err := keeper(t, s).Open(t.Context(), w); err != nil {
		t.Error(err)
	}
	s.CAFile = s.TokenFile
	if _, err := New(s); err == nil || !strings.Contains(err.Error(), "contains none") {
		t.Errorf("a file without certificates gives %v", err)
	}
}

// TestPatience waits for a sealed service, but no longer than allowed.
func TestPatience(t *testing.T) {
	e, s := serving(t)
	w, _, err := keeper(t, s).New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e.refuses.Store(1)
	if _, err := keeper(t, s).Open(t.Context(), w); err == nil ||
		!strings.Contains(err.Error(), "the service is sealed") {
		t.Errorf("without patience Open gives %v", err)
	}
	s.Patience = time.Minute
	e.refuses.Store(3)
	before := e.asked.Load()
	if _, err := keeper(t, s).Open(t.Context(), w); err != nil {
		t.Error(err)
	}
	if requests := e.asked.Load() - before; requests != 4 {
		t.Errorf("asked %d times, want 4", requests)
	}
	s.Address = "https://127.0.0.1:1" // no listener there
	s.Patience = 20 * time.Millisecond
	if _, err := keeper(t, s).Open(t.Context(), w); err == nil ||
		!strings.Contains(err.Error(), "refused") {
		t.Errorf("a service that is not there gives %v", err)
	}
	e.refuses.Store(1 << 20)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the process ends"))
	s.Patience = time.Hour
	if _, err := keeper(t, s).Open(ctx, w); err == nil {
		t.Error("a process that ends is patient")
	}
}
