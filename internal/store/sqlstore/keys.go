package sqlstore

import (
	"time"

	"mintmark/internal/apikey"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// keys are the rows of the tables api_keys and retired_secrets, and of access_revision.
type keys struct{ *tx }

// secretText is a secret of a key as JSON: its digest in base64 and its expiry in milliseconds
// since 1970, which is absent when the secret never expires.
type secretText struct {
	Digest  []byte `json:"digest"`
	Expires *int64 `json:"expires,omitempty"`
}

// Every node reads all keys, which are few, so no query reads a single one.
const listKeys = `SELECT name, program_id, version, secrets, allow_list, per_second, burst,
		compatibility, revoked_at
	FROM api_keys ORDER BY name`

func (t keys) List() ([]apikey.Key, error) {
	return db.List(t.session, scanKey, listKeys)
}

func scanKey(row db.Scan) (apikey.Key, error) {
	var k apikey.Key
	var secrets []secretText
	err := row(&k.Name, &k.ProgramID, &k.Version, db.JSON{To: &secrets}, db.JSON{To: &k.Allow},
		&k.PerSecond, &k.Burst, db.JSON{To: &k.Compatibility}, db.Time{To: &k.Revoked})
	for _, kept := range secrets {
		secret := apikey.Secret{Digest: kept.Digest}
		if kept.Expires != nil {
			secret.Expires = time.UnixMilli(*kept.Expires).UTC()
		}
		k.Secrets = append(k.Secrets, secret)
	}
	return k, err
}

// Every node asks for the revision several times a second, so it is one row.
func (t keys) Revision() (int64, error) {
	var revision int64
	err := t.find([]any{&revision}, `SELECT revision FROM access_revision`)
	return revision, err
}

const (
	putKey = `INSERT INTO api_keys (name, program_id, version, secrets, allow_list, per_second,
			burst, compatibility, revoked_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (name) DO UPDATE SET program_id = excluded.program_id,
			version = excluded.version, secrets = excluded.secrets,
			allow_list = excluded.allow_list, per_second = excluded.per_second,
			burst = excluded.burst, compatibility = excluded.compatibility,
			revoked_at = excluded.revoked_at`
	countAccess = `UPDATE access_revision SET revision = revision + 1`
)

func (t keys) Put(k apikey.Key) error {
	var secrets []secretText
	for _, secret := range k.Secrets {
		kept := secretText{Digest: secret.Digest}
		if !secret.Expires.IsZero() {
			expires := secret.Expires.UnixMilli()
			kept.Expires = &expires
		}
		secrets = append(secrets, kept)
	}
	secretList, err := db.JSONText(secrets)
	if err != nil {
		return t.fail(err)
	}
	allowList, err := db.JSONText(k.Allow)
	if err != nil {
		return t.fail(err)
	}
	compatibility, err := db.JSONText(k.Compatibility)
	if err != nil {
		return t.fail(err)
	}
	err = t.write(putKey, k.Name, k.ProgramID, k.Version, secretList, allowList,
		k.PerSecond, k.Burst, compatibility, db.Millis(k.Revoked))
	if err != nil {
		return err
	}
	return t.fail(t.change(countAccess))
}

func (t keys) HasRetiredSecret(digest []byte) (bool, error) {
	var count int
	err := t.find([]any{&count}, `SELECT COUNT(*) FROM retired_secrets WHERE digest = $1`, digest)
	return count > 0, err
}

// A secret that is retired twice keeps the time of the first.
const putRetiredSecret = `INSERT INTO retired_secrets (digest, key_name, retired_at)
	VALUES ($1, $2, $3) ON CONFLICT (digest) DO NOTHING`

func (t keys) PutRetiredSecret(s store.RetiredSecret) error {
	return t.write(putRetiredSecret, s.Digest, s.KeyName, db.Millis(s.At))
}
