package app

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"mintmark/internal/testkit/testinstall"
	"mintmark/internal/vault/signature"
)

// publish writes a key set of a processor with one key.
func publish(t *testing.T, file string, key *rsa.PrivateKey, kid string) {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: &key.PublicKey, KeyID: kid, Use: "enc"},
	}})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPortIsReloaded checks that another key and other secrets take effect, and are logged without
// the secrets, and that a bad file changes no setting at all.
func TestPortIsReloaded(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	signing, err := signature.NewSecret([]byte("secretsecretsecretsecret"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{OverHTTP, InFiles} {
		t.Run(kind, func(t *testing.T) {
			data, logged := t.TempDir(), &lines{}
			settings := Settings{
				Data: data, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
				Log: slog.New(slog.NewJSONHandler(logged, nil)),
				Processor: Processor{
					Kind: kind, URL: "http://127.0.0.1:1", Folder: data,
					JWKS:    filepath.Join(t.TempDir(), "processor.jwks"),
					Secrets: []signature.Secret{signing},
				},
			}
			publish(t, settings.Processor.JWKS, key, "k1")
			testinstall.Init(t, settings.Location())
			running := start(t, settings)
			defer stop(t, running)
			publish(t, settings.Processor.JWKS, key, "k2")
			next := running.Settings
			next.ReportSecrets = []signature.Secret{signing}
			if err := running.Reload(next); err != nil {
				t.Fatal(err)
			}
			line := logged.last()
			if !strings.Contains(line, `"processor key":"k1 → k2"`) ||
				!strings.Contains(line, `"processor.reportSecrets":"another one"`) ||
				strings.Contains(line, "c2Vjcm") {
				t.Error(line)
			}
			if err := os.WriteFile(settings.Processor.JWKS, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			next.Nodes, next.ReportSecrets = 7, nil
			if running.Reload(next) == nil {
				t.Error("a bad file is taken")
			}
			inForce := running.inForce.Load()
			if inForce.Nodes == 7 || len(inForce.ReportSecrets) != 1 ||
				running.port.KeyName() != "k2" {
				t.Errorf("a bad file has changed %+v, key %s", inForce, running.port.KeyName())
			}
		})
	}
}

// TestPortNeedsItsKeys checks that a server with a bad key set does not start.
func TestPortNeedsItsKeys(t *testing.T) {
	data := t.TempDir()
	settings := Settings{
		Data: data, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
		Processor: Processor{Kind: InFiles, Folder: data, JWKS: filepath.Join(data, "none")},
	}
	testinstall.Init(t, settings.Location())
	_, err := Start(t.Context(), settings)
	if err == nil || !strings.Contains(err.Error(), "read the processor's keys") {
		t.Errorf("started with %v", err)
	}
}
