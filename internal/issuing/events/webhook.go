package events

import (
	"context"
	"fmt"
	"slices"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// WebhookSpec is a webhook as an operator requests it.
type WebhookSpec struct {
	Name    string // defaults to the URL
	URL     string
	Types   event.Filter  // empty for all
	Secrets []secret.Text // empty to generate one, or to keep those that are stored
	Paused  bool
}

// WebhookDetail is a stored webhook, with the secret that is shown to the operator once.
type WebhookDetail struct {
	subscription.Webhook
	NewSecret secret.Text // the generated secret, to be shown once; zero if none was generated
}

// CreateWebhook subscribes a program to events from now on.
func (s *Service) CreateWebhook(
	ctx context.Context, who issuing.Operator, programID int, spec WebhookSpec,
) (WebhookDetail, error) {
	var detail WebhookDetail
	if len(spec.Secrets) == 0 {
		key, err := subscription.NewSecret(s.Secrets)
		if err != nil {
			return WebhookDetail{}, err
		}
		detail.NewSecret = secret.New(key)
		spec.Secrets = []secret.Text{detail.NewSecret}
	}
	in := issuing.InProgram(programID)
	err := s.Act(ctx, who, in, "create webhook", func(tx *issuing.Tx) error {
		hook := subscription.Webhook{ProgramID: programID, Created: tx.Now()}
		if err := fill(tx, &hook, spec); err != nil {
			return err
		}
		newest, err := store.NewestEvent(tx)
		if err != nil {
			return err
		}
		if err := tx.Webhooks().Put(&hook, newest); err != nil {
			return err
		}
		detail.Webhook = hook
		return auditWebhook(tx, subscription.Webhook{}, hook)
	})
	return detail.shown(who, err)
}

// shown returns the result of an act. A dry run stores no secret, so it shows none.
func (d WebhookDetail) shown(who issuing.Operator, err error) (WebhookDetail, error) {
	if err != nil {
		return WebhookDetail{}, err
	}
	if who.DryRun {
		d.NewSecret = secret.Text{}
	}
	return d, nil
}

// ChangeWebhook replaces a webhook at the revision that the operator read. The webhook keeps its
// secrets if the operator gives none. After a pause it is sent the events that happened meanwhile.
func (s *Service) ChangeWebhook(
	ctx context.Context, who issuing.Operator, id, revision int, spec WebhookSpec,
) (WebhookState, error) {
	hook, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return WebhookState{}, err
	}
	var after subscription.Webhook
	in := issuing.InProgram(hook.ProgramID)
	err = s.Act(ctx, who, in, "change webhook", func(tx *issuing.Tx) error {
		before, err := findWebhook(tx, id, revision)
		if err != nil {
			return err
		}
		after = before
		after.PausedBecause = ""
		if err := fill(tx, &after, spec); err != nil {
			return err
		}
		if err := tx.Webhooks().Put(&after, 0); err != nil {
			return err
		}
		return auditWebhook(tx, before, after)
	})
	if err != nil {
		return WebhookState{}, err
	}
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (WebhookState, error) {
		return stateOf(r, after)
	})
}

// RotateWebhookSecret gives a webhook a new secret, which is shown once. Events are also signed
// with the previous one, until the webhook is rotated again. revision may be 0 for any.
func (s *Service) RotateWebhookSecret(
	ctx context.Context, who issuing.Operator, id, revision int,
) (WebhookDetail, error) {
	hook, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return WebhookDetail{}, err
	}
	key, err := subscription.NewSecret(s.Secrets)
	if err != nil {
		return WebhookDetail{}, err
	}
	detail := WebhookDetail{NewSecret: secret.New(key)}
	sealed, err := s.Vault.SealWebhookSecret(detail.NewSecret, hook.ProgramID)
	if err != nil {
		return WebhookDetail{}, err
	}
	in := issuing.InProgram(hook.ProgramID)
	err = s.Act(ctx, who, in, "rotate webhook secret", func(tx *issuing.Tx) error {
		before, err := findWebhook(tx, id, revision)
		if err != nil {
			return err
		}
		after := before
		kept := before.Secrets[max(0, len(before.Secrets)-subscription.MaxSecrets+1):]
		after.Secrets = append(slices.Clone(kept), sealed)
		if err := tx.Webhooks().Put(&after, 0); err != nil {
			return err
		}
		detail.Webhook = after
		return auditWebhook(tx, before, after)
	})
	return detail.shown(who, err)
}

// DeleteWebhook ends a subscription, with the deliveries that have not succeeded. PurgeDeliveries
// deletes their rows.
func (s *Service) DeleteWebhook(ctx context.Context, who issuing.Operator, id, revision int) error {
	hook, err := s.webhookInScope(ctx, who, id)
	if err != nil {
		return err
	}
	in := issuing.InProgram(hook.ProgramID)
	return s.Act(ctx, who, in, "delete webhook", func(tx *issuing.Tx) error {
		before, err := findWebhook(tx, id, revision)
		if err != nil {
			return err
		}
		if err := tx.Webhooks().Delete(before); err != nil {
			return err
		}
		return auditWebhook(tx, before, subscription.Webhook{})
	})
}

// fill sets a webhook to what an operator requests, or returns the problems of the request. An
// unchanged URL is not checked again: the address may have been closed since.
func fill(tx *issuing.Tx, hook *subscription.Webhook, spec WebhookSpec) error {
	sameURL := hook.ID != 0 && spec.URL == hook.URL
	hook.Name, hook.URL = spec.Name, spec.URL
	if hook.ID == 0 {
		hook.Types = spec.Types
	} else {
		newest, err := store.NewestEvent(tx)
		if err != nil {
			return err
		}
		hook.ChangeTypes(spec.Types, newest, tx.Now())
	}
	hook.Paused = spec.Paused
	if hook.Name == "" {
		hook.Name = spec.URL
	}
	var wrong problem.List
	if len(spec.Secrets) > 0 {
		hook.Secrets = nil
	}
	for i, text := range spec.Secrets {
		if odd := subscription.CheckSecret(text.Reveal()); odd != "" {
			wrong.Add(fmt.Sprintf("secrets[%d]", i), "%s", odd)
			continue
		}
		sealed, err := tx.Service.Vault.SealWebhookSecret(text, hook.ProgramID)
		if err != nil {
			return err
		}
		hook.Secrets = append(hook.Secrets, sealed)
	}
	if odd := reach(tx.Service).CheckURL(spec.URL); odd != "" && !sameURL {
		wrong.Add("url", "%s", odd)
	}
	if len(wrong) == 0 {
		wrong = problem.Check(*hook)
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	others, err := tx.Webhooks().List(hook.ProgramID)
	for _, other := range others {
		if other.ID != hook.ID && other.Name == hook.Name {
			return issuing.Refuse(fmt.Sprintf("Webhook %d has this name already.", other.ID))
		}
	}
	return err
}
