package issuing_test

import (
	"context"
	"fmt"
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
)

// backlog keeps so many answers that are too old to be given again.
func backlog(t testing.TB, kept store.Store, count int, at time.Time) {
	t.Helper()
	answer := slices.Repeat([]byte("answer "), 160) // as long as that about a card
	const few = 5000
	for from := 0; from < count; from += few {
		err := kept.Update(context.Background(), func(tx store.Tx) error {
			for i := from; i < min(from+few, count); i++ {
				// The keys of callers come in no order.
				key := fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15)
				err := tx.CallerAnswers().Put(store.IdempotencyRecord{
					IdempotencyScope: store.IdempotencyScope{
						APIKey: "example1", Route: "/card/lock", Key: key,
					},
					BodyDigest: make([]byte, 32), HTTP: 200, Answer: answer,
					At: at.Add(time.Duration(i) * time.Millisecond),
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// dropCounter notes how many answers the transactions drop.
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

// TestForgetAnswersInBatches holds that no transaction drops many answers, so that those who write
// have their turn in between.
func TestForgetAnswersInBatches(t *testing.T) {
	t.Parallel()
	w := newSandbox(t)
	const count, most = 550, 100
	backlog(t, w.store, count, w.clock.Now())
	w.clock.Advance(issuing.IdempotencyLife + time.Hour)
	var drops []int
	w.through(func(tx store.Tx) store.Tx {
		return &dropCounter{Tx: tx, note: func(here int) { drops = append(drops, here) }}
	})
	if err := w.ForgetAnswers(t.Context()); err != nil {
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

// BenchmarkForgetAnswers measures how long writers wait while a backlog is dropped: all at once, in
// batches, and not at all. MINTMARK_BACKLOG is how many answers it holds.
func BenchmarkForgetAnswers(b *testing.B) {
	count, err := strconv.Atoi(os.Getenv("MINTMARK_BACKLOG"))
	if err != nil {
		count = 50_000
	}
	for name, forget := range map[string]func(*world) error{
		"at once": func(w *world) error {
			return w.store.Update(b.Context(), func(tx store.Tx) error {
				before := tx.Now().Add(-issuing.IdempotencyLife)
				_, err := tx.CallerAnswers().DeleteBefore(before, math.MaxInt32)
				return err
			})
		},
		"in batches": func(w *world) error { return w.ForgetAnswers(b.Context()) },
		"not at all": func(*world) error { <-time.After(20 * time.Second); return nil },
	} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, issuing.Settings{Mode: card.Sandbox, Ending: ending})
			backlog(b, w.store, count, w.clock.Now().Add(-issuing.IdempotencyLife-24*time.Hour))
			b.ResetTimer()
			done, waits := make(chan struct{}), make([][]time.Duration, 4)
			var writers sync.WaitGroup
			for i := range waits {
				made := w.newCard(nil)
				writers.Go(func() { waits[i] = w.keepLocking(made.ID, done) })
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

// keepLocking locks and unlocks a card until it is told to stop. It returns how long each act took.
func (w *world) keepLocking(cardID int, done chan struct{}) []time.Duration {
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
			func() error { _, err := w.Cards.Lock(context.Background(), caller, lock); return err },
			func() error { _, err := w.Cards.Unlock(context.Background(), caller, ref); return err },
		} {
			began := time.Now()
			if err := act(); err != nil {
				w.t.Error(err)
			}
			waits = append(waits, time.Since(began))
		}
	}
}
