package sqlstore

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestAuditLogPlans asks the embedded database how it would run the queries. None may walk through
// a whole table, because the log grows for ever.
func TestAuditLogPlans(t *testing.T) {
	t.Parallel()
	engine, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mintmark.db"),
		sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	plan := func(s db.Session, text string) string {
		var args []any
		for range strings.Count(text, "$") {
			args = append(args, 1)
		}
		var steps strings.Builder
		err := s.Query(db.Query{Text: "EXPLAIN QUERY PLAN " + text, Args: args[:placeholders(text)],
			Each: func(row db.Scan) error {
				var id, parent, unused int
				var step string
				err := row(&id, &parent, &unused, &step)
				steps.WriteString(step + "\n")
				return err
			}})
		if err != nil || steps.Len() == 0 {
			t.Errorf("%v:\n%s", err, text)
		}
		return steps.String()
	}
	err = engine.View(t.Context(), func(s db.Session) error {
		for _, text := range []string{
			listAudit, listBatches, listBatchesAbove, findHash, listHashes, findEventBatch,
			listEventBatches, listEntryRange, listEntriesAbove, listRows, listRowsBetween,
			listRowsNamed + "($1)", listNewestEntries, listEntriesOfProgram, listEntriesOfBank,
			listEntriesOfCard,
			listEntriesOfSubject, listEntriesOfActor, findBatchOfRow, findRowFrom,
		} {
			steps := plan(s, text)
			if strings.Contains(steps, "SCAN") || strings.Contains(steps, "TEMP B-TREE") {
				t.Errorf("%s\n%s", text, steps)
			}
		}
		if !strings.Contains(plan(s, `SELECT audit_id FROM audit WHERE outcome = $1`), "SCAN") {
			t.Error("a query that walks through a table is not noticed")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// placeholders is the number of placeholders of a text.
func placeholders(text string) int {
	count := 0
	for strings.Contains(text, "$"+string(rune('1'+count))) {
		count++
	}
	return count
}

// TestSealedRows packs the rows of a batch and reads them back, and reads whatever somebody has damaged.
func TestSealedRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var rows []store.SealedRow
		number := 0
		for _, step := range rapid.SliceOf(rapid.IntRange(1, 1<<40)).Draw(t, "steps") {
			number += step
			rows = append(rows, store.SealedRow{Row: number, IsEvent: step%2 == 0})
		}
		packed, err := encodeRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		back := decodeRows(packed, len(rows))
		if len(rows) > 0 && !reflect.DeepEqual(back, rows) {
			t.Fatalf("%v is read as %v", rows, back)
		}
		damaged := rapid.SliceOf(rapid.Byte()).Draw(t, "damaged")
		count := rapid.IntRange(-1, 50).Draw(t, "count")
		if got := decodeRows(damaged, count); len(got) != max(0, count) {
			t.Fatalf("%d rows of %x, want %d", len(got), damaged, count)
		}
	})
	for _, bad := range [][]store.SealedRow{
		{{Row: 0}}, {{Row: 2}, {Row: 2}}, {{Row: 2}, {Row: 1}},
	} {
		if _, err := encodeRows(bad); err == nil {
			t.Errorf("%v is packed", bad)
		}
	}
}
