package version

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestRelease checks that the newest release in CHANGELOG.md is that of the program.
func TestRelease(t *testing.T) {
	t.Parallel()
	changes, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := regexp.MustCompile(`(?m)^## (\d\S*)`).FindSubmatch(changes)
	if newest == nil || string(newest[1]) != release {
		t.Errorf("CHANGELOG.md names %q, the program %s", newest, release)
	}
	if version := Current().Version; !strings.HasPrefix(version, release) {
		t.Errorf("the version is %s", version)
	}
}
