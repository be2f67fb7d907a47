package sqlstore

import (
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store/sqlstore/db"
)

// tokens implements store.Tokens on the table operator_tokens.
type tokens struct{ *tx }

const (
	tokenColumns = `token_id, name, digest, roles, all_banks, banks, created_at, expires_at,
		revoked_at, last_used_at, owner_kind, owner_id, revision`

	findToken         = `SELECT ` + tokenColumns + ` FROM operator_tokens WHERE token_id = $1`
	findTokenByDigest = `SELECT ` + tokenColumns + ` FROM operator_tokens WHERE digest = $1`
	listTokens        = `SELECT ` + tokenColumns + ` FROM operator_tokens ORDER BY token_id`
)

func scanToken(row db.Scan) (operator.Token, error) {
	var t operator.Token
	err := row(&t.ID, &t.Name, &t.Digest, db.JSON{To: &t.Roles}, &t.Scope.All,
		db.JSON{To: &t.Scope.Banks}, db.Time{To: &t.Created}, db.Time{To: &t.Expires},
		db.Time{To: &t.Revoked}, db.Time{To: &t.LastUsed}, &t.Owner.Kind,
		&t.Owner.ID, &t.Revision)
	return t, err
}

func (t tokens) Find(id int) (operator.Token, error) {
	return db.One(t.session, scanToken, findToken, id)
}

// FindDigest returns a token by the digest of its secret.
func (t tokens) FindDigest(digest []byte) (operator.Token, error) {
	return db.One(t.session, scanToken, findTokenByDigest, digest)
}

// List returns all tokens, by ID.
func (t tokens) List() ([]operator.Token, error) {
	return db.List(t.session, scanToken, listTokens)
}

const (
	insertToken = `INSERT INTO operator_tokens (name, digest, roles, all_banks, banks, created_at,
			expires_at, revoked_at, owner_kind, owner_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	updateToken = `UPDATE operator_tokens SET name = $1, digest = $2, roles = $3, all_banks = $4,
			banks = $5, created_at = $6, expires_at = $7, revoked_at = $8,
			owner_kind = $9, owner_id = $10, revision = revision + 1
		WHERE token_id = $11 AND revision = $12`
	putTokenUse = `UPDATE operator_tokens SET last_used_at = $1 WHERE token_id = $2`
)

var tokenID = db.Serial{Table: "operator_tokens", Column: "token_id"}

// Put sets the ID and the revision of the token only after the row is written.
func (t tokens) Put(token *operator.Token) error {
	lists, err := db.JSONTexts(token.Roles, token.Scope.Banks)
	if err != nil {
		return t.session.Fail(err)
	}
	return putNumbered(t.session, numbered{
		id: &token.ID, revision: &token.Revision, serial: tokenID,
		insert: insertToken, update: updateToken,
	}, token.Name, token.Digest, lists[0], token.Scope.All, lists[1], db.Millis(token.Created),
		db.Millis(token.Expires), db.Millis(token.Revoked), string(token.Owner.Kind),
		token.Owner.ID)
}

// PutUse stores the time of a token's last use.
func (t tokens) PutUse(id int, at time.Time) error {
	return t.session.Change(putTokenUse, db.Millis(at), id)
}
