package events

import (
	"encoding/json"
	"fmt"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// reach returns the addresses that webhooks may reach.
func reach(s *issuing.Service) subscription.Reach {
	reach := subscription.Reach{Sandbox: s.Mode == card.Sandbox}
	if s.WebhooksAllow != nil {
		reach.Allow = s.WebhooksAllow()
	}
	return reach
}

// findWebhook returns a webhook of the caller's program at a revision, 0 for any.
func findWebhook(tx *issuing.Tx, id, revision int) (subscription.Webhook, error) {
	hook, err := tx.Webhooks().Find(id)
	if err == nil && hook.ProgramID != tx.Caller.ProgramID {
		err = store.ErrNotFound
	}
	if err == nil {
		err = issuing.CheckRevisionIf("it", hook.Revision, revision)
	}
	if err != nil {
		return subscription.Webhook{}, fmt.Errorf("webhook %d: %w", id, err)
	}
	return hook, nil
}

// auditWebhook stores the entry of an act on a webhook. Either state may be the zero value.
func auditWebhook(tx *issuing.Tx, before, after subscription.Webhook) error {
	e := audit.Entry{
		Subject: audit.Of(audit.Webhook, max(before.ID, after.ID)), Outcome: issuing.OutcomeChanged,
	}
	switch {
	case before.ID == 0:
		e.Outcome = issuing.OutcomeCreated
	case after.ID == 0:
		e.Outcome = issuing.OutcomeDeleted
	}
	var err error
	e.Before, err = webhookText(before)
	if err != nil {
		return err
	}
	e.After, err = webhookText(after)
	if err != nil {
		return err
	}
	return tx.PutEntry(e)
}

// webhookText returns a webhook as the audit shows it: with the number of its secrets in place of
// the secrets, and without the query of its URL, which may hold a password.
func webhookText(w subscription.Webhook) (string, error) {
	if w.ID == 0 {
		return "", nil
	}
	text, err := json.Marshal(map[string]any{
		"name": subscription.WithoutQuery(w.Name), "url": subscription.WithoutQuery(w.URL), "types": w.Types,
		"secrets": len(w.Secrets), "paused": w.Paused, "pausedBecause": w.PausedBecause,
		"revision": w.Revision,
	})
	return string(text), err
}

// newDelivery returns the delivery of an event before its first attempt.
func newDelivery(webhookID int, e event.Event, now time.Time) subscription.Delivery {
	return subscription.Delivery{
		WebhookID: webhookID, Sequence: e.Sequence, Lane: e.Lane(), Type: e.Type,
		State: subscription.Waiting, Since: now,
	}
}
