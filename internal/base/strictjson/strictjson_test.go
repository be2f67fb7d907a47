package strictjson

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/base/problem"
)

// thing is the value that the bodies of the tests describe.
type thing struct {
	Name  string
	Count int
	At    time.Time
	Raw   string
}

// Rules requires a name.
func (t thing) Rules(r *problem.Rules) {
	r.Text("name", t.Name, 5)
	r.OptionalNumber("count", &t.Count, 0, 9)
}

func read(text string) (thing, problem.List) {
	var read thing
	problems := Read([]byte(text), func(o *Object) {
		read = thing{o.String("name"), o.Int("count"), o.Time("at"), string(o.Raw("raw"))}
		o.Check(read)
	})
	return read, problems
}

// TestRead reads good and bad bodies.
func TestRead(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 15, 9, 26, 500e6, time.FixedZone("", 3600))
	for _, row := range []struct {
		body string
		want thing
		text string // of the problems
	}{
		{` {"name":"Zoë","count":7,"at":"2026-03-14T15:09:26.5+01:00","raw":{"a":[1.50]}}` + "\n",
			thing{"Zoë", 7, at, `{"a":[1.50]}`}, ""},
		{`{"name":"a","count":null,"at":null,"raw":null}`, thing{Name: "a"}, ""},
		{`{"name":"\u0041\/"}`, thing{Name: "A/"}, ""},

		{``, thing{}, ": is not valid JSON"},
		{`{"name":"a"} {}`, thing{}, ": is not valid JSON"},
		{`{"name":"a",}`, thing{}, ": is not valid JSON"},
		{"\ufeff{}", thing{}, ": is not valid JSON"},
		{"{\"name\":\"\xff\"}", thing{}, ": is not valid JSON"},
		{`{"name":"\ud83d\uDE00"}`, thing{Name: "😀"}, ""},
		{`{"name":"\\ud83d"}`, thing{Name: `\ud83d`}, "name: must have at most 5 characters"},
		{`{"name":"\ud83d"}`, thing{}, ": has half of a surrogate pair"},
		{`{"name":"a","raw":["\ude00\ud83d"]}`, thing{}, ": has half of a surrogate pair"},
		{`{"name":"\ud83d\u0041"}`, thing{}, ": has half of a surrogate pair"},
		{`{"name":"\ud83d\\u"}`, thing{}, ": has half of a surrogate pair"},
		{`null`, thing{}, ": must be an object"},
		{`[]`, thing{}, ": must be an object"},
		{`"a"`, thing{}, ": must be an object"},
		{`{}`, thing{}, "name: a value is required"},
		{`{"name":"abcdef","count":10}`, thing{Name: "abcdef", Count: 10},
			"name: must have at most 5 characters\ncount: must be a whole number from 0 to 9"},
		{`{"Name":"a"}`, thing{}, "name: a value is required\n" +
			"Name: is not a known member"},
		{`{"name":"a","name":"b"}`, thing{Name: "a"}, "name: is given twice"},
		{`{"name":"a","n\u0061me":"b"}`, thing{Name: "a"}, "name: is given twice"},
		{`{"name":1,"count":"1","at":1}`, thing{},
			"name: must be a text\ncount: must be a whole number\nat: must be a text"},
		{`{"name":"a\u0000"}`, thing{}, "name: must have no control characters"},
		{`{"name":"a","count":1.0}`, thing{Name: "a"}, "count: must be a whole number"},
		{`{"name":"a","count":1e0}`, thing{Name: "a"}, "count: must be a whole number"},
		{`{"name":"a","count":2147483648}`, thing{Name: "a"}, "count: must be a whole number"},
		{`{"name":"a","at":"2026-03-14T15:09:26"}`, thing{Name: "a"}, "at: " + noMoment},
		{`{"name":"a","x.y":1}`, thing{Name: "a"}, `: "x.y" is not a known member`},
	} {
		got, problems := read(row.body)
		if problems.String() != row.text {
			t.Errorf("%s: problems\n%s\nwant\n%s", row.body, problems, row.text)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.body, diff)
		}
	}
}

// TestReadList checks that the problems of an entry include its index.
func TestReadList(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ body, text, names string }{
		{`[]`, "", ""},
		{`[{"name":"a"},{"name":"b"}]`, "", "a b"},
		{`{}`, ": must be a list", ""},
		{`null`, ": must be a list", ""},
		{`[{"name":"a"},7,{"name":"b","x":1}]`,
			"[1]: must be an object\n[2].x: is not a known member", "a b"},
		{`[{},{},{},{}]`, ": must have at most 3 entries", ""},
	} {
		var names []string
		problems := ReadList([]byte(row.body), 3, func(o *Object) {
			names = append(names, o.String("name"))
		})
		if problems.String() != row.text || strings.Join(names, " ") != row.names {
			t.Errorf("%s: %q, problems\n%s", row.body, names, problems)
		}
	}
}

// TestReadAnything checks that no body makes the reader fail, and that a value accepted without a
// problem satisfies the rules.
func TestReadAnything(t *testing.T) {
	t.Parallel()
	pieces := []string{`{`, `}`, `[`, `]`, `"name"`, `"count"`, `"at"`, `"x"`, `:`, `,`, `1`, `-`,
		`"a"`, `null`, `true`, `"2026-03-14T15:09:26Z"`, ` `, `\`, `"`, "\x00", "\xff"}
	rapid.Check(t, func(rt *rapid.T) {
		body := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 20).Draw(rt, "body"), "")
		if got, problems := read(body); problems == nil && got.Name == "" {
			rt.Errorf("%q is taken as %+v", body, got)
		}
	})
}
