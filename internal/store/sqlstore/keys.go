package sqlstore

import (
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// keys implements store.Keys on the tables api_keys, retired_secrets, key_uses and access_revision.
type keys struct{ *tx }

// secretText is a secret of a key in JSON: its digest in base64, and its expiry in milliseconds
// since 1970, which is absent if the secret never expires.
type secretText struct {
	Digest  []byte `json:"digest"`
	Expires *int64 `json:"expires,omitempty"`
}

// Every node reads all keys, which are few, so no query reads a single key.
const listKeys = `SELECT name, program_id, version, secrets, allow_list, per_second, burst,
		compatibility, revoked_at, label, revision
	FROM api_keys ORDER BY name`

func (t keys) List() ([]apikey.Key, error) {
	return db.List(t.session, scanKey, listKeys)
}

func scanKey(row db.Scan) (apikey.Key, error) {
	var k apikey.Key
	var secrets []secretText
	err := row(&k.Name, &k.ProgramID, &k.Version, db.JSON{To: &secrets}, db.JSON{To: &k.Allow},
		&k.PerSecond, &k.Burst, db.JSON{To: &k.Compatibility}, db.Time{To: &k.Revoked},
		&k.Label, &k.Revision)
	for _, kept := range secrets {
		secret := apikey.Secret{Digest: kept.Digest}
		if kept.Expires != nil {
			secret.Expires = time.UnixMilli(*kept.Expires).UTC()
		}
		k.Secrets = append(k.Secrets, secret)
	}
	return k, err
}

// Revision reads a single row, because every node calls it several times a second.
func (t keys) Revision() (int64, error) {
	var revision int64
	err := t.find([]any{&revision}, `SELECT revision FROM access_revision`)
	return revision, err
}

const (
	insertKey = `INSERT INTO api_keys (name, program_id, version, secrets, allow_list, per_second,
			burst, compatibility, revoked_at, label)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	updateKey = `UPDATE api_keys SET program_id = $2, version = $3, secrets = $4, allow_list = $5,
			per_second = $6, burst = $7, compatibility = $8, revoked_at = $9,
			label = $10, revision = revision + 1
		WHERE name = $1 AND revision = $11`
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
	lists, err := db.JSONTexts(secrets, k.Allow, k.Compatibility)
	if err != nil {
		return t.session.Fail(err)
	}
	err = db.Put(t.session, k.Revision, insertKey, updateKey, k.Name, k.ProgramID, k.Version,
		lists[0],
		lists[1], k.PerSecond, k.Burst, lists[2], db.Millis(k.Revoked), k.Label)
	if err != nil {
		return err
	}
	return t.session.Fail(t.session.Change(countAccess))
}

func (t keys) HasRetiredSecret(digest []byte) (bool, error) {
	var count int
	err := t.find([]any{&count}, `SELECT COUNT(*) FROM retired_secrets WHERE digest = $1`, digest)
	return count > 0, err
}

// A secret that is retired twice keeps the time of the first retirement.
const putRetiredSecret = `INSERT INTO retired_secrets (digest, key_name, retired_at)
	VALUES ($1, $2, $3) ON CONFLICT (digest) DO NOTHING`

func (t keys) PutRetiredSecret(s store.RetiredSecret) error {
	return t.session.Write(putRetiredSecret, s.Digest, s.KeyName, db.Millis(s.At))
}

type keyUse struct {
	name string
	at   time.Time
}

func scanKeyUse(row db.Scan) (keyUse, error) {
	var u keyUse
	err := row(&u.name, db.Time{To: &u.at})
	return u, err
}

const listKeyUses = `SELECT key_name, used_at FROM key_uses ORDER BY key_name`

func (t keys) ListUses() (map[string]time.Time, error) {
	keyUses, err := db.List(t.session, scanKeyUse, listKeyUses)
	if err != nil {
		return nil, err
	}
	uses := make(map[string]time.Time, len(keyUses))
	for _, k := range keyUses {
		uses[k.name] = k.at
	}
	return uses, nil
}

// Nodes write concurrently, so the later use wins.
const putKeyUse = `INSERT INTO key_uses (key_name, used_at) VALUES ($1, $2)
	ON CONFLICT (key_name) DO UPDATE SET used_at = excluded.used_at
		WHERE key_uses.used_at < excluded.used_at`

func (t keys) PutUse(name string, at time.Time) error {
	return t.session.Write(putKeyUse, name, db.Millis(at))
}
