package issuingtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"mintmark/internal/auditlog"
	"mintmark/internal/base/clock"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/event"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/store"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/testkit/testworld"
)

// Backlog stores the given number of answers, which are too old to be replayed.
func Backlog(t testing.TB, kept store.Store, count int, at time.Time) {
	t.Helper()
	answer := slices.Repeat([]byte("answer "), 160) // as long as the answer about a card
	const few = 5000
	for from := 0; from < count; from += few {
		err := kept.Update(context.Background(), func(tx store.Tx) error {
			for i := from; i < min(from+few, count); i++ {
				// Callers' keys are in no particular order.
				key := fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15)
				err := tx.CallerAnswers().Put(store.IdempotencyRecord{
					IdempotencyScope: store.IdempotencyScope{
						APIKey: "example1", Route: "/card/lock", Key: key,
					},
					BodyDigest: make([]byte, 32), HTTP: 200, Answer: answer,
					At: at.Add(time.Duration(i) * time.Millisecond),
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// StoredAnswer returns the stored answer to the request of f.
func StoredAnswer(w *World, f *Face) store.IdempotencyRecord {
	var replay store.IdempotencyRecord
	w.View(func(r store.Tx) (err error) {
		replay, err = r.CallerAnswers().Find(store.IdempotencyScope{
			APIKey: Caller.Name, Route: Caller.Route, Key: f.Request("").Key,
		})
		return err
	})
	return replay
}

// ErrDisk is the error of a store that cannot write.
var ErrDisk = errors.New("the disk is full")

// Rename renames program 1.
func (w *World) Rename(name string) {
	w.TB.Helper()
	w.Update(func(tx store.Tx) error {
		configured, err := tx.Programs().Find(1)
		if err != nil {
			return err
		}
		configured.Settings.Name = name
		return tx.Programs().Put(configured)
	})
}

// SealAll seals all waiting audit entries.
func (w *World) SealAll() {
	w.TB.Helper()
	sealer := auditlog.New(w.Store, auditlog.Settings{
		Node: "test", Keys: w.Vault, Clock: w.Clock, Log: slog.New(slog.DiscardHandler),
		IsEvent: func(e audit.Entry) bool { _, ok := event.TypeOf(e); return ok },
	})
	for sealed := 1; sealed > 0; {
		var err error
		sealed, err = sealer.Seal(w.TB.Context())
		if err != nil {
			w.TB.Fatal(err)
		}
	}
}

// NewServed returns a service for each of several nodes on one PostgreSQL database.
func NewServed(t *testing.T, nodes int) []*World {
	t.Helper()
	url, keys, frozen := pgtest.URL(t), testworld.Keys(t), clock.FrozenAt(Start)
	var worlds []*World
	for range nodes {
		kept := testworld.Server(t, url, frozen)
		worlds = append(worlds, &World{
			TB: t, Store: kept, Vault: keys, Clock: frozen,
			Service: acts.New(kept, keys, issuing.Settings{
				Mode: card.Production, Random: rand.Reader, Clock: frozen,
			}),
		})
	}
	testworld.WriteDemo(t, worlds[0].Store)
	return worlds
}

// OnBothStores runs a test on the embedded store and on PostgreSQL.
func OnBothStores(t *testing.T, run func(t *testing.T, w *World)) {
	t.Run("embedded", func(t *testing.T) { t.Parallel(); run(t, NewProduction(t)) })
	t.Run("postgresql", func(t *testing.T) { t.Parallel(); run(t, NewServed(t, 1)[0]) })
}
