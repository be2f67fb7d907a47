package sqlstore

import (
	"fmt"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// leases are the rows of the table leases.
type leases struct{ *tx }

// One statement takes, renews or refuses a lease, so that two nodes cannot both find it free.
const putLease = `INSERT INTO leases (name, holder, until_at) VALUES ($1, $2, $3)
	ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
	WHERE leases.holder = excluded.holder OR leases.until_at <= $4`

// Put compares leases with the time of the transaction.
func (t leases) Put(l store.Lease) error {
	now, err := t.session.Now()
	if err != nil {
		return t.session.Fail(err)
	}
	changed, err := t.session.Exec(putLease, l.Name, l.Holder, db.Millis(l.Until),
		now.UnixMilli())
	if err == nil && changed == 0 {
		err = fmt.Errorf("lease %q: %w", l.Name, store.ErrExists)
	}
	return t.session.Fail(err)
}

const deleteLease = `DELETE FROM leases WHERE name = $1 AND holder = $2`

func (t leases) Delete(name, holder string) error {
	changed, err := t.session.Exec(deleteLease, name, holder)
	if err == nil && changed == 0 {
		err = fmt.Errorf("lease %q: %w", name, store.ErrNotFound)
	}
	return t.session.Fail(err)
}
