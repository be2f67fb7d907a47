package auditlog

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"mintmark/internal/audit"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
)

// filled is an embedded database with so many sealed entries, in batches of a size.
func filled(b *testing.B, entries, batch int) *place {
	b.Helper()
	kept, _, err := cached.Open(context.Background(), filepath.Join(b.TempDir(), "mintmark.db"),
		sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { kept.Close() })
	p := &place{store: kept}
	p.keys, err = keys()
	if err != nil {
		b.Fatal(err)
	}
	kept.DigestEntries(p.digest)
	s := New(kept, Settings{
		Node: "one", Keys: p.keys, Log: slog.New(slog.DiscardHandler),
		IsEvent: func(audit.Entry) bool { return true },
	})
	for done := 0; done < entries; {
		count := min(batch, entries-done)
		err := kept.Update(b.Context(), func(tx store.Tx) error {
			for i := range count {
				if err := tx.Audit().Put(example(done + i)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Seal(b.Context()); err != nil {
			b.Fatal(err)
		}
		done += count
	}
	return p
}

// BenchmarkVerify is what verifying costs for each entry. -benchtime 1000000x verifies a million.
func BenchmarkVerify(b *testing.B) {
	for name, batch := range map[string]int{
		"batches of 1000": 1000, "batches of 10": 10, "batches of 1": 1,
	} {
		b.Run(name, func(b *testing.B) {
			p := filled(b, b.N, batch)
			b.ResetTimer()
			report, err := Verify(b.Context(), p.store, Verification{Keys: p.keys})
			if err != nil || report.Err() != nil || report.Entries != b.N {
				b.Fatalf("%+v, %v", report, err)
			}
		})
	}
}

// BenchmarkSeal is what sealing costs for each entry, in full batches.
func BenchmarkSeal(b *testing.B) {
	p := filled(b, 0, 1)
	for range b.N {
		p.row++
	}
	err := p.store.Update(b.Context(), func(tx store.Tx) error {
		for i := range b.N {
			if err := tx.Audit().Put(example(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	s := New(p.store, Settings{Node: "one", Keys: p.keys, Log: slog.New(slog.DiscardHandler)})
	b.ResetTimer()
	for sealed := 0; sealed < b.N; {
		count, err := s.Seal(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		sealed += count
	}
}
