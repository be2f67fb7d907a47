package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mintmark/internal/auditlog"
	"mintmark/internal/testkit/pgtest"
)

// BenchmarkSealingLag locks and unlocks cards over 16 connections, and reports the greatest age of
// an entry still waiting to be sealed.
func BenchmarkSealingLag(b *testing.B) {
	for _, name := range []string{"embedded", "postgresql"} {
		b.Run(name, func(b *testing.B) {
			settings := sandboxIn(b.TempDir())
			if name == "postgresql" {
				settings.Database.URL = pgtest.URL(b)
			}
			running, err := Start(b.Context(), settings)
			if err != nil {
				b.Fatal(err)
			}
			defer running.Close(context.Background())
			stop := make(chan struct{})
			longest := make(chan time.Duration)
			go func() {
				lag := time.Duration(0)
				for {
					select {
					case <-stop:
						longest <- lag
						return
					case <-time.After(time.Millisecond):
						lag = max(lag, running.sealer.Lag())
					}
				}
			}()
			b.ResetTimer()
			lockMany(b, running, b.N)
			b.StopTimer()
			close(stop)
			b.ReportMetric(float64((<-longest).Milliseconds()), "lag-ms")
			report, err := auditlog.Verify(b.Context(), running.store,
				auditlog.Verification{Keys: running.vault})
			if err != nil || report.Err() != nil {
				b.Errorf("%v, %v", report, err)
			}
		})
	}
}

// lockMany sends the given number of requests for two cards.
func lockMany(b *testing.B, running *App, requests int) {
	const connections = 16
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	var next atomic.Int64
	var sending sync.WaitGroup
	for range connections {
		sending.Go(func() {
			for {
				number := next.Add(1)
				if number > int64(requests) {
					return
				}
				route := []string{"lock", "unlock"}[number/2%2]
				body := fmt.Sprintf(`{"customerId":1001,"cardId":%d,"lockReasonTypeCode":"TMP"}`,
					[]int{5001, 5004}[number%2])
				request, err := http.NewRequestWithContext(b.Context(), http.MethodPost,
					running.URL()+"/card/"+route, strings.NewReader(body))
				if err != nil {
					b.Error(err)
					return
				}
				request.SetBasicAuth("example1", "example1")
				response, err := client.Do(request)
				if err != nil {
					b.Error(err)
					return
				}
				response.Body.Close()
				if response.StatusCode != http.StatusOK && response.StatusCode != 400 {
					b.Errorf("status %d", response.StatusCode)
					return
				}
			}
		})
	}
	sending.Wait()
}
