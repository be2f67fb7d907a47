package doctor

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"mintmark/internal/store/sqlstore/inspect"
)

// How long work may wait before an operator should look into it. Jobs run every minute and may have
// a backlog.
const (
	day      = 24 * time.Hour
	week     = 7 * day
	slack    = time.Hour
	orderAge = day
)

// waiting checks for overdue work.
func (r *Report) waiting(p Installation, condition inspect.Condition) {
	for _, entry := range []struct {
		name, what string
		oldest     time.Time
		most       time.Duration
	}{
		{"orders", "order to the card processor", condition.OldestOrder, orderAge},
		{"old PINs", "PIN waiting for the card processor", condition.OldestPin, day + slack},
		{"old answers", "answer kept under an idempotency key", condition.OldestReply,
			cmp.Or(p.Answers, day) + slack},
	} {
		f := Finding{Name: entry.name, Result: OK, Found: "none waits"}
		if !entry.oldest.IsZero() {
			f.Found = fmt.Sprintf("the oldest %s is from %s", entry.what, moment(entry.oldest))
			if p.Now.Sub(entry.oldest) > entry.most {
				f.Result = Warning
			}
		}
		r.add(f)
	}
}

func moment(t time.Time) string { return t.UTC().Format(time.DateTime) }

// failed counts permanent failures, and names BINs that have few card numbers left.
func (r *Report) failed(waiting inspect.Waiting) {
	for _, entry := range []struct {
		name, what string
		count      int
	}{
		{"failed orders", "orders have failed", waiting.FailedOrders},
		{"ignored reports", "reports of the last week were ignored", waiting.IgnoredReports},
	} {
		result := OK
		if entry.count > 0 {
			result = Warning
		}
		r.find(entry.name, result, "%d %s", entry.count, entry.what)
	}
	r.warn("card numbers", waiting.FullBins, "each active BIN has a tenth of its numbers left")
}

// jobs checks for jobs that fail, or that no node runs any more.
func (r *Report) jobs(p Installation, condition inspect.Condition) {
	var wrong []string
	for _, job := range condition.Jobs {
		late := p.Now.Sub(job.Next)
		switch {
		case job.Failing():
			wrong = append(wrong, fmt.Sprintf("%q has failed since %s: %s", job.Name,
				moment(job.Failed), job.Error))
		case late > slack:
			wrong = append(wrong, fmt.Sprintf("%q is overdue since %s", job.Name,
				moment(job.Next)))
		}
	}
	r.warn("jobs", wrong, fmt.Sprintf("%d jobs, none of them failed or overdue", len(condition.Jobs)))
}

// warn adds a warning that lists what is wrong, or an OK finding with the text well if the list is
// empty.
func (r *Report) warn(check string, wrong []string, well string) {
	if len(wrong) > 0 {
		r.find(check, Warning, "%s", strings.Join(wrong, "; "))
		return
	}
	r.find(check, OK, "%s", well)
}

// leases checks for work that a dead node has left.
func (r *Report) leases(p Installation, waiting inspect.Waiting) {
	var wrong []string
	for _, lease := range waiting.Leases {
		if p.Now.Sub(lease.At) > slack {
			wrong = append(wrong, fmt.Sprintf("%s ended at %s", lease.Name, moment(lease.At)))
		}
	}
	r.warn("leases", wrong, fmt.Sprintf("%d are held", len(waiting.Leases)))
}

// How long an audit entry may wait to be sealed.
const (
	sealLag    = time.Minute
	sealFarLag = time.Hour
)

// sealing checks how far the sealed log lags behind, and whether the keys have signed it.
func (r *Report) sealing(p Installation, sealing inspect.Sealing, keys bool) {
	f := Finding{Name: "sealing", Result: OK, Found: "every entry is sealed"}
	if !sealing.OldestUnsealed.IsZero() {
		lag := max(0, p.Now.Sub(sealing.OldestUnsealed))
		f.Found = fmt.Sprintf("the oldest entry has waited for %v", lag.Round(time.Second))
		switch {
		case lag > sealFarLag:
			f.Result = Failed
		case lag > sealLag:
			f.Result = Warning
		}
	}
	r.add(f)
	if sealing.Checkpoint == "" || !keys {
		return
	}
	if err := p.Signed(sealing.Checkpoint); err != nil {
		r.find("checkpoint", Failed, "%v", err)
		return
	}
	r.find("checkpoint", OK, "signed at %s", moment(sealing.Sealed))
}

// webhooks checks for receivers that accept no events.
func (r *Report) webhooks(p Installation, waiting inspect.Waiting) {
	var wrong []string
	for _, late := range waiting.LateWebhooks {
		if p.Now.Sub(late.At) > slack {
			wrong = append(wrong, fmt.Sprintf("%s has failed since %s", late.Name, moment(late.At)))
		}
	}
	for _, paused := range waiting.PausedWebhooks {
		wrong = append(wrong, "paused: "+paused)
	}
	r.warn("webhooks", wrong, "none fails")
}

// fences checks for programs whose callers are rejected during a move.
func (r *Report) fences(waiting inspect.Waiting) {
	var wrong []string
	for _, fence := range waiting.Fences {
		wrong = append(wrong, fmt.Sprintf("%s since %s", fence.Name, moment(fence.At)))
	}
	r.warn("fences", wrong, "no program is fenced")
}
