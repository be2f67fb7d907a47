package storetest

import (
	"testing"
	"time"

	"mintmark/internal/store"
)

var keys = []test{
	{"Uses", keyUses},
}

// keyUses checks that the later of two uses is stored, and that a use does not change the key.
func keyUses(t *testing.T, s store.Store) {
	background(t, s)
	put := func(name string, at time.Time) {
		update(t, s, func(tx store.Tx) error { return tx.Keys().PutUse(name, at) })
	}
	want := func(uses map[string]time.Time) {
		t.Helper()
		wantFind(t, s, uses, func(r store.Tx) (map[string]time.Time, error) {
			return r.Keys().ListUses()
		})
	}
	revision := func() int64 {
		return find(t, s, func(r store.Tx) (int64, error) { return r.Keys().Revision() })
	}
	before := revision()
	want(map[string]time.Time{})
	put(keyName, created)
	put("other", created.Add(time.Hour))
	put(keyName, created.Add(time.Second))
	put(keyName, created.Add(-time.Hour))
	want(map[string]time.Time{keyName: created.Add(time.Second), "other": created.Add(time.Hour)})
	if after := revision(); after != before {
		t.Errorf("the revision of all keys went from %d to %d, want no change", before, after)
	}
}
