package transfers_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/testkit/issuingtest"
)

// BenchmarkTransfers compares authorizations with locks on the embedded store, for 64 concurrent
// callers.
func BenchmarkTransfers(b *testing.B) {
	for _, name := range []string{"authorize", "lock"} {
		b.Run(name, func(b *testing.B) {
			w := issuingtest.NewWorld(b, issuing.Settings{Mode: card.Production})
			w.Spendable(1_000_000_000_000)
			var n atomic.Int64
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					i := n.Add(1)
					var err error
					if name == "authorize" {
						_, err = w.Transfers.Authorize(b.Context(), issuingtest.ProcessorActor,
							issuingtest.PurchaseRequest(fmt.Sprint("bench-", i), 1))
					} else {
						_, err = w.Cards.Lock(b.Context(), issuingtest.Caller, issuingtest.LockRequest(
							issuing.CardRef{CustomerID: 1001, CardID: 5001},
							[]string{"TMP", "ADM"}[i%2]))
					}
					if err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
