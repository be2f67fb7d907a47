package sqlstore_test

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/migrations"
)

// numbers holds the queries for the next numbers of a database's tables.
var numbers = map[string]string{
	migrations.SQLite: `SELECT name || ' ' || seq FROM sqlite_sequence WHERE seq > 0`,
	migrations.PostgreSQL: `SELECT sequencename || ' ' || COALESCE(last_value + 1,
			(SELECT next FROM sandbox_numbers n WHERE n.source = sequencename), start_value)
		FROM pg_sequences WHERE schemaname = 'public' AND sequencename NOT LIKE 'goose%'`,
}

// everything returns the rows of all tables that belong to a snapshot.
func (e engine) everything(t *testing.T, db *sql.DB) map[string][]string {
	t.Helper()
	all := make(map[string][]string)
	for _, table := range texts(t, db, e.tables) {
		if strings.HasPrefix(table, "sandbox") || table == "installation" ||
			table == "commit_tokens" {
			continue
		}
		all[table] = texts(t, db, columnsOf(t, db, table))
	}
	return all
}

// TestWorldsHoldEverything saves a snapshot with rows in every table, resets the database, which
// must then equal a new one, and restores the snapshot.
func TestWorldsHoldEverything(t *testing.T) {
	t.Parallel()
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newest := slices.Max(versions(t))
			db, place := e.filled(t, name, newest)
			kept, err := e.open(place)
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, kept)
			for _, text := range []string{
				`DELETE FROM sandbox_numbers`, `DELETE FROM sandbox_worlds`,
			} {
				if _, err := db.ExecContext(t.Context(), text); err != nil {
					t.Fatal(err)
				}
			}
			worlds := kept.(store.HasSnapshots).Snapshots()
			if err := worlds.Save(t.Context(), "full", nil); err != nil {
				t.Fatal(err)
			}
			before, next := e.everything(t, db), texts(t, db, numbers[name])
			e.resetToFresh(t, db, name, worlds)

			if _, err := worlds.Restore(t.Context(), "full"); err != nil {
				t.Fatal(err)
			}
			after := e.everything(t, db)
			if diff := cmp.Diff(next, texts(t, db, numbers[name])); diff != "" {
				t.Errorf("numbers (-before +after):\n%s", diff)
			}
			if len(after["leases"]) > 0 || len(before["leases"]) == 0 {
				t.Errorf("leases before %v, and after %v", before["leases"], after["leases"])
			}
			delete(before, "leases")
			delete(after, "leases")
			before["webhook_endpoints"] = []string{"1 | 7 |  | NULL"} // no node owns it
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("rows (-before +after):\n%s", diff)
			}
			if err := workOn(kept, newest); err != nil {
				t.Errorf("work with what was put back: %v", err)
			}
		})
	}
}

// resetToFresh resets a database and compares it with a new one.
func (e engine) resetToFresh(t *testing.T, db *sql.DB, database string, worlds store.Snapshots) {
	t.Helper()
	err := worlds.Reset(context.Background(), func(store.Tx) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	driver, place := e.connect(t)
	fresh, err := e.open(place)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, fresh)
	other := connected(t, driver, place)
	if diff := cmp.Diff(e.everything(t, other), e.everything(t, db)); diff != "" {
		t.Errorf("rows (-fresh +reset):\n%s", diff)
	}
	if database == migrations.PostgreSQL {
		// After a reset, numbers continue from the saved snapshot and not from the reset sequence.
		return
	}
	first, again := texts(t, other, numbers[database]), texts(t, db, numbers[database])
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("numbers (-fresh +reset):\n%s", diff)
	}
}

// TestOtherSchema checks that a snapshot saved with other tables is not restored, and can still be
// dropped.
func TestOtherSchema(t *testing.T) {
	t.Parallel()
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			driver, place := e.connect(t)
			kept, err := e.open(place)
			if err != nil {
				t.Fatal(err)
			}
			defer closeStore(t, kept)
			worlds := kept.(store.HasSnapshots).Snapshots()
			if err := worlds.Save(t.Context(), "old", nil); err != nil {
				t.Fatal(err)
			}
			db := connected(t, driver, place)
			_, err = db.ExecContext(t.Context(),
				`UPDATE sandbox_worlds SET schema_version = schema_version - 1`)
			if err != nil {
				t.Fatal(err)
			}
			_, err = worlds.Restore(t.Context(), "old")
			if !errors.Is(err, store.ErrOtherSchema) || !strings.Contains(err.Error(), "version") {
				t.Errorf("Restore: %v", err)
			}
			if err := worlds.Drop(t.Context(), "old"); err != nil {
				t.Errorf("Drop: %v", err)
			}
		})
	}
}
