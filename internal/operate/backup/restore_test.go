package backup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
)

// TestRestoreElsewhere checks that a backup of another environment is rejected, and that the error
// says what to do.
func TestRestoreElsewhere(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	mark := filepath.Join(data, installation.SandboxMark)
	for _, c := range []struct {
		of   store.Environment
		cure string
	}{
		{store.Sandbox, "to restore it as a sandbox, make an empty file " + mark},
		{store.Production, "restore it into a directory without the file " + mark},
	} {
		into := restoring{&installation.Claim{
			Location: installation.Location{Data: data}, Environment: c.of,
		}}
		err := into.mayRestore(t.Context(), "backup", Header{Store: kind(into.Location)})
		if err == nil || !strings.HasSuffix(err.Error(), c.cure) {
			t.Errorf("a backup of %s: %v, want %s", c.of, err, c.cure)
		}
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
