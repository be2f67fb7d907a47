package issuing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mintmark/internal/secret"
	"mintmark/internal/store"
	"mintmark/internal/subscription"
)

// The acts of operators on webhooks: those of hook.go and replay.go, with the scope asked.

// WebhookState is a webhook and how its deliveries fare.
type WebhookState struct {
	subscription.Webhook
	Waiting, Dead int       // deliveries
	LastSuccess   time.Time // zero for none of some time
}

// Webhooks returns a page of the webhooks of a program, by their numbers.
func (s *Service) Webhooks(
	ctx context.Context, who Operator, programID int, search string, page Page,
) (items []WebhookState, last string, err error) {
	err = s.viewProgram(ctx, who, programID, func(r store.Tx) error {
		items = nil
		all, err := r.Webhooks().List(programID)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(w subscription.Webhook) bool {
			return !matches(search, w.Name, w.URL, strconv.Itoa(w.ID))
		})
		all, last = pageByNumber(all, page, func(w subscription.Webhook) int { return w.ID })
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

// Webhook finds a webhook of any program in scope, and counts what it has not taken.
func (s *Service) Webhook(ctx context.Context, who Operator, id int) (WebhookState, error) {
	var found WebhookState
	err := s.viewWebhook(ctx, who, id, func(r store.Tx, hook subscription.Webhook) error {
		var err error
		found, err = stateOf(r, hook)
		return err
	})
	return found, err
}

func stateOf(r store.Tx, hook subscription.Webhook) (WebhookState, error) {
	state := WebhookState{Webhook: hook}
	var err error
	state.Waiting, state.Dead, err = r.Deliveries().Count(hook.ID)
	if err != nil {
		return WebhookState{}, err
	}
	success, err := r.DeliveryAttempts().FindSuccess(hook.ID)
	if _, err := isMissing(err); err != nil {
		return WebhookState{}, err
	}
	state.LastSuccess = success.At
	return state, nil
}

// viewWebhook runs a closure that reads what belongs to a webhook of the operator's scope.
func (s *Service) viewWebhook(
	ctx context.Context, who Operator, id int,
	fn func(r store.Tx, hook subscription.Webhook) error,
) error {
	hook, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return err
	}
	return toFault(s.store.View(ctx, func(r store.Tx) error { return fn(r, hook) }))
}

// webhookInScope finds a webhook of the operator's scope.
func (s *Service) webhookInScope(
	ctx context.Context, who Operator, id int,
) (subscription.Webhook, error) {
	var hook subscription.Webhook
	err := s.store.View(ctx, func(r store.Tx) error {
		var err error
		hook, err = r.Webhooks().Find(id)
		return err
	})
	if err == nil {
		_, err = s.programInScope(ctx, who, hook.ProgramID)
	}
	if err != nil {
		return subscription.Webhook{}, fmt.Errorf("webhook %d: %w", id, toFault(err))
	}
	return hook, nil
}

// AddWebhook subscribes a program to events from now on.
func (s *Service) AddWebhook(
	ctx context.Context, who Operator, programID int, spec WebhookSpec,
) (WebhookDetail, error) {
	detail, err := s.createWebhook(func(fn func(*writeTx) error) error {
		return s.inProgram(ctx, who, programID, "create webhook", fn)
	}, spec)
	return detail.kept(who, err)
}

// kept returns what an act has stored. A dry run stores no secret, so it shows none.
func (d WebhookDetail) kept(who Operator, err error) (WebhookDetail, error) {
	if err != nil {
		return WebhookDetail{}, err
	}
	if who.DryRun {
		d.Made = secret.Text{}
	}
	return d, nil
}

// UpdateWebhook replaces a webhook, at the revision that the operator has read. It keeps its
// secrets.
func (s *Service) UpdateWebhook(
	ctx context.Context, who Operator, id, revision int, spec WebhookSpec,
) (WebhookState, error) {
	found, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return WebhookState{}, err
	}
	spec.Secrets = nil
	detail, err := s.changeWebhook(s.inProgramOf(ctx, who, found, "change webhook"), id, revision,
		spec)
	if err != nil {
		return WebhookState{}, err
	}
	after := WebhookState{Webhook: detail.Webhook}
	err = s.store.View(ctx, func(r store.Tx) error {
		var err error
		after, err = stateOf(r, detail.Webhook)
		return err
	})
	return after, toFault(err)
}

// inProgramOf runs an act in the program of a webhook.
func (s *Service) inProgramOf(
	ctx context.Context, who Operator, hook subscription.Webhook, act string,
) runner {
	return func(fn func(*writeTx) error) error {
		return s.inProgram(ctx, who, hook.ProgramID, act, fn)
	}
}

// RotateWebhookSecret gives a webhook a new secret, which is shown once. What is sent is signed
// with the one before, too, until the webhook is rotated again. The revision may be 0 for any.
func (s *Service) RotateWebhookSecret(
	ctx context.Context, who Operator, id, revision int,
) (WebhookDetail, error) {
	found, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return WebhookDetail{}, err
	}
	made, err := subscription.NewSecret(s.Secrets)
	if err != nil {
		return WebhookDetail{}, err
	}
	detail := WebhookDetail{Made: secret.New(made)}
	sealed, err := s.vault.SealWebhookSecret(detail.Made, found.ProgramID)
	if err != nil {
		return WebhookDetail{}, err
	}
	const act = "rotate webhook secret"
	err = s.inProgram(ctx, who, found.ProgramID, act, func(w *writeTx) error {
		before, err := w.findWebhook(id, revision)
		if err != nil {
			return err
		}
		after := before
		kept := before.Secrets[max(0, len(before.Secrets)-subscription.MaxSecrets+1):]
		after.Secrets = append(slices.Clone(kept), sealed)
		if err := w.tx.Webhooks().Put(&after, 0); err != nil {
			return err
		}
		detail.Webhook = after
		return w.auditWebhook(act, before, after)
	})
	return detail.kept(who, err)
}

// RemoveWebhook ends a subscription, with the deliveries that have not succeeded.
func (s *Service) RemoveWebhook(ctx context.Context, who Operator, id, revision int) error {
	found, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return err
	}
	return s.inProgram(ctx, who, found.ProgramID, "delete webhook", func(w *writeTx) error {
		return w.deleteWebhook(id, revision)
	})
}

// StartReplay has a webhook sent events again: see Replay.
func (s *Service) StartReplay(
	ctx context.Context, who Operator, id int, req ReplayRequest,
) (subscription.Replay, error) {
	found, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return subscription.Replay{}, err
	}
	return s.replay(ctx, s.inProgramOf(ctx, who, found, "replay"), found.ProgramID, id, req)
}

// mostReplays is how many replays of a webhook are listed.
const mostReplays = 1000

// Replays returns a page of the replays of a webhook, newest first.
func (s *Service) Replays(
	ctx context.Context, who Operator, id int, page Page,
) (items []subscription.Replay, last string, err error) {
	err = s.viewWebhook(ctx, who, id, func(r store.Tx, _ subscription.Webhook) error {
		all, err := r.Replays().List(id, mostReplays)
		if err != nil {
			return err
		}
		// The key grows along the list, as pageBy has it.
		older := func(one subscription.Replay) int { return -one.ID }
		items, last = pageByNumber(all, page, older)
		return nil
	})
	return items, last, err
}
