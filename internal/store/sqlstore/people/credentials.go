package people

import (
	"mintmark/internal/domain/operator"
	"mintmark/internal/store/sqlstore/db"
)

// Credentials are the rows of the table operator_credentials.
type Credentials struct{ Session db.Session }

const findCredential = `SELECT operator_id, password, totp, last_step
	FROM operator_credentials WHERE operator_id = $1`

// Find returns what a person signs in with.
func (t Credentials) Find(personID int) (operator.Credential, error) {
	return one(db.List(t.Session, func(row db.Scan) (operator.Credential, error) {
		var c operator.Credential
		err := row(&c.PersonID, &c.Password, &c.TOTP, &c.LastStep)
		return c, err
	}, findCredential, personID))
}

const (
	putCredential = `INSERT INTO operator_credentials (operator_id, password, totp, last_step)
		VALUES ($1, $2, $3, $4) ON CONFLICT (operator_id) DO UPDATE
		SET password = excluded.password, totp = excluded.totp, last_step = excluded.last_step`
	// A code that was used meanwhile has changed the step, and another password the hash.
	changeStep = `UPDATE operator_credentials SET last_step = $1
		WHERE operator_id = $2 AND last_step = $3 AND password = $4`
	deleteCredential = `DELETE FROM operator_credentials WHERE operator_id = $1`
)

// Put inserts or replaces a credential.
func (t Credentials) Put(c operator.Credential) error {
	return t.Session.Write(putCredential, c.PersonID, c.Password, db.OrNull(c.TOTP), c.LastStep)
}

// Change stores the step of the last code that was used.
func (t Credentials) Change(before operator.Credential, step int64) error {
	return t.Session.Change(changeStep, step, before.PersonID, before.LastStep, before.Password)
}

// Delete removes a credential.
func (t Credentials) Delete(personID int) error {
	return t.Session.Write(deleteCredential, personID)
}

// Invitations are the rows of the table invitations.
type Invitations struct{ Session db.Session }

const (
	findInvitation = `SELECT digest, operator_id, totp, expires_at FROM invitations
		WHERE digest = $1`
	putInvitation = `INSERT INTO invitations (operator_id, digest, totp, expires_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT (operator_id) DO UPDATE
		SET digest = excluded.digest, totp = excluded.totp, expires_at = excluded.expires_at`
	deleteInvitation = `DELETE FROM invitations WHERE operator_id = $1`
)

// Find returns the invitation of a link.
func (t Invitations) Find(digest []byte) (operator.Invitation, error) {
	return one(db.List(t.Session, func(row db.Scan) (operator.Invitation, error) {
		var i operator.Invitation
		err := row(&i.Digest, &i.PersonID, &i.TOTP, db.Time{To: &i.Expires})
		return i, err
	}, findInvitation, digest))
}

// Put inserts the invitation of a person, or replaces it.
func (t Invitations) Put(i operator.Invitation) error {
	return t.Session.Write(putInvitation, i.PersonID, i.Digest, i.TOTP, db.Millis(i.Expires))
}

// Delete removes the invitation of a person.
func (t Invitations) Delete(personID int) error {
	return t.Session.Write(deleteInvitation, personID)
}
