package sqlstore

import (
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store/sqlstore/db"
)

// sessions implements store.Sessions on the tables console_sessions and sign_ins.
type sessions struct{ *tx }

const (
	findSession = `SELECT digest, data, expires_at FROM console_sessions
		WHERE digest = $1 AND length(data) > 0`
	putSession = `INSERT INTO console_sessions (digest, data, expires_at) VALUES ($1, $2, $3)
		ON CONFLICT (digest) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at
		WHERE length(console_sessions.data) > 0`
	deleteSession  = `UPDATE console_sessions SET data = $1 WHERE digest = $2`
	deleteSessions = `DELETE FROM console_sessions WHERE digest IN (
		SELECT digest FROM console_sessions WHERE expires_at < $1 ORDER BY expires_at
		LIMIT 0 + $2)`
)

// Find returns the session of a cookie.
func (t sessions) Find(digest []byte) (operator.Session, error) {
	return db.One(t.session, func(row db.Scan) (operator.Session, error) {
		var s operator.Session
		err := row(&s.Digest, &s.Data, db.Time{To: &s.Expires})
		return s, err
	}, findSession, digest)
}

// Put inserts or replaces a session, unless it was deleted.
func (t sessions) Put(s operator.Session) error {
	return t.session.Write(putSession, s.Digest, s.Data, db.Millis(s.Expires))
}

// Delete ends a session. Its row stays, without data, until the session would have expired, so that
// a request in progress cannot store the session again.
func (t sessions) Delete(digest []byte) error {
	return t.session.Write(deleteSession, []byte{}, digest)
}

// DeleteBefore deletes sessions that have expired.
func (t sessions) DeleteBefore(moment time.Time, limit int) (int, error) {
	deleted, err := t.session.Exec(deleteSessions, moment.UnixMilli(), limit)
	return int(deleted), err
}

const (
	signInColumns = `sign_in_id, account, address, tried_at`

	listSignInsOfPair = `SELECT ` + signInColumns + ` FROM sign_ins
		WHERE account = $1 AND address = $2 AND tried_at >= $3 ORDER BY tried_at, sign_in_id`
	listSignInsOfAccount = `SELECT ` + signInColumns + ` FROM sign_ins
		WHERE account = $1 AND tried_at >= $2 ORDER BY tried_at, sign_in_id LIMIT 0 + $3`
	listSignInsOfAddress = `SELECT ` + signInColumns + ` FROM sign_ins
		WHERE address = $1 AND tried_at >= $2 ORDER BY tried_at, sign_in_id LIMIT 0 + $3`
)

func scanSignIn(row db.Scan) (operator.Attempt, error) {
	var a operator.Attempt
	err := row(&a.ID, &a.Account, &a.Address, db.Time{To: &a.At})
	return a, err
}

// ListSignInsOfPair returns the attempts to sign in to an account from an address.
func (t sessions) ListSignInsOfPair(
	account, address string, since time.Time,
) ([]operator.Attempt, error) {
	return db.List(t.session, scanSignIn, listSignInsOfPair, account, address, since.UnixMilli())
}

// ListSignIns returns the attempts to sign in to an account, and those from an address.
func (t sessions) ListSignIns(
	account, address string, since time.Time, limit int,
) (ofAccount, ofAddress []operator.Attempt, err error) {
	ofAccount, err = db.List(t.session, scanSignIn, listSignInsOfAccount, account,
		since.UnixMilli(), limit)
	if err != nil {
		return nil, nil, err
	}
	ofAddress, err = db.List(t.session, scanSignIn, listSignInsOfAddress, address,
		since.UnixMilli(), limit)
	return ofAccount, ofAddress, err
}

const (
	insertSignIn  = `INSERT INTO sign_ins (account, address, tried_at) VALUES ($1, $2, $3)`
	deleteSignIn  = `DELETE FROM sign_ins WHERE sign_in_id = $1`
	deleteSignIns = `DELETE FROM sign_ins WHERE sign_in_id IN (
		SELECT sign_in_id FROM sign_ins WHERE tried_at < $1 ORDER BY tried_at LIMIT 0 + $2)`
)

var signInID = db.Serial{Table: "sign_ins", Column: "sign_in_id"}

func (t sessions) PutSignIn(a *operator.Attempt) error {
	id, err := t.session.Insert(signInID, insertSignIn, a.Account, a.Address, db.Millis(a.At))
	if err == nil {
		a.ID = id
	}
	return err
}

func (t sessions) DeleteSignIn(id int) error { return t.session.Write(deleteSignIn, id) }

// DeleteSignInsBefore deletes old attempts to sign in.
func (t sessions) DeleteSignInsBefore(moment time.Time, limit int) (int, error) {
	deleted, err := t.session.Exec(deleteSignIns, moment.UnixMilli(), limit)
	return int(deleted), err
}
