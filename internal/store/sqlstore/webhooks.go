package sqlstore

import (
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// webhooks implements store.Webhooks on the tables webhooks and webhook_endpoints.
type webhooks struct{ *tx }

const (
	webhookColumns = `webhook_id, program_id, name, url, types, secrets, paused, paused_because,
		created_at, earlier_types, revision`

	findWebhook = `SELECT ` + webhookColumns + ` FROM webhooks
		WHERE webhook_id = $1 AND deleted_at IS NULL`
	listWebhooks = `SELECT ` + webhookColumns + ` FROM webhooks
		WHERE ($1 = 0 OR program_id = $1) AND deleted_at IS NULL ORDER BY webhook_id`
)

func scanWebhook(row db.Scan) (subscription.Webhook, error) {
	var w subscription.Webhook
	err := row(&w.ID, &w.ProgramID, &w.Name, &w.URL, db.JSON{To: &w.Types},
		db.JSON{To: &w.Secrets}, &w.Paused, &w.PausedBecause, db.Time{To: &w.Created},
		db.JSON{To: &w.Earlier}, &w.Revision)
	return w, err
}

// Find returns a webhook of any program.
func (t webhooks) Find(id int) (subscription.Webhook, error) {
	return db.One(t.session, scanWebhook, findWebhook, id)
}

// List returns the webhooks of a program, or of all programs for 0.
func (t webhooks) List(programID int) ([]subscription.Webhook, error) {
	return db.List(t.session, scanWebhook, listWebhooks, programID)
}

// A webhook that has accepted all events is not failing, whatever its last attempts were.
const countTrouble = `SELECT c.program_id, COUNT(*), 0 FROM orders o JOIN cards c ON c.card_id = o.card_id
		WHERE o.state = 'failed' AND o.dropped_at IS NULL
		GROUP BY c.program_id
	UNION ALL
	SELECT w.program_id, 0, COUNT(*) FROM webhooks w
		WHERE w.paused_because <> '' OR NOT w.paused AND EXISTS (
			SELECT 1 FROM deliveries d WHERE d.webhook_id = w.webhook_id
				AND (d.state = 'dead' OR d.since < $1 OR (
					SELECT COUNT(*) >= 2 AND MIN(a.error) <> '' FROM (
						SELECT b.error FROM delivery_attempts b WHERE b.webhook_id = w.webhook_id
						ORDER BY b.attempt_id DESC LIMIT 3) a)))
		GROUP BY w.program_id`

// CountTrouble counts the failed orders and the failing webhooks.
func (t webhooks) CountProblems(keptBefore time.Time) ([]store.ProblemCount, error) {
	return db.List(t.session, func(row db.Scan) (store.ProblemCount, error) {
		var trouble store.ProblemCount
		err := row(&trouble.ProgramID, &trouble.FailedOrders, &trouble.Webhooks)
		return trouble, err
	}, countTrouble, keptBefore.UnixMilli())
}

const (
	insertWebhook = `INSERT INTO webhooks (program_id, name, url, types, secrets, paused,
			paused_because, created_at, earlier_types)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	insertEndpoint = `INSERT INTO webhook_endpoints (webhook_id, position) VALUES ($1, $2)`
	updateWebhook  = `UPDATE webhooks SET program_id = $1, name = $2, url = $3, types = $4,
			secrets = $5, paused = $6, paused_because = $7, created_at = $8, earlier_types = $9,
			revision = revision + 1
		WHERE webhook_id = $10 AND revision = $11 AND deleted_at IS NULL`
)

var webhookID = db.Serial{Table: "webhooks", Column: "webhook_id"}

// Put sets the ID and the revision of the webhook only after everything is written.
func (t webhooks) Put(w *subscription.Webhook, position int) error {
	lists, err := db.JSONTexts(w.Types, w.Secrets, w.Earlier)
	if err != nil {
		return t.session.Fail(err)
	}
	args := []any{w.ProgramID, w.Name, w.URL, lists[0], lists[1], w.Paused, w.PausedBecause,
		db.Millis(w.Created), lists[2]}
	if w.Revision != 0 {
		err := t.session.Change(updateWebhook, append(args, w.ID, w.Revision)...)
		if err == nil {
			w.Revision++
		}
		return err
	}
	id, err := t.session.Insert(webhookID, insertWebhook, args...)
	if err == nil {
		err = t.session.Write(insertEndpoint, id, position)
	}
	if err == nil {
		w.ID, w.Revision = id, 1
	}
	return err
}

const (
	deleteReplays  = `DELETE FROM webhook_replays WHERE webhook_id = $1`
	deleteEndpoint = `DELETE FROM webhook_endpoints WHERE webhook_id = $1`
	// The row stays as long as deliveries and attempts refer to it. Its name can be used again.
	deleteWebhook = `UPDATE webhooks SET deleted_at = $1, name = 'deleted webhook ' || webhook_id,
			url = '-', secrets = '[]', paused = TRUE, paused_because = '', revision = revision + 1
		WHERE webhook_id = $2 AND revision = $3 AND deleted_at IS NULL`
)

// Delete removes a webhook. Without an endpoint no node delivers to it.
func (t webhooks) Delete(w subscription.Webhook) error {
	now, err := t.session.Now()
	if err != nil {
		return t.session.Fail(err)
	}
	for _, text := range []string{deleteReplays, deleteEndpoint} {
		if err := t.session.Write(text, w.ID); err != nil {
			return err
		}
	}
	return t.session.Change(deleteWebhook, now.UnixMilli(), w.ID, w.Revision)
}

const (
	listDeleted        = `SELECT webhook_id FROM webhooks WHERE deleted_at IS NOT NULL ORDER BY webhook_id`
	deleteDeliveriesOf = `DELETE FROM deliveries WHERE webhook_id = $1 AND event IN (
		SELECT event FROM deliveries WHERE webhook_id = $1 ORDER BY event LIMIT 0 + $2)`
	deleteAttemptsOf = `DELETE FROM delivery_attempts WHERE attempt_id IN (
		SELECT attempt_id FROM delivery_attempts WHERE webhook_id = $1 ORDER BY attempt_id
		LIMIT 0 + $2)`
	deleteEmptyWebhook = `DELETE FROM webhooks WHERE webhook_id = $1`
)

// DeleteRemains deletes deliveries and attempts of the first deleted webhooks, and the row of each
// webhook that has none left.
func (t webhooks) DeleteRemains(limit int) (int, error) {
	deleted, err := db.List(t.session, scanNumber, listDeleted)
	if err != nil {
		return 0, t.session.Fail(err)
	}
	most := 0
	for _, id := range deleted {
		deliveries, err := t.session.Exec(deleteDeliveriesOf, id, limit-most)
		if err != nil {
			return 0, err
		}
		attempts, err := t.session.Exec(deleteAttemptsOf, id, limit-most)
		if err != nil {
			return 0, err
		}
		most += int(max(deliveries, attempts))
		if most >= limit {
			break
		}
		// A node of an earlier version may have started a replay.
		for _, text := range []string{deleteReplays, deleteEndpoint, deleteEmptyWebhook} {
			if err := t.session.Write(text, id); err != nil {
				return 0, err
			}
		}
	}
	return most, nil
}
