package postgres

import (
	"testing"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/testkit/pgtest"
)

// TestInterruptedIndex migrates a database on which an earlier attempt stopped while building an
// index.
func TestInterruptedIndex(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	if err := MigrateTo(t.Context(), url, 43); err != nil {
		t.Fatal(err)
	}
	pgtest.Run(t, url, `CREATE INDEX authorizations_card ON authorizations (card_id);
		UPDATE pg_index SET indisvalid = FALSE, indisready = FALSE
			WHERE indexrelid = 'authorizations_card'::regclass`)
	e, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	var valid bool
	err = e.Read(t.Context(), func(s db.Session) error {
		_, err := db.Find(s, []any{&valid}, `SELECT indisvalid FROM pg_index
			WHERE indexrelid = 'authorizations_card'::regclass`)
		return err
	})
	if err != nil || !valid {
		t.Errorf("the index is complete: %v, %v", valid, err)
	}
}
