package auth

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// countRefusal counts a sign-in that was refused after too many others. The audit gets one entry a
// minute for an account and an address, with the number of refusals: an entry for each would let
// anyone fill the log.
func (o *Operators) countRefusal(ctx context.Context, t *signInAttempt, outcome string) error {
	entry := o.refusals.count(t.entry(t.attempt.At, outcome))
	if entry.Act == "" {
		return nil
	}
	return o.people.Update(ctx, func(tx store.Tx) error { return tx.Audit().Put(entry) })
}

// FlushRefusals writes the refused sign-ins that were counted on this node and are in no entry yet
// to the audit. If that fails, they are counted again.
func (o *Operators) FlushRefusals(ctx context.Context) error {
	taken := o.refusals.take()
	if len(taken) == 0 {
		return nil
	}
	err := o.people.Update(ctx, func(tx store.Tx) error {
		for _, of := range taken {
			of.entry.At = tx.Now()
			if err := tx.Audit().Put(of.counted()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		o.refusals.putBack(taken)
		return fmt.Errorf("record refused sign-ins in the audit: %w", err)
	}
	return nil
}

// refusals counts refused sign-ins by account, address and outcome. All unknown names are one
// account.
type refusals struct {
	mu sync.Mutex
	of map[refusal]refused
}

type refusal struct {
	person           int
	address, outcome string
}

func refusalOf(e audit.Entry) refusal { return refusal{e.Actor.ID, e.Address, e.Outcome} }

// refused counts the refusals since the last entry in the audit.
type refused struct {
	entry audit.Entry // of the last refusal
	told  time.Time
	count int
}

// counted returns the entry with the number of refusals.
func (r refused) counted() audit.Entry {
	if r.count > 1 {
		r.entry.Outcome += fmt.Sprintf(", %d times", r.count)
	}
	return r.entry
}

const (
	toldEvery = time.Minute
	// maxRefused limits the accounts and addresses that are counted separately. Those beyond share
	// a count that names neither.
	maxRefused = 10_000
)

// count counts a refusal. It returns the entry that is due in the audit now, empty for none.
func (r *refusals) count(e audit.Entry) audit.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[refusal]refused{}
	}
	key := refusalOf(e)
	before, there := r.of[key]
	if !there && len(r.of) >= maxRefused {
		e.Actor, e.Subject = audit.Actor{Kind: e.Kind, Name: "unknown"}, audit.Subject{}
		key = refusalOf(e)
		before, there = r.of[key]
	}
	now := refused{entry: e, told: before.told, count: before.count + 1}
	if there && !e.At.Before(now.told) && e.At.Sub(now.told) < toldEvery {
		r.of[key] = now
		return audit.Entry{}
	}
	r.of[key] = refused{told: e.At}
	return now.counted()
}

// take returns the refusals that are in no entry yet, oldest first, and removes the accounts and
// addresses without a refusal since the last call.
func (r *refusals) take() (taken []refused) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, of := range r.of {
		if of.count == 0 {
			delete(r.of, key)
			continue
		}
		taken = append(taken, of)
		r.of[key] = refused{told: of.entry.At}
	}
	slices.SortFunc(taken, func(a, b refused) int {
		return cmp.Or(a.entry.At.Compare(b.entry.At), cmp.Compare(a.entry.Actor.ID, b.entry.Actor.ID),
			strings.Compare(a.entry.Address+a.entry.Outcome, b.entry.Address+b.entry.Outcome))
	})
	return taken
}

func (r *refusals) putBack(taken []refused) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range taken {
		key := refusalOf(of.entry)
		of.count += r.of[key].count
		r.of[key] = of
	}
}
