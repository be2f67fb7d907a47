package e2e

import (
	"encoding/base64"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"mintmark/e2e/ledger"
)

// TestReportSecretsOfProduction changes the secrets of reports while the server runs: each is
// accepted as long as the settings have it, and that of a sandbox never. None of them may be
// logged.
func TestReportSecretsOfProduction(t *testing.T) {
	t.Parallel()
	p := newProduction(t)
	secret := func(text string) string {
		return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(text, 4)))
	}
	older, newer := secret("older one"), secret("newer one")
	set := func(secrets ...string) {
		list := strings.Join(secrets, ", ")
		configure(t, p.config, p.data, "processor: {reportSecrets: ["+list+"]}\n")
	}
	set(older)
	program := p.serve()
	wants := func(known string, status map[string]int) {
		t.Helper()
		for with, want := range status {
			request := ledger.SignedReports(t, program.adminURL(), "[]", with, time.Now())
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			same(t, "with "+known+", status", response.StatusCode, want)
		}
	}
	wants("the older", map[string]int{older: 200, newer: 401, ledger.SandboxReportSecret: 401})
	set(newer, older)
	program.hangUp(reloaded)
	wants("both", map[string]int{older: 200, newer: 200, ledger.SandboxReportSecret: 401})
	set(newer)
	program.hangUp(reloaded)
	wants("the newer", map[string]int{older: 401, newer: 200})
	set(ledger.SandboxReportSecret)
	program.hangUp(notReloaded)
	wants("a refused reload", map[string]int{newer: 200, ledger.SandboxReportSecret: 401})
	set()
	program.hangUp(reloaded)
	wants("none", map[string]int{older: 401, newer: 401, ledger.SandboxReportSecret: 401})
	for _, s := range []string{older, newer} {
		if strings.Contains(program.log.String(), strings.TrimPrefix(s, "whsec_")) {
			t.Error("the log holds a secret")
		}
	}
}

// TestSandboxReportSecretIsTold checks that the manual has the secret of a sandbox.
func TestSandboxReportSecretIsTold(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/processor.md")
	if err != nil || !strings.Contains(string(text), ledger.SandboxReportSecret) {
		t.Errorf("docs/processor.md lacks the secret of a sandbox (%v)", err)
	}
}
