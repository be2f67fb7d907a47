package inspect

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/testkit/pgtest"
)

// earlier is a schema version before the newest that already has operators and orders.
const earlier = 24

// filled creates a database with the tables of version earlier and some rows, and returns the rows
// in the format of a backup.
func filled(t *testing.T) []byte {
	t.Helper()
	url := pgtest.Empty(t)
	if err := postgres.MigrateTo(t.Context(), url, earlier); err != nil {
		t.Fatal(err)
	}
	pgtest.Run(t, url, `INSERT INTO installation (one_row, environment, keyset_fingerprint,
			pin_key_fingerprint, made_at) VALUES (1, 'production', 'k', 'p', 7);
		INSERT INTO banks (bank_id, name) VALUES (1, E'tab\tline\nback\\.'), (2, E'\\.');
		INSERT INTO operators (name, roles, all_banks, banks, state, created_at)
			VALUES ('ada', '[]', TRUE, '[]', 'active', 1), ('bea', '[]', TRUE, '[]', 'active', 1);
		INSERT INTO console_sessions (digest, data, expires_at) VALUES ('\x01', '\x02', 3);
		INSERT INTO leases (name, holder, until_at) VALUES ('a', 'b', 1)`)
	var rows bytes.Buffer
	err := postgres.Copy(t.Context(), url, postgres.Reading, func(s postgres.Copying) error {
		rows.Reset()
		return writeRows(s, &rows)
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows.Bytes()
}

// texts returns the rows of a query with one text column.
func texts(t *testing.T, url, query string) []string {
	t.Helper()
	versions := []string{}
	err := postgres.Copy(t.Context(), url, postgres.BeginFill, func(s postgres.Copying) error {
		return s.Query(db.Query{Text: query, Each: func(row db.Scan) error {
			var text string
			err := row(&text)
			versions = append(versions, text)
			return err
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
	return versions
}

// TestEarlierTables restores rows of an earlier version, and then migrates the tables to the
// newest.
func TestEarlierTables(t *testing.T) {
	t.Parallel()
	rows, url := filled(t), pgtest.Empty(t)
	if err := FillServer(t.Context(), url, earlier, bytes.NewReader(rows)); err != nil {
		t.Fatal(err)
	}
	marked := texts(t, url, `SELECT keyset_fingerprint FROM installation`)
	if diff := cmp.Diff([]string{Unfinished}, marked); diff != "" {
		t.Errorf("the mark (-want +got):\n%s", diff)
	}
	// A restore that was interrupted after this point can be repeated.
	if err := FillServer(t.Context(), url, earlier, bytes.NewReader(rows)); err != nil {
		t.Fatal(err)
	}
	engine, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	if err := PrepareRestored(t.Context(), engine, time.Now()); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]string{
		`SELECT name FROM banks ORDER BY bank_id`:               {"tab\tline\nback\\.", "\\."},
		`SELECT name FROM leases`:                               {},
		`SELECT CAST(expires_at AS TEXT) FROM console_sessions`: {},
		`SELECT CAST(MAX(version_id) AS TEXT) FROM goose_db_version`: {
			newestOf(t),
		},
		// The sequence continues after the restored rows.
		`INSERT INTO operators (name, roles, all_banks, banks, state, created_at)
			VALUES ('cea', '[]', TRUE, '[]', 'active', 1)
			RETURNING CAST(operator_id AS TEXT)`: {"3"},
		// The triggers are enabled again.
		`SELECT CAST(tgenabled AS TEXT) FROM pg_trigger
			WHERE NOT tgisinternal AND tgenabled <> 'O'`: {},
	} {
		if diff := cmp.Diff(want, texts(t, url, query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	err = FillServer(t.Context(), url, earlier, bytes.NewReader(rows))
	if !errors.Is(err, ErrNewerTables) {
		t.Errorf("rows for tables that were brought up to date: %v", err)
	}
}

func newestOf(t *testing.T) string {
	t.Helper()
	versions := texts(t, pgtest.URL(t), `SELECT CAST(MAX(version_id) AS TEXT) FROM goose_db_version`)
	return versions[0]
}

// TestRowsThatEnd truncates the rows at several places, and renames a table in them. Nothing of
// them may be stored.
func TestRowsThatEnd(t *testing.T) {
	t.Parallel()
	rows, url := filled(t), pgtest.Empty(t)
	for place := 0; place < len(rows); place += 1 + len(rows)/7 {
		err := FillServer(t.Context(), url, earlier, bytes.NewReader(rows[:place]))
		if err == nil {
			t.Errorf("rows that end at %d of %d are taken", place, len(rows))
		}
	}
	renamed := strings.Replace(string(rows), `{"table":"banks"`, `{"table":"banks; DROP"`, 1)
	err := FillServer(t.Context(), url, earlier, strings.NewReader(renamed))
	if !errors.Is(err, ErrRows) {
		t.Errorf("a table that is not there: %v", err)
	}
	if left := texts(t, url, `SELECT name FROM banks`); len(left) > 0 {
		t.Errorf("%q are kept", left)
	}
}

// TestOtherTables checks that a database with the tables of another version is not copied.
func TestOtherTables(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	if err := postgres.MigrateTo(t.Context(), url, earlier); err != nil {
		t.Fatal(err)
	}
	err := CopyServer(t.Context(), url, nil)
	if !errors.Is(err, ErrSchema) {
		t.Errorf("the error is %v", err)
	}
}

// TestUnfetchedFiles checks that a restored database sends the orders from files again, except
// those that have lost their PIN.
func TestUnfetchedFiles(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	engine, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	pgtest.Run(t, url, `SET session_replication_role = replica;
		INSERT INTO orders (card_id, sequence, kind, state, created_at, done_at, in_file)
		VALUES (1, 1, 'card.lock', 'sent', 1, NULL, 7), (1, 2, 'card.pin', 'sent', 1, NULL, 7),
			(1, 3, 'card.make', 'sent', 1, NULL, NULL), (1, 4, 'card.lock', 'done', 1, 2, NULL)`)
	if err := PrepareRestored(t.Context(), engine, time.Now()); err != nil {
		t.Fatal(err)
	}
	want := []string{"card.lock waiting", "card.pin sent 7", "card.make sent", "card.lock done"}
	got := texts(t, url,
		`SELECT concat_ws(' ', kind, state, in_file) FROM orders ORDER BY sequence`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("orders (-want +got):\n%s", diff)
	}
}
