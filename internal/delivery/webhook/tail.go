package webhook

import (
	"context"
	"sort"
	"sync"

	"mintmark/internal/domain/event"
)

// tail caches the newest events for all workers of a node: most of them need the same ones.
type tail struct {
	mu     sync.RWMutex
	from   int // the sequence before the first cached event
	to     int // the position up to which the log was read
	events []event.Event
}

// tailLength is the number of cached events, tailChunk the number read at a time.
const tailLength, tailChunk = 2000, 500

// extend reads the log up to the newest event. If it is far behind, it starts again near the end:
// workers that need older events read them from the log.
func (t *tail) extend(ctx context.Context, acts Acts, newest int) error {
	t.mu.RLock()
	at := t.to
	t.mu.RUnlock()
	if newest-at > tailLength || newest < at {
		at = max(0, newest-tailChunk)
		t.reset(at)
	}
	for at < newest {
		events, next, err := acts.ReadEvents(ctx, at, min(tailChunk, newest-at))
		if err != nil {
			return err
		}
		if next == at {
			return nil // the rest is archived
		}
		t.add(events, next)
		at = next
	}
	return nil
}

func (t *tail) reset(at int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.from, t.to, t.events = at, at, nil
}

func (t *tail) add(events []event.Event, to int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = append(t.events, events...)
	t.to = to
	if surplus := len(t.events) - tailLength; surplus > 0 {
		t.from = t.events[surplus-1].Sequence
		// A new slice, because readers may hold parts of the old one.
		t.events = append([]event.Event(nil), t.events[surplus:]...)
	}
}

// after returns at most limit events after a position, and the position reached. known is false if
// the position is outside the cached range.
func (t *tail) after(position, limit int) (events []event.Event, next int, known bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if position < t.from || position > t.to {
		return nil, position, false
	}
	first := sort.Search(len(t.events), func(i int) bool {
		return t.events[i].Sequence > position
	})
	last := min(first+limit, len(t.events))
	if last == len(t.events) {
		return t.events[first:last:last], t.to, true
	}
	return t.events[first:last:last], t.events[last-1].Sequence, true
}
