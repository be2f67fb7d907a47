package sqlstore

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store"
)

// TestSettings asks the connections how they are set. That a commit is on disk when it returns
// hangs on the first two.
func TestSettings(t *testing.T) {
	t.Parallel()
	s := openedFile(t)
	one := <-s.writers
	defer func() { s.writers <- one }()
	two := <-s.readers
	defer func() { s.readers <- two }()
	cases := []struct {
		session session
		setting string
		want    string
	}{
		{one, "journal_mode", "wal"},
		{one, "synchronous", "2"},
		{one, "foreign_keys", "1"},
		{one, "busy_timeout", "5000"},
		{one, "query_only", "0"},
		{one, "wal_autocheckpoint", "0"},
		{one, "journal_size_limit", "67108864"},
		{two, "journal_mode", "wal"},
		{two, "query_only", "1"},
		{two, "busy_timeout", "5000"},
	}
	for _, c := range cases {
		var got string
		if err := c.session.queryRow(t.Context(), "PRAGMA "+c.setting)(&got); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s is %s, want %s", c.setting, got, c.want)
		}
	}
}

// plan returns the steps in which the database would run a query.
func plan(t *testing.T, one session, text string) []string {
	t.Helper()
	var args []any
	for strings.Contains(text, "$"+strconv.Itoa(len(args)+1)) {
		args = append(args, 1)
	}
	var steps []string
	err := one.query(t.Context(), func(row scan) error {
		var id, parent, unused int
		var step string
		err := row(&id, &parent, &unused, &step)
		steps = append(steps, step)
		return err
	}, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil || len(steps) == 0 {
		t.Errorf("steps %q, error %v:\n%s", steps, err, text)
	}
	return steps
}

// TestPlans asks how the queries would be run that every request makes. None may walk through a
// whole table.
func TestPlans(t *testing.T) {
	t.Parallel()
	s := openedFile(t)
	one := <-s.readers
	defer func() { s.readers <- one }()
	for _, text := range []string{
		selectCards + whereCard, selectCards + whereOwn,
		selectCards + whereUnverified, hasNumber, findNumber, findOpening, findOpeningNames,
		findCreator,
		selectSlots + `WHERE card_id = $1`,
		slotsOf(whereCard), slotsOf(whereOwn), findBrief, findMaking, listAttempts, findAccountFor,
		StandingByID, standingByTag, standingByTags, listHoldings,
		findCustomer, listAccounts, findAccess,
		findProgram, listOrders, listOldPins, listAudit, findReplay, listDocuments, findDocument,
	} {
		for _, step := range plan(t, one, text) {
			// The orders that are left to do are all there is in their index.
			walks := strings.HasPrefix(step, "SCAN") && !strings.HasSuffix(step, "orders_open")
			if walks && step != "SCAN CONSTANT ROW" {
				t.Errorf("%s:\n%s", step, text)
			}
		}
	}
	// Cards that wait to be verified are few, and the index on them holds no others.
	waiting := strings.Join(plan(t, one, selectCards+whereUnverified), "\n")
	if !strings.Contains(waiting, "cards_unverified") {
		t.Errorf("cards that wait are found in another way:\n%s", waiting)
	}
}

// TestClassify provokes errors of the driver, and takes a closed connection for what it is.
func TestClassify(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "mintmark.db")
	sessions := [2]*liteSession{}
	for i := range sessions {
		var err error
		sessions[i], err = newLiteSession(path)
		if err != nil {
			t.Fatal(err)
		}
	}
	one, two := sessions[0], sessions[1]
	steps := []struct {
		session *liteSession
		text    string
		want    error
	}{
		{one, `CREATE TABLE a (b INTEGER PRIMARY KEY, c TEXT UNIQUE CHECK (c <> ''))`, nil},
		{one, `INSERT INTO a (b, c) VALUES (1, 'x')`, nil},
		{one, `INSERT INTO a (b, c) VALUES (1, 'y')`, store.ErrExists},
		{one, `INSERT INTO a (b, c) VALUES (2, 'x')`, store.ErrExists},
		{one, `BEGIN IMMEDIATE`, nil},
		{two, `BEGIN IMMEDIATE`, store.ErrUnavailable},
		{one, `ROLLBACK`, nil},
		{two, `BEGIN IMMEDIATE`, nil},
		{two, `COMMIT`, nil},
	}
	for _, step := range steps {
		_, err := step.session.exec(ctx, step.text)
		if !errors.Is(err, step.want) {
			t.Errorf("%s: got the error %v, want %v", step.text, err, step.want)
		}
	}
	_, err := one.exec(ctx, `INSERT INTO a (b, c) VALUES (3, '')`)
	if err == nil || errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a check that fails: got the error %v", err)
	}
	if err := one.close(); err != nil {
		t.Fatal(err)
	}
	_, err = one.exec(ctx, `SELECT 3`)
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a closed connection: got the error %v", err)
	}
}

func openedFile(t *testing.T) *Store {
	t.Helper()
	s, err := Open(context.Background(), filepath.Join(t.TempDir(), "mintmark.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}
