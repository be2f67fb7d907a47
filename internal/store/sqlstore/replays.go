package sqlstore

import (
	"mintmark/internal/domain/subscription"
	"mintmark/internal/store/sqlstore/db"
)

const (
	replayColumns = `replay_id, webhook_id, from_at, to_at, position, last_event, events, sent,
		created_at, ended_at, types`

	listReplays = `SELECT ` + replayColumns + ` FROM webhook_replays
		WHERE webhook_id = $1 ORDER BY replay_id DESC LIMIT 0 + $2`
	listOpenReplays = `SELECT ` + replayColumns + ` FROM webhook_replays
		WHERE ended_at IS NULL AND ($1 = 0 OR webhook_id = $1) ORDER BY replay_id`
)

func scanReplay(row db.Scan) (subscription.Replay, error) {
	var r subscription.Replay
	err := row(&r.ID, &r.WebhookID, db.Time{To: &r.From}, db.Time{To: &r.To}, &r.Position, &r.Last,
		&r.Count, &r.Sent, db.Time{To: &r.Created}, db.Time{To: &r.Ended},
		db.JSON{To: &r.Types})
	return r, err
}

// ListReplays returns the replays of a webhook, newest first.
func (t deliveries) ListReplays(webhookID, limit int) ([]subscription.Replay, error) {
	return db.List(t.session, scanReplay, listReplays, webhookID, limit)
}

// ListOpenReplays returns the replays of a webhook that have not ended, or those of all webhooks
// for 0.
func (t deliveries) ListOpenReplays(webhookID int) ([]subscription.Replay, error) {
	return db.List(t.session, scanReplay, listOpenReplays, webhookID)
}

const (
	insertReplay = `INSERT INTO webhook_replays (webhook_id, from_at, to_at, position, last_event,
			events, sent, created_at, ended_at, types)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	updateReplay = `UPDATE webhook_replays SET position = $1, sent = $2, ended_at = $3
		WHERE replay_id = $4`
)

var replayID = db.Serial{Table: "webhook_replays", Column: "replay_id"}

// PutReplay inserts a replay, or updates its progress.
func (t deliveries) PutReplay(r *subscription.Replay) error {
	if r.ID != 0 {
		return t.session.Change(updateReplay, r.Position, r.Sent, db.Millis(r.Ended), r.ID)
	}
	types, err := db.JSONText(r.Types)
	if err != nil {
		return t.session.Fail(err)
	}
	id, err := t.session.Insert(replayID, insertReplay, r.WebhookID, db.Millis(r.From),
		db.Millis(r.To), r.Position, r.Last, r.Count, r.Sent, db.Millis(r.Created),
		db.Millis(r.Ended), types)
	if err == nil {
		r.ID = id
	}
	return err
}
