package vault

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// ErrBusy is returned by DecryptCallerPin when the PIN queue is full.
var ErrBusy = errors.New("too many PINs are waiting to be decrypted")

// FailingError is returned by DecryptCallerPin when too many recent inputs of a caller were no PIN.
type FailingError struct {
	Wait time.Duration // until the caller may try again
}

// Error returns the same text for every wait.
func (e *FailingError) Error() string { return "too many PINs could not be decrypted" }

// waitingEach is the queue length per concurrent decryption. With a key of 3072 bits that is a wait
// of a quarter of a second, or five quarters if five algorithms are tried for each PIN, and twice
// as long while two keys are in use: enough for a burst, and far below the request timeout.
const waitingEach = 64

// An input that is no PIN is the most expensive, because every algorithm is tried, and it counts
// towards no card's limit. A caller may send a burst of this many, and one more per second. This
// uses the wall clock, because the limit protects this machine.
const (
	failures     = 60
	failureEvery = time.Second
)

// queue limits concurrent PIN decryptions and shares the machine fairly among callers. A decryption
// costs a hundred times as much as a read: without a limit, a few hundred a second would delay
// everything else. Callers are served round-robin, each in arrival order. When the queue is full, a
// caller with fewer waiting PINs displaces the newest PIN of the caller with the most.
type queue struct {
	maxAtWork  int // maximum of concurrent decryptions
	maxWaiting int // maximum of waiting PINs
	every      rate.Limit

	mu      sync.Mutex
	atWork  int
	waiting int
	callers map[string]*callerQueue
	round   []*callerQueue // callers with waiting PINs, in round-robin order
	failing map[string]*rate.Limiter
	unread  int // inputs of all callers that were no PIN
}

// callerQueue is the queue of one caller, oldest first.
type callerQueue struct {
	caller  string
	waiters []*waiter
}

// waiter is one waiting PIN. told receives its outcome once.
type waiter struct{ told chan error }

// newQueue returns a queue with atWork concurrent decryptions.
func newQueue(atWork int) *queue {
	return &queue{
		maxAtWork: atWork, maxWaiting: atWork * waitingEach, every: rate.Every(failureEvery),
		callers: make(map[string]*callerQueue), failing: make(map[string]*rate.Limiter),
	}
}

// enter waits until a caller's PIN may be decrypted. It returns ErrBusy when the queue is full or
// the PIN was displaced, a FailingError when too many inputs of the caller were no PIN, or the
// context's error. After a nil error the caller of enter must call leave.
func (q *queue) enter(ctx context.Context, caller string) error {
	if err := q.checkFailures(caller); err != nil {
		return err
	}
	waits, err := q.join(caller)
	if err != nil {
		return err
	}
	if waits != nil {
		select {
		case err = <-waits.told:
		case <-ctx.Done():
			if q.giveUp(caller, waits) {
				return ctx.Err()
			}
			err = <-waits.told
		}
	}
	if err != nil {
		return err
	}
	// Other PINs of the caller may have failed during the wait.
	err = q.checkFailures(caller)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		q.leave()
	}
	return err
}

// join admits a PIN immediately if a worker is free, or else queues it.
func (q *queue) join(caller string) (*waiter, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.atWork < q.maxAtWork {
		q.atWork++ // a free worker means an empty queue
		return nil, nil
	}
	own := q.callers[caller]
	if own == nil {
		own = &callerQueue{caller: caller}
	}
	if q.waiting >= q.maxWaiting {
		longest := slices.MaxFunc(q.round, func(a, b *callerQueue) int {
			return len(a.waiters) - len(b.waiters)
		})
		if len(longest.waiters) <= len(own.waiters)+1 {
			return nil, ErrBusy
		}
		last := longest.waiters[len(longest.waiters)-1]
		q.remove(longest, last)
		last.told <- ErrBusy
	}
	waits := &waiter{told: make(chan error, 1)}
	own.waiters = append(own.waiters, waits)
	q.waiting++
	if len(own.waiters) == 1 {
		q.callers[caller] = own
		q.round = append(q.round, own)
	}
	return waits, nil
}

// remove removes a PIN from its queue. The caller holds the lock.
func (q *queue) remove(from *callerQueue, waits *waiter) (removed bool) {
	at := slices.Index(from.waiters, waits)
	if at < 0 {
		return false
	}
	from.waiters = slices.Delete(from.waiters, at, at+1)
	q.waiting--
	if len(from.waiters) == 0 {
		delete(q.callers, from.caller)
		q.round = slices.DeleteFunc(q.round, func(l *callerQueue) bool { return l == from })
	}
	return true
}

// giveUp removes a PIN whose request has ended, unless it already has an outcome.
func (q *queue) giveUp(caller string, waits *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	from := q.callers[caller]
	return from != nil && q.remove(from, waits)
}

// leave frees a worker and admits the next PIN: the oldest of the next caller in the round.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.atWork--
	if len(q.round) == 0 {
		return
	}
	served := q.round[0]
	q.round = append(q.round[1:], served)
	first := served.waiters[0]
	q.remove(served, first)
	q.atWork++
	first.told <- nil
}

// failed counts an input of the caller that was no PIN.
func (q *queue) failed(caller string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failing[caller] == nil {
		q.failing[caller] = rate.NewLimiter(q.every, failures)
	}
	q.failing[caller].Allow()
	q.unread++
}

// UnreadablePins returns how many inputs of callers were no PIN since the process started.
func (v *Vault) UnreadablePins() int {
	v.queue.mu.Lock()
	defer v.queue.mu.Unlock()
	return v.queue.unread
}

// checkFailures returns a FailingError when the caller has exhausted its failures.
func (q *queue) checkFailures(caller string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	failing := q.failing[caller]
	if failing == nil {
		return nil
	}
	left := failing.Tokens()
	if left >= 1 {
		return nil
	}
	return &FailingError{Wait: time.Duration((1 - left) * float64(failureEvery))}
}
