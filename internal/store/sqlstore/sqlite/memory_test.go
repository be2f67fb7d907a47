package sqlite_test

import (
	"testing"

	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestImage starts databases from a copy of another one. Later writes to one of them must not
// appear in the others.
func TestImage(t *testing.T) {
	t.Parallel()
	first, engine, err := cached.OpenMemory(t.Context(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, first)
	put(t, first, 1)
	image, err := engine.Image()
	if err != nil {
		t.Fatal(err)
	}
	put(t, first, 2)
	for range 2 {
		copied, _, err := cached.OpenMemory(t.Context(), sqlite.Options{Image: image})
		if err != nil {
			t.Fatal(err)
		}
		put(t, copied, 3)
		err = copied.View(t.Context(), func(r store.Tx) error {
			programs, err := r.Programs().List()
			if len(programs) != 2 || programs[0] != 1 || programs[1] != 3 {
				t.Errorf("the copy has the programs %v", programs)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		closed(t, copied)
	}
}
