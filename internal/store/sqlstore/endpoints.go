package sqlstore

import (
	"mintmark/internal/domain/subscription"
	"mintmark/internal/store/sqlstore/db"
)

const listEndpoints = `SELECT webhook_id, position, node, claimed_until FROM webhook_endpoints
	ORDER BY webhook_id`

// ListEndpoints returns the endpoints of all nodes, by webhook.
func (t webhooks) ListEndpoints() ([]subscription.Endpoint, error) {
	return db.List(t.session, func(row db.Scan) (subscription.Endpoint, error) {
		var e subscription.Endpoint
		err := row(&e.WebhookID, &e.Position, &e.Node, db.Time{To: &e.Until})
		return e, err
	}, listEndpoints)
}

// Another node may have changed the node or the end of its claim, so both are compared.
const changeEndpoint = `UPDATE webhook_endpoints SET node = $1, claimed_until = $2
	WHERE webhook_id = $3 AND node = $4 AND COALESCE(claimed_until, 0) = $5`

// ChangeEndpoint stores which node has claimed an endpoint, and until when.
func (t webhooks) ChangeEndpoint(before, after subscription.Endpoint) error {
	until := int64(0)
	if !before.Until.IsZero() {
		until = before.Until.UnixMilli()
	}
	return t.session.Change(changeEndpoint, after.Node, db.Millis(after.Until), before.WebhookID,
		before.Node, until)
}

// A position only increases: a worker that hung while its node lost the endpoint and claimed it
// again has an older one.
const putPosition = `UPDATE webhook_endpoints SET position = $1
	WHERE webhook_id = $2 AND node = $3 AND position <= $1`

// PutPosition stores the position that a node has reached.
func (t webhooks) PutPosition(webhookID int, node string, position int) error {
	return t.session.Change(putPosition, position, webhookID, node)
}
