package web

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestSegments(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		path string
		want []string
	}{
		{"", []string{""}},
		{"cards", []string{"cards"}},
		{"cards/7/lock", []string{"cards", "7", "lock"}},
		{"cards/", []string{"cards", ""}},
		{"keys/a%2Fb", []string{"keys", "a/b"}},
		{"keys/a%20b", []string{"keys", "a b"}},
	} {
		got := Segments(row.path)
		if !slices.Equal(got, row.want) {
			t.Errorf("%s has the parts %q, want %q", row.path, got, row.want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	type params = map[string]string
	for _, row := range []struct {
		template, path string // the path is split at |
		fits           bool
		want           params
	}{
		{"", "", true, nil},
		{"", "cards", false, nil},
		{"cards", "cards", true, nil},
		{"cards", "card", false, nil},
		{"cards", "", false, nil},
		{"cards", "cards|", false, nil},
		{"cards", "cards|7", false, nil},
		{"cards/{id}", "cards", false, nil},
		{"cards/{id}", "cards|7", true, params{"id": "7"}},
		{"cards/{id}", "cards|", false, nil},
		{"cards/{id}", "keys|7", false, nil},
		{"cards/{id}", "cards|{id}", true, params{"id": "{id}"}},
		{"cards/{id}", "cards|a/b", true, params{"id": "a/b"}},
		{"cards/{id}/lock", "cards|7|lock", true, params{"id": "7"}},
		{"cards/{id}/lock", "cards|7|unlock", false, nil},
		{"cards/{id}/lock", "cards||lock", false, nil},
		{"programs/{program}/keys/{name}", "programs|1|keys|main", true,
			params{"program": "1", "name": "main"}},
		{"{a}/{b}", "1|2", true, params{"a": "1", "b": "2"}},
		{"{a}/{b}", "1|", false, nil},
	} {
		got, fits := Match(row.template, strings.Split(row.path, "|"))
		if fits != row.fits || !maps.Equal(got, row.want) {
			t.Errorf("%q and %q: fits is %v with %q, want %v with %q",
				row.template, row.path, fits, got, row.fits, row.want)
		}
	}
}
