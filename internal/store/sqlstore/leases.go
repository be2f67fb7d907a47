package sqlstore

import (
	"fmt"

	"mintmark/internal/store"
)

// One statement takes, renews and refuses, so that two nodes cannot both find a lease free.
const putLease = `INSERT INTO leases (name, holder, until_at) VALUES ($1, $2, $3)
	ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
	WHERE leases.holder = excluded.holder OR leases.until_at <= $4`

// PutLease goes by the time of the transaction.
func (t *tx) PutLease(l store.Lease) error {
	now, err := t.began()
	if err != nil {
		return t.failed(err)
	}
	changed, err := t.session.exec(t.ctx, putLease, l.Name, l.Holder, millis(l.Until),
		now.UnixMilli())
	if err == nil && changed == 0 {
		err = fmt.Errorf("lease %q: %w", l.Name, store.ErrExists)
	}
	return t.failed(err)
}

const deleteLease = `DELETE FROM leases WHERE name = $1 AND holder = $2`

func (t *tx) DropLease(name, holder string) error {
	changed, err := t.session.exec(t.ctx, deleteLease, name, holder)
	if err == nil && changed == 0 {
		err = fmt.Errorf("lease %q: %w", name, store.ErrNotFound)
	}
	return t.failed(err)
}
