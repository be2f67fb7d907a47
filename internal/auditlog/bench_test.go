package auditlog

import (
	"log/slog"
	"testing"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// filled returns a database with a number of sealed entries, in batches of a size.
func filled(
	b *testing.B, open func(testing.TB) *place, entries, batch int,
) *place {
	b.Helper()
	p := open(b)
	kept := p.store
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

// BenchmarkVerify measures verification per entry. -benchtime 1000000x verifies a million.
func BenchmarkVerify(b *testing.B) {
	for name, of := range map[string]struct {
		open  func(testing.TB) *place
		batch int
	}{
		"batches of 1000": {embedded, 1000}, "batches of 10": {embedded, 10},
		"batches of 1": {embedded, 1}, "postgresql": {server, 1000},
	} {
		b.Run(name, func(b *testing.B) {
			p := filled(b, of.open, b.N, of.batch)
			b.ResetTimer()
			report, err := Verify(b.Context(), p.store, Verification{Keys: p.keys})
			if err != nil || report.Err() != nil || report.Entries != b.N {
				b.Fatalf("%+v, %v", report, err)
			}
		})
	}
}

// BenchmarkSeal measures sealing per entry, in full batches.
func BenchmarkSeal(b *testing.B) {
	p := filled(b, embedded, 0, 1)
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
