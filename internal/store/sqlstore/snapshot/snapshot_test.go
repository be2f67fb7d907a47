package snapshot

import (
	"errors"
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	enginepg "mintmark/internal/store/sqlstore/postgres"
	enginelite "mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/pgtest"
)

// TestWorldsAreBounded saves snapshots until they exceed the byte limit.
func TestWorldsAreBounded(t *testing.T) {
	embedded, err := enginelite.OpenMemory(t.Context(), enginelite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { embedded.Close() })
	server, err := enginepg.Open(t.Context(), pgtest.URL(t), enginepg.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	for name, engine := range map[string]db.Engine{"embedded": embedded, "postgresql": server} {
		w := New(engine, nil)
		if err := w.Save(t.Context(), "first", nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		most := maxBytes
		maxBytes = 1
		err := w.Save(t.Context(), "second", nil)
		maxBytes = most
		if !errors.Is(err, store.ErrSnapshotsFull) {
			t.Errorf("%s: too many bytes: %v", name, err)
		}
		if kept, err := w.List(t.Context()); err != nil || len(kept) != 1 || kept[0].Name != "first" {
			t.Errorf("%s: kept are %v, %v", name, kept, err)
		}
	}
}
