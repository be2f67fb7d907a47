package store

import "testing"

// TestMemo holds that a text is made once for each thing that it depends on, one after the other,
// and each time where nothing is kept.
func TestMemo(t *testing.T) {
	t.Parallel()
	made := 0
	text := func() []byte { made++; return []byte{byte(made)} }
	var nobody *Memo
	kept := &Memo{}
	for i, row := range []struct {
		memo *Memo
		with any
		want byte
	}{
		{kept, "a", 1}, {kept, "a", 1}, {kept, "b", 2}, {kept, "b", 2}, {kept, "a", 3},
		{nobody, "a", 4}, {nobody, "a", 5}, {kept, "a", 3},
	} {
		if got := row.memo.Make(row.with, text); got[0] != row.want {
			t.Errorf("%d: got text %d, want %d", i, got[0], row.want)
		}
	}
}
