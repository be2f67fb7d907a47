package issuing

import (
	"context"
	"fmt"
	"strconv"

	"mintmark/internal/audit"
	"mintmark/internal/event"
	"mintmark/internal/problem"
	"mintmark/internal/secret"
	"mintmark/internal/store"
	"mintmark/internal/subscription"
)

// WebhookSpec is a webhook as an operator wants it.
type WebhookSpec struct {
	Name    string // the URL when left out
	URL     string
	Types   event.Filter  // empty for all
	Secrets []secret.Text // empty to have one made, or to keep those that are stored
	Paused  bool
}

// WebhookDetail is what an act has stored, with what is shown to the operator once.
type WebhookDetail struct {
	subscription.Webhook
	Made    secret.Text // the secret that was made, to be shown once; zero when none was
	Warning string      // why deliveries will fail, as far as the URL tells
}

// CreateWebhook subscribes a program to events from now on.
func (s *Service) CreateWebhook(
	ctx context.Context, who Caller, spec WebhookSpec,
) (WebhookDetail, error) {
	return s.createWebhook(func(fn func(*writeTx) error) error {
		return s.update(ctx, who, fn)
	}, spec)
}

// runner runs a closure as the act of somebody in a program.
type runner func(func(*writeTx) error) error

func (s *Service) createWebhook(run runner, spec WebhookSpec) (WebhookDetail, error) {
	var detail WebhookDetail
	if len(spec.Secrets) == 0 {
		made, err := subscription.NewSecret(s.Secrets)
		if err != nil {
			return WebhookDetail{}, err
		}
		detail.Made = secret.New(made)
		spec.Secrets = []secret.Text{detail.Made}
	}
	err := run(func(w *writeTx) error {
		hook := subscription.Webhook{ProgramID: w.caller.ProgramID, Created: w.tx.Now()}
		if err := w.fill(&hook, spec); err != nil {
			return err
		}
		newest, err := newestEvent(w.tx)
		if err != nil {
			return err
		}
		if err := w.tx.Webhooks().Put(&hook, newest); err != nil {
			return err
		}
		detail.Webhook = hook
		return w.auditWebhook("create webhook", subscription.Webhook{}, hook)
	})
	detail.Warning = s.reach().Warning(spec.URL)
	return detail, err
}

// ChangeWebhook replaces a webhook, at the revision that the operator has read. A webhook that goes
// on after a pause is sent what has happened meanwhile.
func (s *Service) ChangeWebhook(
	ctx context.Context, who Caller, id, revision int, spec WebhookSpec,
) (WebhookDetail, error) {
	return s.changeWebhook(func(fn func(*writeTx) error) error {
		return s.update(ctx, who, fn)
	}, id, revision, spec)
}

func (s *Service) changeWebhook(
	run runner, id, revision int, spec WebhookSpec,
) (WebhookDetail, error) {
	detail := WebhookDetail{Warning: s.reach().Warning(spec.URL)}
	err := run(func(w *writeTx) error {
		before, err := w.findWebhook(id, revision)
		if err != nil {
			return err
		}
		after := before
		after.PausedBecause = ""
		if err := w.fill(&after, spec); err != nil {
			return err
		}
		if err := w.tx.Webhooks().Put(&after, 0); err != nil {
			return err
		}
		detail.Webhook = after
		return w.auditWebhook("change webhook", before, after)
	})
	return detail, err
}

// DeleteWebhook ends a subscription, with the deliveries that have not succeeded.
func (s *Service) DeleteWebhook(ctx context.Context, who Caller, id, revision int) error {
	return s.update(ctx, who, func(w *writeTx) error { return w.deleteWebhook(id, revision) })
}

func (w *writeTx) deleteWebhook(id, revision int) error {
	before, err := w.findWebhook(id, revision)
	if err != nil {
		return err
	}
	if err := w.tx.Webhooks().Delete(before); err != nil {
		return err
	}
	return w.auditWebhook("delete webhook", before, subscription.Webhook{})
}

// fill gives a webhook what an operator wants, or returns what is wrong with that.
func (w *writeTx) fill(hook *subscription.Webhook, spec WebhookSpec) error {
	hook.Name, hook.URL, hook.Types = spec.Name, spec.URL, spec.Types
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
		sealed, err := w.service.vault.SealWebhookSecret(text, hook.ProgramID)
		if err != nil {
			return err
		}
		hook.Secrets = append(hook.Secrets, sealed)
	}
	if odd := w.service.reach().CheckURL(spec.URL); odd != "" {
		wrong.Add("url", "%s", odd)
	}
	if len(wrong) == 0 {
		wrong = problem.Check(*hook)
	}
	others, err := w.tx.Webhooks().List(hook.ProgramID)
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.ID != hook.ID && other.Name == hook.Name {
			wrong.Add("name", "webhook %d has this name", other.ID)
		}
	}
	if len(wrong) > 0 {
		return &InvalidError{wrong}
	}
	return nil
}

// ResendDelivery has an event sent again, now: one that is dead, waits or was delivered. It keeps
// its identifier. When it waits behind another event of its card, that one is sent now.
func (s *Service) ResendDelivery(
	ctx context.Context, who Caller, id, sequence int,
) (subscription.Delivery, error) {
	var resent subscription.Delivery
	err := s.update(ctx, who, func(w *writeTx) error {
		var err error
		resent, err = w.resend(id, sequence)
		return err
	})
	return resent, err
}

func (w *writeTx) resend(id, sequence int) (subscription.Delivery, error) {
	none := subscription.Delivery{}
	hook, err := w.findWebhook(id, 0)
	if err != nil {
		return none, err
	}
	e, err := w.service.findEvent(w.tx, sequence)
	if err == nil && e.ProgramID != hook.ProgramID {
		err = fmt.Errorf("event %d: %w", sequence, store.ErrNotFound)
	}
	if err != nil {
		return none, err
	}
	resent := newDelivery(id, e, w.tx.Now())
	kept, err := w.tx.Deliveries().Find(id, sequence)
	fresh, err := isMissing(err)
	if err != nil {
		return none, err
	}
	if !fresh {
		resent = kept
	}
	first, err := w.tx.Lanes().List(id, e.Lane(), 1)
	if err != nil {
		return none, err
	}
	if len(first) > 0 && first[0].Sequence < sequence {
		err = w.tx.Deliveries().Put(first[0].Resend(w.tx.Now()))
		resent.State = subscription.Waiting
		if err != nil {
			return none, err
		}
	} else {
		resent = resent.Resend(w.tx.Now())
	}
	if err := w.tx.Deliveries().Put(resent); err != nil {
		return none, err
	}
	return resent, w.tx.Audit().Put(audit.Entry{
		At: w.tx.Now(), Actor: w.caller.Actor, Act: "resend", ProgramID: hook.ProgramID,
		Subject: audit.Of(audit.Webhook, id), Outcome: "event " + strconv.Itoa(sequence),
	})
}
