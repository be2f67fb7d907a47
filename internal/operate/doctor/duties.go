package doctor

import (
	"fmt"
	"strings"
	"time"

	"mintmark/internal/store/sqlstore/inspect"
)

// How long something may wait before an operator should look into it. Jobs run every minute, and
// may have a backlog.
const (
	day      = 24 * time.Hour
	week     = 7 * day
	slack    = time.Hour
	orderAge = day
)

// waiting looks for overdue work.
func (r *Report) waiting(p Patient, found inspect.Condition) {
	for _, one := range []struct {
		name, what string
		oldest     time.Time
		most       time.Duration
	}{
		{"orders", "order to the card processor", found.OldestOrder, orderAge},
		{"old PINs", "PIN waiting for the card processor", found.OldestPin, day + slack},
		{"old answers", "answer kept under an idempotency key", found.OldestReply, day + slack},
	} {
		f := Finding{Name: one.name, Result: OK, Found: "none waits"}
		if !one.oldest.IsZero() {
			f.Found = fmt.Sprintf("the oldest %s is of %s", one.what, moment(one.oldest))
			if p.Now.Sub(one.oldest) > one.most {
				f.Result = Warning
			}
		}
		r.add(f)
	}
}

func moment(t time.Time) string { return t.UTC().Format(time.DateTime) }

// failed counts what has failed for good.
func (r *Report) failed(found inspect.Waiting) {
	for _, one := range []struct {
		name, what string
		count      int
	}{
		{"failed orders", "orders have failed", found.FailedOrders},
		{"ignored reports", "reports of the last week were ignored", found.IgnoredReports},
	} {
		result := OK
		if one.count > 0 {
			result = Warning
		}
		r.find(one.name, result, "%d %s", one.count, one.what)
	}
}

// jobs looks for jobs that fail, or that no node runs any more.
func (r *Report) jobs(p Patient, found inspect.Condition) {
	var wrong []string
	for _, job := range found.Jobs {
		late := p.Now.Sub(job.Next)
		switch {
		case job.Failing():
			wrong = append(wrong, fmt.Sprintf("%q failed at %s: %s", job.Name,
				moment(job.Failed), job.Error))
		case late > slack:
			wrong = append(wrong, fmt.Sprintf("%q is overdue since %s", job.Name,
				moment(job.Next)))
		}
	}
	r.named("jobs", wrong, fmt.Sprintf("%d jobs, none of them failed or overdue", len(found.Jobs)))
}

// named warns of the things that are named, or adds what is well without them.
func (r *Report) named(check string, wrong []string, well string) {
	if len(wrong) > 0 {
		r.find(check, Warning, "%s", strings.Join(wrong, "; "))
		return
	}
	r.find(check, OK, "%s", well)
}

// leases looks for work that was left by a node that has died.
func (r *Report) leases(p Patient, found inspect.Waiting) {
	var wrong []string
	for _, lease := range found.Leases {
		if p.Now.Sub(lease.At) > slack {
			wrong = append(wrong, fmt.Sprintf("%s ended at %s", lease.Name, moment(lease.At)))
		}
	}
	r.named("leases", wrong, fmt.Sprintf("%d are held", len(found.Leases)))
}

// How long an entry of the audit may wait to be sealed.
const (
	sealLag    = time.Minute
	sealFarLag = time.Hour
)

// sealing judges how far the sealed log is behind, and whether the keys have signed it.
func (r *Report) sealing(p Patient, found inspect.Sealing, keys bool) {
	f := Finding{Name: "sealing", Result: OK, Found: "every entry is sealed"}
	if !found.OldestUnsealed.IsZero() {
		lag := max(0, p.Now.Sub(found.OldestUnsealed))
		f.Found = fmt.Sprintf("the oldest entry waits for %v", lag.Round(time.Second))
		switch {
		case lag > sealFarLag:
			f.Result = Failed
		case lag > sealLag:
			f.Result = Warning
		}
	}
	r.add(f)
	if found.Checkpoint == "" || !keys {
		return
	}
	if err := p.Signed(found.Checkpoint); err != nil {
		r.find("checkpoint", Failed, "%v", err)
		return
	}
	r.find("checkpoint", OK, "signed at %s", moment(found.Sealed))
}

// webhooks looks for receivers that take nothing.
func (r *Report) webhooks(p Patient, found inspect.Waiting) {
	var wrong []string
	for _, late := range found.LateWebhooks {
		if p.Now.Sub(late.At) > slack {
			wrong = append(wrong, fmt.Sprintf("%s fails since %s", late.Name, moment(late.At)))
		}
	}
	for _, paused := range found.PausedWebhooks {
		wrong = append(wrong, "paused: "+paused)
	}
	r.named("webhooks", wrong, "none fails")
}
