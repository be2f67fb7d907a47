package events

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"mintmark/internal/domain/event"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// eventChunk is the number of events that one transaction reads, eventChunks the number of chunks
// that a list reads.
const eventChunk, eventChunks = 200, 50

// EventQuery selects events of the sealed log.
type EventQuery struct {
	After    int          // a sequence; 0 for all
	Types    event.Filter // empty for all
	Programs []int        // empty for all
	CardID   int          // 0 for all
	Limit    int
}

// EventPage selects a page of events for operators, newest first.
type EventPage struct {
	issuing.Page
	ProgramID int          // 0 for all in scope
	CardID    int          // 0 for all
	Types     event.Filter // empty for all
	Span      issuing.Span
}

// NewestEvents returns a page of the sealed events in scope, newest first. It reads a bounded part
// of the log, so a page may be short although more events follow.
func (s *Service) NewestEvents(
	ctx context.Context, who issuing.Operator, q EventPage,
) (items []event.Event, last string, err error) {
	if q.ProgramID != 0 {
		if _, err := s.ProgramInScope(ctx, who, q.ProgramID); err != nil {
			return nil, "", err
		}
	}
	// Cursors are created here; an unreadable one starts at the beginning of the list.
	at, _ := strconv.Atoi(q.After)
	err = s.Store.View(ctx, func(r store.Tx) error {
		items, last = nil, ""
		programs, err := scopedPrograms(r, who)
		if err != nil {
			return err
		}
		below := at
		if below == 0 {
			newest, err := store.NewestEvent(r)
			if err != nil {
				return err
			}
			below = newest + 1
		}
		for range eventChunks {
			first := max(0, below-1-eventChunk)
			chunk, _, err := s.eventsIn(r, first, below-1-first)
			if err != nil {
				return err
			}
			for _, e := range slices.Backward(chunk) {
				if e.At.Before(q.Span.From.Add(-issuing.SealSlack)) {
					return nil // all events before it are older
				}
				_, inScope := programs[e.ProgramID]
				inProgram := (q.ProgramID == 0 || q.ProgramID == e.ProgramID) &&
					(q.CardID == 0 || q.CardID == e.CardID)
				if e.Sequence >= below || !inScope || !inProgram || !q.Types.Matches(e.Type) ||
					!q.Span.Includes(e.At) {
					continue
				}
				if len(items) == q.Limit {
					last = strconv.Itoa(items[len(items)-1].Sequence)
					return nil
				}
				items = append(items, e)
			}
			below = first + 1
			if below == 1 {
				return nil
			}
		}
		last = strconv.Itoa(below)
		return nil
	})
	return items, last, err
}

// Event returns a sealed event in the operator's scope.
func (s *Service) Event(
	ctx context.Context, who issuing.Operator, sequence int,
) (event.Event, error) {
	programOf := func(e event.Event) int { return e.ProgramID }
	return issuing.FindInScope(ctx, s.Service, who, programOf,
		func(r store.Tx) (event.Event, error) { return s.findEvent(r, sequence) })
}

// EventList holds events, and the position of the next list.
type EventList struct {
	Events []event.Event
	// Next is the After of the next list: the last event that was examined, whether it is in the
	// list or not.
	Next int
}

// chosen reports whether the query selects an event.
func (q EventQuery) chosen(e event.Event) bool {
	return q.Types.Matches(e.Type) && (q.CardID == 0 || q.CardID == e.CardID) &&
		(len(q.Programs) == 0 || slices.Contains(q.Programs, e.ProgramID))
}

// Events returns sealed events in order, at most Limit, which must be at least 1. It reads a
// bounded part of the log: a short list may continue at Next, and the log ends if Next does not
// advance.
func (s *Service) Events(ctx context.Context, q EventQuery) (EventList, error) {
	list := EventList{Next: q.After}
	for range eventChunks {
		chunk, next, err := s.ReadEvents(ctx, list.Next, eventChunk)
		if err != nil {
			return EventList{}, err
		}
		for _, e := range chunk {
			if q.chosen(e) {
				list.Events = append(list.Events, e)
			}
			if len(list.Events) == q.Limit {
				list.Next = e.Sequence
				return list, nil
			}
		}
		if next == list.Next {
			break
		}
		list.Next = next
	}
	return list, nil
}

// AwaitEvents is Events, but waits for the first event if there is none yet. An empty list means
// that the time has passed, or that the process ends.
func (s *Service) AwaitEvents(
	ctx context.Context, q EventQuery, wait time.Duration,
) (EventList, error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		sealed := s.sealed.next()
		list, err := s.Events(ctx, q)
		if err != nil || len(list.Events) > 0 || waiting.Err() != nil || s.ending.Load() {
			return list, err
		}
		if list.Next > q.After {
			q.After = list.Next
			continue
		}
		select {
		case <-sealed:
		case <-waiting.Done():
		}
	}
}

// FromNow, as the After of a query, selects the events that happen from now on.
const FromNow = -1

// lookAgain is the interval at which a follower of events checks whether a sandbox was reset or
// restored.
const lookAgain = time.Second

// FollowEvents is AwaitEvents for an operator: the events in scope, of one program unless it is 0.
// If the log ends before After, because a sandbox was restored, the list is empty and Next is the
// end of the log.
func (s *Service) FollowEvents(
	ctx context.Context, who issuing.Operator, programID int, q EventQuery, wait time.Duration,
) (EventList, error) {
	if programID != 0 {
		if _, err := s.ProgramInScope(ctx, who, programID); err != nil {
			return EventList{}, err
		}
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		newest, err := s.followed(ctx, who, programID, &q)
		if err != nil {
			return EventList{}, err
		}
		if len(q.Programs) == 0 || q.After == FromNow || q.After > newest {
			return EventList{Next: newest}, nil
		}
		list, err := s.AwaitEvents(ctx, q, min(wait, lookAgain))
		if err != nil || len(list.Events) > 0 || waiting.Err() != nil || s.ending.Load() {
			return list, err
		}
		q.After = list.Next
	}
}

// followed restricts a query to the programs in scope, to one of them unless it is 0, and returns
// the newest event.
func (s *Service) followed(
	ctx context.Context, who issuing.Operator, programID int, q *EventQuery,
) (newest int, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		in, err := scopedPrograms(r, who)
		if err != nil {
			return err
		}
		q.Programs = slices.Sorted(maps.Keys(in))
		newest, err = store.NewestEvent(r)
		return err
	})
	if programID != 0 {
		q.Programs = []int{programID}
	}
	return newest, err
}

// ReadEvents returns at most limit sealed events after a sequence, in order, and the position
// reached.
func (s *Service) ReadEvents(
	ctx context.Context, after, limit int,
) (events []event.Event, next int, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		list, last, err := s.eventsIn(r, after, limit)
		events, next = list, last
		return err
	})
	return events, next, err
}

// eventsIn is ReadEvents in a transaction. It skips an entry that was an event when it was sealed,
// but is none by the current table.
func (s *Service) eventsIn(
	r store.Tx, after, limit int,
) (events []event.Event, next int, err error) {
	origin, err := s.origin(r)
	if err != nil {
		return nil, after, err
	}
	entries, err := r.AuditLog().ListEvents(after, limit)
	if err != nil {
		return nil, after, err
	}
	next = after
	for _, entry := range entries {
		if e, ok := eventOf(origin, entry); ok {
			events = append(events, e)
		}
		next = entry.Event
	}
	return events, next, nil
}

func eventOf(origin string, entry store.LogEntry) (e event.Event, ok bool) {
	at := event.LogPosition{Entry: entry.Sequence, Event: entry.Event}
	return event.New(origin, at, entry.Entry)
}

// findEvent returns an event. It returns store.ErrNotFound for one that is not sealed or is
// archived.
func (s *Service) findEvent(r store.Tx, sequence int) (event.Event, error) {
	origin, err := s.origin(r)
	if err != nil {
		return event.Event{}, err
	}
	entry, err := r.AuditLog().FindEvent(sequence)
	e, ok := eventOf(origin, entry)
	if err == nil && !ok {
		err = store.ErrNotFound
	}
	if err != nil {
		return event.Event{}, fmt.Errorf("event %d: %w", sequence, err)
	}
	return e, nil
}

// origin returns the name of the installation in the identifiers of events. It is read once.
func (s *Service) origin(r store.Tx) (string, error) {
	if known := s.knownOrigin.Load(); known != nil {
		return *known, nil
	}
	record, err := r.Installation().Find()
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	origin := fmt.Sprintf("%s %d", record.Environment, record.Made.UnixMilli())
	s.knownOrigin.Store(&origin)
	return origin, nil
}

// scopedPrograms returns the bank of each program in an operator's scope, by program.
func scopedPrograms(r store.Tx, who issuing.Operator) (map[int]int, error) {
	all, err := r.Programs().List()
	if err != nil {
		return nil, err
	}
	banks := make(map[int]int, len(all))
	for _, id := range all {
		p, err := r.Programs().Find(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if who.Scope.Includes(p.BankID) {
			banks[id] = p.BankID
		}
	}
	return banks, nil
}
