package events_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
)

// longTrail is the number of entries that the lists of the benchmark choose from: one in a thousand
// is by an operator, the others are by four keys, each of its own program, about 100,000 cards.
const longTrail = 1_000_000

// BenchmarkAudit reads a page of the audit with each filter, on both databases.
func BenchmarkAudit(b *testing.B) {
	keys := testworld.Keys(b)
	for name, open := range map[string]func(b *testing.B) store.Store{
		"embedded": func(b *testing.B) store.Store {
			return testworld.File(b, filepath.Join(b.TempDir(), "mintmark.db"), nil)
		},
		"postgresql": func(b *testing.B) store.Store {
			return testworld.Server(b, pgtest.URL(b), nil)
		},
	} {
		b.Run(name, func(b *testing.B) {
			kept := open(b)
			fillTrail(b, kept)
			w := &issuingtest.World{TB: b, Store: kept, Vault: keys, Service: acts.New(kept, keys,
				issuing.Settings{Mode: card.Production, Random: rand.Reader})}
			w.SealAll()
			readTrail(b, w.Service)
		})
	}
}

func fillTrail(b *testing.B, kept store.Store) {
	b.Helper()
	put := func(fn func(store.Tx) error) {
		if err := kept.Update(context.Background(), fn); err != nil {
			b.Fatal(err)
		}
	}
	put(func(tx store.Tx) error {
		for id := 1; id <= 4; id++ {
			if err := tx.Banks().Put(store.Bank{ID: id}); err != nil {
				return err
			}
			err := tx.Programs().Put(program.Program{
				Issuing:  program.Issuing{ID: id, BankID: id, VerificationWindowDays: 90},
				Settings: program.Settings{Name: fmt.Sprint(id), TimeZone: "UTC"},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	const chunk = 10_000
	for done := 0; done < longTrail; done += chunk {
		put(func(tx store.Tx) error {
			for i := done; i < done+chunk; i++ {
				if err := tx.Audit().Put(ofTrail(i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// ofTrail returns entry i of the trail, at second i.
func ofTrail(i int) audit.Entry {
	id := i%4 + 1
	e := audit.Entry{
		At:    issuingtest.Start.Add(time.Duration(i) * time.Second),
		Actor: audit.Actor{Kind: audit.APIKey, Name: fmt.Sprint("key", id), Address: "192.0.2.1"},
		Act:   "/card/lock", ProgramID: id, CustomerID: 1000 + i%50_000,
		Subject: audit.Of(audit.Card, i%100_000), Outcome: "changed",
		Before: `{"lockTypeCode":"UNL"}`, After: `{"lockTypeCode":"CST"}`,
	}
	if i%1000 == 0 {
		e.Actor = audit.Actor{Kind: audit.Operator, Name: "anna", Reason: "asked"}
		e.Act, e.Subject = "read customer", audit.Of(audit.Customer, e.CustomerID)
	}
	return e
}

func readTrail(b *testing.B, s *acts.Service) {
	b.Helper()
	middle := issuingtest.Start.Add(longTrail / 2 * time.Second)
	all := auditorOf()
	type asked struct {
		who issuing.Operator
		q   events.AuditQuery
	}
	for name, row := range map[string]asked{
		"everything":       {who: all},
		"one bank":         {who: auditorOf(2)},
		"program":          {all, events.AuditQuery{ProgramID: 3}},
		"card":             {all, events.AuditQuery{Subject: audit.Of(audit.Card, 5001)}},
		"customer":         {all, events.AuditQuery{Subject: audit.Of(audit.Customer, 1000)}},
		"operator":         {all, events.AuditQuery{Actor: "anna"}},
		"key":              {all, events.AuditQuery{Kind: audit.APIKey, Actor: "key2"}},
		"nobody":           {all, events.AuditQuery{Kind: audit.APIKey, Actor: "x"}},
		"a time":           {all, events.AuditQuery{From: middle, To: middle.Add(time.Hour)}},
		"operator, a time": {all, events.AuditQuery{Actor: "anna", To: middle}},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				entries, _, err := s.Events.AuditEntries(b.Context(), row.who, row.q,
					issuing.Page{Limit: 50})
				if err != nil || len(entries) == 0 && name != "nobody" {
					b.Fatal(len(entries), err)
				}
			}
		})
	}
}
