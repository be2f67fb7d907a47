// Package metrics counts what a process does, for Prometheus: requests by route and status, their
// durations, Updates that shared a commit. It does not own values that are determined at the time
// of a scrape (orders, webhooks, jobs, keys): package app adds a collector for them.
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

	// known caches the counters of earlier responses. Finding them here takes a third of the time
	// of finding them by their labels (BenchmarkRequest).
	known atomic.Pointer[map[answer]*series]
	mu    sync.Mutex // guards additions to known
}

// answer is the key by which requests are counted.
type answer struct {
	route  string
	status int
}

// series are the counters of requests.
type series struct {
	count   prometheus.Counter
	seconds prometheus.Observer
}

// New returns the metrics of a program with a version and a commit.
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

// Add registers a collector whose values are determined at the time of a scrape.
func (m *Metrics) Add(collector prometheus.Collector) { m.registry.MustRegister(collector) }

// Gatherer returns the gatherer of all metrics.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Request counts a response. The route is a row of a route table, or empty.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	of := answer{route, status}
	counted, known := (*m.known.Load())[of]
	if !known {
		counted = m.add(of)
	}
	counted.count.Inc()
	counted.seconds.Observe(took.Seconds())
}

// add finds the counters of a response by their labels, and caches them.
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

// CommitGroup records a commit that Updates shared.
func (m *Metrics) CommitGroup(updates int) { m.groups.Observe(float64(updates)) }

// Expect starts the counts of codes of the catalogue at 0. Prometheus sees no increase in a count
// that starts at 1, and the first internal error of a night must not be missed.
func (m *Metrics) Expect(codes ...int) {
	for _, code := range codes {
		m.faults.WithLabelValues(strconv.Itoa(code))
	}
}

// Faults counts a response that names codes of the catalogue.
func (m *Metrics) Faults(codes ...int) {
	for _, code := range codes {
		m.faults.WithLabelValues(strconv.Itoa(code)).Inc()
	}
}

// Limited counts a request that was rejected because its key sent too many.
func (m *Metrics) Limited(key string) { m.limited.WithLabelValues(key).Inc() }
