package e2e

import (
	"syscall"
	"testing"

	"mintmark/e2e/ledger"
)

// TestOldPinsAreDestroyed starts production on a database in which a PIN has waited for the card
// processor since 1970. The server destroys the PIN, and leaves an audit row and a log line.
func TestOldPinsAreDestroyed(t *testing.T) {
	t.Parallel()
	production := newProduction(t)
	data := production.data
	_, err := ledger.Open(t, data).ExecContext(t.Context(),
		`INSERT INTO orders (card_id, kind, sealed_pin, created_at, state)
			VALUES (5001, 'pin', 'old', 1, 'held')`)
	if err != nil {
		t.Fatal(err)
	}
	p := production.serve()
	const left = `SELECT count(*) FROM orders WHERE sealed_pin IS NOT NULL`
	p.log.awaitText(t, `"level":"WARN","msg":"PINs destroyed`)
	same(t, "PINs that are left", query(t, data, left), "0")
	same(t, "the order is over", query(t, data,
		`SELECT count(*) FROM orders WHERE created_at = 1 AND pin_expired_at > 1`), "1")
	same(t, "the trail", query(t, data, `SELECT count(*) FROM audit WHERE card_id = 5001
		AND actor_kind = 'job' AND key_name = 'destroy old PINs'
		AND outcome = 'PIN expired'`), "1")
	if code := p.end(syscall.SIGTERM); code != 0 {
		t.Errorf("the program ends with %d", code)
	}
}
