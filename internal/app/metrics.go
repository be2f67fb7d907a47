package app

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mintmark/internal/base/metrics"
	"mintmark/internal/base/version"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/order"
	"mintmark/internal/face/api"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/issuing/overview"
	"mintmark/internal/store"
)

// metricsPath serves monitoring systems. It needs no credentials, and shows no names except those
// of keys, jobs and nodes.
const metricsPath = "/metrics"

// stateWithin is how long a scrape waits for the database.
const stateWithin = 5 * time.Second

// metricsPage serves the metrics. Each scrape queries the database.
func (a *App) metricsPage() http.Handler {
	return promhttp.HandlerFor(a.metrics.Gatherer(), promhttp.HandlerOpts{MaxRequestsInFlight: 2})
}

// watcher reports each request to metrics and traces.
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
	if len(of.Codes) > 0 {
		w.metrics.Faults(of.Codes...)
	}
	if key := of.Actor.Value.String(); key != "" && of.Actor.Key == api.ActorKey {
		w.callers.CountRequest(key, endOf(of))
		if slices.Contains(of.Codes, tooMany) {
			w.metrics.Limited(key)
		}
	}
	if w.traces != nil {
		w.traces.end(ctx, of)
	}
}

// endOf returns the outcome of a request with an API key.
func endOf(of web.Observation) auth.Outcome {
	switch {
	case of.Fault != nil || of.Status == 0 || of.Status >= http.StatusInternalServerError:
		return auth.Failed
	case of.Status >= http.StatusBadRequest:
		return auth.Refused
	}
	return auth.Succeeded
}

// tooMany is the code of the fault for a key that sends too many requests, or too many PINs that
// cannot be decrypted.
var tooMany = fault.Lookup(fault.RateExceeded).Code

// newMetrics returns metrics in which the count of every code of the catalogue starts at 0.
func newMetrics() *metrics.Metrics {
	built := version.Current()
	m := metrics.New(built.Version, built.Commit)
	for _, entry := range fault.Entries() {
		m.Expect(entry.Code)
	}
	return m
}

// newHost returns a host whose requests are counted and traced, and whose bodies have at most
// bodyLimit bytes, or limits.bodyBytes for 0. It follows the settings in force, even after a
// reload.
func (a *App) newHost(requests string, bodyLimit int64) *web.Host {
	a.hosts.Lock()
	defer a.hosts.Unlock()
	host := web.NewHost(a.Log, a.requestIDs(requests), a.inForce.Load().web(bodyLimit))
	host.Observe(watcher{a, a.traces})
	a.hosts.bodyLimits[host] = bodyLimit
	return host
}

// reloadHosts applies the settings in force to each host.
func (a *App) reloadHosts() {
	a.hosts.Lock()
	defer a.hosts.Unlock()
	for host, bodyLimit := range a.hosts.bodyLimits {
		host.Use(a.inForce.Load().web(bodyLimit))
	}
}

// state collects the metrics that are determined at the time of a scrape.
type state struct{ app *App }

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("mintmark_"+name, help, labels, nil)
}

var (
	sealingLag = describe("sealing_lag_seconds",
		"Age of the oldest audit entry that waits to be sealed.")
	sealed         = describe("sealed_entries", "Audit entries that are sealed.")
	sealingFailing = describe("sealing_failing", "Whether this node tried to seal and failed.")
	suspects       = describe("audit_suspects_total",
		"Audit entries that were changed or made up before they were sealed.")
	unreadablePins = describe("pins_unreadable_total",
		"PINs of callers that could not be decrypted.")
	cacheReads = describe("cache_reads_total",
		"Reads of cards, by whether the cache answered.", "result")
	pool       = describe("pool_connections", "Connections to the database server.", "state")
	poolWaits  = describe("pool_waits_total", "Transactions that had to wait for a connection.")
	collisions = describe("transaction_collisions_total",
		"Transactions that collided with others on the database server, and are tried again.")
	readable = describe("state_readable",
		"Whether the state in the database could be read: 0 or 1.")
	writable = describe("writable", "Whether this node can write to its database: 0 or 1.")

	openOrders   = describe("orders", "Orders to the card processor that are not done.", "state")
	ordersOldest = describe("orders_oldest_seconds",
		"Age of the oldest order that waits or is sent.")
	ordersWaiting = describe("orders_waiting_seconds",
		"Age of the oldest order that waits to be sent.", "lane")
	ordersUnfetched = describe("orders_unfetched_seconds",
		"Age of the oldest lock or hotlist in a file that the card processor has not fetched.")
	locksOpen = describe("locks_open",
		"Cards that are locked and may be open at the card processor.")
	ordersUnreachable = describe("orders_unreachable",
		"Orders whose last try did not reach the card processor.")
	webhooks    = describe("webhooks", "Webhooks.", "state")
	webhookLate = describe("webhook_late", "Whether a delivery waits for another try.", "webhook")
	webhookLag  = describe("webhook_events_behind",
		"Sealed entries that a webhook has not read yet.", "webhook")
	webhookDeliveries = describe("webhook_deliveries",
		"Events that a webhook has not taken.", "webhook", "state")
	jobFailing = describe("job_failing", "Whether the last finished run failed.", "job")
	jobNext    = describe("job_next_timestamp_seconds",
		"When a job is due, by business time.", "job")
	jobOverdue = describe("job_overdue_seconds",
		"How long a job has been due without a run, by business time.", "job")
	leaseHeld = describe("lease_held", "Node that holds the lease of a job: always 1.", "job", "node")
	keyDays   = describe("key_days_left",
		"Days until the last secret of a key expires.", "program", "key")

	reconciledDifferent = describe("reconciliation_differences",
		"Cards or accounts that differ in the last list of a program.", "program", "kind")
	reconciledAge = describe("reconciliation_age_seconds",
		"Age of the last list of a program that was compared.", "program", "kind")
)

// Describe sends no descriptions: the set of metrics depends on the database.
func (state) Describe(chan<- *prometheus.Desc) {}

// Collect determines the metrics and sends them.
func (s state) Collect(to chan<- prometheus.Metric) {
	a := s.app
	put := gauges(to)
	put(sealingLag, a.sealer.Lag().Seconds())
	sealing := a.sealer.Status()
	put(sealed, float64(sealing.Sealed))
	put(sealingFailing, truth(sealing.Failure != nil))
	count(to, suspects, float64(sealing.Suspects))
	count(to, unreadablePins, float64(a.vault.UnreadablePins()))
	s.machine(put)
	if machine := a.Clock.Machine(); machine != nil {
		jumps, _ := machine.Jumps()
		count(to, clockJumps, float64(jumps))
	}
	if cache := a.store.Cache; cache != nil {
		hits, misses := cache.Reads()
		count(to, cacheReads, float64(hits), "hit")
		count(to, cacheReads, float64(misses), "miss")
	}
	if server := a.store.Server; server != nil {
		state := server.Connections()
		put(pool, float64(state.Used), "used")
		put(pool, float64(state.Idle), "idle")
		put(pool, float64(state.Most), "most")
		count(to, poolWaits, float64(state.Waits))
		count(to, collisions, float64(state.Collisions))
	}
	ctx, cancel := context.WithTimeout(context.Background(), stateWithin)
	defer cancel()
	put(writable, truth(a.service.Overview.Ready(ctx) == nil))
	backlog, err := a.service.Overview.Backlog(ctx)
	if err != nil {
		put(readable, 0)
		return
	}
	put(readable, 1)
	s.clock(ctx, put)
	if at, err := store.ViewOf(ctx, a.store, a.lastBackup); err == nil && !a.Sandbox {
		seconds := 0.0
		if !at.IsZero() {
			seconds = float64(at.UnixMilli()) / 1000
		}
		put(backupMade, seconds)
	}
	put.orders(backlog)
	put.webhooks(backlog, sealing.Sealed)
	put.jobs(backlog)
	for _, last := range backlog.Reconciliations {
		labels := []string{strconv.Itoa(last.ProgramID), string(last.Kind)}
		put(reconciledDifferent, float64(last.Different), labels...)
		put(reconciledAge, since(last.At, backlog.At).Seconds(), labels...)
	}
	const day = 24 * time.Hour
	for _, key := range backlog.Keys {
		put(keyDays, float64(key.Expires.Sub(backlog.At))/float64(day),
			strconv.Itoa(key.ProgramID), key.Name)
	}
}

// put sends a gauge.
type put func(of *prometheus.Desc, value float64, labels ...string)

func gauges(to chan<- prometheus.Metric) put {
	return func(of *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
}

func count(to chan<- prometheus.Metric, of *prometheus.Desc, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(of, prometheus.CounterValue, value, labels...)
}

func (p put) orders(backlog overview.Backlog) {
	oldest := time.Duration(0)
	counts := map[order.State]int{
		order.Waiting: 0, order.Sent: 0, order.Held: 0, order.Failed: 0,
	}
	unreachable := 0
	urgent, other, unfetched := time.Duration(0), time.Duration(0), time.Duration(0)
	for _, orderCount := range backlog.Orders {
		counts[orderCount.State] = orderCount.Count
		if orderCount.State == order.Waiting {
			unreachable = orderCount.Unreachable
			urgent, other = since(orderCount.OldestUrgent, backlog.At), since(orderCount.OldestOther, backlog.At)
		}
		if orderCount.State == order.Sent {
			unfetched = since(orderCount.OldestInFile, backlog.At)
		}
		if orderCount.State == order.Waiting || orderCount.State == order.Sent {
			oldest = max(oldest, backlog.At.Sub(orderCount.Oldest))
		}
	}
	for state, number := range counts {
		p(openOrders, float64(number), string(state))
	}
	p(ordersOldest, oldest.Seconds())
	p(ordersWaiting, urgent.Seconds(), "urgent")
	p(ordersWaiting, other.Seconds(), "other")
	p(ordersUnfetched, unfetched.Seconds())
	p(locksOpen, float64(backlog.Locks.Cards))
	p(ordersUnreachable, float64(unreachable))
}

// since returns the age of something that began at a time, 0 for the zero time.
func since(began, now time.Time) time.Duration {
	if began.IsZero() {
		return 0
	}
	return max(0, now.Sub(began))
}

func (p put) webhooks(backlog overview.Backlog, sealed int) {
	paused := 0
	for _, hook := range backlog.Webhooks {
		id := strconv.Itoa(hook.ID)
		if hook.Paused {
			paused++
		}
		if hook.Paused && !hook.Gone { // by an operator, who knows
			continue
		}
		p(webhookDeliveries, float64(hook.Waiting), id, "waiting")
		p(webhookDeliveries, float64(hook.Dead), id, "dead")
		p(webhookLate, truth(hook.Late), id)
		p(webhookLag, float64(max(0, sealed-hook.Position)), id)
	}
	p(webhooks, float64(paused), "paused")
	p(webhooks, float64(len(backlog.Webhooks)-paused), "active")
}

func (p put) jobs(backlog overview.Backlog) {
	for _, job := range backlog.Jobs {
		p(jobFailing, truth(job.Failing()), job.Name)
		if !job.Next.IsZero() {
			p(jobNext, float64(job.Next.UnixMilli())/1000, job.Name)
			p(jobOverdue, since(job.Next, backlog.At).Seconds(), job.Name)
		}
		if job.Node != "" {
			p(leaseHeld, 1, job.Name, job.Node)
		}
	}
}

func truth(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}
