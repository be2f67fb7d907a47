// Package webhooks holds the SQL of subscriptions to events: webhooks, the nodes that deliver to
// them, deliveries that have not succeeded, the attempts of some time, and replays. When a delivery
// is tried again is decided in package subscription, who delivers in package issuing.
package webhooks

import (
	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Webhooks are the rows of the table webhooks.
type Webhooks struct{ Session db.Session }

const (
	webhookColumns = `webhook_id, program_id, name, url, types, secrets, paused, paused_because,
		created_at, earlier_types, revision`

	findWebhook  = `SELECT ` + webhookColumns + ` FROM webhooks WHERE webhook_id = $1`
	listWebhooks = `SELECT ` + webhookColumns + ` FROM webhooks
		WHERE $1 = 0 OR program_id = $1 ORDER BY webhook_id`
)

func scanWebhook(row db.Scan) (subscription.Webhook, error) {
	var w subscription.Webhook
	err := row(&w.ID, &w.ProgramID, &w.Name, &w.URL, db.JSON{To: &w.Types},
		db.JSON{To: &w.Secrets}, &w.Paused, &w.PausedBecause, db.Time{To: &w.Created},
		db.JSON{To: &w.Earlier}, &w.Revision)
	return w, err
}

// one returns the first of some rows, and store.ErrNotFound when there is none.
func one[T any](found []T, err error) (T, error) {
	var none T
	if err != nil {
		return none, err
	}
	if len(found) == 0 {
		return none, store.ErrNotFound
	}
	return found[0], nil
}

// Find returns a webhook of any program.
func (t Webhooks) Find(id int) (subscription.Webhook, error) {
	return one(db.List(t.Session, scanWebhook, findWebhook, id))
}

// List returns the webhooks of a program, or of all.
func (t Webhooks) List(programID int) ([]subscription.Webhook, error) {
	return db.List(t.Session, scanWebhook, listWebhooks, programID)
}

const (
	insertWebhook = `INSERT INTO webhooks (program_id, name, url, types, secrets, paused,
			paused_because, created_at, earlier_types)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	insertEndpoint = `INSERT INTO webhook_endpoints (webhook_id, position) VALUES ($1, $2)`
	updateWebhook  = `UPDATE webhooks SET program_id = $1, name = $2, url = $3, types = $4,
			secrets = $5, paused = $6, paused_because = $7, created_at = $8, earlier_types = $9,
			revision = revision + 1
		WHERE webhook_id = $10 AND revision = $11`
)

// webhookID is the number of a webhook.
var webhookID = db.Serial{Table: "webhooks", Column: "webhook_id"}

// Put sets the number and the revision of the webhook only after everything is written.
func (t Webhooks) Put(w *subscription.Webhook, position int) error {
	lists, err := db.JSONTexts(w.Types, w.Secrets, w.Earlier)
	if err != nil {
		return t.Session.Fail(err)
	}
	args := []any{w.ProgramID, w.Name, w.URL, lists[0], lists[1], w.Paused, w.PausedBecause,
		db.Millis(w.Created), lists[2]}
	if w.Revision != 0 {
		err := t.Session.Change(updateWebhook, append(args, w.ID, w.Revision)...)
		if err == nil {
			w.Revision++
		}
		return err
	}
	id, err := t.Session.Insert(webhookID, insertWebhook, args...)
	if err == nil {
		err = t.Session.Write(insertEndpoint, id, position)
	}
	if err == nil {
		w.ID, w.Revision = id, 1
	}
	return err
}

const deleteWebhook = `DELETE FROM webhooks WHERE webhook_id = $1 AND revision = $2`

// deleteParts removes what belongs to a webhook, in the order that the foreign keys ask for.
var deleteParts = []string{
	`DELETE FROM webhook_replays WHERE webhook_id = $1`,
	`DELETE FROM delivery_attempts WHERE webhook_id = $1`,
	`DELETE FROM deliveries WHERE webhook_id = $1`,
	`DELETE FROM webhook_endpoints WHERE webhook_id = $1`,
}

// Delete removes a webhook with all that belongs to it.
func (t Webhooks) Delete(w subscription.Webhook) error {
	for _, text := range deleteParts {
		if err := t.Session.Write(text, w.ID); err != nil {
			return err
		}
	}
	return t.Session.Change(deleteWebhook, w.ID, w.Revision)
}
