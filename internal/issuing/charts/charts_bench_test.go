package charts_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/charts"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
)

// The benchmark stores this many events and attempts over 30 days, for this many programs. The
// newest are not counted yet.
const (
	manyRows     = 1_000_000
	manyPrograms = 20
	uncounted    = 1000
)

// BenchmarkRead reads each chart over 30 days, for all programs and for one, on both databases.
func BenchmarkRead(b *testing.B) {
	keys := testworld.Keys(b)
	for name, open := range map[string]func(b *testing.B, by *clock.Clock) store.Store{
		"embedded": func(b *testing.B, by *clock.Clock) store.Store {
			return testworld.File(b, filepath.Join(b.TempDir(), "mintmark.db"), by)
		},
		"postgresql": func(b *testing.B, by *clock.Clock) store.Store {
			return testworld.Server(b, pgtest.URL(b), by)
		},
	} {
		b.Run(name, func(b *testing.B) {
			by := clock.FrozenAt(issuingtest.Start)
			kept := open(b, by)
			w := &issuingtest.World{TB: b, Store: kept, Vault: keys, Clock: by,
				Service: acts.New(kept, keys, issuing.Settings{
					Mode: card.Production, Random: rand.Reader, Clock: by,
				})}
			fillPrograms(b, kept)
			fillRows(b, kept, 0, manyRows-uncounted)
			w.SealAll()
			by.Advance(30 * 24 * time.Hour)
			began := time.Now()
			if err := w.Charts.Count(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.Logf("%s: all is counted in %v", name, time.Since(began))
			fillRows(b, kept, manyRows-uncounted, manyRows)
			w.SealAll()
			readAll(b, w)
		})
	}
}

func readAll(b *testing.B, w *issuingtest.World) {
	b.Helper()
	for _, chart := range charts.Charts {
		for _, id := range []int{0, 3} {
			b.Run(fmt.Sprintf("%s/program=%d", chart.Name, id), func(b *testing.B) {
				best := time.Hour
				for b.Loop() {
					began := time.Now()
					_, err := w.Charts.Read(b.Context(), all, charts.Query{
						Chart: chart, Hours: 30 * 24, ProgramID: id,
					})
					if err != nil {
						b.Fatal(err)
					}
					best = min(best, time.Since(began))
				}
				b.ReportMetric(float64(best.Microseconds())/1000, "best-ms")
			})
		}
	}
}

func fillPrograms(b *testing.B, kept store.Store) {
	b.Helper()
	err := kept.Update(context.Background(), func(tx store.Tx) error {
		if err := tx.Banks().Put(store.Bank{ID: 1}); err != nil {
			return err
		}
		for id := 1; id <= manyPrograms; id++ {
			err := tx.Programs().Put(program.Program{
				Issuing:  program.Issuing{ID: id, BankID: 1, VerificationWindowDays: 90},
				Settings: program.Settings{Name: strconv.Itoa(id), TimeZone: "UTC"},
			})
			if err != nil {
				return err
			}
			hook := subscription.Webhook{
				ProgramID: id, Name: "core", URL: "https://example.com", Created: tx.Now(),
			}
			if err := tx.Webhooks().Put(&hook, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// fillRows stores an event, and an attempt to deliver it, for each number in the range.
func fillRows(b *testing.B, kept store.Store, from, to int) {
	b.Helper()
	reasons := []string{"approved", "insufficientFunds", "limit", "locked", "expired"}
	const chunk = 10_000
	for done := from; done < to; done += chunk {
		err := kept.Update(context.Background(), func(tx store.Tx) error {
			for i := done; i < min(done+chunk, to); i++ {
				at := issuingtest.Start.Add(time.Duration(i) * (30 * 24 * time.Hour / manyRows))
				reason, outcome := reasons[i/manyPrograms%len(reasons)], "declined"
				if reason == "approved" {
					outcome = reason
				}
				err := tx.Audit().Put(audit.Entry{
					At: at, Actor: audit.Actor{Kind: audit.Processor, Name: "processor"},
					Act: "authorize", ProgramID: i%manyPrograms + 1, Outcome: outcome,
					Subject: audit.Of(audit.Card, i%100_000),
					After:   `{"amount":12.5,"approved":true,"authorizationId":"a","reason":"` + reason + `"}`,
				})
				if err != nil {
					return err
				}
				tried := subscription.Attempt{
					WebhookID: i%manyPrograms + 1, Sequence: i + 1, At: at, Status: 204,
				}
				if i%10 == 0 {
					tried.Status, tried.Error = 500, "answered 500"
				}
				if err := tx.Deliveries().PutAttempt(tried); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
