package auth

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mintmark/internal/store"
)

// refuseUnread refuses a sign-in without looking at it. The audit has an entry a minute about an
// account and an address, which says how many there were: an entry for each would let anybody fill
// the log.
func (o *Operators) refuseUnread(ctx context.Context, t *trial, wait time.Duration) error {
	count := o.refusals.count(t.attempt.Account+t.attempt.Address, t.attempt.At)
	if count == 0 {
		return &TooManyError{wait}
	}
	outcome := signInUnread
	if count > 1 {
		outcome += fmt.Sprintf(", %d times", count)
	}
	err := o.people.Update(ctx, func(tx store.Tx) error {
		return tx.Audit().Put(t.entry(tx.Now(), outcome))
	})
	if err != nil {
		return err
	}
	return &TooManyError{wait}
}

// refusals counts sign-ins that were refused without looking, by account and address.
type refusals struct {
	mu sync.Mutex
	of map[string]refused
}

// refused are the refusals since those that the audit tells of.
type refused struct {
	told  time.Time
	count int
}

const (
	toldEvery = time.Minute
	// mostRefused is how many accounts and addresses are counted apart. Beyond that the counts
	// begin anew.
	mostRefused = 10_000
)

// count counts a refusal, and returns how many the audit is to be told of now, 0 for none.
func (r *refusals) count(of string, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil || len(r.of) >= mostRefused {
		r.of = map[string]refused{}
	}
	one, before := r.of[of]
	one.count++
	if before && !now.Before(one.told) && now.Sub(one.told) < toldEvery {
		r.of[of] = one
		return 0
	}
	r.of[of] = refused{told: now}
	return one.count
}
