package events

import (
	"context"
	"fmt"
	"sort"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// ReplayRequest selects events to send again: those of a span of time, where To is not included and
// zero means now, or those from FromSequence on.
type ReplayRequest struct {
	From, To     time.Time
	FromSequence int
	Types        event.Filter // empty for all that the webhook subscribes to
}

// StartReplay starts to send events again to a webhook that subscribes to them, with the same
// identifiers. The result has their number in Count; they are sent in the background.
func (s *Service) StartReplay(
	ctx context.Context, who issuing.Operator, id int, req ReplayRequest,
) (subscription.Replay, error) {
	hook, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return subscription.Replay{}, err
	}
	if err := req.check(); err != nil {
		return subscription.Replay{}, err
	}
	replay := subscription.Replay{WebhookID: id, From: req.From, To: req.To, Types: req.Types}
	replay.Last, err = store.ViewOf(ctx, s.Store, store.NewestEvent)
	if err != nil {
		return subscription.Replay{}, err
	}
	if err := s.measure(ctx, hook, req, &replay); err != nil {
		return subscription.Replay{}, err
	}
	err = s.Act(ctx, who, issuing.InProgram(hook.ProgramID), "replay", func(tx *issuing.Tx) error {
		if _, err := findWebhook(tx, id, 0); err != nil {
			return err
		}
		replay.ID, replay.Created = 0, tx.Now()
		if err := tx.Deliveries().PutReplay(&replay); err != nil {
			return err
		}
		return tx.PutEntry(audit.Entry{
			Subject: audit.Of(audit.Webhook, id),
			Outcome: fmt.Sprintf("%d events from %d to %d", replay.Count, replay.Position+1,
				replay.Last),
		})
	})
	return replay, err
}

func (r ReplayRequest) check() error {
	var wrong problem.List
	switch span := !r.From.IsZero() || !r.To.IsZero(); {
	case span == (r.FromSequence != 0):
		wrong.Add("from", "give from and to, or fromSequence")
	case span && r.From.IsZero():
		wrong.Add("from", "must be given with to")
	case span && !r.To.IsZero() && !r.From.Before(r.To):
		wrong.Add("to", "must come after from")
	case !span && r.FromSequence < 1:
		wrong.Add("fromSequence", "must be at least 1")
	}
	if odd := r.Types.Problem(); odd != "" {
		wrong.Add("types", "%s", odd)
	}
	return wrong.Err()
}

// measure finds the beginning and the end of a replay, and counts its events. The log does not
// change, so each chunk has its own transaction.
func (s *Service) measure(
	ctx context.Context, hook subscription.Webhook, req ReplayRequest, replay *subscription.Replay,
) error {
	first := req.FromSequence
	if first == 0 {
		var err error
		first, err = s.firstSince(ctx, req.From.Add(-issuing.SealSlack), replay.Last)
		if err != nil {
			return err
		}
	}
	replay.Position = first - 1
	last := replay.Position
	for at := replay.Position; at < replay.Last; {
		events, next, err := s.ReadEvents(ctx, at, min(eventChunk, replay.Last-at))
		if err != nil {
			return err
		}
		if next == at {
			break
		}
		at = next
		for _, e := range events {
			if !req.To.IsZero() && e.At.After(req.To.Add(issuing.SealSlack)) {
				replay.Last = last
				return nil
			}
			last = e.Sequence
			if subscribes(hook, e) && replay.Includes(e.Type, e.At) {
				replay.Count++
			}
		}
	}
	return nil
}

// firstSince returns the first event at or after a time, by binary search.
func (s *Service) firstSince(ctx context.Context, moment time.Time, newest int) (int, error) {
	var failure error
	index := sort.Search(newest, func(i int) bool {
		if failure != nil {
			return true
		}
		events, _, err := s.ReadEvents(ctx, i, 1)
		failure = err
		return len(events) == 0 || !events[0].At.Before(moment)
	})
	return index + 1, failure
}

// maxReplays limits the replays of a webhook that are listed.
const maxReplays = 1000

// Replays returns a page of the replays of a webhook, newest first.
func (s *Service) Replays(
	ctx context.Context, who issuing.Operator, id int, page issuing.Page,
) (items []subscription.Replay, last string, err error) {
	err = s.viewWebhook(ctx, who, id, func(r store.Tx, _ subscription.Webhook) error {
		all, err := r.Deliveries().ListReplays(id, maxReplays)
		if err != nil {
			return err
		}
		// PageByNumber needs ascending keys.
		older := func(replay subscription.Replay) int { return -replay.ID }
		items, last = issuing.PageByNumber(all, page, older)
		return nil
	})
	return items, last, err
}
