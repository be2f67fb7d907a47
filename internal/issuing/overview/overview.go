package overview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
)

// Overview is the state of the programs that an operator may see, at a glance.
type Overview struct {
	Cards store.CardCounts
	Hours []store.HourCount // of the last day, without the operator's own reads, latest first

	Orders      []store.OrderCount
	Locks       store.UnconfirmedLocks
	Webhooks    int
	Failing     int // webhooks: see events.HealthOf
	Expiring    int // keys that expire within the next 30 days
	Approvals   int // waiting
	Sealed      int // entries of the audit, of all programs
	SealingLag  time.Duration
	FailingJobs []store.JobState // of all programs
	At          time.Time

	Attention []Attention // the most urgent first
	Setup     []Step      // empty once there is a card
}

// Bounds of the overview, in hours, entries of the audit, and time until keys expire.
const (
	overviewHours   = 24
	overviewEntries = 100_000
	overviewKeys    = 30 * 24 * time.Hour
)

// Overview returns the state of one program, or of all in scope for 0, with what needs attention.
// Jobs and sealing are those of the installation.
func (s *Service) Overview(
	ctx context.Context, who issuing.Operator, identity operator.Identity, programID int,
) (Overview, error) {
	generation := s.Generation.Number()
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (Overview, error) {
		programs, err := s.VisiblePrograms(r, who, programID)
		if err != nil {
			return Overview{}, err
		}
		o := Overview{At: r.Now()}
		o.Cards, err = s.counts.find(r, programs, generation)
		err = cmp.Or(err,
			o.countEntries(r, programs, who.Actor),
			o.countOrders(r, programs),
			o.countWebhooks(r, programs),
			o.countKeys(r, programs),
			o.readLog(r),
			o.readJobs(r),
			s.readSetup(r, who, &o, programs),
			o.addFences(r, programs),
			o.addPausedLists(r, programs),
			o.addDifferences(r, programs),
			o.addDeclineAttention(r, programs, programID),
			s.addBackupAttention(r, who.Scope.All, &o),
		)
		if err != nil {
			return Overview{}, err
		}
		o.addOrderAttention(programID, s.Dispatcher != nil)
		o.addJobAttention(who.Scope.All)
		waiting, err := s.WaitingApprovals(r, identity)
		if err != nil {
			return Overview{}, err
		}
		o.addApprovalAttention(waiting, programID)
		o.sortAttention()
		return o, nil
	})
}

// countEntries sets the hours of the last day.
func (o *Overview) countEntries(r store.Tx, programs []int, asker audit.Actor) error {
	hours, err := r.Audit().CountHours(programs, asker, overviewEntries)
	first := o.At.Add(-overviewHours * time.Hour).Truncate(time.Hour)
	o.Hours = slices.DeleteFunc(hours, func(h store.HourCount) bool { return h.Hour.Before(first) })
	return err
}

func (o *Overview) countOrders(r store.Tx, programs []int) (err error) {
	o.Orders, err = r.Orders().Count(programs)
	if err == nil {
		o.Locks, err = countOpenLocks(r, programs)
	}
	return err
}

func countOpenLocks(r store.Tx, programs []int) (store.UnconfirmedLocks, error) {
	now := r.Now()
	return r.Orders().CountUnconfirmedLocks(programs, now.Add(-order.LockInFile),
		now.Add(-order.LockAccepted))
}

func (o *Overview) countWebhooks(r store.Tx, programs []int) error {
	hooks, err := r.Webhooks().List(0)
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		if programs != nil && !slices.Contains(programs, hook.ProgramID) {
			continue
		}
		health, err := events.HealthOf(r, hook)
		if err != nil {
			return err
		}
		o.Webhooks++
		if health.State == events.Failing {
			o.Failing++
			o.add(Attention{
				Kind: FailingWebhook, ID: strconv.Itoa(hook.ID), Name: hook.Name,
				ProgramID: hook.ProgramID, Since: health.Since,
				Count: health.Waiting + health.Dead, Detail: health.Answer(),
			})
		}
	}
	return nil
}

func (o *Overview) countKeys(r store.Tx, programs []int) error {
	ends, err := keyEnds(r)
	for _, key := range ends {
		seen := programs == nil || slices.Contains(programs, key.ProgramID)
		if !seen || !key.Expires.After(o.At) || !key.Expires.Before(o.At.Add(overviewKeys)) {
			continue
		}
		o.Expiring++
		o.add(Attention{
			Kind: EndingKey, ID: key.Name, Name: key.Label, ProgramID: key.ProgramID,
			Until: key.Expires,
		})
	}
	return err
}

// readLog sets how far the sealed log is behind: how long its oldest unsealed entry has waited.
func (o *Overview) readLog(r store.Tx) error {
	head, err := r.AuditLog().FindHead()
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		o.Sealed = head.Size()
	}
	waiting, err := r.AuditLog().ListUnsealed(store.UnsealedQuery{Above: head.NewestRow, Limit: 1})
	if err == nil && len(waiting.Entries) > 0 {
		o.SealingLag = max(0, o.At.Sub(waiting.Entries[0].At))
	}
	return err
}

func (o *Overview) readJobs(r store.Tx) error {
	jobs, err := r.Jobs().List()
	o.FailingJobs = slices.DeleteFunc(jobs, func(j store.JobState) bool { return !j.Failing() })
	return err
}

// Counting many cards takes a good part of a second, so the counts of a large bank are up to
// countsLife old.
const (
	manyCards  = 50_000
	countsLife = 10 * time.Second
)

// cardCounts caches counts of many cards, by the programs that they cover. The zero value is ready
// to use.
type cardCounts struct {
	mu         sync.Mutex
	generation int64 // of the data that was counted
	made       map[string]madeCounts
}

type madeCounts struct {
	counts store.CardCounts
	at     time.Time
}

func (c *cardCounts) find(r store.Tx, programs []int, generation int64) (store.CardCounts, error) {
	key, now := fmt.Sprint(programs == nil, programs), r.Now()
	c.mu.Lock()
	known, there := c.made[key]
	there = there && c.generation == generation
	c.mu.Unlock()
	if age := now.Sub(known.at); there && age >= 0 && age < countsLife {
		return known.counts, nil
	}
	counts, err := r.CardSearch().Count(programs)
	total := 0
	for _, count := range counts.ByStatus {
		total += count
	}
	if err == nil && total > manyCards {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.made == nil || c.generation != generation {
			c.generation, c.made = generation, make(map[string]madeCounts)
		}
		c.made[key] = madeCounts{counts, now}
	}
	return counts, err
}
