package sqlstore

import (
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// installation implements store.Installation on the table of that name. Its one row is written when
// the database is assigned to an environment.
type installation struct{ *tx }

const (
	findInstallation = `SELECT environment, keyset_fingerprint, pin_key_fingerprint, made_at
		FROM installation WHERE one_row = 1`
	putInstallation = `INSERT INTO installation (one_row, environment, keyset_fingerprint,
			pin_key_fingerprint, made_at)
		VALUES (1, $1, $2, $3, $4)
		ON CONFLICT (one_row) DO UPDATE SET environment = excluded.environment,
			keyset_fingerprint = excluded.keyset_fingerprint,
			pin_key_fingerprint = excluded.pin_key_fingerprint, made_at = excluded.made_at`
)

func installationInto(i *store.InstallationRecord) []any {
	return []any{&i.Environment, &i.Keyset, &i.PinKey, db.Time{To: &i.Made}}
}

func (t installation) Find() (store.InstallationRecord, error) {
	return findOne(t.tx, installationInto, findInstallation)
}

func (t installation) Put(i store.InstallationRecord) error {
	return t.session.Write(putInstallation,
		string(i.Environment), i.Keyset, i.PinKey, db.Millis(i.Made))
}
