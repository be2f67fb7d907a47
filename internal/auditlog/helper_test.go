package auditlog

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/vault"
)

// place is a database that tests tamper with, bypassing the store.
type place struct {
	store  store.Store
	driver string // of database/sql
	name   string
	keys   *vault.Vault
	row    int // of acts
}

// keys are created once, because a PIN key is slow to generate.
var keys = sync.OnceValues(func() (*vault.Vault, error) { return newKeys() })

func newKeys() (*vault.Vault, error) { return vault.Open(vault.Settings{PinKeyBits: 2048}) }

// databases open an empty database of each kind.
var databases = map[string]func(t testing.TB) *place{
	"embedded": embedded, "postgresql": server,
}

func embedded(t testing.TB) *place {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	kept, _, err := cached.Open(context.Background(), path, sqlite.Options{})
	return opened(t, &place{driver: "sqlite", name: path}, kept, err)
}

func server(t testing.TB) *place {
	t.Helper()
	url := pgtest.URL(t)
	engine, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, &place{driver: "pgx", name: url}, sqlstore.New(engine), nil)
}

func opened(t testing.TB, p *place, kept store.Store, err error) *place {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	p.keys, err = keys()
	if err != nil {
		t.Fatal(err)
	}
	p.store = kept
	kept.DigestEntries(p.digest)
	return p
}

func (p *place) digest(e audit.Entry) []byte { return p.keys.DigestEntry(e.AppendContent(nil)) }

// sealer returns a sealer that treats every entry about a card with an even id as an event.
func (p *place) sealer(node string) *Sealer {
	return New(p.store, Settings{
		Node: node, Keys: p.keys, Log: slog.New(slog.DiscardHandler),
		IsEvent: func(e audit.Entry) bool { return e.Subject.Number(audit.Card)%2 == 0 },
	})
}

// example returns an entry with a value in every field.
func example(number int) audit.Entry {
	return audit.Entry{
		At: time.Date(2026, 2, 3, 4, 5, 6, number*1e6, time.UTC),
		Actor: audit.Actor{
			Kind: audit.APIKey, Name: "example1", Address: "192.0.2.1",
			RequestID: fmt.Sprintf("request %d", number), Reason: "because",
		},
		Act: "/card/lock", ProgramID: 1, CustomerID: 1001,
		Subject: audit.Of(audit.Card, 5000+number), Outcome: "changed",
		Before: `{"status":"Initiated"}`, After: `{"status":"Verified"}`,
	}
}

// act stores count entries, each in a separate transaction.
func (p *place) act(t *testing.T, count int) {
	t.Helper()
	for range count {
		p.row++
		err := p.store.Update(t.Context(), func(tx store.Tx) error {
			return tx.Audit().Put(example(p.row))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// seal has a sealer seal the waiting entries, and checks their number.
func (p *place) seal(t *testing.T, s *Sealer, want int) {
	t.Helper()
	sealed, err := s.Seal(t.Context())
	if err != nil || sealed != want {
		t.Fatalf("%d entries are sealed, error %v; want %d", sealed, err, want)
	}
}

// verify returns the findings of a verification.
func (p *place) verify(t *testing.T, checkpoints ...string) *Report {
	t.Helper()
	report, err := Verify(t.Context(), p.store, Verification{
		Keys: p.keys, Checkpoints: checkpoints,
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// wantWhole verifies an intact log.
func (p *place) wantWhole(t *testing.T, entries int) {
	t.Helper()
	report := p.verify(t)
	if report.Err() != nil || report.Entries != entries {
		t.Fatalf("%d entries, want %d: %v", report.Entries, entries, report.Err())
	}
}

// connect opens the database beside the store.
func (p *place) connect(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open(p.driver, p.name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

// change runs a statement that must change something.
func change(t *testing.T, db *sql.DB, text string, args ...any) {
	t.Helper()
	done, err := db.ExecContext(t.Context(), text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if changed, err := done.RowsAffected(); err != nil || changed == 0 {
		t.Fatalf("%s: changed %d rows, error %v", text, changed, err)
	}
}
