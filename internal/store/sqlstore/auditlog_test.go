package sqlstore

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestAuditLogPlans checks the query plans of the embedded database. None may scan a whole table,
// because the log grows forever.
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
			listAudit, listBatches, listBatchesAbove, findHash, listHashes, findBatchOfEvent,
			findFirstOfEvent, findFirstKept, findArchived,
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
			t.Error("a full table scan went undetected")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// countedSession counts the queries of a session and the rows that they read.
type countedSession struct {
	db.Session
	queries, rows int
}

func (c *countedSession) Query(queries ...db.Query) error {
	c.queries += len(queries)
	for i := range queries {
		each := queries[i].Each
		queries[i].Each = func(row db.Scan) error {
			c.rows++
			return each(row)
		}
	}
	return c.Session.Query(queries...)
}

// TestArchivedEvents looks up events in a log that is almost entirely archived. No lookup may walk
// through the archived batches.
func TestArchivedEvents(t *testing.T) {
	t.Parallel()
	const batches, archived, few = 500, 490, 50
	engine, err := sqlite.OpenMemory(t.Context(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	err = engine.Update(t.Context(), func(s db.Session) error {
		for i := 1; i <= batches; i++ {
			err := auditLog{&tx{session: s}}.PutBatch(store.Batch{
				First: i, FirstEvent: i, At: time.UnixMilli(1),
				Rows: []store.SealedRow{{Row: i, IsEvent: true}},
			}, nil)
			if err != nil {
				return err
			}
		}
		return s.Write(putArchived, archived, 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, look := range map[string]func(auditLog) error{
		"a list": func(log auditLog) error {
			_, err := log.ListEvents(3, 1)
			return err
		},
		"an archived event": func(log auditLog) error {
			_, err := log.FindEvent(3)
			return err
		},
		"an event without a row": func(log auditLog) error {
			_, err := log.FindEvent(archived + 1)
			return err
		},
	} {
		err := engine.View(t.Context(), func(s db.Session) error {
			counted := &countedSession{Session: s}
			err := look(auditLog{&tx{session: counted}})
			if counted.queries > few || counted.rows > few {
				t.Errorf("%s takes %d queries and %d rows", name, counted.queries, counted.rows)
			}
			return err
		})
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// placeholders returns the number of placeholders in a statement.
func placeholders(text string) int {
	count := 0
	for strings.Contains(text, "$"+string(rune('1'+count))) {
		count++
	}
	return count
}

// TestSealedRows encodes the rows of a batch and decodes them again, and decodes damaged bytes.
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
