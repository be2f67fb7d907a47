package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/operate/doctor"
	"mintmark/internal/operate/installation"
	"mintmark/internal/testkit/testinstall"
)

// TestSettingsOfASandbox examines the directory of a sandbox, named by a settings file, which serve
// refuses, and by --data.
func TestSettingsOfASandbox(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	stop(t, start(t, sandboxIn(dir)))
	for file, want := range map[string]doctor.Result{
		"": doctor.OK, "mintmark.yaml": doctor.Failed,
	} {
		report := Examine(t.Context(), file, Settings{Data: dir}, nil, false, "")
		ok := false
		for _, check := range report.Checks {
			if check.Name == "fingerprints" {
				ok = check.Result == want
			}
		}
		if !ok {
			t.Errorf("with the settings file %q: %+v", file, report.Checks)
		}
	}
}

// TestCheckpointUnderCustody seals the audit log of an installation whose keys are wrapped. The
// check of the newest checkpoint unwraps them with the passphrases of the custodians. A passphrase
// file that others can read is reported.
func TestCheckpointUnderCustody(t *testing.T) {
	t.Parallel()
	files := make(map[string]string)
	for _, name := range []string{"ada", "grace"} {
		files[name] = filepath.Join(t.TempDir(), name)
		text := []byte("a long passphrase of " + name)
		if err := os.WriteFile(files[name], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	settings := Settings{
		Data: testinstall.New(t, "").Data, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
		PublicURL: "https://cards.example.com",
		Custody:   installation.Custody{Passphrases: files},
	}
	if err := installation.WrapKeys(t.Context(), settings.Location()); err != nil {
		t.Fatal(err)
	}
	running := start(t, settings)
	err := running.sealer.SealAll(t.Context())
	stop(t, running)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(files["ada"], 0o644); err != nil {
		t.Fatal(err)
	}
	settings.Insecure = true
	report := Examine(t.Context(), "mintmark.yaml", settings, nil, false, "")
	for _, want := range []doctor.Finding{
		{Name: "checkpoint", Result: doctor.OK, Found: "signed at "},
		{Name: "insecure", Result: doctor.Warning, Found: files["ada"] + " can be accessed by"},
	} {
		if !slices.ContainsFunc(report.Checks, func(f doctor.Finding) bool {
			return f.Name == want.Name && f.Result == want.Result &&
				strings.HasPrefix(f.Found, want.Found)
		}) {
			t.Errorf("the checks are %+v, want %+v", report.Checks, want)
		}
	}
}
