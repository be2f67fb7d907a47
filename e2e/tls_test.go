package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintmark/e2e/ledger"
	"mintmark/e2e/recording"
	"mintmark/internal/app"
	"mintmark/internal/testkit/testrun"
)

// TestTLS serves with a given certificate, rejects HTTP/2 in the envelope, and loads a renewed
// certificate without a restart.
func TestTLS(t *testing.T) {
	t.Parallel()
	settings, first := withCertificate(t, "first")
	written := &logText{}
	settings.Log = slog.New(slog.NewJSONHandler(written, nil))
	world := ledger.NewWorld(t, settings)
	address := strings.TrimPrefix(world.App.URL(), "https://")

	connection := dialTLS(t, address, &tls.Config{RootCAs: first, NextProtos: []string{"http/1.1"}})
	send(t, connection, "GET /bankdocument/list/en-US/CardInfo HTTP/1.1\r\n"+authorized+"\r\n")
	reply := receive(t, connection)
	if reply.HTTP != http.StatusOK {
		t.Errorf("answered %s", reply.Raw)
	}
	if !strings.Contains(string(reply.Data), `"downloadUrl":"https://localhost/bankdocument/`) {
		t.Errorf("the link is not https: %s", reply.Data)
	}

	same(t, "HSTS of localhost", reply.Header.Get("Strict-Transport-Security"), "")

	connection = dialTLS(t, address, &tls.Config{RootCAs: first, NextProtos: []string{"h2"}})
	send(t, connection, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	if reply := receive(t, connection); reply.Errors[0].Code != 50505 {
		t.Errorf("a caller of HTTP/2 is answered %s", reply.Raw)
	}

	connection = dialTLS(t, address, &tls.Config{RootCAs: first})
	send(t, connection, "no HTTP\r\n\r\n")
	same(t, "HSTS of a refusal", receive(t, connection).Header.Get("Strict-Transport-Security"),
		"max-age=31536000")

	second := writeCertificate(t, settings, "second")
	// A new connection triggers a check of the files, at most once a second.
	testrun.Within(t, "the renewed certificate is served", func() bool {
		renewed, err := tls.Dial("tcp", address, &tls.Config{RootCAs: second})
		if err == nil {
			renewed.Close()
		}
		return err == nil
	})
	if told := written.String(); !strings.Contains(told, `"certificate":"CN=first, serial `) {
		t.Errorf("the log does not tell of the renewed certificate:\n%s", told)
	}
}

// TestTLSVersionsAndSuites offers one version or suite at a time. Only authenticated encryption
// (AEAD) is accepted, whether or not a caller offers HTTP/1.1.
func TestTLSVersionsAndSuites(t *testing.T) {
	t.Parallel()
	settings, roots := withCertificate(t, "only")
	world := ledger.NewWorld(t, settings)
	address := strings.TrimPrefix(world.App.URL(), "https://")
	taken := func(config *tls.Config) bool {
		connection, err := tls.Dial("tcp", address, config)
		if err == nil {
			connection.Close()
		}
		return err == nil
	}
	for _, protocols := range [][]string{nil, {"http/1.1"}, {"h2"}} {
		for version, want := range map[uint16]bool{
			tls.VersionTLS10: false, tls.VersionTLS11: false,
			tls.VersionTLS12: true, tls.VersionTLS13: true,
		} {
			same(t, tls.VersionName(version), taken(&tls.Config{RootCAs: roots,
				NextProtos: protocols, MinVersion: version, MaxVersion: version}), want)
		}
		// The certificate is for ECDSA.
		for suite, want := range map[uint16]bool{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:       true,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384:       true,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: true,
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA:          false,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA:          false,
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256:       false,
		} {
			same(t, tls.CipherSuiteName(suite), taken(&tls.Config{RootCAs: roots,
				NextProtos: protocols, MaxVersion: tls.VersionTLS12,
				CipherSuites: []uint16{suite}}), want)
		}
	}
}

// TestHSTSSparesLocalhost checks that no response binds a browser to TLS for the other ports of its
// own machine.
func TestHSTSSparesLocalhost(t *testing.T) {
	t.Parallel()
	settings, roots := withCertificate(t, "only")
	world := ledger.NewWorld(t, settings)
	address := strings.TrimPrefix(world.App.URL(), "https://")
	connection := dialTLS(t, address, &tls.Config{RootCAs: roots})
	for path, status := range inOrder(map[string]int{
		"/program/get": 200, "/nowhere": 404, "/docs": 200,
	}) {
		for host, want := range inOrder(map[string]string{
			"127.0.0.1": "max-age=31536000", "LOCALHOST.:8080": "",
		}) {
			send(t, connection, "GET "+path+" HTTP/1.1\r\n"+
				strings.Replace(authorized, "localhost", host, 1)+"\r\n")
			response, err := http.ReadResponse(connection.reader, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			recording.Raw(t, path+" on "+host, response, body)
			same(t, path, response.StatusCode, status)
			same(t, "HSTS of "+host, response.Header.Get("Strict-Transport-Security"), want)
		}
	}
}

// TestPlainHTTPWhereTLSIsSpoken checks the response to a caller who uses http instead of https,
// however much it sends.
func TestPlainHTTPWhereTLSIsSpoken(t *testing.T) {
	t.Parallel()
	settings, _ := withCertificate(t, "only")
	world := ledger.NewWorld(t, settings)
	address := strings.TrimPrefix(world.App.URL(), "https://")
	plain, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	connection := newCaller(t, plain)
	send(t, connection, "POST /card/lock HTTP/1.1\r\n"+authorized+"Content-Length: 60000\r\n\r\n"+
		strings.Repeat(" ", 60_000))
	reply := receive(t, connection)
	wantCode(t, reply, 59999)
	same(t, "message", reply.Errors[0].Message, "The service is reached over HTTPS here.")
	same(t, "HSTS in the clear", reply.Header.Get("Strict-Transport-Security"), "")
}

// TestHSTSBehindAProxy checks that TLS at a trusted proxy counts, and that a caller's own claim
// does not.
func TestHSTSBehindAProxy(t *testing.T) {
	t.Parallel()
	loopback := netip.MustParsePrefix("127.0.0.1/32")
	for _, row := range []struct {
		trusted []netip.Prefix
		proto   string
		want    string
	}{
		{[]netip.Prefix{loopback}, "https", "max-age=31536000"},
		{[]netip.Prefix{loopback}, "http", ""},
		{nil, "https", ""},
	} {
		world := ledger.NewWorld(t, app.Settings{TrustedProxies: row.trusted})
		for _, key := range []string{"example1", ledger.Anonymous} {
			reply := world.Send(ledger.Request{Path: "/program/get", Key: key,
				Header: map[string]string{"X-Forwarded-Proto": row.proto}})
			same(t, "HSTS for "+key, reply.Header.Get("Strict-Transport-Security"), row.want)
		}
	}
}

// TestTLSKeepsTheOldCertificate checks that a broken file does no harm.
func TestTLSKeepsTheOldCertificate(t *testing.T) {
	t.Parallel()
	settings, roots := withCertificate(t, "only")
	written := new(logText)
	settings.Log = slog.New(slog.NewJSONHandler(written, nil))
	world := ledger.NewWorld(t, settings)
	if err := os.WriteFile(settings.TLSCert, []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(world.App.URL(), "https://")
	testrun.Within(t, "the broken certificate was looked at", func() bool {
		dialTLS(t, address, &tls.Config{RootCAs: roots})
		return strings.Contains(written.String(),
			"certificate not reloaded, the old one stays in use")
	})
	dialTLS(t, address, &tls.Config{RootCAs: roots})
}

func dialTLS(t *testing.T, address string, config *tls.Config) caller {
	t.Helper()
	connection, err := tls.Dial("tcp", address, config)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	return newCaller(t, connection)
}

// withCertificate returns settings for TLS, and a pool that trusts their certificate.
func withCertificate(t *testing.T, name string) (app.Settings, *x509.CertPool) {
	t.Helper()
	dir := t.TempDir()
	settings := app.Settings{
		TLSCert: filepath.Join(dir, "cert.pem"), TLSKey: filepath.Join(dir, "key.pem"),
	}
	return settings, writeCertificate(t, settings, name)
}

// writeCertificate writes a new certificate for the loopback address, and returns a pool that
// trusts it.
func writeCertificate(t *testing.T, settings app.Settings, name string) *x509.CertPool {
	t.Helper()
	return writeLasting(t, settings, name, time.Hour)
}

// writeLasting writes a certificate with the given lifetime.
func writeLasting(
	t *testing.T, settings app.Settings, name string, lasts time.Duration,
) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour), NotAfter: time.Now().Add(lasts),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:        true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	encodedKey, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, settings.TLSKey, "PRIVATE KEY", encodedKey)
	writePEM(t, settings.TLSCert, "CERTIFICATE", der)
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return pool
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	var text strings.Builder
	if err := pem.Encode(&text, &pem.Block{Type: kind, Bytes: der}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
