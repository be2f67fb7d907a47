package sqlite_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// opened opens the store in a file, as a server does, and closes it when the test ends.
func opened(t *testing.T, path string) store.Store {
	t.Helper()
	s, _, err := cached.Open(context.Background(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, s) })
	return s
}

func closed(t *testing.T, s io.Closer) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func programOf(id int) program.Program {
	return program.Program{Issuing: program.Issuing{ID: id, BankID: id}}
}

// TestWritesAreRefused checks that a Read and a View write nothing, in a file and in memory, where
// they share the connection of the Updates.
func TestWritesAreRefused(t *testing.T) {
	t.Parallel()
	memory, _, err := cached.OpenMemory(t.Context(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, memory)
	file := opened(t, filepath.Join(t.TempDir(), "mintmark.db"))
	for _, s := range []store.Store{file, memory} {
		for _, run := range []func(context.Context, func(store.Tx) error) error{s.Read, s.View} {
			err := run(t.Context(), func(tx store.Tx) error {
				var c card.Card
				for _, err := range []error{
					tx.Banks().Put(store.Bank{ID: 1}), tx.Cards().Put(&c),
					tx.Cards().Change(c, &c), tx.Programs().Put(programOf(1)),
				} {
					if !errors.Is(err, store.ErrReadOnly) {
						t.Errorf("a write answers %v", err)
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		err := s.View(t.Context(), func(tx store.Tx) error {
			banks, err := tx.Banks().List()
			if len(banks) > 0 {
				t.Errorf("%d banks were written", len(banks))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
