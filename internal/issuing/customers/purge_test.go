package customers_test

import (
	"context"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// dropCounter records how many responses each transaction deletes.
type dropCounter struct {
	store.Tx
	here int
	note func(here int)
}

func (d *dropCounter) CallerAnswers() store.Answers {
	return countedDrops{d.Tx.CallerAnswers(), d}
}

type countedDrops struct {
	store.Answers
	*dropCounter
}

func (d countedDrops) DeleteBefore(before time.Time, limit int) (int, error) {
	dropped, err := d.Answers.DeleteBefore(before, limit)
	d.here += dropped
	d.note(d.here)
	return dropped, err
}

// TestPurgeAnswersInBatches checks that transactions delete few responses each, so that writers get
// a turn in between.
func TestPurgeAnswersInBatches(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	const count, most = 550, 100
	issuingtest.Backlog(t, w.Store, count, w.Clock.Now())
	w.Clock.Advance(issuing.IdempotencyLife + time.Hour)
	var drops []int
	w.Through(func(tx store.Tx) store.Tx {
		return &dropCounter{Tx: tx, note: func(here int) { drops = append(drops, here) }}
	})
	if err := w.PurgeAnswers(t.Context()); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, dropped := range drops {
		total += dropped
	}
	if slices.Max(drops) > most || total != count {
		t.Errorf("the transactions have dropped %v, in total %d", drops, total)
	}
}

// BenchmarkPurgeAnswers measures how long writers wait while a backlog of responses is deleted: in
// one transaction, in batches, and not at all. MINTMARK_BACKLOG is the size of the backlog.
func BenchmarkPurgeAnswers(b *testing.B) {
	count, err := strconv.Atoi(os.Getenv("MINTMARK_BACKLOG"))
	if err != nil {
		count = 50_000
	}
	for name, forget := range map[string]func(*issuingtest.World) error{
		"at once": func(w *issuingtest.World) error {
			return w.Store.Update(b.Context(), func(tx store.Tx) error {
				before := tx.Now().Add(-issuing.IdempotencyLife)
				_, err := tx.CallerAnswers().DeleteBefore(before, math.MaxInt32)
				return err
			})
		},
		"in batches": func(w *issuingtest.World) error { return w.PurgeAnswers(b.Context()) },
		"not at all": func(*issuingtest.World) error { <-time.After(20 * time.Second); return nil },
	} {
		b.Run(name, func(b *testing.B) {
			w := issuingtest.NewWorld(b, issuing.Settings{Mode: card.Sandbox, Ending: issuingtest.Ending})
			issuingtest.Backlog(b, w.Store, count, w.Clock.Now().Add(-issuing.IdempotencyLife-24*time.Hour))
			b.ResetTimer()
			done, waits := make(chan struct{}), make([][]time.Duration, 4)
			var writers sync.WaitGroup
			for i := range waits {
				c := w.NewCard(nil)
				writers.Go(func() { waits[i] = keepLocking(w, c.ID, done) })
			}
			began := time.Now()
			err := forget(w)
			took := time.Since(began)
			close(done)
			writers.Wait()
			if err != nil {
				b.Fatal(err)
			}
			all := slices.Concat(waits...)
			slices.Sort(all)
			b.ReportMetric(took.Seconds(), "s/backlog")
			b.ReportMetric(float64(len(all)), "writes")
			slow, _ := slices.BinarySearch(all, 250*time.Millisecond)
			b.ReportMetric(float64(len(all)-slow), "writes-over-250ms")
			b.ReportMetric(float64(all[len(all)*99/100].Milliseconds()), "ms-p99")
			b.ReportMetric(float64(all[len(all)-1].Milliseconds()), "ms-max")
		})
	}
}

// keepLocking locks and unlocks a card until done is closed. It returns the duration of each act.
func keepLocking(w *issuingtest.World, cardID int, done chan struct{}) []time.Duration {
	ref := issuing.CardRef{CustomerID: 1001, CardID: cardID}
	lock := cards.LockRequest{CardRef: ref, LockReasonTypeCode: "TMP"}
	var waits []time.Duration
	for {
		select {
		case <-done:
			return waits
		default:
		}
		for _, act := range []func() error{
			func() error { _, err := w.Cards.Lock(context.Background(), issuingtest.Caller, lock); return err },
			func() error { _, err := w.Cards.Unlock(context.Background(), issuingtest.Caller, ref); return err },
		} {
			began := time.Now()
			if err := act(); err != nil {
				w.TB.Error(err)
			}
			waits = append(waits, time.Since(began))
		}
	}
}
