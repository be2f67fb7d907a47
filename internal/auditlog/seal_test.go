package auditlog

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
)

// drain seals until no entry waits.
func drain(t *testing.T, s *Sealer) {
	t.Helper()
	for {
		sealed, err := s.Seal(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if sealed == 0 {
			return
		}
	}
}

// TestSeal seals entries in order, with the events numbered separately. A restarted sealer
// continues at the end of the log.
func TestSeal(t *testing.T) {
	t.Parallel()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			p.seal(t, p.sealer("one"), 0)
			for _, count := range []int{1, 5, 2} {
				p.act(t, count)
				p.seal(t, p.sealer("one"), count)
			}
			p.wantWhole(t, 8)
			err := p.store.View(t.Context(), func(r store.Tx) error {
				all, err := r.AuditLog().List(0, 99)
				if len(all) != 8 {
					t.Errorf("%d entries", len(all))
				}
				for i, e := range all {
					want := example(i + 1)
					if e.Sequence != i+1 || e.Entry != want {
						t.Errorf("at %d stands %+v", i+1, e)
					}
					event := 0
					if i%2 == 1 {
						event = (i + 1) / 2
					}
					if e.Event != event {
						t.Errorf("entry %d is event %d", i+1, e.Event)
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestSealAll seals more than a batch in one call, beside an idle sealer in the background.
func TestSealAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, sealAll)
}

func sealAll(t *testing.T) {
	p := embedded(t)
	s := p.sealer("one")
	s.Rests = func() bool { return true }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	err := p.store.Update(t.Context(), func(tx store.Tx) error {
		for number := range batchLimit + 1 {
			if err := tx.Audit().Put(example(number)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	testrun.Pass(2 * tick)
	if sealed := s.Status().Sealed; sealed != 0 {
		t.Errorf("%d entries are sealed while the sealer rests", sealed)
	}
	if err := s.SealAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if sealed := s.Status().Sealed; sealed != batchLimit+1 {
		t.Errorf("%d entries are sealed", sealed)
	}
	other := p.sealer("two")
	p.act(t, 1)
	if err := other.SealAll(t.Context()); err != nil {
		t.Errorf("beside another sealer: %v", err)
	}
	cancel()
	<-ended
}

// TestLease has only one of two sealers seal, and the other after the first has released the lease.
func TestLease(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	sealer, two := p.sealer("one"), p.sealer("two")
	p.act(t, 1)
	p.seal(t, sealer, 1)
	p.act(t, 1)
	if _, err := two.Seal(t.Context()); !errors.Is(err, errElsewhere) {
		t.Errorf("the second sealer gets %v", err)
	}
	sealer.release(t.Context()) // and seals the last entries
	p.act(t, 1)
	p.seal(t, two, 1)
	p.wantWhole(t, 3)
}

// TestSealersAtOnce races sealers that all believe they hold the lease against acts. No entry is
// sealed twice, and none is left out.
func TestSealersAtOnce(t *testing.T) {
	t.Parallel()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t)
			const actors, acts = 4, 50
			ctx, stop := context.WithCancel(t.Context())
			var acting, sealing sync.WaitGroup
			for range 3 {
				sealing.Go(func() {
					s := p.sealer("all alike")
					for ctx.Err() == nil {
						_, err := s.Seal(t.Context())
						if err != nil && !errors.Is(err, errElsewhere) {
							t.Error(err)
						}
					}
				})
			}
			for actor := range actors {
				acting.Go(func() {
					for i := range acts {
						err := p.store.Update(t.Context(), func(tx store.Tx) error {
							return tx.Audit().Put(example(actor*acts + i))
						})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			acting.Wait()
			stop()
			sealing.Wait()
			drain(t, p.sealer("all alike"))
			p.wantWhole(t, actors*acts)
		})
	}
}

// insertLate inserts an audit row as the previous version does.
const insertLate = `INSERT INTO audit (acted_at, key_name, address, route, request_id, program_id,
		customer_id, card_id, outcome, card_before, card_after)
	VALUES (0, 'late', '', '/card/lock', '', 1, 1001, 5001, 'changed', '', '')`

// TestLateRows keeps a transaction open that has already inserted its row, and seals past it. The
// row is sealed when it appears, and a sealer that starts meanwhile expects it.
func TestLateRows(t *testing.T) {
	t.Parallel()
	p := server(t)
	db := p.connect(t)
	change(t, db, insertLate) // an older database: a row without a digest is allowed
	for _, anew := range []bool{false, true} {
		s := p.sealer("one")
		drain(t, s)
		late, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := late.ExecContext(t.Context(), insertLate); err != nil {
			t.Fatal(err)
		}
		s.grace = 0
		for range 5 {
			p.act(t, 2)
			p.seal(t, s, 2)
		}
		if len(s.gaps.open) != 1 {
			t.Errorf("the gaps are %v", s.gaps.open)
		}
		if err := late.Commit(); err != nil {
			t.Fatal(err)
		}
		if anew {
			s = p.sealer("one")
		}
		p.seal(t, s, 1)
		if len(s.gaps.open) != 0 {
			t.Errorf("the gaps are %v", s.gaps.open)
		}
	}
	report := p.verify(t)
	if report.Err() != nil || report.Undigested != 3 {
		t.Errorf("%d without a digest: %v", report.Undigested, report.Err())
	}
}

// TestSettled gives up a gap when no transaction can fill it any longer, and not while one can.
func TestSettled(t *testing.T) {
	t.Parallel()
	p := server(t)
	db := p.connect(t)
	s := p.sealer("one")
	s.grace = 0
	p.act(t, 1)
	p.seal(t, s, 1)
	open, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open.ExecContext(t.Context(), insertLate); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		p.act(t, 1)
		p.seal(t, s, 1)
	}
	if len(s.gaps.open) != 1 || s.head.SettledRow != 1 {
		t.Fatalf("the gaps are %v, settled is %d", s.gaps.open, s.head.SettledRow)
	}
	if err := open.Rollback(); err != nil {
		t.Fatal(err)
	}
	// Transactions in other databases of the server count as well; those of other tests end.
	for tries := 0; len(s.gaps.open) > 0 && tries < 5000; tries++ {
		p.act(t, 1)
		p.seal(t, s, 1)
	}
	if len(s.gaps.open) != 0 || s.head.SettledRow < 12 {
		t.Fatalf("the gaps are %v, settled is %d", s.gaps.open, s.head.SettledRow)
	}
	p.wantWhole(t, s.head.Size())
	// A row moved into the gap now, even with a matching digest, was not written by an act.
	p.act(t, 1)
	change(t, db, `UPDATE audit SET audit_id = 2 WHERE audit_id > $1`, s.head.NewestRow)
	drain(t, s)
	report := p.verify(t)
	blame{row: 2}.check(t, "a row in a gap", report)
	if !strings.Contains(report.Err().Error(), "it was inserted later") {
		t.Error(report.Err())
	}
}

// TestSkipped is the control: a sealer that forgets its gaps skips a row, and the verification
// reports it.
func TestSkipped(t *testing.T) {
	t.Parallel()
	p := server(t)
	db := p.connect(t)
	change(t, db, insertLate)
	s := p.sealer("one")
	drain(t, s)
	late, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := late.ExecContext(t.Context(), insertLate); err != nil {
		t.Fatal(err)
	}
	p.act(t, 1)
	p.seal(t, s, 1)
	s.gaps.open = nil
	if err := late.Commit(); err != nil {
		t.Fatal(err)
	}
	p.act(t, 1)
	p.seal(t, s, 1)
	blame{row: 2}.check(t, "a row that was skipped", p.verify(t))
}

// TestGaps fills gaps in random order, and compares them with a plain list of the missing rows.
func TestGaps(t *testing.T) {
	t.Parallel()
	g := &gaps{}
	newest := 0
	for _, rows := range [][]int{{3}, {1, 4, 9}, {2, 6}, {5, 8, 10, 20}, {7, 15, 21}, {14, 16}} {
		var b store.Batch
		for _, row := range rows {
			b.Rows = append(b.Rows, store.SealedRow{Row: row})
		}
		g.add(newest, b)
		newest = max(newest, rows[len(rows)-1])
	}
	want := []store.RowRange{{First: 11, Last: 13}, {First: 17, Last: 19}}
	if !slices.Equal(g.open, want) {
		t.Errorf("the gaps are %v, want %v", g.open, want)
	}
	g.settle(14)
	if !slices.Equal(g.open, want[1:]) || g.settled != 14 {
		t.Errorf("the gaps are %v, settled is %d", g.open, g.settled)
	}
}

// TestOlderRows seals rows without a digest. They are allowed for a week in a log that begins with
// one; in a log that begins with a digest, never.
func TestOlderRows(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	db := p.connect(t)
	for range 3 {
		change(t, db, insertLate)
	}
	s := p.sealer("one")
	drain(t, s)
	p.act(t, 2)
	change(t, db, insertLate)
	drain(t, s)
	report := p.verify(t)
	if report.Err() != nil || report.Undigested != 4 || report.LastUndigested != 6 {
		t.Errorf("%+v: %v", report, report.Err())
	}
	e := example(0)
	e.At = e.At.Add(undigestedTime).AddDate(0, 0, 1)
	err := p.store.Update(t.Context(), func(tx store.Tx) error { return tx.Audit().Put(e) })
	if err != nil {
		t.Fatal(err)
	}
	change(t, db, insertLate)
	drain(t, s)
	blame{first: 8, last: 8}.check(t, "a row without a digest, after a week", p.verify(t))

	fresh := embedded(t)
	fresh.act(t, 1)
	change(t, fresh.connect(t), insertLate)
	drain(t, fresh.sealer("one"))
	blame{first: 2, last: 2}.check(t, "a row without a digest, in a new log", fresh.verify(t))
}

// TestEmptyLog verifies an empty log, which has no checkpoint.
func TestEmptyLog(t *testing.T) {
	t.Parallel()
	p := embedded(t)
	p.wantWhole(t, 0)
	if _, err := Checkpoint(t.Context(), p.store); !errors.Is(err, ErrEmpty) {
		t.Errorf("the checkpoint of an empty log gives %v", err)
	}
	var none audit.Tree
	if none.Size() != 0 {
		t.Error("an empty tree has a size")
	}
}
