package storetest

import (
	"errors"
	"strconv"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

var sealedLog = []test{
	{"Empty", logEmpty},
	{"RoundTrip", logRoundTrip},
	{"Digest", logDigest},
	{"Events", logEvents},
	{"Hashes", logHashes},
	{"Archive", logArchive},
	{"ArchivedEvents", logArchivedEvents},
	{"OneHead", logOneHead},
	{"Gaps", logGaps},
}

// act puts count entries, each in its own transaction.
func act(t *testing.T, s store.Store, count int) {
	t.Helper()
	for i := range count {
		update(t, s, func(tx store.Tx) error {
			return tx.Audit().Put(audit.Entry{
				At: created, Actor: audit.Actor{Kind: audit.Job, Name: "act"},
				Subject: audit.Of(audit.Card, i), Outcome: "changed",
			})
		})
	}
}

func unsealed(t *testing.T, s store.Store, q store.UnsealedQuery) []store.LogEntry {
	t.Helper()
	return find(t, s, func(r store.Tx) ([]store.LogEntry, error) {
		u, err := r.AuditLog().ListUnsealed(q)
		return u.Entries, err
	})
}

// batchOf seals entries after a head. Every entry about a card with an even ID is an event.
func batchOf(head store.Batch, entries []store.LogEntry) store.Batch {
	b := store.Batch{
		First: head.Size() + 1, FirstEvent: head.Events() + 1, At: created,
		SettledRow: 1, Root: tlog.Hash{byte(len(entries))}, Note: "note",
	}
	if head.First == 0 {
		b.First, b.FirstEvent = 1, 1
	}
	for _, e := range entries {
		even := e.Subject.Number(audit.Card)%2 == 0
		b.Rows = append(b.Rows, store.SealedRow{Row: e.Row, IsEvent: even})
		b.NewestRow = max(head.NewestRow, e.Row)
	}
	return b
}

// seal seals count unsealed entries, and returns the batch.
func seal(t *testing.T, s store.Store, head store.Batch, count int) store.Batch {
	t.Helper()
	waiting := unsealed(t, s, store.UnsealedQuery{Above: head.NewestRow, Limit: count})
	if len(waiting) != count {
		t.Fatalf("got %d waiting entries, want %d", len(waiting), count)
	}
	b := batchOf(head, waiting)
	hashes := make([]tlog.Hash,
		tlog.StoredHashCount(int64(b.Size()))-tlog.StoredHashCount(int64(b.First-1)))
	for i := range hashes {
		hashes[i] = tlog.Hash{byte(b.First), byte(i)}
	}
	update(t, s, func(tx store.Tx) error { return tx.AuditLog().PutBatch(b, hashes) })
	return b
}

// unnumbered clears the transaction numbers, which only one of the databases has.
func unnumbered(batches []store.Batch) []store.Batch {
	for i := range batches {
		batches[i].Transaction = 0
	}
	return batches
}

func newest(t *testing.T, s store.Store) store.Batch {
	t.Helper()
	head := find(t, s, func(r store.Tx) (store.Batch, error) { return r.AuditLog().FindHead() })
	head.Transaction = 0
	return head
}

func logEmpty(t *testing.T, s store.Store) {
	view(t, s, func(r store.Tx) error {
		_, err := r.AuditLog().FindHead()
		wantError(t, "the head of an empty log", err, store.ErrNotFound)
		_, err = r.AuditLog().FindHashes([]int64{0})
		wantError(t, "a hash of an empty log", err, store.ErrNotFound)
		entries, err := r.AuditLog().List(0, 9)
		events, failed := r.AuditLog().ListEvents(0, 9)
		rows, noRows := r.AuditLog().ListRows(0, 9)
		batches, noBatches := r.AuditLog().ListBatches(0, 9)
		archived, noArchive := r.AuditLog().FindArchived()
		if len(entries)+len(events)+len(rows)+len(batches)+archived != 0 {
			t.Error("got records in an empty log")
		}
		return errors.Join(err, failed, noRows, noBatches, noArchive)
	})
}

// logRoundTrip seals eight entries in three batches, and reads them back in pieces.
func logRoundTrip(t *testing.T, s store.Store) {
	act(t, s, 9)
	first := seal(t, s, store.Batch{}, 3)
	second := seal(t, s, first, 1)
	third := seal(t, s, second, 4)
	wantSame(t, newest(t, s), third)
	all := []store.Batch{first, second, third}
	for after, want := range map[int][]store.Batch{
		0: all, 2: all, 3: all[1:], 4: all[2:], 7: all[2:], 8: {}, 9: {},
	} {
		got := find(t, s, func(r store.Tx) ([]store.Batch, error) {
			return r.AuditLog().ListBatches(after, 9)
		})
		wantSame(t, append([]store.Batch{}, unnumbered(got)...), want)
	}
	wantSame(t, unnumbered(find(t, s, func(r store.Tx) ([]store.Batch, error) {
		return r.AuditLog().ListBatchesAbove(first.NewestRow)
	})), all[1:])
	for after := range 9 {
		for _, limit := range []int{1, 2, 3, 9} {
			entries := find(t, s, func(r store.Tx) ([]store.LogEntry, error) {
				return r.AuditLog().List(after, limit)
			})
			if want := min(limit, 8-after); len(entries) != want {
				t.Fatalf("got %d entries after %d, want %d", len(entries), after, want)
			}
			for i, e := range entries {
				if e.Sequence != after+i+1 || e.Subject != audit.Of(audit.Card, after+i) {
					t.Errorf("after %d, position %d: got %+v", after, i, e)
				}
			}
		}
	}
	left := unsealed(t, s, store.UnsealedQuery{Above: third.NewestRow, Limit: 9})
	if len(left) != 1 {
		t.Errorf("got %d waiting entries, want 1", len(left))
	}
}

// logDigest stores the digest that the function computes for an entry, and nothing without a
// function.
func logDigest(t *testing.T, s store.Store) {
	act(t, s, 1)
	s.DigestEntries(func(e audit.Entry) []byte { return []byte("digest of " + e.Subject.ID) })
	act(t, s, 1)
	entries := unsealed(t, s, store.UnsealedQuery{Limit: 9})
	if len(entries) != 2 || len(entries[0].Digest) != 0 || string(entries[1].Digest) != "digest of 0" {
		t.Errorf("got entries %+v", entries)
	}
}

// logEvents lists and finds events by event sequence. Two of the batches have no event.
func logEvents(t *testing.T, s store.Store) {
	act(t, s, 6) // cards 0 to 5, of which 0, 2 and 4 are events
	var head store.Batch
	for _, count := range []int{1, 1, 2, 1, 1} {
		head = seal(t, s, head, count)
	}
	for after := range 4 {
		entries := find(t, s, func(r store.Tx) ([]store.LogEntry, error) {
			return r.AuditLog().ListEvents(after, 9)
		})
		if len(entries) != 3-after {
			t.Fatalf("got %d events after %d", len(entries), after)
		}
		for i, e := range entries {
			if e.Event != after+i+1 || e.Subject != audit.Of(audit.Card, 2*(after+i)) {
				t.Errorf("after %d, position %d: got %+v", after, i, e)
			}
		}
	}
	findEvent := func(event int) func(store.Tx) (store.LogEntry, error) {
		return func(r store.Tx) (store.LogEntry, error) { return r.AuditLog().FindEvent(event) }
	}
	for event := 1; event <= 3; event++ {
		e := find(t, s, findEvent(event))
		if e.Event != event || e.Sequence != 2*event-1 || e.Subject != audit.Of(audit.Card, 2*event-2) {
			t.Errorf("event %d: got %+v", event, e)
		}
	}
	wantNone(t, s, "event 0", findEvent(0))
	wantNone(t, s, "an event that is not sealed", findEvent(4))
}

func logHashes(t *testing.T, s store.Store) {
	act(t, s, 5)
	first := seal(t, s, store.Batch{}, 3) // hashes 0 to 3
	seal(t, s, first, 2)                  // hashes 4 to 7
	want := []tlog.Hash{{4, 3}, {1, 0}, {1, 3}, {4, 0}}
	wantFind(t, s, want, func(r store.Tx) ([]tlog.Hash, error) {
		return r.AuditLog().FindHashes([]int64{7, 0, 3, 4})
	})
	view(t, s, func(r store.Tx) error {
		_, err := r.AuditLog().FindHashes([]int64{0, 8})
		wantError(t, "a hash behind the last", err, store.ErrNotFound)
		return nil
	})
}

// logArchive removes rows in pieces that do not end at batch boundaries. The remaining entries must
// be found as before.
func logArchive(t *testing.T, s store.Store) {
	act(t, s, 7)
	first := seal(t, s, store.Batch{}, 3)
	seal(t, s, first, 3)
	for _, want := range []int{2, 2, 0} {
		var deleted int
		update(t, s, func(tx store.Tx) error {
			var err error
			deleted, err = tx.AuditLog().DeleteThrough(4, 2)
			return err
		})
		if deleted != want {
			t.Errorf("got %d removed rows, want %d", deleted, want)
		}
	}
	view(t, s, func(r store.Tx) error {
		archived, err := r.AuditLog().FindArchived()
		if err != nil || archived != 4 {
			t.Errorf("got archived up to %d, error %v", archived, err)
		}
		entries, err := r.AuditLog().List(0, 9)
		if len(entries) != 2 || entries[0].Sequence != 5 {
			t.Errorf("got remaining entries %+v", entries)
		}
		rows, failed := r.AuditLog().ListRows(0, 9)
		if len(rows) != 3 {
			t.Errorf("got remaining rows %v", rows)
		}
		return errors.Join(err, failed)
	})
}

// logArchivedEvents archives the first event of a batch. The remaining events must be found as
// before.
func logArchivedEvents(t *testing.T, s store.Store) {
	act(t, s, 5) // events 1 to 3 have the sequences 1, 3 and 5
	seal(t, s, store.Batch{}, 5)
	update(t, s, func(tx store.Tx) error {
		_, err := tx.AuditLog().DeleteThrough(2, 9)
		return err
	})
	for limit, want := range map[int][]int{1: {3}, 2: {3, 5}, 9: {3, 5}} {
		var got []int
		for _, e := range find(t, s, func(r store.Tx) ([]store.LogEntry, error) {
			return r.AuditLog().ListEvents(0, limit)
		}) {
			got = append(got, e.Sequence)
		}
		wantSame(t, got, want)
	}
	findEvent := func(event int) func(store.Tx) (store.LogEntry, error) {
		return func(r store.Tx) (store.LogEntry, error) { return r.AuditLog().FindEvent(event) }
	}
	wantNone(t, s, "an archived event", findEvent(1))
	wantSame(t, find(t, s, findEvent(2)).Sequence, 3)
}

// logOneHead checks that of two batches after the same head only the first is stored.
func logOneHead(t *testing.T, s store.Store) {
	act(t, s, 2)
	waiting := unsealed(t, s, store.UnsealedQuery{Limit: 9})
	hashes := make([]tlog.Hash, 3)
	batch, two := batchOf(store.Batch{}, waiting[:1]), batchOf(store.Batch{}, waiting)
	update(t, s, func(tx store.Tx) error { return tx.AuditLog().PutBatch(batch, hashes[:1]) })
	wantUpdate(t, s, "a second batch", store.ErrExists, func(tx store.Tx) error {
		return tx.AuditLog().PutBatch(two, hashes)
	})
	wantSame(t, newest(t, s), batch)
}

// logGaps finds rows in gaps and above them, with narrow and with wide gaps.
func logGaps(t *testing.T, s store.Store) {
	act(t, s, 6)
	rows := find(t, s, func(r store.Tx) ([]int, error) { return r.AuditLog().ListRows(0, 9) })
	for _, widest := range []int{0, 1 << 20} {
		gaps := []store.RowRange{
			{First: rows[1], Last: rows[1]}, {First: rows[3], Last: rows[4]},
			{First: rows[5] + 10, Last: rows[5] + 10 + widest},
		}
		entries := unsealed(t, s, store.UnsealedQuery{Above: rows[4], Limit: 9, Gaps: gaps})
		got := ""
		for _, e := range entries {
			got += strconv.Itoa(e.Row-rows[0]) + " "
		}
		if got != "1 3 4 5 " {
			t.Errorf("got rows %s", got)
		}
	}
}
