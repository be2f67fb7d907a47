package problem

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// ruled is a value with the given rules.
type ruled func(r *Rules)

func (f ruled) Rules(r *Rules) { f(r) }

type color string

var (
	colors = []color{"red", "blue"}
	noon   = time.Date(2000, 1, 1, 12, 0, 0, 0, time.UTC)
	day    = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// TestRules checks the problem that each kind of rule reports, and its description.
func TestRules(t *testing.T) {
	two, six := 2, 6
	for _, c := range []struct {
		demand    string
		required  bool
		good, bad ruled
		want      string
	}{
		{"", true, func(r *Rules) { r.Require("m", true) },
			func(r *Rules) { r.Require("m", false) }, "a value is required"},
		{"from 1 to 2147483647", true, func(r *Rules) { r.ID("m", MaxID) },
			func(r *Rules) { r.ID("m", 0) }, "must be a whole number from 1 to 2147483647"},
		{"from 2 to 5", true, func(r *Rules) { r.Number("m", 5, 2, 5) },
			func(r *Rules) { r.Number("m", 6, 2, 5) }, "must be a whole number from 2 to 5"},
		{"from 2 to 5", false, func(r *Rules) { r.OptionalNumber("m", &two, 2, 5) },
			func(r *Rules) { r.OptionalNumber("m", &six, 2, 5) }, "must be a whole number from 2 to 5"},
		{"from 2 to 5", false, func(r *Rules) { r.OptionalNumber("m", nil, 2, 5) },
			func(r *Rules) { r.OptionalNumber("m", new(int), 2, 5) },
			"must be a whole number from 2 to 5"},
		{"at most 3 characters", true, func(r *Rules) { r.Text("m", "äöü", 3) },
			func(r *Rules) { r.Text("m", "äöüß", 3) }, "must have at most 3 characters"},
		{"at most 3 characters", false, func(r *Rules) { r.OptionalText("m", "", 3) },
			func(r *Rules) { r.OptionalText("m", "abcd", 3) }, "must have at most 3 characters"},
		{`without ":"`, false, func(r *Rules) { r.Without("m", "a", ":") },
			func(r *Rules) { r.Without("m", "a:b", ":") }, `must not contain ":"`},
		{"2 to 3 digits and nothing else", true, func(r *Rules) { r.Digits("m", "012", 2, 3) },
			func(r *Rules) { r.Digits("m", "1x", 2, 3) },
			"must have 2 to 3 digits and nothing else"},
		{"3 digits and nothing else", true, func(r *Rules) { r.Digits("m", "012", 3, 3) },
			func(r *Rules) { r.Digits("m", "01", 3, 3) }, "must have 3 digits and nothing else"},
		{"1 to 2 entries", true, func(r *Rules) { r.Count("m", 2, 1, 2) },
			func(r *Rules) { r.Count("m", 0, 1, 2) }, "must have 1 to 2 entries"},
		{"of the time zone database, such as America/New_York", false,
			func(r *Rules) { r.Zone("m", "Europe/Paris") },
			func(r *Rules) { r.Zone("m", "Mars/Base") },
			`"Mars/Base" is not a known time zone, such as America/New_York`},
		{"of the time zone database, such as America/New_York", false,
			func(r *Rules) { r.Zone("m", "UTC") }, func(r *Rules) { r.Zone("m", "Local") },
			`"Local" is not a known time zone, such as America/New_York`},
		{"a date without a time, such as 1985-03-14", false,
			func(r *Rules) { r.OptionalDate("m", day) }, func(r *Rules) { r.OptionalDate("m", noon) },
			"must be a date without a time, such as 1985-03-14"},
		{"one of red, blue", true, func(r *Rules) { OneOf(r, "m", "blue", colors) },
			func(r *Rules) { OneOf(r, "m", "Blue", colors) }, `"Blue" is not one of: red, blue`},
		{"one of red, blue", false, func(r *Rules) { AllOneOf(r, "m", nil, colors) },
			func(r *Rules) { AllOneOf(r, "m", []color{"red", "x"}, colors) },
			`"x" is not one of: red, blue`},
		{"none twice", false, func(r *Rules) { Distinct(r, "m", []int{1, 2}) },
			func(r *Rules) { Distinct(r, "m", []int{1, 2, 1}) }, "1 appears twice"},
		{"odd", false, func(r *Rules) { r.Must("m", "odd", "") },
			func(r *Rules) { r.Must("m", "odd", "is even") }, "is even"},
	} {
		if problems := Check(c.good); problems != nil {
			t.Errorf("%s: a good value: %v", c.want, problems)
		}
		if diff := cmp.Diff(List{{"m", c.want}}, Check(c.bad)); diff != "" {
			t.Errorf("a bad value (-want +got):\n%s", diff)
		}
		want := Member{Name: "m", Required: c.required}
		if c.demand != "" {
			want.Demands = []string{c.demand}
		}
		if diff := cmp.Diff(map[string]Member{"m": want}, Describe(c.bad)); diff != "" {
			t.Errorf("described (-want +got):\n%s", diff)
		}
	}
}

// TestPaths checks the paths of problems, and that a member has at most one.
func TestPaths(t *testing.T) {
	problems := Check(ruled(func(r *Rules) {
		entry := r.In("bank").Entry("keys", 3)
		entry.Text("name", "", 5)
		entry.Without("name", ":", ":")
		entry.Entry("ids", 0).ID("", 0)
		r.Require("bank", false)
	}))
	want := "bank.keys[3].name: a value is required\n" +
		"bank.keys[3].ids[0]: must be a whole number from 1 to 2147483647\n" +
		"bank: a value is required"
	if got := problems.String(); got != want {
		t.Errorf("got %s", got)
	}
}

// TestDescribeKnowsItsOwnMembersOnly checks that the members of nested values are not described.
func TestDescribeKnowsItsOwnMembersOnly(t *testing.T) {
	got := Describe(ruled(func(r *Rules) {
		r.Computed("made")
		r.In("bank").Text("name", "", 5)
	}), ruled(func(r *Rules) { r.Given("rate") }))
	want := map[string]Member{
		"made": {Name: "made", Computed: true}, "rate": {Name: "rate", Required: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLengthsCountCharacters checks that the maximum length of a string counts characters, not
// bytes.
func TestLengthsCountCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 40).Draw(t, "most")
		length := rapid.IntRange(1, 50).Draw(t, "length")
		letter := rapid.SampledFrom([]string{"a", "é", "€", "😀"}).Draw(t, "letter")
		text := strings.Repeat(letter, length)
		problems := Check(ruled(func(r *Rules) { r.Text("m", text, most) }))
		if (len(problems) == 0) != (length <= most) {
			t.Errorf("%d characters of %d: %v", length, most, problems)
		}
	})
}
