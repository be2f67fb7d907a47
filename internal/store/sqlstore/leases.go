package sqlstore

import (
	"fmt"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// One statement acquires, renews or rejects a lease, so that two nodes cannot both find it free.
const putLease = `INSERT INTO leases (name, holder, until_at) VALUES ($1, $2, $3)
	ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
	WHERE leases.holder = excluded.holder OR leases.until_at <= $4`

// PutLease compares the ends of leases with the time of the transaction.
func (j jobs) PutLease(lease store.Lease) error {
	now, err := j.session.Now()
	if err != nil {
		return j.session.Fail(err)
	}
	changed, err := j.session.Exec(putLease, lease.Name, lease.Holder, db.Millis(lease.Until),
		now.UnixMilli())
	if err == nil && changed == 0 {
		err = fmt.Errorf("lease %q: %w", lease.Name, store.ErrExists)
	}
	return j.session.Fail(err)
}

const deleteLease = `DELETE FROM leases WHERE name = $1 AND holder = $2`

// DeleteLease releases a lease if holder has it.
func (j jobs) DeleteLease(name, holder string) error {
	changed, err := j.session.Exec(deleteLease, name, holder)
	if err == nil && changed == 0 {
		err = fmt.Errorf("lease %q: %w", name, store.ErrNotFound)
	}
	return j.session.Fail(err)
}
