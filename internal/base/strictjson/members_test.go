package strictjson

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// TestMembers compares the members of objects with those that encoding/json reads, with and without
// white space.
func TestMembers(t *testing.T) {
	t.Parallel()
	values := rapid.OneOf(
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Int32(), func(n int32) any { return n }),
		rapid.SampledFrom([]any{nil, true, false, `}],:"\`, map[string]any{}, []any{}}),
		rapid.Map(rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())),
			func(m map[string][]string) any { return m }),
		rapid.Map(rapid.SliceOf(rapid.MapOf(rapid.StringMatching(`[a"\\\n{\[]*`), rapid.Bool())),
			func(l []map[string]bool) any { return l }),
	)
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.String(), values).Draw(t, "object")
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		var spaced bytes.Buffer
		if err := json.Indent(&spaced, text, "\r\n", "\t "); err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{text, spaced.Bytes()} {
			count := 0
			for name, value := range Members(text) {
				count++
				wanted, known := want[name]
				if !known || !Same(value, wanted) || value[len(value)-1] <= ' ' {
					t.Fatalf("%s: %q is %q, want %s", text, name, value, wanted)
				}
				if value[0] != '[' {
					continue
				}
				var list []json.RawMessage
				if err := json.Unmarshal(wanted, &list); err != nil {
					t.Fatal(err)
				}
				i := 0
				for entry := range entries(value) {
					if i >= len(list) || !Same(entry, list[i]) {
						t.Fatalf("%s: entry %d is %s", value, i, entry)
					}
					i++
				}
				if i != len(list) {
					t.Fatalf("%s: %d entries", value, i)
				}
			}
			if count != len(want) {
				t.Fatalf("%s: %d members", text, count)
			}
		}
	})
}
