package sqlstore

import (
	"context"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// tx is a store.Tx on a session. The parts of the contract are views of it, each in the file of its
// table.
type tx struct {
	session db.Session
	fn      func(store.Tx) error // the closure
	reads   *db.ReadOnly         // stands between a Read or View and its session; nil in an Update
	noTime  error                // why the time of the transaction could not be had

	ctx   context.Context // of a Read
	batch *batcher        // of a Read; nil where lookups are not batched
}

var _ store.Tx = (*tx)(nil)

// Reading returns a read-only transaction on a session, for package examine.
func Reading(s db.Session) store.Tx { return &tx{session: &db.ReadOnly{Session: s}} }

// runClosure runs the closure in a session, which is another one when it runs again. When the time
// of the transaction could not be read, that is the error, because the closure has decided with a
// zero time.
func (t *tx) runClosure(s db.Session) error {
	t.session, t.noTime = s, nil
	if t.reads != nil {
		t.reads.Session = s
		t.session = t.reads
	}
	err := t.fn(t)
	if t.noTime != nil {
		return t.noTime
	}
	return err
}

func (t *tx) Banks() store.Banks               { return banks{t} }
func (t *tx) Programs() store.Programs         { return programs{t} }
func (t *tx) Customers() store.Customers       { return customers{t} }
func (t *tx) Accounts() store.Accounts         { return accounts{t} }
func (t *tx) Access() store.Access             { return access{t} }
func (t *tx) Documents() store.Documents       { return documents{t} }
func (t *tx) Keys() store.Keys                 { return keys{t} }
func (t *tx) Issuance() store.Issuance         { return issuance{t} }
func (t *tx) PANs() store.PANs                 { return pans{t} }
func (t *tx) Attempts() store.Attempts         { return attempts{t} }
func (t *tx) Orders() store.Orders             { return orders{t} }
func (t *tx) Audit() store.Audit               { return auditLog{t} }
func (t *tx) Idempotency() store.Idempotency   { return idempotency{t} }
func (t *tx) Leases() store.Leases             { return leases{t} }
func (t *tx) Installation() store.Installation { return installation{t} }

// Cards are batched in a Read on an engine whose lookups are worth batching.
func (t *tx) Cards() store.Cards {
	if t.batch != nil {
		return batchedCards{cards{t}}
	}
	return cards{t}
}

// Now is the time of the transaction.
func (t *tx) Now() time.Time {
	now, err := t.session.Now()
	if err != nil {
		t.noTime = t.session.Fail(err)
	}
	return now
}

// find runs a query for one row, and is store.ErrNotFound without one.
func (t *tx) find(into []any, text string, args ...any) error {
	found, err := db.Find(t.session, into, text, args...)
	if err == nil && !found {
		return store.ErrNotFound
	}
	return err
}
