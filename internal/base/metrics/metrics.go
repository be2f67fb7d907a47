// Package metrics counts what a process does, in the form that Prometheus reads: requests by route
// and status, how long they took, how many Updates shared a commit. What can be found out when it
// is asked for (orders, webhooks, jobs, keys) is no business of this package: package app hands it
// a collector.
package metrics

import (
	"maps"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics are the counts of a process. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	groups   prometheus.Histogram
	faults   *prometheus.CounterVec
	limited  *prometheus.CounterVec

	// known are the counters of the answers that were given before. Finding them here takes a third
	// of the time of finding them by their labels (BenchmarkRequest).
	known atomic.Pointer[map[answer]*series]
	mu    sync.Mutex // of who adds to known
}

// answer is what requests are counted by.
type answer struct {
	route  string
	status int
}

// series are the counters of requests.
type series struct {
	count   prometheus.Counter
	seconds prometheus.Observer
}

// New returns metrics of a program of a version and a commit.
func New(version, commit string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mintmark_requests_total", Help: "Requests that were answered.",
		}, []string{"route", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mintmark_request_seconds", Help: "How long requests took to be answered.",
			Buckets: []float64{
				.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30,
			},
		}, []string{"route"}),
		groups: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "mintmark_commit_group_size",
			Help:    "Updates that shared a commit of the embedded database.",
			Buckets: []float64{1, 2, 4, 8, 16, 32, 48},
		}),
		faults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mintmark_faults_total", Help: "Answers to callers that name a code.",
		}, []string{"code"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mintmark_key_limited_total",
			Help: "Requests of a key that were refused because it sends too many.",
		}, []string{"key"}),
	}
	m.known.Store(&map[answer]*series{})
	built := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "mintmark_build_info", Help: "Version, commit and Go version of the program; always 1.",
		ConstLabels: prometheus.Labels{
			"version": version, "commit": commit, "goversion": runtime.Version(),
		},
	})
	built.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.groups, m.faults, m.limited, built,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Add adds counts that are found out when they are asked for.
func (m *Metrics) Add(collector prometheus.Collector) { m.registry.MustRegister(collector) }

// Gatherer returns everything that is counted.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Request counts an answer. The route is a row of a route table, or empty.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	of := answer{route, status}
	counted, known := (*m.known.Load())[of]
	if !known {
		counted = m.add(of)
	}
	counted.count.Inc()
	counted.seconds.Observe(took.Seconds())
}

// add finds the counters of an answer by their labels, and keeps them.
func (m *Metrics) add(of answer) *series {
	m.mu.Lock()
	defer m.mu.Unlock()
	route := of.route
	if route == "" {
		route = "none"
	}
	counted := &series{
		count:   m.requests.WithLabelValues(route, strconv.Itoa(of.status)),
		seconds: m.seconds.WithLabelValues(route),
	}
	all := maps.Clone(*m.known.Load())
	all[of] = counted
	m.known.Store(&all)
	return counted
}

// CommitGroup counts a commit that Updates have shared.
func (m *Metrics) CommitGroup(updates int) { m.groups.Observe(float64(updates)) }

// Expect has codes of the catalogue counted from 0 on. Prometheus sees no increase in a count that
// begins with 1, and the first internal error of a night must not be missed.
func (m *Metrics) Expect(codes ...int) {
	for _, code := range codes {
		m.faults.WithLabelValues(strconv.Itoa(code))
	}
}

// Faults counts an answer that names codes of the catalogue.
func (m *Metrics) Faults(codes ...int) {
	for _, code := range codes {
		m.faults.WithLabelValues(strconv.Itoa(code)).Inc()
	}
}

// Limited counts a request that was refused because its key has sent too many.
func (m *Metrics) Limited(key string) { m.limited.WithLabelValues(key).Inc() }
