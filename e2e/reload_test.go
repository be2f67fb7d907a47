package e2e

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintmark/internal/app"
)

// hangUp sends SIGHUP and waits for the resulting log line.
func (p *process) hangUp(line string) {
	p.Helper()
	before := strings.Count(p.log.String(), line)
	if err := p.command.Process.Signal(syscall.SIGHUP); err != nil {
		p.Fatal(err)
	}
	p.log.Until(p.T, line, func() bool { return strings.Count(p.log.String(), line) > before })
}

// link returns the prefix of the links to documents.
func link(t *testing.T, url string) string {
	t.Helper()
	documents, err := connect(t, url, "example1").BankDocumentList(t.Context(), "en-US", "")
	if err != nil || len(documents) == 0 {
		t.Fatalf("%d documents, %v", len(documents), err)
	}
	before, _, _ := strings.Cut(documents[0].DownloadURL, "/bankdocument")
	return before
}

// describedBy returns the description of the interface at the operators' address.
func describedBy(t *testing.T, program *process) string {
	t.Helper()
	admin := forOperators.FindStringSubmatch(program.opening)[1]
	_, _, text := ask(t, "GET", admin+"/openapi.yaml", nil)
	return text
}

const (
	reloaded    = `"level":"INFO","msg":"settings reloaded"`
	notReloaded = `"level":"ERROR","msg":"settings not reloaded, the old ones stay in force"`
)

// TestReload changes the settings of a running server. Settings that can change do, the others are
// named in the log, and a file with a mistake changes nothing. Open connections stay.
func TestReload(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	program := p.serve()
	address := strings.TrimPrefix(program.url, "http://")
	held := callerAt(t, address)
	ask := func() {
		t.Helper()
		send(t, held, "GET /program/get HTTP/1.1\r\n"+authorized+"\r\n")
		same(t, "status on a connection that stays", receive(t, held).HTTP, http.StatusOK)
	}
	ask()
	same(t, "link", link(t, program.url), "https://cards.example.com")

	const next = "publicUrl: https://new.example.com\nnodes: 2\ntrustedProxies: [127.0.0.1]\n" +
		"limits: {headerTimeout: 300ms, bodyBytes: 2048}\nwebhooks: {allow: [10.0.0.0/8]}\n"
	configure(t, p.config, p.data, next)
	program.hangUp(reloaded)
	for _, want := range []string{
		`"publicUrl":"https://cards.example.com → https://new.example.com"`, `"nodes":"1 → 2"`,
		`"trustedProxies":"none → 127.0.0.1/32"`, `"limits.headerTimeout":"5s → 300ms"`,
		`"limits.bodyBytes":"65536 → 2048"`, `"webhooks.allow":"127.0.0.1/32 → 10.0.0.0/8"`,
	} {
		if !strings.Contains(program.log.String(), want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	same(t, "link", link(t, program.url), "https://new.example.com")
	if !strings.Contains(describedBy(t, program), "\n  - url: https://new.example.com\n") {
		t.Error("operators are not told of the new address")
	}
	ask()
	slow := callerAt(t, address)
	began := time.Now()
	if _, err := slow.Read(make([]byte, 1)); err == nil || time.Since(began) > 4*time.Second {
		t.Errorf("a client without headers kept its connection for %v, %v", time.Since(began), err)
	}
	// The address that a trusted proxy reports is not on the key's list.
	send(t, held, "GET /program/get HTTP/1.1\r\n"+authorized+"X-Forwarded-For: 203.0.113.9\r\n\r\n")
	same(t, "status by way of a proxy", receive(t, held).HTTP, http.StatusForbidden)
	long := fmt.Sprintf("POST /card/lock HTTP/1.1\r\n%sContent-Length: 2049\r\n\r\n", authorized)
	send(t, held, long)
	same(t, "status of a long body", receive(t, held).HTTP, http.StatusBadRequest)

	configure(t, p.config, p.data, "publicUrl: nowhere\nnodes: -7\n")
	program.hangUp(notReloaded)
	for _, want := range []string{"publicUrl: ", "nodes: -7 is not from 1 to 1000"} {
		if !strings.Contains(program.log.String(), want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	same(t, "link", link(t, program.url), "https://new.example.com")

	configure(t, p.config, p.data, next+"insecure: true\nlisten: 127.0.0.1:1\n")
	program.hangUp(notReloaded) // listen is duplicated
	configure(t, p.config, p.data+"-other", next)
	program.hangUp(reloaded)
	if !strings.Contains(program.log.String(), `"needsRestart":{"data":"`+p.data+" → ") {
		t.Errorf("the log does not say what needs a restart:\n%s", program.log)
	}
	same(t, "link", link(t, program.url), "https://new.example.com")
	held.Close() // the server would wait for the rest of its long body
	same(t, "exit code", program.end(syscall.SIGTERM), 0)
	if strings.Contains(program.log.String(), "DATA RACE") ||
		strings.Contains(program.log.String(), "postgres://") {
		t.Errorf("the log says what it should not:\n%s", program.log)
	}
}

// TestReloadCertificate makes a server load another certificate from other files. A broken one
// leaves the old one in use. A sandbox, which has no settings file, reloads its certificate, too.
func TestReloadCertificate(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	files := func(name string) app.Settings {
		directory := filepath.Dir(p.config)
		return app.Settings{
			TLSCert: filepath.Join(directory, name+".crt"),
			TLSKey:  filepath.Join(directory, name+".key"),
		}
	}
	use := func(name string) {
		f := files(name)
		configure(t, p.config, p.data, "adminListen: 0.0.0.0:0\ntlsCert: "+f.TLSCert+"\ntlsKey: "+
			f.TLSKey+"\n")
	}
	first := writeCertificate(t, files("first"), "first")
	second := writeCertificate(t, files("second"), "second")
	use("first")
	program := p.serve()
	address := strings.TrimPrefix(program.url, "https://")
	dialTLS(t, address, &tls.Config{RootCAs: first}).Close()
	// Operators on other machines are served over TLS, too.
	operators := forOperators.FindStringSubmatch(program.opening)[1]
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(operators, "https://"))
	dialTLS(t, "127.0.0.1:"+port, &tls.Config{RootCAs: first}).Close()
	use("second")
	program.hangUp(reloaded)
	dialTLS(t, address, &tls.Config{RootCAs: second}).Close()
	if !strings.Contains(program.log.String(), `"certificate":"CN=first, serial `) {
		t.Errorf("the log does not tell the certificates:\n%s", program.log)
	}
	use("third")
	program.hangUp(notReloaded)
	dialTLS(t, address, &tls.Config{RootCAs: second}).Close()
	same(t, "exit code", program.end(syscall.SIGTERM), 0)

	settings := files("first")
	demo := sandbox(t, "--tls-cert", settings.TLSCert, "--tls-key", settings.TLSKey, "--log-format", "json")
	renewed := writeCertificate(t, settings, "renewed")
	demo.hangUp(reloaded)
	dialTLS(t, strings.TrimPrefix(demo.url, "https://"), &tls.Config{RootCAs: renewed}).Close()
	same(t, "exit code", demo.end(syscall.SIGTERM), 0)
}

func callerAt(t *testing.T, address string) caller {
	t.Helper()
	connection, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return newCaller(t, connection)
}
