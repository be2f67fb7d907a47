package cards_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/importer/entity"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// BenchmarkCompromise reports 100,000 card numbers as compromised and locks the cards, on the
// embedded store. It prints wall-clock and CPU seconds: use -benchtime 1x.
func BenchmarkCompromise(b *testing.B) {
	const count = 100_000
	for b.Loop() {
		b.StopTimer()
		w := issuingtest.NewWorld(b, issuing.Settings{Mode: card.Production})
		numbers := manyCards(w, count)
		b.StartTimer()
		measured(b, "match", func() {
			if l, _ := report(w, issuingtest.Clerk, newList(compromise.Lock, 0), numbers); l.Cards != count {
				b.Errorf("found %d cards", l.Cards)
			}
		})
		measured(b, "lock", func() { handle(w, count) })
	}
}

// measured reports the duration of do.
func measured(b *testing.B, name string, do func()) {
	var before, after syscall.Rusage
	began := time.Now()
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &before)
	do()
	if err == nil {
		err = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
	}
	if err != nil {
		b.Fatal(err)
	}
	spent := func(r syscall.Rusage) float64 {
		return time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
	}
	b.ReportMetric(time.Since(began).Seconds(), name+"-s")
	b.ReportMetric(spent(after)-spent(before), name+"-cpu-s")
}

// manyCards stores Verified cards of customer 1001, and returns their numbers.
func manyCards(w *issuingtest.World, count int) []pan.Number {
	w.TB.Helper()
	numbers := make([]pan.Number, count)
	const few = 5000
	for from := 0; from < count; from += few {
		w.Update(func(tx store.Tx) error {
			state, err := tx.CardNumbers().FindDigestState()
			if err != nil {
				return err
			}
			key, err := entity.SealingKey(tx, w.Vault, 1)
			if err != nil {
				return err
			}
			like, err := tx.Cards().Find(1, issuingtest.VerifiedCard)
			if err != nil {
				return err
			}
			for i := from; i < min(from+few, count); i++ {
				body := fmt.Sprintf("400551%09d", i)
				numbers[i], err = pan.Parse(body + string(pan.CheckDigit(body)))
				if err != nil {
					return err
				}
				digest, err := entity.Digest(w.Vault, state, numbers[i])
				if err != nil {
					return err
				}
				c := like
				c.ID, c.Revision, c.Tag, c.NickName = 0, 0, "", fmt.Sprintf("many %d", i)
				if err := entity.PutCard(tx, w.Vault, key, &c, numbers[i], digest); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return numbers
}
