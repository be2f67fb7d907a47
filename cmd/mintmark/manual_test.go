package main

import (
	"reflect"
	"strings"
	"testing"

	"mintmark/internal/app"
	"mintmark/internal/testkit/golden"
)

// TestSettingsManual holds docs/settings.md against what it is printed from.
func TestSettingsManual(t *testing.T) {
	t.Parallel()
	golden.Compare(t, "../../docs/settings.md", settingsManual())
}

// TestEverySettingIsTold holds the texts against the settings of the file, both ways, and against
// the list that a reload goes by.
func TestEverySettingIsTold(t *testing.T) {
	t.Parallel()
	listed := make(map[string]bool)
	for _, k := range (app.Settings{}).Known() {
		listed[k.Name] = true
	}
	names := make(map[string]bool)
	for _, s := range settingsOf(reflect.TypeFor[config](), "") {
		names[s.name] = true
		if !strings.HasSuffix(settingsTold[s.name].meaning, ".") {
			t.Errorf("no sentence says what %s means", s.name)
		}
		group, _, _ := strings.Cut(s.name, ".")
		if !listed[s.name] && !listed[group] {
			t.Errorf("a reload does not look at %s", s.name)
		}
		if strings.Contains(s.name, "..") || strings.HasSuffix(s.name, ".") {
			t.Errorf("%q has no name", s.name)
		}
	}
	for name := range settingsTold {
		if !names[name] {
			t.Errorf("%s is explained and does not exist", name)
		}
	}
	for name := range listed {
		if !names[name] && name != "custody" && name != "openid" {
			t.Errorf("a reload looks at %s, which does not exist", name)
		}
	}
	if len(names) < 40 {
		t.Errorf("there are %d settings only", len(names))
	}
}
