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

// Delivered is the state of a delivery that has succeeded, of which only the attempts are kept.
const Delivered subscription.State = "delivered"

// DeliveryDetail is an event that a webhook was sent, or is to be sent, with the newest attempts.
type DeliveryDetail struct {
	subscription.Delivery
	Event    event.Event // without an identifier when it is archived
	Attempts []subscription.Attempt
}

// shownAttempts is how many attempts of a delivery are shown at most.
const shownAttempts = 20

// DeliveryList returns a page of the deliveries of a webhook, those of the newest events first, of
// a state alone where one is named.
func (s *Service) DeliveryList(
	ctx context.Context, who issuing.Operator, id int, state subscription.State, page issuing.Page,
) (items []DeliveryDetail, last string, err error) {
	// Cursors are made here; an unreadable one starts at the beginning of the list.
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

// listDelivered returns at most limit events below one, newest first, that a webhook was sent or is
// to be sent; 0 for the newest of all. Those of a state that is kept are all that it returns; for
// another state it returns others, too.
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
		sequences, err = r.Deliveries().ListTriedEvents(id, below, limit)
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

// FindDelivery returns one delivery of a webhook with its attempts.
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
		detail.Type, detail.Tries = detail.Event.Type, len(detail.Attempts)
	}
	return detail, nil
}

// describe adds its event and its attempts to a delivery.
func (s *Service) describe(r store.Tx, d subscription.Delivery) (DeliveryDetail, error) {
	detail := DeliveryDetail{Delivery: d}
	var err error
	detail.Attempts, err = r.Deliveries().ListAttempts(d.WebhookID, d.Sequence, shownAttempts)
	if err != nil {
		return DeliveryDetail{}, err
	}
	detail.Event, err = s.findEvent(r, d.Sequence)
	if _, err := store.IsMissing(err); err != nil {
		return DeliveryDetail{}, err
	}
	return detail, nil
}

// Resend has an event sent to a webhook again, now: see ResendDelivery.
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

// resend has an event sent again, now: one that is dead, waits or was delivered. It keeps its
// identifier. When it waits behind another event of its card, that one is sent now.
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
