package events_test

import (
	"testing"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// remainsWatch counts the transactions that remove the remains of webhooks.
type remainsWatch struct {
	store.Tx
	removed *[]int
}

func (w remainsWatch) Webhooks() store.Webhooks { return watchedWebhooks{w.Tx.Webhooks(), w.removed} }

type watchedWebhooks struct {
	store.Webhooks
	removed *[]int
}

func (w watchedWebhooks) DeleteRemains(limit int) (int, error) {
	count, err := w.Webhooks.DeleteRemains(limit)
	*w.removed = append(*w.removed, count)
	return count, err
}

// TestDeletedWebhook deletes a webhook with many attempts: it is gone immediately, and the job
// removes the attempts in batches.
func TestDeletedWebhook(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Sandbox, Ending: issuingtest.Ending})
	hook, err := w.Events.CreateWebhook(t.Context(), issuingtest.Ada, 1,
		events.WebhookSpec{URL: "https://a.example"})
	if err != nil {
		t.Fatal(err)
	}
	attempts := func() (count int) {
		w.View(func(r store.Tx) error {
			all, err := r.Deliveries().ListAttempts(hook.ID, 0, 2000)
			count = len(all)
			return err
		})
		return count
	}
	w.Update(func(tx store.Tx) error {
		for i := range 1200 {
			err := tx.Deliveries().PutAttempt(subscription.Attempt{
				WebhookID: hook.ID, Sequence: i + 1, At: tx.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	var removed []int
	w.Through(func(tx store.Tx) store.Tx { return remainsWatch{tx, &removed} })
	if err := w.Events.DeleteWebhook(t.Context(), issuingtest.Ada, hook.ID, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Events.Webhook(t.Context(), issuingtest.Ada, hook.ID); err == nil {
		t.Error("a deleted webhook is found")
	}
	if got := attempts(); got != 1200 {
		t.Errorf("the act removes attempts: %d are left", got)
	}
	if err := w.Events.PurgeDeliveries(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := attempts(); got != 0 || len(removed) != 3 || removed[0] != 500 || removed[2] != 200 {
		t.Errorf("%d attempts are left, the transactions have removed %v", got, removed)
	}
}
