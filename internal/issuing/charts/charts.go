// Package charts maintains the hourly counts that operators see as charts: authorizations, cards,
// the queue of orders, deliveries to webhooks, requests of keys. A job adds the counts of each
// source since its last run; a read adds those that came later.
package charts

import (
	"encoding/json"
	"slices"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/event"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Service performs the acts.
type Service struct {
	*issuing.Service
}

// New returns a Service on top of s.
func New(s *issuing.Service) *Service { return &Service{Service: s} }

// Chart is a set of series of hourly counts.
type Chart struct {
	Name          string
	Series        []string // in stacking order
	Of            string   // items that also have separate counts, such as webhook
	Gauge         bool     // an hour shows the measured maximum, not a sum
	MaxOfPrograms bool     // several programs show their maximum, not a sum

	source *source
}

// Charts lists all charts.
var Charts = []Chart{
	{Name: "authorizations", Series: reasons(), source: &sealedEvents},
	{Name: "cards", Series: []string{"ordered", "verified", "locked"}, source: &sealedEvents},
	{Name: "orders", Series: []string{"waiting"}, Gauge: true, source: &orderQueue},
	{Name: "orderAge", Series: []string{"seconds"}, Gauge: true, MaxOfPrograms: true,
		source: &orderQueue},
	{
		Name: "deliveries", Series: []string{store.Succeeded, store.Failed}, Of: "webhook",
		source: &attempts,
	},
	{
		Name: store.Requests, Series: []string{store.Succeeded, store.Refused, store.Failed}, Of: "key",
		source: &requests,
	},
}

// Find returns the chart with a name.
func Find(name string) (Chart, bool) {
	at := slices.IndexFunc(Charts, func(c Chart) bool { return c.Name == name })
	if at < 0 {
		return Chart{}, false
	}
	return Charts[at], true
}

// reasons returns the reasons of authorizations, with Approved first.
func reasons() []string {
	all := []string{string(authorization.Approved)}
	for _, reason := range authorization.Reasons {
		if reason != authorization.Approved {
			all = append(all, string(reason))
		}
	}
	return all
}

// source is a source of counts.
type source struct {
	name string // of its mark; empty for a measured source
	// count returns the counts of the source after a mark, and the mark that they reach. With due,
	// it includes only what is old enough to be final.
	count func(r store.Tx, mark int, due bool) ([]store.HourlyCount, int, error)
}

var sources = []*source{&sealedEvents, &attempts, &orderQueue}

// eventsAtOnce limits the events that are counted together. A read adds only those since the last
// run of the job, which runs every ten seconds.
const eventsAtOnce = 1000

// sealedEvents counts each event once, in order. Its mark is the number of an event.
var sealedEvents = source{"events", func(
	r store.Tx, mark int, _ bool,
) ([]store.HourlyCount, int, error) {
	entries, err := r.AuditLog().ListEvents(mark, eventsAtOnce)
	var counts []store.HourlyCount
	for _, entry := range entries {
		mark = entry.Event
		c := store.HourlyCount{
			ProgramID: entry.ProgramID, Hour: entry.At.Truncate(time.Hour), Count: 1,
		}
		switch kind, _ := event.TypeOf(entry.Entry); kind {
		case event.AuthorizationApproved, event.AuthorizationDeclined:
			c.Chart, c.Label = "authorizations", reasonOf(entry.After)
		case event.CardInitiated:
			c.Chart, c.Label = "cards", "ordered"
		case event.CardVerified:
			c.Chart, c.Label = "cards", "verified"
		case event.CardLocked, event.CardHotlisted:
			c.Chart, c.Label = "cards", "locked"
		default:
			continue
		}
		counts = append(counts, c)
	}
	return counts, mark, err
}}

// reasonOf returns the reason of a decision.
func reasonOf(after string) string {
	var decided struct{ Reason string }
	if json.Unmarshal([]byte(after), &decided) != nil {
		return ""
	}
	return decided.Reason
}

// An attempt is stored within attemptSettles of its time: its receiver has 15 seconds to answer.
// Without attempts, the mark moves by marksMove or more.
const (
	attemptSettles = 2 * time.Minute
	marksMove      = time.Hour
)

// attempts counts delivery attempts by their times. Its mark is a time, in milliseconds.
var attempts = source{"deliveries", func(
	r store.Tx, mark int, due bool,
) ([]store.HourlyCount, int, error) {
	from, to := time.UnixMilli(int64(mark)), r.Now().Add(time.Hour)
	if oldest := r.Now().Add(-kept); from.Before(oldest) {
		from = oldest
	}
	if due {
		to = r.Now().Add(-attemptSettles)
	}
	if !from.Before(to) {
		return nil, mark, nil
	}
	counts, err := r.Deliveries().CountAttempts(from, to)
	if len(counts) == 0 && to.Sub(from) < marksMove {
		return nil, mark, err
	}
	for i := range counts {
		counts[i].Chart = "deliveries"
	}
	return counts, int(to.UnixMilli()), err
}}

// requests counts nothing: each node counts requests as they end, and adds them within a minute.
var requests = source{"", func(store.Tx, int, bool) ([]store.HourlyCount, int, error) {
	return nil, 0, nil
}}

// orderQueue measures the queues of orders.
var orderQueue = source{"", func(r store.Tx, _ int, _ bool) ([]store.HourlyCount, int, error) {
	queues, err := r.Orders().CountQueues()
	var counts []store.HourlyCount
	for _, q := range queues {
		c := store.HourlyCount{
			Chart: "orders", ProgramID: q.ProgramID, Label: "waiting",
			Hour: r.Now().Truncate(time.Hour), Count: q.Count,
		}
		age := c
		age.Chart, age.Label = "orderAge", "seconds"
		age.Count = int(max(0, r.Now().Sub(q.Oldest)).Seconds())
		counts = append(counts, c, age)
	}
	return counts, 0, err
}}
