package app

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mintmark/internal/issuing"
	"mintmark/internal/order"
	"mintmark/internal/web"
)

// metricsPath answers monitoring systems. It needs no credentials, and shows no names but those of
// keys, jobs and nodes.
const metricsPath = "/metrics"

// stateWithin is how long a scrape waits for the database.
const stateWithin = 5 * time.Second

// metricsPage serves the metrics. A scrape at a time looks into the database.
func (a *App) metricsPage() http.Handler {
	return promhttp.HandlerFor(a.metrics.Gatherer(), promhttp.HandlerOpts{MaxRequestsInFlight: 2})
}

// watcher tells metrics and traces of each request.
type watcher struct {
	*App
	traces *traces // nil without an endpoint
}

// Begin begins the span of a request.
func (w watcher) Begin(r *http.Request) context.Context {
	if w.traces == nil {
		return r.Context()
	}
	return w.traces.begin(r)
}

// End counts a request, and ends its span.
func (w watcher) End(ctx context.Context, of web.Observation) {
	w.metrics.Request(of.Route, of.Status, of.Took)
	if w.traces != nil {
		w.traces.end(ctx, of)
	}
}

// newHost returns a host whose requests are counted and traced.
func (a *App) newHost(requests string, settings web.Settings) *web.Host {
	host := web.NewHost(a.Log, a.requestIDs(requests), settings)
	host.Observe(watcher{a, a.traces})
	return host
}

// state is what is found out when metrics are asked for.
type state struct{ app *App }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("mintmark_"+name, help, labels, nil)
}

var (
	sealingLag = describe("sealing_lag_seconds",
		"Age of the oldest audit entry that waits to be sealed.")
	sealed     = describe("sealed_entries", "Audit entries that are sealed.")
	cacheReads = describe("cache_reads_total",
		"Finds of cards, by whether memory answered.", "result")
	pool      = describe("pool_connections", "Connections to the database server.", "state")
	poolWaits = describe("pool_waits_total", "Transactions that had to wait for a connection.")
	readable  = describe("state_readable",
		"Whether the database could be asked for the rest: 0 or 1.")

	orders       = describe("orders", "Orders to the card processor that are not done.", "state")
	ordersOldest = describe("orders_oldest_seconds",
		"Age of the oldest order that waits or is sent.")
	webhooks    = describe("webhooks", "Webhooks.", "state")
	webhookLate = describe("webhook_late", "Whether a delivery waits for another try.", "webhook")
	webhookLag  = describe("webhook_events_behind",
		"Sealed entries that a webhook has not come to yet.", "webhook")
	jobFailing = describe("job_failing", "Whether the last run that has ended has failed.", "job")
	jobNext    = describe("job_next_timestamp_seconds",
		"When a job is due, by business time.", "job")
	leaseHeld = describe("lease_held", "Which node has a job: always 1.", "job", "node")
	keyDays   = describe("key_days_left",
		"Days until the last secret of a key expires.", "program", "key")
)

// Describe names none: what is found depends on the database.
func (state) Describe(chan<- *prometheus.Desc) {}

// Collect finds out what is asked for.
func (s state) Collect(to chan<- prometheus.Metric) {
	a := s.app
	put := gauges(to)
	put(sealingLag, a.sealer.Lag().Seconds())
	put(sealed, float64(a.sealer.Status().Sealed))
	if cache := a.store.cache; cache != nil {
		hits, misses := cache.Reads()
		count(to, cacheReads, float64(hits), "hit")
		count(to, cacheReads, float64(misses), "miss")
	}
	if server := a.store.server; server != nil {
		state := server.Connections()
		put(pool, float64(state.Used), "used")
		put(pool, float64(state.Idle), "idle")
		put(pool, float64(state.Most), "most")
		count(to, poolWaits, float64(state.Waits))
	}
	ctx, cancel := context.WithTimeout(context.Background(), stateWithin)
	defer cancel()
	found, err := a.service.Backlog(ctx)
	if err != nil {
		put(readable, 0)
		return
	}
	put(readable, 1)
	put.orders(found)
	put.webhooks(found, a.sealer.Status().Sealed)
	put.jobs(found)
	const day = 24 * time.Hour
	for _, key := range found.Keys {
		put(keyDays, float64(key.Expires.Sub(found.At))/float64(day),
			strconv.Itoa(key.ProgramID), key.Name)
	}
}

// put puts a gauge among the metrics.
type put func(of *prometheus.Desc, value float64, labels ...string)

func gauges(to chan<- prometheus.Metric) put {
	return func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
}

func count(to chan<- prometheus.Metric, of *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(of, prometheus.CounterValue, value, labels...)
}

func (p put) orders(found issuing.Backlog) {
	oldest := time.Duration(0)
	counts := map[order.State]int{
		order.Waiting: 0, order.Sent: 0, order.Held: 0, order.Failed: 0,
	}
	for _, one := range found.Orders {
		counts[one.State] = one.Count
		if one.State == order.Waiting || one.State == order.Sent {
			oldest = max(oldest, found.At.Sub(one.Oldest))
		}
	}
	for state, number := range counts {
		p(orders, float64(number), string(state))
	}
	p(ordersOldest, oldest.Seconds())
}

func (p put) webhooks(found issuing.Backlog, sealed int) {
	paused := 0
	for _, hook := range found.Webhooks {
		id := strconv.Itoa(hook.ID)
		if hook.Paused {
			paused++
			continue
		}
		p(webhookLate, truth(hook.Late), id)
		p(webhookLag, float64(max(0, sealed-hook.Position)), id)
	}
	p(webhooks, float64(paused), "paused")
	p(webhooks, float64(len(found.Webhooks)-paused), "active")
}

func (p put) jobs(found issuing.Backlog) {
	for _, job := range found.Jobs {
		p(jobFailing, truth(job.Failing()), job.Name)
		if !job.Next.IsZero() {
			p(jobNext, float64(job.Next.UnixMilli())/1000, job.Name)
		}
		if job.Node != "" {
			p(leaseHeld, 1, job.Name, job.Node)
		}
	}
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
