package strictjson

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// form has a member of each kind that a body may have.
type form struct {
	Name   string            `json:"name"`
	Count  int               `json:"count"`
	On     bool              `json:"on"`
	Rate   *float64          `json:"rate"`
	At     *time.Time        `json:"at"`
	Amount json.Number       `json:"amount"`
	Tags   []string          `json:"tags"`
	Parts  []part            `json:"parts"`
	Words  map[string]string `json:"words"`
	Photo  []byte            `json:"photo"`
	part                     // embedded: its members belong to form
}

type part struct {
	Size int `json:"size"`
}

// TestDecode checks what each kind of member accepts, and that the members after a wrong one are
// read.
func TestDecode(t *testing.T) {
	t.Parallel()
	rate, at := 1.5, time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	for _, row := range []struct {
		body string
		want form
		text string // of the problems
	}{
		{`{"name":"a","count":1,"on":true,"rate":1.5,"at":"2026-03-14T15:09:26Z","amount":12.50,
			"tags":["x"],"parts":[{"size":2}],"words":{"a":"b"},"photo":"aGk=","size":3}`,
			form{"a", 1, true, &rate, &at, "12.50", []string{"x"}, []part{{2}},
				map[string]string{"a": "b"}, []byte("hi"), part{3}}, ""},
		{`{"name":null,"rate":null,"tags":null}`, form{}, ""},
		{`{"at":"14 March","name":"a","parts":[{"size":"2"},null,{"size":4,"x":1}],"tags":["b"]}`,
			form{Name: "a", At: &time.Time{}, Tags: []string{"b"}, Parts: []part{{}, {}, {4}}},
			"at: " + noMoment + "\nparts[0].size: must be a whole number\n" +
				"parts[1]: must not be null\nparts[2].x: is not a known member"},
		{`{"words":{"a":1,"b":"c"},"photo":"?","amount":"1","on":1,"size":5}`,
			form{Words: map[string]string{"a": "", "b": "c"}, part: part{5}},
			"words.a: must be a text\nphoto: must be a text in base64\n" +
				"amount: must be a number\non: must be true or false"},
		{`{"name":"a","name":"b","Count":1}`, form{Name: "a"},
			"name: is given twice\nCount: is not a known member"},
		{`[]`, form{}, ": must be an object"},
		{``, form{}, ": is not valid JSON"},
	} {
		got, problems := Decode[form]([]byte(row.body))
		if problems.String() != row.text {
			t.Errorf("%s: problems\n%s\nwant\n%s", row.body, problems, row.text)
		}
		if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(form{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.body, diff)
		}
	}
}

// TestMerge checks how a patch changes a value, and what it may not change.
func TestMerge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	before := form{
		Name: "a", Count: 1 << 40, At: &at, Amount: "0", Words: map[string]string{"a": "b"},
	}
	for _, row := range []struct {
		patch string
		want  form
		text  string
	}{
		{`{}`, before, ""},
		{`{"name":"b","at":null,"words":{"a":null,"c":"d"}}`,
			form{Name: "b", Count: 1 << 40, Amount: "0", Words: map[string]string{"c": "d"}}, ""},
		{`{"count": 1099511627776}`, before, "count: must be a whole number"},
		{`{"size":0}`, before, ""},
		{`{"size":1}`, before, "size: cannot be changed"},
		{`{"size":null}`, before, "size: cannot be changed"},
		{`{"at":"noon","name":"b"}`,
			form{Name: "b", At: &time.Time{}, Amount: "0", Words: before.Words}, "at: " + noMoment},
		{`[]`, form{}, ": must be an object"},
	} {
		got, problems, err := Merge(before, []byte(row.patch), "size")
		if err != nil || problems.String() != row.text {
			t.Errorf("%s: %v, problems\n%s\nwant\n%s", row.patch, err, problems, row.text)
		}
		if row.text != "" { // a value with problems is checked only in part
			got.Count, got.part, row.want.Count = 0, part{}, 0
		}
		if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(form{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.patch, diff)
		}
	}
}

// TestMergeAbsent checks that a patch may remove a fixed member that is absent.
func TestMergeAbsent(t *testing.T) {
	t.Parallel()
	type visit struct {
		Last string `json:"last,omitempty"`
	}
	for patch, want := range map[string]string{
		`{"last":null}`: "", `{"last":"today"}`: "last: cannot be changed",
	} {
		if _, problems, err := Merge(visit{}, []byte(patch), "last"); err != nil ||
			problems.String() != want {
			t.Errorf("%s: problems %s, %v, want %s", patch, problems, err, want)
		}
	}
}

// TestRename checks that names change and values stay unchanged.
func TestRename(t *testing.T) {
	t.Parallel()
	rename := func(name string) (string, bool) { return "x" + name, name != "out" }
	for text, want := range map[string]string{
		` {"a": [1.50 ],"out":1,"a":"\u0041"} `: `{"xa":[1.50 ],"xa":"\u0041"}`,
		`{}`:                                    `{}`,
		`[1]`:                                   `[1]`,
		`{`:                                     `{`,
		``:                                      ``,
	} {
		if got := Rename([]byte(text), rename); string(got) != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

// TestDecodeLongList checks that a list may be as long as a list of leaked numbers.
func TestDecodeLongList(t *testing.T) {
	t.Parallel()
	const count = 100_000
	body := `{"numbers":["1"` + strings.Repeat(`,"1"`, count-1) + `]}`
	list, problems := Decode[struct {
		Numbers []string `json:"numbers"`
	}]([]byte(body))
	if len(problems) > 0 || len(list.Numbers) != count {
		t.Errorf("%d entries, %v", len(list.Numbers), problems)
	}
}

// TestSame checks that the order of members and white space do not matter, and that absent and null
// differ.
func TestSame(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[1, 2]}`, `{"b":[1,2], "a":1}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`[1,2]`, `[2,1]`, false}, {`[]`, `{}`, false}, {`1.50`, `1.5`, false}, {`1`, `"1"`, false},
		{`null`, `null`, true}, {`null`, ``, false}, {`null`, `{}`, false}, {`{}`, `null`, false},
		{`{"a":null}`, `{"a":null}`, true}, {`{"a":null}`, `{"a":{}}`, false}, {``, ``, true},
		{`[null]`, `[null]`, true}, {`[null]`, `[0]`, false}, {`0`, `null`, false},
	} {
		if got := Same(json.RawMessage(row.a), json.RawMessage(row.b)); got != row.want {
			t.Errorf("%s and %s: %v, want %v", row.a, row.b, got, row.want)
		}
	}
}
