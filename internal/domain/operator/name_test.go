package operator

import (
	"testing"

	"mintmark/internal/base/problem"
)

// TestFoldName checks pairs of names that look alike, and pairs that do not.
func TestFoldName(t *testing.T) {
	t.Parallel()
	for _, alike := range [][]string{
		{"ada", "ADA", "Ada", "\uff41\uff44\uff41", "\u0430\u0501\u0430", "\u0251da"},
		{"ci-1", "CI-l", "ci-I", "c\u0456-1"}, {"ops 0", "OPS  o", "ops O"},
		{"M\u00fcller", "mu\u0308ller"}, {"stra\u00dfe", "STRA\u1e9eE"},
	} {
		for _, name := range alike {
			if FoldName(name) != FoldName(alike[0]) {
				t.Errorf("%q is folded to %q, %q to %q", name, FoldName(name), alike[0],
					FoldName(alike[0]))
			}
		}
	}
	seen := map[string]string{}
	for _, name := range []string{
		"ada", "adam", "bob", "ada b", "ada-b", "ci-1", "ci-2", "M\u00fcller", "Muller",
		"\u041d\u043e\u0447\u044c", "sandbox-security", "sandbox-support", "name 1", "name 11",
	} {
		if other, there := seen[FoldName(name)]; there {
			t.Errorf("%q and %q are folded alike", name, other)
		}
		seen[FoldName(name)] = name
	}
}

// TestNamed checks that a name finds the person with exactly that name, or the only one whose name
// looks like it.
func TestNamed(t *testing.T) {
	t.Parallel()
	people := []Person{
		{ID: 1, Name: "ada"}, {ID: 2, Name: "Bob B"}, {ID: 3, Name: "ci-1"}, {ID: 4, Name: "ci-l"},
	}
	for name, want := range map[string]int{
		"ada": 1, " Ada ": 1, "bob  b": 2, "ci-l": 4, "ci-1": 3, "CI-I": 0, "eve": 0, "": 0,
	} {
		if person, ok := Named(people, name); person.ID != want || ok != (want != 0) {
			t.Errorf("%q: got %+v, %v", name, person, ok)
		}
	}
}

// TestCheckName accepts names from all over the world, and rejects invisible characters, mixed
// scripts, card numbers and names that are too long.
func TestCheckName(t *testing.T) {
	t.Parallel()
	for name, fine := range map[string]bool{
		"ada": true, "Ada Lovelace": true, "ada@example.com": true, "Jos\u00e9 \u00d3": true,
		"I\u015f\u0131k": true, "\u041d\u043e\u0447\u044c": true, "\u7530\u4e2d Taro": true,
		"\u0395\u03bb\u03ad\u03bd\u03b7": true, "CORP\\ada": true, "o'neill": true,
		"": false, " ada": false, "ada\n": false, "a\x00b": false, "a\xffb": false,
		"\u0430da": false, "b\u043eb": false, "\u0391da": false, "ada\u202e": false,
		"a\u200dda": false, "a\u00a0da": false, "a\u2028da": false, "\ufeffada": false,
		"a\ue000": false, "4111_1111_1111_1111": false, "123456789012345678901234567890123456789012345678901": false,
	} {
		var wrong problem.List
		CheckName("name", name, &wrong)
		if (len(wrong) == 0) != fine {
			t.Errorf("%q: %v", name, wrong)
		}
	}
}
