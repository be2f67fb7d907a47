// Package plantest checks the query plans of the embedded database. It is for the tests of the
// packages that hold SQL: no query of a request may scan a whole table.
package plantest

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// Queries are the queries whose plans a test checks.
type Queries struct {
	Texts []string
	// Small lists the tables and indexes that a query may scan: they hold few rows, or only rows
	// that the query needs.
	Small []string
	// Control scans a table, and must be detected.
	Control string
}

// Check reports each query that scans a table, and fails if Control is not detected. It returns the
// steps of each query.
func Check(t *testing.T, of Queries) map[string]string {
	t.Helper()
	engine, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mintmark.db"),
		sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	plans := make(map[string]string)
	err = engine.View(t.Context(), func(s db.Session) error {
		for _, text := range of.Texts {
			all := steps(t, s, text)
			if step := of.walk(all); step != "" {
				t.Errorf("%s:\n%s", step, text)
			}
			plans[text] = strings.Join(all, "\n")
		}
		if of.walk(steps(t, s, of.Control)) == "" {
			t.Error("a full table scan went undetected")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

// walk returns the step of a plan that scans a whole table or index, or "" if there is none.
func (q Queries) walk(steps []string) string {
	for _, step := range steps {
		small := step == "SCAN CONSTANT ROW"
		for _, name := range q.Small {
			small = small || strings.Contains(step+" ", " "+name+" ")
		}
		if strings.HasPrefix(step, "SCAN") && !small {
			return step
		}
	}
	return ""
}

// steps returns the steps of the plan of a query.
func steps(t *testing.T, s db.Session, text string) []string {
	t.Helper()
	var args []any
	for strings.Contains(text, "$"+strconv.Itoa(len(args)+1)) {
		args = append(args, 1)
	}
	list, err := db.List(s, func(row db.Scan) (step string, err error) {
		var id, parent, unused int
		err = row(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil || len(list) == 0 {
		t.Errorf("steps %q, error %v:\n%s", list, err, text)
	}
	return list
}
