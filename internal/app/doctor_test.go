package app

import (
	"testing"

	"mintmark/internal/operate/doctor"
)

// TestSettingsOfASandbox examines a sandbox's directory, named by a settings file, which serve
// refuses, and by --data.
func TestSettingsOfASandbox(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	stop(t, start(t, sandboxIn(dir)))
	for file, want := range map[string]doctor.Result{
		"": doctor.OK, "mintmark.yaml": doctor.Failed,
	} {
		report := Examine(t.Context(), file, Settings{Data: dir}, nil, false, "")
		found := false
		for _, check := range report.Checks {
			if check.Name == "fingerprints" {
				found = check.Result == want
			}
		}
		if !found {
			t.Errorf("with the settings file %q: %+v", file, report.Checks)
		}
	}
}
