package events

import (
	"context"
	"slices"
	"strconv"
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// WebhookState is a webhook with the state of its deliveries.
type WebhookState struct {
	subscription.Webhook
	Health
	LastSuccess time.Time // zero if there was none for some time
}

// Webhooks returns a page of the webhooks of a program, by ID.
func (s *Service) Webhooks(
	ctx context.Context, who issuing.Operator, programID int, search string, page issuing.Page,
) (items []WebhookState, last string, err error) {
	err = s.View(ctx, who, programID, func(r store.Tx) error {
		items = nil
		all, err := r.Webhooks().List(programID)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(w subscription.Webhook) bool {
			return !issuing.Matches(search, w.Name, w.URL, strconv.Itoa(w.ID))
		})
		all, last = issuing.PageByNumber(all, page,
			func(w subscription.Webhook) int { return w.ID })
		for _, hook := range all {
			state, err := stateOf(r, hook)
			if err != nil {
				return err
			}
			items = append(items, state)
		}
		return nil
	})
	return items, last, err
}

// Webhook returns a webhook of any program in scope, with the state of its deliveries.
func (s *Service) Webhook(ctx context.Context, who issuing.Operator, id int) (WebhookState, error) {
	var webhookState WebhookState
	err := s.viewWebhook(ctx, who, id, func(r store.Tx, hook subscription.Webhook) error {
		var err error
		webhookState, err = stateOf(r, hook)
		return err
	})
	return webhookState, err
}

func stateOf(r store.Tx, hook subscription.Webhook) (WebhookState, error) {
	state := WebhookState{Webhook: hook}
	var err error
	state.Health, err = HealthOf(r, hook)
	if err != nil {
		return WebhookState{}, err
	}
	success, err := r.Deliveries().FindSuccess(hook.ID)
	if _, err := store.IsMissing(err); err != nil {
		return WebhookState{}, err
	}
	state.LastSuccess = success.At
	return state, nil
}

// viewWebhook runs a closure that reads data of a webhook in the operator's scope.
func (s *Service) viewWebhook(
	ctx context.Context, who issuing.Operator, id int,
	fn func(r store.Tx, hook subscription.Webhook) error,
) error {
	hook, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return err
	}
	return s.Store.View(ctx, func(r store.Tx) error { return fn(r, hook) })
}

// webhookInScope returns a webhook in the operator's scope.
func (s *Service) webhookInScope(
	ctx context.Context, who issuing.Operator, id int,
) (subscription.Webhook, error) {
	programOf := func(hook subscription.Webhook) int { return hook.ProgramID }
	return issuing.FindInScope(ctx, s.Service, who, programOf,
		func(r store.Tx) (subscription.Webhook, error) { return r.Webhooks().Find(id) })
}
