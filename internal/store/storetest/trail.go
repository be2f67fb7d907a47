package storetest

import (
	"testing"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/store"
)

var trail = []test{
	{"List", trailList},
	{"Pages", trailPages},
	{"Sequences", trailSequences},
	{"Rows", trailRows},
}

// trailEntries are the entries that putTrail puts: the first with request identifier a, the second
// with b.
var trailEntries = []audit.Entry{
	{Actor: by(audit.APIKey, "k1"), ProgramID: 11, Subject: audit.Of(audit.Card, 5001)},
	{Actor: by(audit.APIKey, "k2"), ProgramID: 12, Subject: audit.Of(audit.Card, 5001)},
	{Actor: by(audit.Operator, "anna"), ProgramID: 11, Subject: audit.Of(audit.Customer, 7)},
	{Actor: by(audit.Operator, "anna"), BankID: 1, Subject: audit.Of(audit.Document, 7)},
	{Actor: by(audit.Operator, "bert"), BankID: 2, Subject: audit.Of(audit.Document, 8)},
	{Actor: by(audit.Job, "k1"), ProgramID: 12, Subject: audit.Of(audit.Customer, 8)},
	{Actor: by(audit.CommandLine, "anna")},
}

func by(kind audit.Kind, name string) audit.Actor { return audit.Actor{Kind: kind, Name: name} }

// putTrail puts the entries, a minute apart.
func putTrail(t *testing.T, s store.Store) {
	t.Helper()
	for i, e := range trailEntries {
		e.At, e.RequestID = created.Add(time.Duration(i)*time.Minute), string(rune('a'+i))
		update(t, s, func(tx store.Tx) error { return tx.Audit().Put(e) })
	}
}

func listTrail(t *testing.T, s store.Store, q store.TrailQuery) (names string, last int) {
	t.Helper()
	for _, e := range find(t, s, func(r store.Tx) ([]store.LogEntry, error) {
		return r.Trail().List(q)
	}) {
		names, last = names+e.RequestID, e.Row
	}
	return names, last
}

// trailList looks up entries in every way that TrailQuery allows.
func trailList(t *testing.T, s store.Store) {
	if names, _ := listTrail(t, s, store.TrailQuery{Limit: 9}); names != "" {
		t.Errorf("got %s from an empty trail", names)
	}
	putTrail(t, s)
	card := audit.Of(audit.Card, 5001)
	for _, row := range []struct {
		want string
		q    store.TrailQuery
	}{
		{"gfedcba", store.TrailQuery{Limit: 9}},
		{"gf", store.TrailQuery{Limit: 2}},
		{"ba", store.TrailQuery{Limit: 9, Subject: card, Programs: []int{11, 12, 13}}},
		{"b", store.TrailQuery{Limit: 1, Subject: card, Programs: []int{11, 12}}},
		{"a", store.TrailQuery{Limit: 9, Subject: card, Programs: []int{11}}},
		{"", store.TrailQuery{Limit: 9, Subject: card}},
		{"d", store.TrailQuery{Limit: 9, Subject: audit.Of(audit.Document, 7)}},
		{"f", store.TrailQuery{Limit: 9, Subject: audit.Of(audit.Customer, 8)}},
		{"gdc", store.TrailQuery{Limit: 9, Actor: "anna"}},
		{"f", store.TrailQuery{Limit: 9, Actor: "k1"}},
		{"ca", store.TrailQuery{Limit: 9, Programs: []int{11}}},
		{"dca", store.TrailQuery{Limit: 9, Programs: []int{11}, Banks: []int{1}}},
		{"fedb", store.TrailQuery{Limit: 9, Programs: []int{12}, Banks: []int{1, 2}}},
		{"e", store.TrailQuery{Limit: 9, Banks: []int{2}}},
	} {
		if names, _ := listTrail(t, s, row.q); names != row.want {
			t.Errorf("%+v: got %q, want %q", row.q, names, row.want)
		}
	}
	entries := find(t, s, func(r store.Tx) ([]store.LogEntry, error) {
		return r.Trail().List(store.TrailQuery{Limit: 1, Banks: []int{1}})
	})
	want := trailEntries[3]
	want.At, want.RequestID = created.Add(3*time.Minute), "d"
	wantSame(t, entries[0].Entry, want)
}

// trailPages reads the entries two at a time, while others are written.
func trailPages(t *testing.T, s store.Store) {
	putTrail(t, s)
	all, below := "", 0
	for {
		names, last := listTrail(t, s, store.TrailQuery{Limit: 2, Below: below})
		if names == "" {
			break
		}
		all, below = all+names, last
		act(t, s, 1)
	}
	if all != "gfedcba" {
		t.Errorf("got pages %s", all)
	}
	_, third := listTrail(t, s, store.TrailQuery{Limit: 1, Actor: "bert"})
	q := store.TrailQuery{Limit: 9, From: third, Programs: []int{11, 12}, Banks: []int{1, 2}}
	if names, _ := listTrail(t, s, q); names != "fe" {
		t.Errorf("from a row on: got %s", names)
	}
}

// trailSequences finds the sequences of rows in three batches. The second batch has sealed a row
// that became visible after rows with greater numbers, and the last row is not sealed.
func trailSequences(t *testing.T, s store.Store) {
	act(t, s, 6)
	waiting := unsealed(t, s, store.UnsealedQuery{Limit: 9})
	var head store.Batch
	for _, of := range [][]int{{0, 1, 3}, {2}, {4}} {
		var entries []store.LogEntry
		for _, i := range of {
			entries = append(entries, waiting[i])
		}
		b := batchOf(head, entries)
		b.NewestRow = max(head.NewestRow, b.NewestRow)
		update(t, s, func(tx store.Tx) error { return tx.AuditLog().PutBatch(b, nil) })
		head = b
	}
	var rows []int
	for _, e := range waiting {
		rows = append(rows, e.Row)
	}
	got := find(t, s, func(r store.Tx) (map[int]int, error) {
		return r.Trail().ListSequences(rows)
	})
	wantSame(t, got, map[int]int{rows[0]: 1, rows[1]: 2, rows[3]: 3, rows[2]: 4, rows[4]: 5})
}

// trailRows finds rows by time.
func trailRows(t *testing.T, s store.Store) {
	row := func(since time.Time) int {
		return find(t, s, func(r store.Tx) (int, error) { return r.Trail().FindRow(since) })
	}
	if got := row(created); got != 1 {
		t.Errorf("first row of an empty trail: got %d, want 1", got)
	}
	putTrail(t, s)
	rows := find(t, s, func(r store.Tx) ([]int, error) { return r.AuditLog().ListRows(0, 9) })
	for i, want := range rows {
		at := created.Add(time.Duration(i) * time.Minute)
		if got := row(at); got != want {
			t.Errorf("minute %d: got row %d, want %d", i, got, want)
		}
		if got := row(at.Add(-time.Second)); got != want && i > 0 {
			t.Errorf("before minute %d: got row %d, want %d", i, got, want)
		}
	}
	if got := row(created.Add(time.Hour)); got != rows[len(rows)-1]+1 {
		t.Errorf("after the last row: got row %d", got)
	}
}

var drafts = []test{
	{"Numbers", draftNumbers},
}

func draft(title string) bankdoc.Document {
	return bankdoc.Document{BankID: bankID, Culture: "en-US", Type: "CardInfo", Title: title}
}

// putDraft puts a draft and returns it as it is stored.
func putDraft(t *testing.T, s store.Store, d bankdoc.Document) bankdoc.Document {
	t.Helper()
	var kept bankdoc.Document
	update(t, s, func(tx store.Tx) error {
		kept = d
		return tx.Documents().PutDraft(&kept)
	})
	return kept
}

// draftNumbers checks that each draft gets a new number, never that of a deleted draft or a
// document.
func draftNumbers(t *testing.T, s store.Store) {
	background(t, s)
	first := putDraft(t, s, draft("first"))
	later := draft("published elsewhere")
	later.ID = first.ID + 1
	update(t, s, func(tx store.Tx) error { return tx.Documents().Put(later) })
	update(t, s, func(tx store.Tx) error { return tx.Documents().DeleteDraft(first) })
	second, third := putDraft(t, s, draft("second")), putDraft(t, s, draft("third"))
	if first.ID <= 1_000_000 || second.ID <= later.ID || third.ID <= second.ID {
		t.Errorf("got IDs %d, %d and %d, want them ascending", first.ID, second.ID, third.ID)
	}
	for after, want := range map[int]int{0: 2, second.ID: 1, third.ID: 0} {
		documents := find(t, s, func(r store.Tx) ([]bankdoc.Document, error) {
			return r.Documents().ListDrafts(bankID, after, 9)
		})
		if len(documents) != want {
			t.Errorf("got %d drafts after %d, want %d", len(documents), after, want)
		}
	}
}
