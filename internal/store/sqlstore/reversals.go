package sqlstore

import (
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/store/sqlstore/db"
)

// reversals implements store.Reversals on the table reversals.
type reversals struct{ *tx }

const findReversal = `SELECT reversal_id, request_digest, authorization_id, result, happened_at,
		reversed_at
	FROM reversals WHERE reversal_id = $1`

func (t reversals) Find(id string) (authorization.Reversal, error) {
	var r authorization.Reversal
	err := t.find([]any{&r.ID, &r.Digest, &r.AuthorizationID, &r.Result, db.Time{To: &r.At},
		db.Time{To: &r.Done}}, findReversal, id)
	if err != nil {
		return authorization.Reversal{}, err
	}
	return r, nil
}

const putReversal = `INSERT INTO reversals (reversal_id, request_digest, authorization_id, result,
		happened_at, reversed_at)
	VALUES ($1, $2, $3, $4, $5, $6)`

func (t reversals) Put(r authorization.Reversal) error {
	return t.session.Write(putReversal, r.ID, db.OrEmpty(r.Digest), r.AuthorizationID,
		string(r.Result), db.Millis(r.At), db.Millis(r.Done))
}

const (
	listMarks = `SELECT reversal_id, authorization_id FROM reversals
		WHERE result = 'unknown' AND reversed_at < $1 ORDER BY reversed_at LIMIT 0 + $2`
	deleteMark = `DELETE FROM authorizations
		WHERE authorization_id = $1 AND length(request_digest) = 0 AND advised_by = ''
			AND decided_at < $2`
	deleteReversal = `DELETE FROM reversals WHERE reversal_id = $1`
)

func (t reversals) DeleteMarks(before time.Time, limit int) (int, error) {
	old, err := db.List(t.session, func(row db.Scan) (r authorization.Reversal, err error) {
		err = row(&r.ID, &r.AuthorizationID)
		return r, err
	}, listMarks, before.UnixMilli(), limit)
	if err != nil {
		return 0, err
	}
	for _, r := range old {
		if err := t.session.Write(deleteMark, r.AuthorizationID, before.UnixMilli()); err != nil {
			return 0, err
		}
		if err := t.session.Write(deleteReversal, r.ID); err != nil {
			return 0, err
		}
	}
	return len(old), nil
}
