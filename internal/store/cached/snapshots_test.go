package cached_test

import (
	"errors"
	"testing"

	"mintmark/internal/store"
)

func (i *countingStore) Snapshots() store.Snapshots { return i.Store.(store.HasSnapshots).Snapshots() }

// TestRestoreEmptiesMemory restores a snapshot in which each subject has another number. A read
// that begins before the Restore and ends after it must not bring the old number back.
func TestRestoreEmptiesMemory(t *testing.T) {
	t.Parallel()
	for _, of := range subjects {
		s, within := openStocked(t)
		worlds := s.Snapshots()
		if err := worlds.Save(ctx, "zero", nil); err != nil {
			t.Fatal(err)
		}
		write := func(tx store.Tx) error { return of.write(tx, 1) }
		mustUpdate(t, s, write)
		if number := readNumber(t, s, of); number != 1 {
			t.Fatalf("%s: got %d", of.name, number)
		}
		restore := func() {
			if _, err := worlds.Restore(ctx, "zero"); err != nil {
				t.Errorf("Restore: %v", err)
			}
		}
		restore()
		if number := readNumber(t, s, of); number != 0 {
			t.Errorf("%s: got %d after the Restore", of.name, number)
		}
		mustUpdate(t, s, write)
		within.found.Store(&restore)
		readNumber(t, s, of)
		if within.found.Swap(nil) != nil {
			restore() // the read was answered from the cache
		}
		for range 2 {
			if number := readNumber(t, s, of); number != 0 {
				t.Errorf("%s: got %d after a Restore during the read", of.name, number)
			}
		}
		refused := worlds.Reset(ctx, func(store.Tx) error { return errRefused })
		if !errors.Is(refused, errRefused) {
			t.Errorf("Reset: %v", refused)
		}
		if number := readNumber(t, s, of); number != 0 {
			t.Errorf("%s: got %d after a Reset that has failed", of.name, number)
		}
		if err := worlds.Reset(ctx, putStock); err != nil {
			t.Fatal(err)
		}
		readNumber(t, s, of)
		if finds := within.reached(func() { readNumber(t, s, of) }); finds > 0 {
			t.Errorf("%s: the memory keeps nothing any more", of.name)
		}
	}
}
