package events

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Delivered is the state of a delivery that has succeeded. Only its attempts are stored.
const Delivered subscription.State = "delivered"

// DeliveryDetail is an event that was or will be sent to a webhook, with the newest attempts.
type DeliveryDetail struct {
	subscription.Delivery
	Event    event.Event // without an identifier if it is archived
	Attempts []subscription.Attempt
}

// shownAttempts limits the attempts of a delivery that are shown.
const shownAttempts = 20

// DeliveryList returns a page of the deliveries of a webhook, those of the newest events first. A
// state restricts the list to deliveries in that state.
func (s *Service) DeliveryList(
	ctx context.Context, who issuing.Operator, id int, state subscription.State, page issuing.Page,
) (items []DeliveryDetail, last string, err error) {
	// Cursors are created here; an unreadable one starts at the beginning of the list.
	below, _ := strconv.Atoi(page.After)
	err = s.viewWebhook(ctx, who, id, func(r store.Tx, _ subscription.Webhook) error {
		items, last = nil, ""
		for at := below; ; {
			sequences, err := listDelivered(r, id, state, at, page.Limit+1)
			if err != nil {
				return err
			}
			for _, sequence := range sequences {
				detail, err := s.findDelivery(r, id, sequence)
				if err != nil {
					return err
				}
				at = sequence
				if state != "" && detail.State != state {
					continue
				}
				if len(items) == page.Limit {
					last = strconv.Itoa(items[len(items)-1].Sequence)
					return nil
				}
				items = append(items, detail)
			}
			if len(sequences) <= page.Limit {
				return nil
			}
		}
	})
	return items, last, err
}

// listDelivered returns at most limit events before a sequence that were or will be sent to a
// webhook, newest first; below is 0 for the newest of all. For a stored state it returns only
// events in that state; for another state it returns others, too.
func listDelivered(
	r store.Tx, id int, state subscription.State, below, limit int,
) ([]int, error) {
	ofState := state
	if state == Delivered {
		ofState = ""
	}
	kept, err := r.Deliveries().List(id, ofState, below, limit)
	if err != nil {
		return nil, err
	}
	var sequences []int
	if ofState == "" {
		sequences, err = r.Deliveries().ListAttemptedEvents(id, below, limit)
		if err != nil {
			return nil, err
		}
	}
	for _, d := range kept {
		sequences = append(sequences, d.Sequence)
	}
	slices.SortFunc(sequences, func(a, b int) int { return b - a })
	sequences = slices.Compact(sequences)
	return sequences[:min(limit, len(sequences))], nil
}

// FindDelivery returns a delivery of a webhook with its attempts.
func (s *Service) FindDelivery(
	ctx context.Context, who issuing.Operator, id, sequence int,
) (DeliveryDetail, error) {
	var detail DeliveryDetail
	err := s.viewWebhook(ctx, who, id, func(r store.Tx, _ subscription.Webhook) error {
		var err error
		detail, err = s.findDelivery(r, id, sequence)
		return err
	})
	return detail, err
}

func (s *Service) findDelivery(r store.Tx, id, sequence int) (DeliveryDetail, error) {
	kept, err := r.Deliveries().Find(id, sequence)
	done, err := store.IsMissing(err)
	if err != nil {
		return DeliveryDetail{}, err
	}
	if done {
		kept = subscription.Delivery{WebhookID: id, Sequence: sequence, State: Delivered}
	}
	detail, err := s.describe(r, kept)
	if err == nil && done && len(detail.Attempts) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return DeliveryDetail{}, err
	}
	if done {
		detail.Type = detail.Event.Type
	}
	return detail, nil
}

// describe adds the event and the attempts to a delivery.
func (s *Service) describe(r store.Tx, d subscription.Delivery) (DeliveryDetail, error) {
	detail := DeliveryDetail{Delivery: d}
	var err error
	detail.Attempts, err = r.Deliveries().ListAttempts(d.WebhookID, d.Sequence, shownAttempts)
	if err != nil {
		return DeliveryDetail{}, err
	}
	detail.Tries = max(d.Tries, len(detail.Attempts)) // Resend begins to count anew
	detail.Event, err = s.findEvent(r, d.Sequence)
	if _, err := store.IsMissing(err); err != nil {
		return DeliveryDetail{}, err
	}
	return detail, nil
}

// Resend sends an event to a webhook again, now: see resend.
func (s *Service) Resend(
	ctx context.Context, who issuing.Operator, id, sequence int,
) (DeliveryDetail, error) {
	hook, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return DeliveryDetail{}, err
	}
	var resent DeliveryDetail
	err = s.Act(ctx, who, issuing.InProgram(hook.ProgramID), "resend", func(tx *issuing.Tx) error {
		d, err := s.resend(tx, id, sequence)
		if err != nil {
			return err
		}
		resent, err = s.describe(tx, d)
		return err
	})
	return resent, err
}

// resend makes the delivery of an event due again, whether it is dead, waiting or delivered. It
// keeps its identifier. If it waits for another event of its card, that one becomes due.
func (s *Service) resend(tx *issuing.Tx, id, sequence int) (subscription.Delivery, error) {
	none := subscription.Delivery{}
	hook, err := findWebhook(tx, id, 0)
	if err != nil {
		return none, err
	}
	e, err := s.findEvent(tx, sequence)
	if err == nil && e.ProgramID != hook.ProgramID {
		err = fmt.Errorf("event %d: %w", sequence, store.ErrNotFound)
	}
	if err != nil {
		return none, err
	}
	resent := newDelivery(id, e, tx.Now())
	kept, err := tx.Deliveries().Find(id, sequence)
	fresh, err := store.IsMissing(err)
	if err != nil {
		return none, err
	}
	if !fresh {
		resent = kept
	}
	first, err := tx.Deliveries().ListOfLane(id, e.Lane(), 1)
	if err != nil {
		return none, err
	}
	if len(first) > 0 && first[0].Sequence < sequence {
		err = tx.Deliveries().Put(first[0].Resend(tx.Now()))
		resent.State = subscription.Waiting
		if err != nil {
			return none, err
		}
	} else {
		resent = resent.Resend(tx.Now())
	}
	if err := tx.Deliveries().Put(resent); err != nil {
		return none, err
	}
	return resent, tx.PutEntry(audit.Entry{
		Subject: audit.Of(audit.Webhook, id), Outcome: "event " + strconv.Itoa(sequence),
	})
}
