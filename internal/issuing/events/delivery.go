package events

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Names of the jobs that serve webhooks.
const (
	DeliverEventsJob   = "deliver webhooks"
	PurgeDeliveriesJob = "delete old deliveries"
)

// EndpointWatch holds what a node must know to deliver.
type EndpointWatch struct {
	Endpoints []subscription.Endpoint // of all nodes
	Due       []int                   // webhooks with a due delivery or a replay
	Newest    int                     // sequence of the newest event
	Now       time.Time
}

// WatchEndpoints returns the endpoints and the deliveries that are due.
func (s *Service) WatchEndpoints(ctx context.Context) (EndpointWatch, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (EndpointWatch, error) {
		endpoints, err := r.Webhooks().ListEndpoints()
		if err != nil || len(endpoints) == 0 {
			return EndpointWatch{}, err
		}
		now := r.Now()
		due, err := r.Deliveries().ListEndpointsDue(now)
		if err != nil {
			return EndpointWatch{}, err
		}
		replays, err := r.Deliveries().ListOpenReplays(0)
		if err != nil {
			return EndpointWatch{}, err
		}
		for _, replay := range replays {
			due = append(due, replay.WebhookID)
		}
		newest, err := store.NewestEvent(r)
		return EndpointWatch{endpoints, due, newest, now}, err
	})
}

// ClaimEndpoints renews the claims of a node, and claims at most the given number of free
// endpoints. It returns the endpoints that the node holds now.
func (s *Service) ClaimEndpoints(
	ctx context.Context, node string, most int,
) ([]subscription.Endpoint, error) {
	var held []subscription.Endpoint
	err := s.Store.Update(ctx, func(tx store.Tx) error {
		held = nil
		endpoints, err := tx.Webhooks().ListEndpoints()
		if err != nil {
			return err
		}
		now, left := tx.Now(), most
		for _, before := range endpoints {
			mine := before.Node == node
			if !mine && (!before.Free(now) || left == 0) {
				continue
			}
			if !mine {
				left--
			}
			after := before
			after.Node, after.Until = node, now.Add(subscription.ClaimLifetime)
			if !mine || before.Renewable(now) {
				if err := tx.Webhooks().ChangeEndpoint(before, after); err != nil {
					return err
				}
			}
			held = append(held, after)
		}
		return nil
	})
	return held, err
}

// ReleaseEndpoints releases endpoints of a node, each with its position, so that another node
// continues immediately. It skips an endpoint that the node has lost.
func (s *Service) ReleaseEndpoints(
	ctx context.Context, node string, positions map[int]int,
) error {
	return s.Store.Update(ctx, func(tx store.Tx) error {
		endpoints, err := tx.Webhooks().ListEndpoints()
		if err != nil {
			return err
		}
		for _, before := range endpoints {
			position, mine := positions[before.WebhookID]
			if !mine || before.Node != node {
				continue
			}
			if position > before.Position {
				err := tx.Webhooks().PutPosition(before.WebhookID, node, position)
				if err != nil {
					return err
				}
			}
			if err := tx.Webhooks().ChangeEndpoint(before, subscription.Endpoint{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Outgoing is an event on its way to a webhook.
type Outgoing struct {
	event.Event
	Delivery subscription.Delivery
	Kept     bool // the delivery is stored
	Replayed bool
}

// Deliveries holds what may be sent to a webhook now.
type Deliveries struct {
	Webhook subscription.Webhook
	Secrets []secret.Text

	Due     []Outgoing
	Waiting []int // the requested lanes that have a waiting delivery

	Replayed []Outgoing
	Replay   *subscription.Replay // its state once they are sent; nil if nothing is replayed
}

// DeliveryQuery selects what may be sent to a webhook.
type DeliveryQuery struct {
	WebhookID int
	Lanes     []int // of the new events that the node has read itself
	Due       int   // the maximum number of due deliveries
	Replayed  int   // the maximum number of replayed events
}

// FindDeliveries returns what may be sent to a webhook besides new events. For a paused webhook
// that is nothing.
func (s *Service) FindDeliveries(ctx context.Context, q DeliveryQuery) (Deliveries, error) {
	deliveries, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (d Deliveries, err error) {
		d.Webhook, err = r.Webhooks().Find(q.WebhookID)
		if err != nil || d.Webhook.Paused {
			return d, err
		}
		if err := s.findDue(r, &d, q.Due); err != nil {
			return d, err
		}
		if err := s.findReplayed(r, &d, q.Replayed); err != nil {
			return d, err
		}
		lanes := q.Lanes
		for _, out := range d.Replayed {
			lanes = append(lanes[:len(lanes):len(lanes)], out.Lane())
		}
		d.Waiting, err = r.Deliveries().ListWaiting(q.WebhookID, lanes)
		return d, err
	})
	if err != nil {
		return Deliveries{}, err
	}
	for _, sealed := range deliveries.Webhook.Secrets {
		text, err := s.Vault.OpenWebhookSecret(sealed, deliveries.Webhook.ProgramID)
		if err != nil {
			return Deliveries{}, fmt.Errorf("webhook %d: %w", q.WebhookID, err)
		}
		deliveries.Secrets = append(deliveries.Secrets, text)
	}
	return deliveries, nil
}

// findDue adds the due deliveries, with their events.
func (s *Service) findDue(r store.Tx, deliveries *Deliveries, limit int) error {
	due, err := r.Deliveries().ListDue(deliveries.Webhook.ID, r.Now(), limit)
	if err != nil {
		return err
	}
	for _, d := range due {
		e, err := s.findEvent(r, d.Sequence)
		if gone, err := store.IsMissing(err); err != nil {
			return err
		} else if gone {
			e = event.Event{Sequence: d.Sequence}
		}
		deliveries.Due = append(deliveries.Due, Outgoing{Event: e, Delivery: d, Kept: true})
	}
	return nil
}

// findReplayed adds the next events of the oldest replay.
func (s *Service) findReplayed(r store.Tx, deliveries *Deliveries, limit int) error {
	open, err := r.Deliveries().ListOpenReplays(deliveries.Webhook.ID)
	if err != nil || len(open) == 0 || limit <= 0 {
		return err
	}
	replay := open[0]
	events, next, err := s.eventsIn(r, replay.Position, min(limit, replay.Last-replay.Position))
	if err != nil {
		return err
	}
	for _, e := range events {
		if subscribes(deliveries.Webhook, e) && replay.Includes(e.Type, e.At) {
			out := Outgoing{Event: e, Replayed: true}
			out.Delivery = newDelivery(deliveries.Webhook.ID, e, r.Now())
			deliveries.Replayed = append(deliveries.Replayed, out)
		}
	}
	if next == replay.Position || next >= replay.Last {
		next, replay.Ended = replay.Last, r.Now()
	}
	replay.Position = next
	replay.Sent += len(deliveries.Replayed)
	deliveries.Replay = &replay
	return nil
}

// Wants reports whether a new event is sent to a webhook.
func Wants(w subscription.Webhook, e event.Event) bool {
	return w.ProgramID == e.ProgramID && w.Wants(e)
}

// subscribes reports whether a replay may send an event, according to the current types.
func subscribes(w subscription.Webhook, e event.Event) bool {
	return w.ProgramID == e.ProgramID && w.Types.Matches(e.Type)
}

// Result is the outcome of sending an event.
type Result struct {
	Outgoing
	Tried      bool // false for an event that waits behind another of its lane
	Attempt    subscription.Attempt
	RetryAfter time.Duration // as requested by the receiver
	Random     float64       // from 0 to 1, to spread the next attempt
}

// Settlement holds the outcomes of sending events to a webhook.
type Settlement struct {
	Node      string
	WebhookID int
	Position  int // the node's position in the log
	Results   []Result
	Replay    *subscription.Replay
	Gone      string // why the receiver wants no more events; empty while it wants them
}

// SettleDeliveries stores the outcomes of sending events, all or none. A node that has lost its
// endpoint gets store.ErrLostUpdate, and the other node sends the events again.
func (s *Service) SettleDeliveries(ctx context.Context, of Settlement) error {
	return s.Store.Update(ctx, func(tx store.Tx) error {
		t := settling{tx: tx, of: of, freed: make(map[int]bool)}
		if err := tx.Webhooks().PutPosition(of.WebhookID, of.Node, of.Position); err != nil {
			return err
		}
		for _, result := range of.Results {
			if err := t.settle(result); err != nil {
				return err
			}
		}
		for lane := range t.freed {
			if err := t.promote(lane); err != nil {
				return err
			}
		}
		if of.Replay != nil {
			replay := *of.Replay
			if err := tx.Deliveries().PutReplay(&replay); err != nil {
				return err
			}
		}
		if of.Gone != "" {
			return t.pause()
		}
		return nil
	})
}

// settling is a Settlement in its transaction.
type settling struct {
	tx    store.Tx
	of    Settlement
	freed map[int]bool // lanes in which the next delivery may be due
}

func (t *settling) settle(r Result) error {
	d := r.Delivery
	if !r.Tried {
		if r.Kept {
			return nil
		}
		d.State, d.Next, d.Since = subscription.Waiting, time.Time{}, t.tx.Now()
		t.freed[d.Lane] = true // the delivery before it may be done by now
		return t.tx.Deliveries().Put(d)
	}
	attempt := r.Attempt
	attempt.WebhookID, attempt.Sequence, attempt.At = t.of.WebhookID, d.Sequence, t.tx.Now()
	if err := t.tx.Deliveries().PutAttempt(attempt); err != nil {
		return err
	}
	if attempt.Error == "" {
		t.freed[d.Lane] = t.freed[d.Lane] || r.Kept || r.Replayed
		if !r.Kept && !r.Replayed {
			return nil
		}
		return t.tx.Deliveries().Delete(t.of.WebhookID, d.Sequence)
	}
	if !r.Kept {
		d.Since = t.tx.Now()
	}
	d = d.Fail(t.tx.Now(), attempt.Error, r.RetryAfter, r.Random)
	t.freed[d.Lane] = t.freed[d.Lane] || d.State == subscription.Dead
	return t.tx.Deliveries().Put(d)
}

// promote makes the first delivery of a lane due if it has waited for another one.
func (t *settling) promote(lane int) error {
	first, err := t.tx.Deliveries().ListOfLane(t.of.WebhookID, lane, 1)
	if err != nil || len(first) == 0 || !first[0].Next.IsZero() {
		return err
	}
	first[0].Next = t.tx.Now()
	return t.tx.Deliveries().Put(first[0])
}

// pause pauses a webhook whose receiver wants no more events.
func (t *settling) pause() error {
	before, err := t.tx.Webhooks().Find(t.of.WebhookID)
	if err != nil || before.Paused {
		return err
	}
	after := before
	after.Paused, after.PausedBecause = true, t.of.Gone
	if err := t.tx.Webhooks().Put(&after, 0); err != nil {
		return err
	}
	tx := &issuing.Tx{Tx: t.tx, Caller: issuing.Caller{
		Actor: issuing.JobActor(DeliverEventsJob), ProgramID: before.ProgramID, Route: "pause webhook",
	}}
	return auditWebhook(tx, before, after)
}

// deliveryBatch limits the rows that one transaction deletes, so that callers do not wait.
const deliveryBatch = 500

// PurgeDeliveries deletes attempts and dead deliveries that are old enough, and the remains of
// deleted webhooks. The events stay in the log. It is a background job, and idempotent.
func (s *Service) PurgeDeliveries(ctx context.Context) error {
	return s.UpdateInBatches(ctx, deliveryBatch, func(tx store.Tx) (removed int, err error) {
		before := tx.Now().Add(-s.Retention.Filled().Deliveries)
		attempts, err := tx.Deliveries().DeleteAttemptsBefore(before, deliveryBatch)
		dead, alsoErr := tx.Deliveries().DeleteDead(before, deliveryBatch)
		remains, lastErr := tx.Webhooks().DeleteRemains(deliveryBatch)
		removed = max(attempts, dead, remains)
		if err := errors.Join(err, alsoErr, lastErr); err != nil || attempts+dead == 0 {
			return removed, err
		}
		return removed, issuing.AuditPurge(tx, PurgeDeliveriesJob, "forget deliveries",
			fmt.Sprintf("%d attempts and %d dead deliveries dropped", attempts, dead))
	})
}
