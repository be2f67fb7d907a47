package httpport

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/message"
	"mintmark/internal/vault"
	"mintmark/internal/vault/signature"
)

const (
	number = "4000001234567899"
	pinned = "7391"
)

var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func keySet(kid string) jose.JSONWebKeySet {
	return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: testKey(), KeyID: kid, Use: "enc"}}}
}

// writeKeys writes the public key set of a processor.
func writeKeys(t *testing.T, file, kid string) {
	t.Helper()
	public := keySet(kid)
	public.Keys[0] = public.Keys[0].Public()
	text, err := json.Marshal(public)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func secretOf(t *testing.T, letter string) signature.Secret {
	t.Helper()
	s, err := signature.NewSecret([]byte(strings.Repeat(letter, signature.MinSecretBytes)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// open returns a port to an address.
func open(t *testing.T, url string, secrets ...signature.Secret) (*Port, Settings) {
	t.Helper()
	settings := Settings{
		URL: url, JWKS: filepath.Join(t.TempDir(), "processor.jwks"),
		Secrets: append(secrets, secretOf(t, "a")),
	}
	writeKeys(t, settings.JWKS, "k1")
	port, err := Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(port.Close)
	return port, settings
}

func testMessage(t *testing.T) processor.Message {
	t.Helper()
	parsed, err := pan.Parse(number)
	if err != nil {
		t.Fatal(err)
	}
	return processor.Message{
		OrderID: "17-00ff00ff00ff00ff", Sequence: 1, Kind: order.Make, CardID: 5001, ProgramID: 1,
		Created: time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC),
		Card:    order.Snapshot{NameOnCard: "ADA EXAMPLE", LastFour: "7899"},
		Secret: &processor.Secret{
			Number: parsed, ExpireMonth: 11, ExpireYear: 2031,
			Pin: &vault.Pin{Text: secret.New(pinned)},
		},
	}
}

// serve starts a server with a handler.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// TestOrderOnTheWire checks an order with the processor's tools: the library's verifier with either
// of two secrets, and the private key.
func TestOrderOnTheWire(t *testing.T) {
	t.Parallel()
	old, fresh := secretOf(t, "o"), secretOf(t, "n")
	var got *http.Request
	var body []byte
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		fmt.Fprint(w, `{"result":"done"}`)
	})
	port, _ := open(t, server.URL+"/base/", old, fresh)
	sent := testMessage(t)
	answer, err := port.Submit(t.Context(), sent)
	if err != nil || answer.Outcome != processor.Done {
		t.Fatalf("%+v, %v", answer, err)
	}
	if got.Method != http.MethodPost || got.URL.Path != "/base/orders" ||
		got.Header.Get("Content-Type") != "application/json" ||
		got.Header.Get("webhook-id") != sent.OrderID {
		t.Errorf("%s %s %v", got.Method, got.URL, got.Header)
	}
	for _, s := range []signature.Secret{old, fresh} {
		verifier, err := standardwebhooks.NewWebhook(s.Reveal())
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(body, got.Header); err != nil {
			t.Errorf("the library refuses the order: %v", err)
		}
	}
	read, err := message.DecodeOrder(body)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := message.Open(keySet("k1"), sent.OrderID, read.Sealed)
	if err != nil || opened.Number != sent.Secret.Number || *opened.Pin != *sent.Secret.Pin {
		t.Errorf("%v, %v", opened, err)
	}
	wire := fmt.Sprint(got.Header, string(body))
	for _, form := range forms(number, `"expireYear"`, `"pin":"`+pinned) {
		if strings.Contains(wire, form) {
			t.Errorf("the request holds %s", form)
		}
	}
}

// forms returns the texts in plain, reversed, in hexadecimal and in base64.
func forms(texts ...string) []string {
	var all []string
	for _, text := range texts {
		reversed := []byte(text)
		slices.Reverse(reversed)
		encoded := base64.StdEncoding.EncodeToString([]byte(text))
		all = append(all, text, string(reversed), hex.EncodeToString([]byte(text)),
			strings.TrimRight(encoded, "="))
	}
	return all
}

// TestAnswers checks the meaning of each answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		status  int
		body    string
		outcome processor.Outcome // empty: sent again
		away    bool              // unreachable
	}{
		{200, `{"result":"done"}`, processor.Done, false},
		{200, `{"result":"done","more":[1]}`, processor.Done, false},
		{202, `{"result":"accepted"}`, processor.Accepted, false},
		{409, `{"result":"known"}`, processor.Accepted, false},
		{409, `{"result":"accepted"}`, processor.Accepted, false},
		{409, `{"result":"done"}`, processor.Done, false}, // its first answer was lost
		{409, `{"result":"refused"}`, processor.Accepted, false},
		{409, `what?`, processor.Accepted, false},
		{422, `{"result":"refused","reason":"no such bin"}`, processor.Refused, false},
		{200, `{"result":"accepted"}`, "", false},
		{200, ``, "", false},
		{200, `<html>`, "", false},
		{200, `{"result":"done"`, "", false},
		{200, `{"result":"` + strings.Repeat("x", maxAnswer) + `"}`, "", false},
		{202, `{}`, "", false},
		{204, ``, "", false},
		{422, `{"errors":[]}`, "", false},
		{422, `<html>`, "", false},
		{301, ``, "", false}, {307, ``, "", false},
		{400, ``, "", false}, {401, ``, "", false}, {404, ``, "", false}, {429, ``, "", false},
		{500, ``, "", false}, {501, ``, "", false},
		{502, ``, "", true}, {503, ``, "", true}, {504, `{"result":"done"}`, "", true},
	} {
		var requests int
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			requests++
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(row.status)
			_, _ = io.WriteString(w, row.body)
		})
		port, _ := open(t, server.URL)
		answer, err := port.Submit(t.Context(), testMessage(t))
		if answer.Outcome != row.outcome || (err == nil) != (row.outcome != "") ||
			errors.Is(err, processor.ErrUnreachable) != row.away {
			t.Errorf("%d %.40s: %+v, %v", row.status, row.body, answer, err)
		}
		if requests != 1 {
			t.Errorf("%d: %d requests", row.status, requests)
		}
	}
}

// TestReason checks that a secret in the processor's answer is not stored in the database, and that
// the stored reason is short.
func TestReason(t *testing.T) {
	t.Parallel()
	reason := "bad card " + number + ", 4000 0012 3456 7899, PIN " + pinned + "\r\nforged line " +
		strings.Repeat("long ", 100)
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = json.NewEncoder(w).Encode(map[string]string{"result": "refused", "reason": reason})
	})
	port, _ := open(t, server.URL)
	answer, err := port.Submit(t.Context(), testMessage(t))
	const begins = "bad card ***, ***, PIN *** forged line long"
	if err != nil || !strings.HasPrefix(answer.Reason, begins) || len(answer.Reason) > maxReason {
		t.Errorf("%q, %v", answer.Reason, err)
	}
}

// TestNotReached checks which failures mean that the processor is unreachable, and that no error
// contains the address or a secret.
func TestNotReached(t *testing.T) {
	t.Parallel()
	closed := serve(t, func(http.ResponseWriter, *http.Request) {})
	closed.Close()
	broken := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = connection.Close()
		}
	})
	garbage := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_, _ = io.WriteString(connection, "garbage\r\n\r\n")
			_ = connection.Close()
		}
	})
	secured := httptest.NewTLSServer(http.NotFoundHandler()) // with an unknown certificate
	t.Cleanup(secured.Close)
	for name, url := range map[string]string{
		"nobody listens": closed.URL, "closes early": broken.URL, "garbage": garbage.URL,
		"unknown certificate": secured.URL, "no such host": "http://mintmark.invalid",
	} {
		port, _ := open(t, url)
		_, err := port.Submit(t.Context(), testMessage(t))
		if !errors.Is(err, processor.ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
		if text := fmt.Sprint(err); strings.Contains(text, "/orders") ||
			strings.Contains(text, number) {
			t.Errorf("%s: the error says too much: %v", name, err)
		}
	}
}

// TestTruncated checks that a truncated answer is not an answer.
func TestTruncated(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"result":"done"}`)
	})
	port, _ := open(t, server.URL)
	answer, err := port.Submit(t.Context(), testMessage(t))
	if err == nil || answer.Outcome != "" {
		t.Errorf("%+v, %v", answer, err)
	}
}

// TestSlow checks that a slow processor counts as unreachable, and that an order that this process
// cancels does not.
func TestSlow(t *testing.T) {
	t.Parallel()
	release, arrived := make(chan struct{}), make(chan struct{}, 2)
	server := serve(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	t.Cleanup(func() { close(release) })
	port, _ := open(t, server.URL)
	port.client.Timeout = 50 * time.Millisecond
	_, err := port.Submit(t.Context(), testMessage(t))
	if !errors.Is(err, processor.ErrUnreachable) {
		t.Errorf("a slow processor: %v", err)
	}
	<-arrived
	port.client.Timeout = 0
	stopping, stop := context.WithCancel(t.Context())
	go func() {
		<-arrived
		stop()
	}()
	_, err = port.Submit(stopping, testMessage(t))
	if !errors.Is(err, context.Canceled) || errors.Is(err, processor.ErrUnreachable) {
		t.Errorf("a process that stops: %v", err)
	}
}

// TestReload checks that new keys and secrets are used from the next order on, and that invalid
// ones change nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	var body []byte
	var header http.Header
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		body, _ = io.ReadAll(r.Body)
		fmt.Fprint(w, `{"result":"done"}`)
	})
	port, settings := open(t, server.URL)
	opensWith := func(kid string, by signature.Secret) {
		t.Helper()
		if _, err := port.Submit(t.Context(), testMessage(t)); err != nil {
			t.Fatal(err)
		}
		read, err := message.DecodeOrder(body)
		if err == nil {
			_, err = message.Open(keySet(kid), read.OrderID, read.Sealed)
		}
		if err != nil || port.KeyName() != kid {
			t.Errorf("with %s (in use %s): %v", kid, port.KeyName(), err)
		}
		err = signature.Verify([]signature.Secret{by}, header, body, time.Now())
		if err != nil {
			t.Error("another secret has signed")
		}
	}
	first, second := settings.Secrets[0], secretOf(t, "s")
	opensWith("k1", first)
	writeKeys(t, settings.JWKS, "k2")
	opensWith("k1", first)
	settings.Secrets = []signature.Secret{second}
	if err := port.Reload(settings); err != nil {
		t.Fatal(err)
	}
	opensWith("k2", second)
	if err := os.WriteFile(settings.JWKS, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := settings
	bad.Secrets = []signature.Secret{first}
	if port.Reload(bad) == nil {
		t.Error("a bad file is taken")
	}
	bad = settings
	bad.JWKS += ".missing"
	if port.Reload(bad) == nil {
		t.Error("a missing file is taken")
	}
	opensWith("k2", second)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	_, good := open(t, "http://127.0.0.1:1")
	for name, change := range map[string]func(*Settings){
		"no address": func(s *Settings) { s.URL = "" },
		"no host":    func(s *Settings) { s.URL = "http://" },
		"ftp":        func(s *Settings) { s.URL = "ftp://example.com" },
		"no secret":  func(s *Settings) { s.Secrets = nil },
		"no keys":    func(s *Settings) { s.JWKS = "" },
	} {
		bad := good
		change(&bad)
		if _, err := Open(bad); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}
