package people

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestPlans asks the embedded database how it would run the queries of each request and of each
// sign-in. None may walk through a whole table.
func TestPlans(t *testing.T) {
	t.Parallel()
	engine, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mintmark.db"),
		sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	queries := []string{
		findPerson, findNamed, findOpenID, findCredential, changeStep, findInvitation, findToken,
		findDigest, putUse, findSession, deleteSession, deleteSessions, listAccount, listAddress,
		deleteSignIn, deleteSignIns,
	}
	err = engine.View(t.Context(), func(s db.Session) error {
		for _, text := range queries {
			if steps := planOf(t, s, text); strings.Contains(steps, "SCAN") {
				t.Errorf("%s:\n%s", steps, text)
			}
		}
		if !strings.Contains(planOf(t, s, listTokens+` LIMIT $1`), "SCAN") {
			t.Error("a query that walks through a table is not noticed")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func planOf(t *testing.T, s db.Session, text string) string {
	t.Helper()
	var args []any
	for strings.Contains(text, "$"+strconv.Itoa(len(args)+1)) {
		args = append(args, 1)
	}
	steps, err := db.List(s, func(row db.Scan) (step string, err error) {
		var id, parent, unused int
		err = row(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil || len(steps) == 0 {
		t.Errorf("steps %q, error %v:\n%s", steps, err, text)
	}
	return strings.Join(steps, "\n")
}
