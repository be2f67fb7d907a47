package metrics

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

// TestRequests counts responses from several goroutines at the same time.
func TestRequests(t *testing.T) {
	t.Parallel()
	m := New("v1", "abc")
	const workers, each = 8, 100
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for range each {
				m.Request("/card/get", 200, time.Millisecond)
				m.Request("/card/get", 403, time.Second)
				m.Request("", 404, time.Second)
			}
		})
	}
	done.Wait()
	want := `
# HELP mintmark_requests_total Requests that were answered.
# TYPE mintmark_requests_total counter
mintmark_requests_total{code="200",route="/card/get"} 800
mintmark_requests_total{code="403",route="/card/get"} 800
mintmark_requests_total{code="404",route="none"} 800
`
	err := testutil.GatherAndCompare(m.Gatherer(), strings.NewReader(want),
		"mintmark_requests_total")
	if err != nil {
		t.Error(err)
	}
	problems, err := testutil.GatherAndLint(m.Gatherer())
	if err != nil {
		t.Error(err)
	}
	for _, problem := range problems {
		if strings.HasPrefix(problem.Metric, "mintmark_") {
			t.Errorf("%s: %s", problem.Metric, problem.Text)
		}
	}
}

// TestFaults counts the codes of responses; expected codes that have not occurred count 0.
func TestFaults(t *testing.T) {
	t.Parallel()
	m := New("v1", "abc")
	m.Expect(52998, 50429)
	m.Faults(50429, 150403)
	m.Faults(50429)
	m.Limited("till")
	want := `
# HELP mintmark_faults_total Answers to callers that name a code.
# TYPE mintmark_faults_total counter
mintmark_faults_total{code="150403"} 1
mintmark_faults_total{code="50429"} 2
mintmark_faults_total{code="52998"} 0
# HELP mintmark_key_limited_total Requests of a key that were refused because it sends too many.
# TYPE mintmark_key_limited_total counter
mintmark_key_limited_total{key="till"} 1
`
	err := testutil.GatherAndCompare(m.Gatherer(), strings.NewReader(want),
		"mintmark_faults_total", "mintmark_key_limited_total")
	if err != nil {
		t.Error(err)
	}
}

// BenchmarkRequest measures the cost of counting a response, by this package and by labels.
func BenchmarkRequest(b *testing.B) {
	m := New("v1", "abc")
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			m.Request("/card/get", 200, time.Millisecond)
		}
	})
	b.Run("labels", func(b *testing.B) {
		for b.Loop() {
			m.requests.WithLabelValues("/card/get", "200").Inc()
			m.seconds.WithLabelValues("/card/get").Observe(.001)
		}
	})
}
