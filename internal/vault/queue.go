package vault

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// ErrBusy is what OpenPin answers when so many PINs wait that another would wait too long.
var ErrBusy = errors.New("too many PINs wait to be decrypted")

// FailingError is what OpenPin answers when too many of what a caller has sent lately was no PIN.
type FailingError struct {
	Wait time.Duration // until one more is tried
}

// Error gives the cause without the time to wait.
func (e *FailingError) Error() string { return "too many PINs could not be decrypted" }

// waitingEach is how many PINs may wait for each that is at work. With a key of 3072 bits that is a
// quarter of a second, or five quarters when each is tried by five algorithms: long enough for a
// burst, and far below the time limit of an answer.
const waitingEach = 64

// What is no PIN costs the most, because every algorithm is tried, and counts against no card. A
// caller may send so many of them at once, and one more each second. The wall clock counts, because
// the bound is on the work of this machine.
const (
	failures     = 60
	failureEvery = time.Second
)

// queue keeps PINs from taking the machine, and one caller from taking the queue. A decryption
// costs a hundred times what a read costs: without a bound a few hundred in a second would hold up
// everything else. Callers take turns, and each is served in the order in which it came. When all
// places are taken, a caller that has fewer than another takes the last place of the one that has
// the most.
type queue struct {
	most  int // at work at the same time
	room  int // that may wait
	every rate.Limit

	mu      sync.Mutex
	atWork  int
	waiting int
	lines   map[string]*line
	turns   []*line // those with somebody in them, in the order in which they are served
	failing map[string]*rate.Limiter
}

// line is what waits of one caller, the oldest first.
type line struct {
	caller string
	places []*place
}

// place is where a PIN waits. It is told once what becomes of it.
type place struct{ told chan error }

// newQueue returns a queue in which so many PINs are decrypted at the same time.
func newQueue(atWork int) *queue {
	return &queue{
		most: atWork, room: atWork * waitingEach, every: rate.Every(failureEvery),
		lines: make(map[string]*line), failing: make(map[string]*rate.Limiter),
	}
}

// enter waits until it is the turn of a caller's PIN. It returns ErrBusy when there is no place for
// it, or no longer, a FailingError when too much of what the caller sent was no PIN, and the
// context's error when that ends first. Without an error, leave has to follow.
func (q *queue) enter(ctx context.Context, caller string) error {
	if err := q.patience(caller); err != nil {
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
	// Others of the caller's may have failed while this one has waited.
	err = q.patience(caller)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		q.leave()
	}
	return err
}

// join puts a PIN at work when it need not wait, or at the end of its caller's line.
func (q *queue) join(caller string) (*place, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.atWork < q.most {
		q.atWork++ // nobody waits while there is a worker
		return nil, nil
	}
	own := q.lines[caller]
	if own == nil {
		own = &line{caller: caller}
	}
	if q.waiting >= q.room {
		longest := slices.MaxFunc(q.turns, func(a, b *line) int {
			return len(a.places) - len(b.places)
		})
		if len(longest.places) <= len(own.places)+1 {
			return nil, ErrBusy
		}
		last := longest.places[len(longest.places)-1]
		q.remove(longest, last)
		last.told <- ErrBusy
	}
	waits := &place{told: make(chan error, 1)}
	own.places = append(own.places, waits)
	q.waiting++
	if len(own.places) == 1 {
		q.lines[caller] = own
		q.turns = append(q.turns, own)
	}
	return waits, nil
}

// remove takes a PIN out of its line. The holder of the lock calls it.
func (q *queue) remove(from *line, waits *place) (removed bool) {
	at := slices.Index(from.places, waits)
	if at < 0 {
		return false
	}
	from.places = slices.Delete(from.places, at, at+1)
	q.waiting--
	if len(from.places) == 0 {
		delete(q.lines, from.caller)
		q.turns = slices.DeleteFunc(q.turns, func(l *line) bool { return l == from })
	}
	return true
}

// giveUp takes out a PIN whose caller waits no longer, unless it was told something already.
func (q *queue) giveUp(caller string, waits *place) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	from := q.lines[caller]
	return from != nil && q.remove(from, waits)
}

// leave lets the next PIN begin: the oldest of the caller whose turn it is.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.atWork--
	if len(q.turns) == 0 {
		return
	}
	served := q.turns[0]
	q.turns = append(q.turns[1:], served)
	first := served.places[0]
	q.remove(served, first)
	q.atWork++
	first.told <- nil
}

// failed remembers that what a caller has sent was no PIN.
func (q *queue) failed(caller string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failing[caller] == nil {
		q.failing[caller] = rate.NewLimiter(q.every, failures)
	}
	q.failing[caller].Allow()
}

// patience returns a FailingError when there is none left with a caller.
func (q *queue) patience(caller string) error {
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
