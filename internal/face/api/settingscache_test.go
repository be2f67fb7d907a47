package api

import (
	"slices"
	"testing"

	"mintmark/internal/domain/program"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// TestSettingsAreThoseOfTheSnapshot checks that the cache never mixes up settings of the same
// program, or versions of the interface.
func TestSettingsAreThoseOfTheSnapshot(t *testing.T) {
	t.Parallel()
	cache := &settingsCache{}
	ask := func(version int, of *issuing.Program) string {
		c := &call{Exchange: &web.Exchange{ID: "id"}, version: version}
		response, err := cache.respond(c, of)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Release()
		return string(response.Body)
	}
	snapshot := func(name string, version uint64) *issuing.Program {
		settings := program.Settings{Name: name, Products: []program.Product{{Name: "Basic"}}}
		settings.CheckingProducts = map[string]program.Product{"basic": {}}
		return &issuing.Program{Settings: settings, Version: version}
	}
	programSnapshot, two := snapshot("one", 1), snapshot("two", 2) // both filled at the same time
	for _, of := range []*issuing.Program{programSnapshot, programSnapshot, two, programSnapshot, two, two} {
		for _, version := range []int{1, 2} {
			plain := of.Settings
			if version == 2 {
				plain = plain.WithoutDeprecated()
			}
			text, err := marshal(plain)
			if err != nil {
				t.Fatal(err)
			}
			want := appendEnvelope(nil, "id", rendered(text))
			if got := ask(version, of); !slices.Equal([]byte(got), want) {
				t.Errorf("version %d of %s is answered %s", version, of.Settings.Name, got)
			}
		}
	}
}
